//! The parser of the text form.
//!
//! Ids in the text refer to what was declared before; a reference to anything else is an error. The rewriter builds the
//! graph and infers its types, which are compared with those in the text.

use super::cursor::{Cursor, ParseError};
use crate::arena::{Arena, BlockId, CellId, ConstId, Id, SourceId, ValueId};
use crate::dim::Symbol;
use crate::dtype::{DType, Scalar};
use crate::graph::{CellInit, Constant, Graph, InputSpec, OutputSpec, Source, StateCell};
use crate::ops::Op;
use crate::ops::attribute::Attribute;
use crate::rewrite::{Place, Rewriter};
use crate::tensor::TensorData;
use crate::types::{Quant, Shape, TensorType};
use bytes::Bytes;
use std::sync::Arc;

/// Finds the bytes of a constant by digest (see [`super::digest`]).
pub type ConstantSource<'a> = &'a dyn Fn(&str) -> Option<Bytes>;

/// The most bytes of all constants that are written as `splat`, since a single line of text can ask for any number.
const MAX_SPLAT_BYTES: usize = 1 << 29;

/// Parses a graph; see [`crate::text`] for the form.
///
/// # Errors
/// The line and the column of the first error.
pub fn parse(text: &str) -> Result<Graph, ParseError> {
    parse_with(text, &|_| None)
}

/// As [`parse`], with a source of the constants that are given by digest.
///
/// # Errors
/// As [`parse`], or if the source lacks a constant.
pub fn parse_with(text: &str, source: ConstantSource<'_>) -> Result<Graph, ParseError> {
    let mut parser = Parser {
        text,
        at: 0,
        graph: Graph::new(""),
        values: Vec::new(),
        source,
        splat_bytes: 0,
    };
    parser.graph()?;
    Ok(parser.graph)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    graph: Graph,
    values: Vec<ValueId>,
    source: ConstantSource<'a>,
    /// The bytes of the splat constants so far.
    splat_bytes: usize,
}

fn new_id<I: Id, T>(
    arena: &Arena<I, T>,
    number: usize,
    cursor: &Cursor<'_>,
    what: &str,
) -> Result<(), ParseError> {
    if arena.bound() == number {
        Ok(())
    } else {
        Err(cursor.error(format!("{what} are numbered in order")))
    }
}

impl Parser<'_> {
    /// Calls `read` at the current position, with the symbols declared so far.
    fn read<T>(
        &mut self,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        let mut cursor = Cursor::new(self.text, &self.graph.symbols);
        cursor.seek(self.at);
        let result = read(&mut cursor)?;
        self.at = cursor.offset();
        Ok(result)
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        let mut cursor = Cursor::new(self.text, &self.graph.symbols);
        cursor.seek(self.at);
        cursor.error(message)
    }

    fn eat(&mut self, token: &str) -> bool {
        let mut cursor = Cursor::new(self.text, &self.graph.symbols);
        cursor.seek(self.at);
        let found = cursor.eat(token);
        if found {
            self.at = cursor.offset();
        }
        found
    }

    fn graph(&mut self) -> Result<(), ParseError> {
        self.graph.name = self.read(|c| {
            if !c.eat_word("graph") {
                return Err(c.error("expected `graph`"));
            }
            let name = c.quoted()?;
            c.expect("{")?;
            Ok(name)
        })?;
        self.declare_blocks()?;
        while !self.eat("}") {
            match self.read(|c| c.word().map(str::to_string))?.as_str() {
                "symbol" => self.symbol()?,
                "constant" => self.constant()?,
                "state" => self.state()?,
                "input" => self.input()?,
                "output" => self.output()?,
                "buffer" => self.buffer()?,
                "source" => self.source_line()?,
                "block" => self.block()?,
                "update" => self.update()?,
                other => return Err(self.error(format!("no line starts with {other}"))),
            }
        }
        self.read(|c| {
            if c.at_end() {
                Ok(())
            } else {
                Err(c.error("text behind the graph"))
            }
        })
    }

    /// Declares all blocks first, because nodes refer to blocks that follow.
    fn declare_blocks(&mut self) -> Result<(), ParseError> {
        let count = self
            .text
            .lines()
            .filter(|l| l.trim_start().starts_with("block b"))
            .count();
        for _ in 1..count {
            self.graph.blocks.push(Default::default());
        }
        Ok(())
    }

    fn symbol(&mut self) -> Result<(), ParseError> {
        let symbol = self.read(|c| {
            let name = c.word()?.to_string();
            if c.symbols.find(&name).is_some() {
                return Err(c.error(format!("a second symbol {name}")));
            }
            c.expect("in")?;
            let min = c.integer()?;
            c.expect("..")?;
            let max = if c.eat("=") { Some(c.integer()?) } else { None };
            let hint = if c.eat_word("like") {
                Some(c.integer()?)
            } else {
                None
            };
            Ok(Symbol {
                name,
                min,
                max,
                hint,
            })
        })?;
        self.graph.symbols.add(symbol);
        Ok(())
    }

    fn constant(&mut self) -> Result<(), ParseError> {
        let source = self.source;
        let constants = std::mem::take(&mut self.graph.constants);
        let mut splat_bytes = self.splat_bytes;
        let read = self.read(|c| {
            let number = c.id("c")?;
            new_id(&constants, number, c, "constants")?;
            let name = c.quoted()?;
            let ty = parse_type(c)?;
            c.expect("=")?;
            let data = parse_elements(c, &ty, source, &mut splat_bytes)?;
            Ok(Constant {
                name: name.into(),
                ty,
                data,
            })
        });
        self.splat_bytes = splat_bytes;
        self.graph.constants = constants;
        self.graph.constants.push(read?);
        Ok(())
    }

    fn state(&mut self) -> Result<(), ParseError> {
        let cells = std::mem::take(&mut self.graph.cells);
        let read = self.read(|c| {
            let number = c.id("m")?;
            new_id(&cells, number, c, "states")?;
            let name = c.quoted()?;
            let ty = parse_type(c)?;
            c.expect("=")?;
            let init = if c.eat_word("input") {
                CellInit::Input(c.index()? as u32)
            } else {
                CellInit::Constant(ConstId::parse(c)?)
            };
            Ok(StateCell {
                name: name.into(),
                ty,
                init,
            })
        });
        self.graph.cells = cells;
        self.graph.cells.push(read?);
        Ok(())
    }

    fn input(&mut self) -> Result<(), ParseError> {
        let input = self.read(|c| match c.word()? {
            "tensor" => {
                let name = c.quoted()?.into();
                let dim_order = axes(c)?;
                Ok(InputSpec::Tensor { name, dim_order })
            }
            "none" => Ok(InputSpec::None),
            "scalar" => Scalar::parse(c).map(InputSpec::Scalar),
            "text" => c.quoted().map(InputSpec::Text),
            other => Err(c.error(format!("no input is a {other}"))),
        })?;
        self.graph.signature.inputs.push(input);
        Ok(())
    }

    fn output(&mut self) -> Result<(), ParseError> {
        let output = self.read(|c| match c.word()? {
            "tensor" if c.peek("[") => axes(c).map(|dim_order| OutputSpec::Tensor { dim_order }),
            "tensor" => Ok(OutputSpec::TENSOR),
            "none" => Ok(OutputSpec::None),
            "scalar" => Scalar::parse(c).map(OutputSpec::Scalar),
            "text" => c.quoted().map(OutputSpec::Text),
            other => Err(c.error(format!("no output is a {other}"))),
        })?;
        self.graph.signature.outputs.push(output);
        Ok(())
    }

    fn buffer(&mut self) -> Result<(), ParseError> {
        let name = self.read(|c| c.quoted())?;
        self.graph.signature.buffers.push(name.into());
        Ok(())
    }

    fn source_line(&mut self) -> Result<(), ParseError> {
        let sources = std::mem::take(&mut self.graph.sources);
        let read = self.read(|c| {
            let number = c.id("l")?;
            new_id(&sources, number, c, "sources")?;
            let mut next = || c.quoted().map(Arc::<str>::from);
            Ok(Source {
                node: next()?,
                target: next()?,
                module: next()?,
                line: next()?,
            })
        });
        self.graph.sources = sources;
        self.graph.sources.push(read?);
        Ok(())
    }

    fn update(&mut self) -> Result<(), ParseError> {
        let cell = self.read(CellId::parse)?;
        if self.graph.cells.get(cell).is_none() {
            return Err(self.error(format!("there is no state {cell}")));
        }
        self.read(|c| c.expect("="))?;
        let value = self.value()?;
        Rewriter::new(&mut self.graph).add_update(cell, value);
        Ok(())
    }

    fn value(&mut self) -> Result<ValueId, ParseError> {
        let number = self.read(|c| c.id("%"))?;
        self.values
            .get(number)
            .copied()
            .ok_or_else(|| self.error(format!("%{number} is not defined above")))
    }

    fn block(&mut self) -> Result<(), ParseError> {
        let block = self.read(BlockId::parse)?;
        if self.graph.blocks.get(block).is_none() {
            return Err(self.error(format!("there is no block {block}")));
        }
        let params = self.read(|c| c.list("(", ")", parse_definition))?;
        for (number, name, ty) in params {
            let value = Rewriter::new(&mut self.graph).add_param(block, ty, name);
            self.define(number, value)?;
        }
        self.read(|c| c.expect("{"))?;
        loop {
            if self.read(|c| Ok(c.eat_word("return")))? {
                let mut results = Vec::new();
                while self.read(|c| Ok(c.peek("%")))? {
                    results.push(self.value()?);
                    if !self.eat(",") {
                        break;
                    }
                }
                Rewriter::new(&mut self.graph).set_results(block, results);
                return self.read(|c| c.expect("}"));
            }
            self.node(block)?;
        }
    }

    fn define(&mut self, number: usize, value: ValueId) -> Result<(), ParseError> {
        if number != self.values.len() {
            return Err(self.error(format!(
                "expected %{}: values are numbered in order",
                self.values.len()
            )));
        }
        self.values.push(value);
        Ok(())
    }

    fn node(&mut self, block: BlockId) -> Result<(), ParseError> {
        let mut results = Vec::new();
        while self.read(|c| Ok(c.peek("%")))? {
            results.push(self.read(parse_definition)?);
            if !self.eat(",") {
                self.read(|c| c.expect("="))?;
                break;
            }
        }
        let start = self.at;
        let name = self.read(|c| c.word().map(str::to_string))?;
        let mut operands = Vec::new();
        while self.read(|c| Ok(c.peek("%")))? {
            operands.push(self.value()?);
            if !self.eat(",") {
                break;
            }
        }
        let op = self.read(|c| {
            c.expect("{")?;
            let op = Op::parse_attributes(&name, c)?;
            c.expect("}")?;
            Ok(op)
        })?;
        let sources = self.sources()?;
        let mut rewriter = Rewriter::new(&mut self.graph);
        rewriter.set_sources(sources);
        let inserted = rewriter.insert(Place::End(block), op, &operands);
        let node = inserted.map_err(|misfit| {
            self.at = start;
            self.error(misfit.to_string())
        })?;
        let made = self.graph.node(node).results.clone();
        if made.len() != results.len() {
            return Err(self.error(format!(
                "{name} has {} results, found {}",
                made.len(),
                results.len()
            )));
        }
        for ((number, value_name, ty), value) in results.into_iter().zip(made) {
            self.check_type(value, &ty)?;
            self.graph.values[value].ty = ty;
            self.graph.values[value].name = value_name;
            self.define(number, value)?;
        }
        Ok(())
    }

    fn check_type(&self, value: ValueId, written: &TensorType) -> Result<(), ParseError> {
        let ty = self.graph.ty(value);
        let agree = ty.dtype == written.dtype
            && ty.quant == written.quant
            && ty.shape.equal(&written.shape, &self.graph.symbols) != Some(false);
        if agree {
            Ok(())
        } else {
            Err(self.error(format!("the result is {ty:?}, not {written:?}")))
        }
    }

    fn sources(&mut self) -> Result<Vec<SourceId>, ParseError> {
        let mut sources = Vec::new();
        if self.eat("@") {
            loop {
                let number = self.read(|c| c.id("l"))?;
                if number >= self.graph.sources.bound() {
                    return Err(self.error(format!("there is no source l{number}")));
                }
                sources.push(SourceId::new(number as u32));
                if !self.eat(",") {
                    break;
                }
            }
        }
        Ok(sources)
    }
}

type Definition = (usize, Option<Arc<str>>, TensorType);

fn parse_definition(c: &mut Cursor<'_>) -> Result<Definition, ParseError> {
    let number = c.id("%")?;
    let name = if c.peek("\"") {
        Some(c.quoted()?.into())
    } else {
        None
    };
    c.expect(":")?;
    Ok((number, name, parse_type(c)?))
}

fn parse_type(c: &mut Cursor<'_>) -> Result<TensorType, ParseError> {
    let dtype = DType::parse(c)?;
    let shape = Shape::parse(c)?;
    let quant = if c.eat("as (") {
        let quant = Quant::parse(c)?;
        c.expect(")")?;
        Some(Arc::new(quant))
    } else {
        None
    };
    Ok(TensorType {
        dtype,
        shape,
        quant,
    })
}

fn parse_elements(
    c: &mut Cursor<'_>,
    ty: &TensorType,
    source: ConstantSource<'_>,
    splat_bytes: &mut usize,
) -> Result<TensorData, ParseError> {
    let sizes = ty
        .shape
        .as_static()
        .ok_or_else(|| c.error("a constant has known sizes"))?;
    let bytes = sizes
        .iter()
        .try_fold(ty.dtype.size(), |n, &s| n.checked_mul(s));
    let bytes = bytes.ok_or_else(|| c.error("the constant is too large"))?;
    if c.eat("splat ") {
        *splat_bytes = splat_bytes.saturating_add(bytes);
        if *splat_bytes > MAX_SPLAT_BYTES {
            return Err(c.error(format!(
                "the splat constants take {splat_bytes} bytes up to here, at most {MAX_SPLAT_BYTES} are taken; give the \
                 large ones by digest, or their elements"
            )));
        }
        return Scalar::parse(c).map(|value| TensorData::splat(ty.dtype, sizes, value));
    }
    if c.peek("[") {
        let values = Vec::<Scalar>::parse(c)?;
        if Some(values.len()) != bytes.checked_div(ty.dtype.size()) {
            return Err(c.error(format!("{} elements for sizes {sizes:?}", values.len())));
        }
        return Ok(TensorData::from_scalars(ty.dtype, sizes, values));
    }
    let content = match c.word()? {
        "hex" => parse_hex(&c.quoted()?).ok_or_else(|| c.error("expected pairs of hex digits"))?,
        "digest" => {
            let key = c.quoted()?;
            source(&key).ok_or_else(|| {
                c.error(format!(
                    "the elements of this constant are not in the text, only their digest {key}; print it with all of \
                     them, by `kiln opt --full`"
                ))
            })?
        }
        other => return Err(c.error(format!("no elements are written as {other}"))),
    };
    TensorData::new(ty.dtype, sizes, content).map_err(|e| c.error(e.to_string()))
}

fn parse_hex(text: &str) -> Option<Bytes> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok())
        .collect::<Option<Vec<u8>>>()
        .map(Bytes::from)
}

/// Reads an order of axes.
fn axes(cursor: &mut Cursor<'_>) -> Result<Vec<u8>, ParseError> {
    let axes = cursor.list("[", "]", Cursor::index)?;
    let order: Result<Vec<u8>, _> = axes.into_iter().map(u8::try_from).collect();
    order.map_err(|_| cursor.error("no such axis"))
}
