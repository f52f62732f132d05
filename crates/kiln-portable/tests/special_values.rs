//! Special values through every kernel that is emitted: the builtin runtime gives what the stock runtime gives, bit for bit,
//! or the difference is listed.
//!
//! Programs call kernels on NaN, infinities, zeros of both signs, ties, and numbers at the ends of what types hold, all pairs of
//! them where a kernel takes two operands, in every dtype that the lowering takes. Results of functions that two libraries
//! approximate may differ in their last bits where they are finite. Skipped where `$KILN_ET_RUN` names no runner.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
#[path = "special_values/known.rs"]
mod known;
#[path = "special_values/probes.rs"]
mod probes;

use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, TensorData};
use kiln_portable::{Method, Options, emit};
use kiln_pte::Program;
use kiln_pte::runtime::{self, Item, Runtime};
use probes::Probe;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize_to_file};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

const STORED: [(DType, Dtype); 10] = [
    (DType::Bool, Dtype::BOOL),
    (DType::U8, Dtype::U8),
    (DType::I8, Dtype::I8),
    (DType::I16, Dtype::I16),
    (DType::I32, Dtype::I32),
    (DType::I64, Dtype::I64),
    (DType::F16, Dtype::F16),
    (DType::BF16, Dtype::BF16),
    (DType::F32, Dtype::F32),
    (DType::F64, Dtype::F64),
];

fn on_stock(
    runner: &Path,
    program: &Program,
    inputs: &[Tensor],
    outputs: usize,
) -> Result<Vec<Tensor>, String> {
    let folder = tempfile::tempdir().unwrap();
    let [pte, fed, out] =
        ["p.pte", "in.safetensors", "out.safetensors"].map(|n| folder.path().join(n));
    kiln_pte::write_file(program, &pte).unwrap();
    let view = |tensor: &'_ Tensor| {
        let (_, dtype) = STORED.iter().find(|(d, _)| *d == tensor.dtype()).unwrap();
        (*dtype, tensor.sizes().to_vec())
    };
    let views = inputs.iter().enumerate().map(|(i, tensor)| {
        let (dtype, sizes) = view(tensor);
        (
            format!("0.in.{i}"),
            TensorView::new(dtype, sizes, tensor.bytes()).unwrap(),
        )
    });
    serialize_to_file(views, None, &fed).unwrap();
    let mut command = Command::new(runner);
    let done = command
        .arg(&pte)
        .arg("--in")
        .arg(&fed)
        .arg("--out")
        .arg(&out)
        .output();
    let done = done.unwrap();
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let written = std::fs::read(&out).unwrap();
    let tensors = SafeTensors::deserialize(&written).unwrap();
    let read = |i: usize| {
        let tensor = tensors.tensor(&format!("0.out.{i}")).unwrap();
        let (dtype, _) = STORED.iter().find(|(_, d)| *d == tensor.dtype()).unwrap();
        let bytes = bytes::Bytes::copy_from_slice(tensor.data());
        Tensor::from(TensorData::new(*dtype, tensor.shape().to_vec(), bytes).unwrap())
    };
    Ok((0..outputs).map(read).collect())
}

fn on_builtin(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let options = runtime::Options { poison: Some(0xA5) };
    let mut loaded = Runtime::load(program, "forward", &[], &options).map_err(|e| e.to_string())?;
    let inputs: Vec<_> = inputs.iter().cloned().map(Some).collect();
    let found = loaded.execute(&inputs).map_err(|e| e.to_string())?;
    let tensor = |item: Item| match item {
        Item::Tensor(tensor) => tensor,
        other => panic!("{other:?}"),
    };
    Ok(found.into_iter().map(tensor).collect())
}

/// Units in the last place that libraries' approximations of one function lie apart, at most.
const APART: f64 = 64.0;

/// True if the numbers are the same, or, of a function that libraries approximate, near each other.
fn is_same(stock: f64, builtin: f64, dtype: DType, is_approximate: bool) -> bool {
    if stock.is_nan() || builtin.is_nan() {
        return stock.is_nan() && builtin.is_nan();
    }
    let same = stock == builtin && stock.is_sign_negative() == builtin.is_sign_negative();
    let epsilon = match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => 9.8e-4,
        DType::BF16 => 7.9e-3,
        _ => return same,
    };
    let near = (stock - builtin).abs() <= APART * epsilon * stock.abs().max(1e-30);
    same || is_approximate && stock.is_finite() && builtin.is_finite() && near
}

/// What was exercised.
#[derive(Default)]
struct Tally {
    kernels: BTreeMap<String, BTreeSet<DType>>,
    programs: usize,
    values: usize,
    /// Differences by what computes them; how many, and the first.
    differences: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn differ(&mut self, name: &str, what: impl FnOnce() -> String) {
        let entry = self.differences.entry(name.to_owned());
        entry.or_insert_with(|| (0, what())).0 += 1;
    }

    fn run(&mut self, runner: &Path, probe: &Probe) {
        let graph: Graph = probe.graph();
        let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
        self.programs += 1;
        for kernel in emitted.reports[0].kernel_calls.keys() {
            self.kernels
                .entry(kernel.clone())
                .or_default()
                .insert(probe.dtype);
        }
        let names = &probe.names;
        let stock = on_stock(runner, &emitted.program, &probe.inputs, names.len());
        let builtin = on_builtin(&emitted.program, &probe.inputs);
        let (stock, builtin) = match (stock, builtin) {
            (Ok(stock), Ok(builtin)) => (stock, builtin),
            (Err(_), Err(_)) => return,
            (stock, builtin) => {
                let errors = (stock.err(), builtin.err());
                return self.differ(&names.join("; "), || format!("{errors:?}"));
            }
        };
        for ((name, stock), builtin) in names.iter().zip(&stock).zip(&builtin) {
            if stock.sizes() != builtin.sizes() {
                self.differ(name, || {
                    format!("{:?} and {:?}", stock.sizes(), builtin.sizes())
                });
                continue;
            }
            let is_approximate = probes::is_approximate(name);
            self.values += stock.scalars().len();
            for (i, (a, b)) in stock.scalars().iter().zip(builtin.scalars()).enumerate() {
                let same = match stock.dtype().is_float() {
                    true => is_same(a.as_f64(), b.as_f64(), stock.dtype(), is_approximate),
                    false => a.as_i64() == b.as_i64(),
                };
                if !same {
                    self.differ(name, || {
                        let of = probe.at(stock.sizes(), i);
                        format!("stock {a:?}, builtin {b:?}, of {of:?}")
                    });
                }
            }
        }
    }
}

/// The kernels that the lowering names, by its sources.
fn emitted_kernels() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut open, mut found) = (vec![folder], BTreeSet::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for literal in source.split('"').skip(1).step_by(2) {
            let spaces = ["aten::", "dim_order_ops::", "quantized_decomposed::"];
            let is_name = !literal.contains([' ', '{', '*']) && literal.contains('.')
                || literal.ends_with('_');
            if is_name && spaces.iter().any(|s| literal.starts_with(s)) {
                found.insert(literal.to_owned());
            }
        }
    }
    found
}

fn runner() -> Option<PathBuf> {
    let runner = std::env::var_os("KILN_ET_RUN").map(PathBuf::from);
    if runner.is_none() {
        assert!(
            std::env::var_os("KILN_REQUIRE").is_none(),
            "KILN_ET_RUN names no runner"
        );
        eprintln!("skipped: KILN_ET_RUN names no runner of the stock runtime");
    }
    runner
}

#[test]
fn the_builtin_runtime_does_what_the_stock_runtime_does() {
    let Some(runner) = runner() else { return };
    let mut tally = Tally::default();
    for probe in probes::all() {
        tally.run(&runner, &probe);
    }
    let emitted = emitted_kernels();
    let dtypes: usize = tally.kernels.values().map(BTreeSet::len).sum();
    println!(
        "{} programs, {} kernels in {dtypes} pairs with dtypes, {} values; the lowering names {} kernels",
        tally.programs,
        tally.kernels.len(),
        tally.values,
        emitted.len()
    );
    let mut faults = Vec::new();
    let is_reached = |kernel: &str| tally.kernels.contains_key(kernel);
    for kernel in emitted.iter().filter(|k| !is_reached(k)) {
        match known::UNREACHED.iter().find(|(name, _)| name == kernel) {
            Some((_, why)) => println!("not reached: {kernel}: {why}"),
            None => faults.push(format!("{kernel} is not reached")),
        }
    }
    for (name, _) in known::UNREACHED {
        if is_reached(name) || !emitted.contains(*name) {
            faults.push(format!("{name} is listed as not reached for nothing"));
        }
    }
    for (name, (count, first)) in &tally.differences {
        match known::DIFFERENT
            .iter()
            .find(|(known, _)| name.starts_with(known))
        {
            Some((_, why)) => println!("differs: {name}: {count} times, {first}: {why}"),
            None => faults.push(format!("{name}: {count} times: {first}")),
        }
    }
    for (known, _) in known::DIFFERENT {
        if !tally.differences.keys().any(|name| name.starts_with(known)) {
            faults.push(format!("{known} is listed as different, and is not"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
