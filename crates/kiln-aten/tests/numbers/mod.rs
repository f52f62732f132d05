//! Reads calls with torch's results from text. `generate.py` writes it; `lines.py` describes the format.

use crate::program::Program;
use kiln_aten::{Arg, Tensor};
use kiln_ir::{DType, Dim, Scalar, TensorData, ops};
use std::collections::BTreeMap;

/// A call, or a chain of calls in which each takes the first result of the one before.
pub struct Case<'t> {
    pub line: &'t str,
    pub targets: Vec<&'t str>,
    pub args: Vec<(&'t str, &'t str)>,
    pub results: Vec<Expected>,
}

/// The expected value of a result or of a mutated argument, which has a name.
pub enum Expected {
    Skipped,
    Result(TensorData),
    Argument(String, TensorData),
}

pub fn cases(text: &str) -> impl Iterator<Item = Case<'_>> {
    text.lines().map(case)
}

fn case(line: &str) -> Case<'_> {
    let (call, results) = line.split_once(" -> ").expect("a call -> results");
    let mut parts = call.split("; ");
    let targets = parts.next().expect("a target").split('+').collect();
    let args = parts
        .map(|a| a.split_once('=').expect("name=value"))
        .collect();
    let results = results.split("; ").map(expected).collect();
    Case {
        line,
        targets,
        args,
        results,
    }
}

fn expected(text: &str) -> Expected {
    if text == "_" {
        return Expected::Skipped;
    }
    match text.strip_prefix('@').and_then(|t| t.split_once('=')) {
        Some((name, tensor)) => Expected::Argument(name.into(), literal(tensor).1),
        None => Expected::Result(literal(text).1),
    }
}

fn parsed<T: std::str::FromStr>(text: &str) -> T {
    let value = text.parse().ok();
    value.unwrap_or_else(|| panic!("{text} is no number"))
}

/// Reads `f32[2,s:3]{1 2 ..}`: the sizes, with names for symbolic ones, and the elements.
fn literal(text: &str) -> (Vec<Option<&str>>, TensorData) {
    let (head, elements) = text
        .strip_suffix('}')
        .and_then(|t| t.split_once('{'))
        .expect("type{elements}");
    let (dtype, sizes) = head
        .strip_suffix(']')
        .and_then(|t| t.split_once('['))
        .expect("dtype[sizes]");
    let dtype = DType::from_name(dtype).expect("a dtype");
    let sizes = sizes.split(',').filter(|s| !s.is_empty());
    let (names, sizes): (Vec<_>, Vec<usize>) = sizes
        .map(|s| match s.split_once(':') {
            Some((name, n)) => (Some(name), parsed::<usize>(n)),
            None => (None, parsed::<usize>(s)),
        })
        .unzip();
    let number = |t: &str| match t.parse::<i64>() {
        Ok(i) if !dtype.is_float() => Scalar::Int(i),
        _ => Scalar::Float(t.parse().expect("a number")),
    };
    let elements = elements.split(' ').filter(|t| !t.is_empty()).map(number);
    (names, TensorData::from_scalars(dtype, sizes, elements))
}

/// Collects the inputs of a case while its arguments are read.
#[derive(Default)]
pub struct Inputs<'t> {
    symbols: BTreeMap<&'t str, Dim>,
    pub data: Vec<TensorData>,
}

impl<'t> Inputs<'t> {
    /// Declares the symbols first, because several inputs may have the same symbol.
    fn tensor(&mut self, p: &mut Program<'_>, text: &'t str) -> Tensor {
        if let Some(text) = text.strip_prefix("const ") {
            let rewriter = p.importer.rewriter();
            let value = rewriter.add_constant("constant", literal(text).1);
            let place = kiln_ir::Place::End(rewriter.graph().root());
            let value = rewriter
                .value(place, ops::Constant { value }, &[])
                .expect("a constant fits");
            return p.importer.bind(value);
        }
        let (names, data) = literal(text);
        let mut shape = Vec::new();
        for (name, &size) in names.iter().zip(data.sizes()) {
            shape.push(match name {
                Some(name) => self
                    .symbols
                    .entry(name)
                    .or_insert_with(|| p.symbol(name, 2, Some(64)))
                    .clone(),
                None => Dim::constant(size as i64),
            });
        }
        let arg = p.input("x", data.dtype(), &shape);
        self.data.push(data);
        arg.as_tensor().expect("an input is a tensor")
    }

    pub fn arg(&mut self, p: &mut Program<'_>, text: &'t str) -> Arg {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        let words = || rest.split(' ').filter(|w| !w.is_empty());
        match kind {
            "none" => Arg::None,
            "bool" => Arg::Bool(rest == "true"),
            "int" => Arg::Int(Dim::constant(parsed(rest))),
            "float" => Arg::Float(parsed(rest)),
            "text" => Arg::Str(rest.into()),
            "dtype" => Arg::DType(DType::from_name(rest).expect("a dtype")),
            "ints" => Arg::Ints(words().map(|w| Dim::constant(parsed(w))).collect()),
            "floats" => Arg::Floats(words().map(parsed).collect()),
            "tensors" => Arg::Tensors(rest.split(" & ").map(|t| self.tensor(p, t)).collect()),
            _ => Arg::Tensor(self.tensor(p, text)),
        }
    }
}
