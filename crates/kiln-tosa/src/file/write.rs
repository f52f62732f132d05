//! The writer of files.

use super::encode::{ALIGNMENT, Encoder, Field, Table};
use super::error::WriteError;
use super::operand::{self, Value};
use super::{CONST_SHAPE, VERSION, attribute, code};
use crate::dialect::{Operator, Region, TensorId, TensorType, TosaDtype, TosaGraph, TosaOp};
use kiln_ir::Content;
use kiln_ir::content::Distinct;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io;

/// A file that is laid out. The bytes of constants are computed while it is written.
#[derive(Debug)]
pub struct File {
    head: Vec<u8>,
    data: Vec<Content>,
}

/// Lays out a graph. A graph with faults is written as it is.
///
/// # Errors
/// If the format has no place for a value, or if the file would be too large.
pub fn write(graph: &TosaGraph) -> Result<File, WriteError> {
    let mut writer = Writer::new(graph);
    let regions = graph.regions.iter().map(|region| writer.region(region));
    let regions: Vec<Table> = regions.collect::<Result<_, _>>()?;
    let version = VERSION
        .iter()
        .enumerate()
        .fold(Table::default(), |t, (i, &n)| {
            t.with(i, Field::Word(n as u32))
        });
    let root = Table::default()
        .with(0, Field::Table(version.with(3, Field::Byte(0))))
        .with(1, Field::Tables(regions));
    let (mut head, places) = Encoder::encode(root);
    let starts = starts(&head, &writer.data)?;
    for (place, number) in places {
        let distance = (starts[number] - place) as u32;
        head[place..place + 4].copy_from_slice(&distance.to_le_bytes());
    }
    Ok(File {
        head,
        data: writer.data,
    })
}

/// The position of each vector of data: its length, then its aligned bytes.
fn starts(head: &[u8], data: &[Content]) -> Result<Vec<usize>, WriteError> {
    let mut starts = Vec::with_capacity(data.len());
    let mut end = head.len();
    for content in data {
        let first = (end + 4).next_multiple_of(ALIGNMENT);
        starts.push(first - 4);
        end = first.saturating_add(content.len());
    }
    match i32::try_from(end) {
        Ok(_) => Ok(starts),
        Err(_) => Err(WriteError::TooLarge(end as u64)),
    }
}

impl File {
    /// Writes the file, a piece of a constant at a time.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(&self.head)?;
        let mut end = self.head.len();
        for content in &self.data {
            let first = (end + 4).next_multiple_of(ALIGNMENT);
            out.write_all(&[0; ALIGNMENT][..first - 4 - end])?;
            out.write_all(&(content.len() as u32).to_le_bytes())?;
            let mut pieces = content.pieces();
            while let Some(piece) = pieces.next() {
                out.write_all(piece)?;
            }
            end = first + content.len();
        }
        Ok(())
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)
            .expect("a vector takes what is written");
        bytes
    }
}

/// The data that the regions of a file share.
struct Writer<'a> {
    graph: &'a TosaGraph,
    names: FxHashSet<String>,
    distinct: Distinct<usize>,
    data: Vec<Content>,
}

/// The tables of one region, while it is written.
#[derive(Default)]
struct Block {
    operators: Vec<Table>,
    /// The tensors that are operands only in the file.
    tensors: Vec<Table>,
    shapes: Vec<Table>,
    /// The names of constants, by type and number of data, and of shapes.
    constants: FxHashMap<(TosaDtype, Vec<usize>, usize), String>,
    numbers: FxHashMap<Vec<i64>, String>,
    /// The names of the tensors that stand for variables.
    variables: FxHashMap<String, String>,
}

impl<'a> Writer<'a> {
    fn new(graph: &'a TosaGraph) -> Self {
        let tensors = graph.regions.iter().flat_map(|region| &region.tensors);
        Writer {
            graph,
            names: tensors.map(|tensor| tensor.name.clone()).collect(),
            distinct: Distinct::default(),
            data: Vec::new(),
        }
    }

    /// The number of some data; equal bytes have one number.
    fn data(&mut self, content: &Content) -> usize {
        let number = self.distinct.first(content, self.data.len());
        if number == self.data.len() {
            self.data.push(content.clone());
        }
        number
    }

    fn unique(&mut self, stem: &str) -> String {
        let mut number = self.names.len();
        loop {
            let name = format!("{stem}_{number}");
            if self.names.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }

    fn region(&mut self, region: &Region) -> Result<Table, WriteError> {
        let mut block = Block::default();
        for (i, operator) in region.operators.iter().enumerate() {
            self.operator(region, operator, &mut block)
                .map_err(|what| WriteError::At {
                    place: format!(
                        "region {}, operator {i} ({})",
                        region.name,
                        operator.op.kind()
                    ),
                    what,
                })?;
        }
        let constants = region.constants();
        let own = region
            .tensors
            .iter()
            .zip(constants)
            .map(|(tensor, content)| {
                let ty = TensorType::from(tensor);
                let data = content.map(|content| self.data(content));
                tensor_table(&tensor.name, &ty, data)
            });
        let tensors: Vec<Table> = own.chain(block.tensors).collect();
        let inputs = names(region, &region.inputs);
        let outputs = names(region, &region.outputs);
        let place = |what| WriteError::At {
            place: format!("region {}", region.name),
            what,
        };
        let table = Table::default()
            .with(0, Field::String(region.name.clone()))
            .with(1, Field::Tables(block.operators))
            .with(2, Field::Tables(tensors))
            .with(3, Field::Strings(inputs.map_err(place)?))
            .with(4, Field::Strings(outputs.map_err(place)?))
            .with(5, Field::Tables(block.shapes));
        Ok(Table::default()
            .with(0, Field::String(region.name.clone()))
            .with(1, Field::Tables(vec![table])))
    }

    fn operator(
        &mut self,
        region: &Region,
        operator: &Operator,
        block: &mut Block,
    ) -> Result<(), String> {
        let op = &operator.op;
        let mut inputs = names(region, &operator.inputs)?;
        let mut outputs = names(region, &operator.outputs)?;
        let dtypes: Vec<TosaDtype> = operator
            .inputs
            .iter()
            .map(|&id| dtype(region, id))
            .collect();
        let result = operator.outputs.first().map(|&id| dtype(region, id));
        let first = dtypes.first().copied().or(result);
        let first = first.unwrap_or(TosaDtype::Bool);
        if needs(op) > dtypes.len() {
            return Err(format!("{} operands", dtypes.len()));
        }
        for value in operand::values(op, &dtypes, result.unwrap_or(first))? {
            inputs.push(self.constant(value, block));
        }
        match op {
            TosaOp::Variable(variable) => {
                let ty = TensorType::new(variable.dtype, variable.shape.as_slice());
                let data = variable.initial.as_ref().map(|content| self.data(content));
                let name = self.unique(&variable.name);
                let table = tensor_table(&name, &ty, data)
                    .flag(4, true)
                    .with(6, Field::String(variable.name.clone()));
                block.tensors.push(table);
                block.variables.insert(variable.name.clone(), name.clone());
                outputs.push(name);
            }
            TosaOp::VariableRead { name, .. } => inputs.push(variable(block, name)?),
            TosaOp::VariableWrite { name } => outputs.push(variable(block, name)?),
            _ => {}
        }
        let attributes = attribute::table(op, first, &self.graph.regions)?;
        let kind = op.kind() as u32;
        let mut table = operator_table(kind, attributes, inputs, outputs);
        if let Some(location) = &operator.location {
            let text = Table::default().with(0, Field::String(location.clone()));
            table = table.with(5, Field::Table(text));
        }
        block.operators.push(table);
        Ok(())
    }

    /// The name of a compile-time operand, which is added if it is new.
    fn constant(&mut self, value: Value, block: &mut Block) -> String {
        match value {
            Value::Shape(numbers) => {
                if let Some(name) = block.numbers.get(&numbers) {
                    return name.clone();
                }
                let name = self.unique("shape");
                let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
                let data = self.data(&Content::from(bytes::Bytes::from(bytes)));
                let shape = Table::default()
                    .with(0, Field::String(name.clone()))
                    .number(1, numbers.len() as u32)
                    .with(2, Field::Data(data));
                block.shapes.push(shape);
                block.made(CONST_SHAPE, &name);
                block.numbers.insert(numbers, name.clone());
                name
            }
            Value::Tensor(ty, content) => {
                let data = self.data(&content);
                let key = (ty.dtype, ty.shape.clone(), data);
                if let Some(name) = block.constants.get(&key) {
                    return name.clone();
                }
                let name = self.unique("const");
                block.tensors.push(tensor_table(&name, &ty, Some(data)));
                block.made(crate::dialect::Kind::Const as u32, &name);
                block.constants.insert(key, name.clone());
                name
            }
        }
    }
}

impl Block {
    /// Adds the operator that makes a constant.
    fn made(&mut self, kind: u32, name: &str) {
        let outputs = vec![name.to_owned()];
        self.operators
            .push(operator_table(kind, Table::default(), Vec::new(), outputs));
    }
}

/// The number of operands from which the dtypes of the compile-time operands follow.
fn needs(op: &TosaOp) -> usize {
    let row = crate::dialect::table::row(op.kind());
    if row.constants.is_empty() {
        0
    } else {
        row.operands.len()
    }
}

fn variable(block: &Block, name: &str) -> Result<String, String> {
    let tensor = block.variables.get(name).cloned();
    tensor.ok_or_else(|| format!("no variable {name} is declared in front of it"))
}

fn names(region: &Region, ids: &[TensorId]) -> Result<Vec<String>, String> {
    let names = ids.iter().map(|&id| match region.tensor(id) {
        Some(tensor) => Ok(tensor.name.clone()),
        None => Err(format!("there is no tensor {id:?}")),
    });
    names.collect()
}

/// The dtype of the tensor of a name, which was found before.
fn dtype(region: &Region, id: TensorId) -> TosaDtype {
    region.tensors[id.index()].dtype
}

fn tensor_table(name: &str, ty: &TensorType, data: Option<usize>) -> Table {
    let word = |&size| u32::try_from(size).unwrap_or(u32::MAX);
    let shape = ty.shape.iter().map(word).collect();
    let table = Table::default()
        .with(0, Field::String(name.to_owned()))
        .with(1, Field::Words(shape))
        .number(2, code::of_dtype(ty.dtype));
    match data {
        Some(number) => table.with(3, Field::Data(number)),
        None => table,
    }
}

/// The tag of the attributes is the code of the operator: the schema has both in the same order.
fn operator_table(
    kind: u32,
    attributes: Table,
    inputs: Vec<String>,
    outputs: Vec<String>,
) -> Table {
    Table::default()
        .number(0, kind)
        .with(1, Field::Byte(kind as u8))
        .with(2, Field::Table(attributes))
        .with(3, Field::Strings(inputs))
        .with(4, Field::Strings(outputs))
}
