//! The reader of files.
//!
//! It reads what the TOSA serialisers write for version 1.0. Operands that the specification wants at compile time have
//! to be constants. The graph may have faults: the verifier lists them. Constants share the bytes of the input. A
//! constant with more bytes than its shape takes is cut, as the peer's zero points need.

use super::budget::Budget;
use super::operand::Value;
use super::parameters::{Parts, Wrong};
use super::tosa_fb::tosa as fb;
use super::{CONST_SHAPE, IDENTIFIER, ReadError, VERSION, code};
use crate::dialect::{
    Kind, Operator, Region, RegionId, Tensor, TensorId, TensorType, TosaGraph, TosaOp, Variable,
    table,
};
use bytes::Bytes;
use kiln_ir::Content;
use planus::ReadAsRoot;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Reads a file.
///
/// # Errors
/// If it is not a TOSA 1.0 file, if it is broken, or if the dialect has no place for something in it. The error names
/// the region and the operator.
pub fn read(bytes: &Bytes) -> Result<TosaGraph, ReadError> {
    if bytes.get(4..8) != Some(&IDENTIFIER[..]) {
        let found = bytes.get(4..8).unwrap_or_default().to_vec();
        return Err(ReadError::Identifier { found });
    }
    let root = fb::TosaGraphRef::read_as_root(bytes)?;
    check_version(&root.version()?)?;
    let listed = root.regions()?.unwrap_or(planus::Vector::new_empty());
    let mut budget = Budget::new(bytes.len());
    budget.charge::<Region>(listed.len())?;
    let mut blocks = Vec::new();
    let mut ids = FxHashMap::default();
    for (i, region) in listed.iter().enumerate() {
        let region = region?;
        let name = region.name()?.unwrap_or_default();
        let block = only_block(name, &region)?;
        if ids.insert(name, RegionId(i as u32)).is_some() {
            let place = format!("region {name}");
            return Err(at(place, "its name is another's too"));
        }
        blocks.push((name, block));
    }
    for (i, (_, block)) in blocks.iter().enumerate() {
        let name = block.name()?.unwrap_or_default();
        ids.entry(name).or_insert(RegionId(i as u32));
    }
    if blocks.is_empty() {
        return Err(at("the file", "there is no region"));
    }
    let mut reader = Reader {
        bytes,
        budget,
        regions: ids,
    };
    let regions = blocks
        .iter()
        .map(|(name, block)| reader.region(name, block));
    Ok(TosaGraph {
        regions: regions.collect::<Result<_, _>>()?,
    })
}

fn at(place: impl Into<String>, what: impl Into<String>) -> ReadError {
    ReadError::At {
        place: place.into(),
        what: what.into(),
    }
}

fn check_version(version: &fb::VersionRef<'_>) -> Result<(), ReadError> {
    let (major, minor) = (version.major()?, version.minor()?);
    if [major, minor] == VERSION[..2] {
        return Ok(());
    }
    let found = format!("{major}.{minor}.{}", version.patch()?);
    Err(ReadError::Version { found })
}

fn only_block<'a>(
    name: &str,
    region: &fb::TosaRegionRef<'a>,
) -> Result<fb::TosaBasicBlockRef<'a>, ReadError> {
    let blocks = region.blocks()?.unwrap_or(planus::Vector::new_empty());
    match (blocks.len(), blocks.iter().next()) {
        (1, Some(block)) => Ok(block?),
        (n, _) => Err(at(format!("region {name}"), format!("{n} blocks, not one"))),
    }
}

struct Reader<'a> {
    bytes: &'a Bytes,
    budget: Budget,
    /// The regions, by the name of region or block.
    regions: FxHashMap<&'a str, RegionId>,
}

/// A block's names, before it is known which tensors are operands.
#[derive(Default)]
struct Names<'a> {
    tensors: FxHashMap<&'a str, Named>,
    shapes: FxHashMap<&'a str, Vec<i64>>,
    /// The names that a `CONST` or `CONST_SHAPE` makes.
    made: FxHashSet<&'a str>,
    /// The names that are not compile-time operands alone.
    used: FxHashSet<&'a str>,
}

/// A tensor of the file.
struct Named {
    ty: TensorType,
    data: Option<Bytes>,
    variable: Option<String>,
    /// Its id in the region, if it is a tensor of the graph.
    id: Option<TensorId>,
}

/// An operator of the file.
struct Raw<'a> {
    kind: Kind,
    inputs: Vec<&'a str>,
    outputs: Vec<&'a str>,
    table: fb::TosaOperatorRef<'a>,
}

impl<'a> Reader<'a> {
    fn region(
        &mut self,
        name: &str,
        block: &fb::TosaBasicBlockRef<'a>,
    ) -> Result<Region, ReadError> {
        let place = format!("region {name}");
        let mut names = Names::default();
        let listed = self.tensors(&place, block, &mut names)?;
        self.shapes(&place, block, &mut names)?;
        let operators = self.operators(&place, block, &mut names)?;
        let inputs = self.strings(block.inputs()?)?;
        let outputs = self.strings(block.outputs()?)?;
        names.used.extend(inputs.iter().chain(&outputs));
        let mut region = Region {
            name: name.to_owned(),
            ..Region::default()
        };
        names.number(&listed, &operators, &mut region);
        for (i, raw) in operators.iter().enumerate() {
            let read = self.operator(raw, &names);
            let operator = read.map_err(|wrong| match wrong {
                Wrong::File(error) => error,
                Wrong::What(what) => at(format!("{place}, operator {i} ({})", raw.kind), what),
            })?;
            region.operators.extend(operator);
        }
        let ids = |list: &[&str]| {
            let ids = list.iter().map(|name| names.id(name));
            ids.collect::<Result<Vec<_>, _>>()
                .map_err(|what| at(&place, what))
        };
        (region.inputs, region.outputs) = (ids(&inputs)?, ids(&outputs)?);
        Ok(region)
    }

    fn strings(
        &mut self,
        list: Option<planus::Vector<'a, planus::Result<&'a str>>>,
    ) -> Result<Vec<&'a str>, ReadError> {
        let list = list.unwrap_or(planus::Vector::new_empty());
        self.budget.charge::<&str>(list.len())?;
        Ok(list.iter().collect::<Result<_, _>>()?)
    }

    /// The tensors by name, and their names in order.
    fn tensors(
        &mut self,
        place: &str,
        block: &fb::TosaBasicBlockRef<'a>,
        names: &mut Names<'a>,
    ) -> Result<Vec<&'a str>, ReadError> {
        let tensors = block.tensors()?.unwrap_or(planus::Vector::new_empty());
        self.budget.charge::<(Named, Tensor)>(tensors.len())?;
        let mut listed = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            let tensor = tensor?;
            let name = tensor.name()?.unwrap_or_default();
            self.budget.charge::<u8>(name.len())?;
            let place = || format!("{place}, tensor {name}");
            let named = self.tensor(&tensor, &place)?;
            if names.tensors.insert(name, named).is_some() {
                return Err(at(place(), "its name is another's too"));
            }
            listed.push(name);
        }
        Ok(listed)
    }

    fn tensor(
        &mut self,
        tensor: &fb::TosaTensorRef<'a>,
        place: &impl Fn() -> String,
    ) -> Result<Named, ReadError> {
        let code = tensor.type_()?;
        let dtype = code::dtype(code)
            .ok_or_else(|| at(place(), format!("the code {code} is no dtype of 1.0")))?;
        if tensor.is_unranked()? {
            return Err(at(place(), "it has no rank; shapes must be static"));
        }
        let sizes = tensor.shape()?.unwrap_or(planus::Vector::new_empty());
        self.budget.charge::<usize>(sizes.len())?;
        let shape: Result<Vec<usize>, _> = sizes.iter().map(usize::try_from).collect();
        let shape = shape.map_err(|_| {
            let found: Vec<i32> = sizes.iter().take(8).collect();
            at(
                place(),
                format!("the shape {found:?}: sizes must be static"),
            )
        })?;
        let variable = match tensor.variable()? {
            true => {
                let name = tensor.variable_name()?.unwrap_or_default();
                self.budget.charge::<u8>(name.len())?;
                Some(name.to_owned())
            }
            false => None,
        };
        Ok(Named {
            ty: TensorType { dtype, shape },
            data: self.data(tensor, place)?,
            variable,
            id: None,
        })
    }

    /// The bytes in the flatbuffer, or behind it for files of 2 GiB or more.
    fn data(
        &self,
        tensor: &fb::TosaTensorRef<'a>,
        place: &impl Fn() -> String,
    ) -> Result<Option<Bytes>, ReadError> {
        let (offset, size) = (tensor.offset()?, tensor.size()?);
        if offset <= 1 {
            return Ok(tensor.data()?.map(|data| self.bytes.slice_ref(data)));
        }
        match offset.checked_add(size) {
            Some(end) if end <= self.bytes.len() as u64 => {
                Ok(Some(self.bytes.slice(offset as usize..end as usize)))
            }
            _ => Err(at(
                place(),
                format!("{size} bytes at {offset} are beyond the file's end"),
            )),
        }
    }

    fn shapes(
        &mut self,
        place: &str,
        block: &fb::TosaBasicBlockRef<'a>,
        names: &mut Names<'a>,
    ) -> Result<(), ReadError> {
        let shapes = block.shapes()?.unwrap_or(planus::Vector::new_empty());
        self.budget.charge::<(Vec<i64>, &str)>(shapes.len())?;
        for shape in shapes {
            let shape = shape?;
            let name = shape.name()?.unwrap_or_default();
            let (rank, data) = (shape.rank()? as usize, shape.data()?.unwrap_or_default());
            let (numbers, _) = data.as_chunks::<8>();
            self.budget.charge::<i64>(rank.min(numbers.len()))?;
            if numbers.len() < rank {
                let what = format!("{} bytes for {rank} numbers", data.len());
                return Err(at(format!("{place}, shape {name}"), what));
            }
            let numbers = numbers[..rank].iter().map(|&n| i64::from_le_bytes(n));
            names.shapes.insert(name, numbers.collect());
        }
        Ok(())
    }

    /// The operators except those that make shapes, and how their operands are used.
    fn operators(
        &mut self,
        place: &str,
        block: &fb::TosaBasicBlockRef<'a>,
        names: &mut Names<'a>,
    ) -> Result<Vec<Raw<'a>>, ReadError> {
        let listed = block.operators()?.unwrap_or(planus::Vector::new_empty());
        self.budget.charge::<(Raw<'_>, Operator)>(listed.len())?;
        let mut operators = Vec::with_capacity(listed.len());
        for (i, table) in listed.iter().enumerate() {
            let table = table?;
            let (inputs, outputs) = (
                self.strings(table.inputs()?)?,
                self.strings(table.outputs()?)?,
            );
            let code = table.op()?;
            if code == CONST_SHAPE {
                names.made.extend(outputs);
                continue;
            }
            let kind = code::kind(code).ok_or_else(|| {
                let what = format!("the code {code} is no operator of TOSA 1.0");
                at(format!("{place}, operator {i}"), what)
            })?;
            if kind == Kind::Const {
                names.made.extend(&outputs);
            }
            let constants = table::row(kind).constants.len();
            let operands = inputs.len().saturating_sub(constants);
            names.used.extend(&inputs[..operands]);
            operators.push(Raw {
                kind,
                inputs,
                outputs,
                table,
            });
        }
        Ok(operators)
    }

    /// The operator; none if it only makes a compile-time operand.
    fn operator(&mut self, raw: &Raw<'a>, names: &Names<'a>) -> Result<Option<Operator>, Wrong> {
        // Only operators of variables name variables, and they have the name in their attributes.
        let is_theirs = matches!(
            raw.kind,
            Kind::Variable | Kind::VariableRead | Kind::VariableWrite
        );
        let is_tensor = |name: &&&str| !is_theirs || !names.is_variable(name);
        if raw.kind == Kind::Const && !raw.outputs.iter().any(|name| names.is_kept(name)) {
            return Ok(None);
        }
        let row = table::row(raw.kind);
        let Some(count) = raw.inputs.len().checked_sub(row.constants.len()) else {
            let what = format!(
                "{} operands, without {}",
                raw.inputs.len(),
                row.constants.join(", ")
            );
            return Err(what.into());
        };
        let (operands, constants) = raw.inputs.split_at(count);
        let inputs: SmallVec<[TensorId; 3]> = operands
            .iter()
            .filter(is_tensor)
            .map(|name| names.id(name))
            .collect::<Result<_, _>>()?;
        let outputs: SmallVec<[TensorId; 1]> = raw
            .outputs
            .iter()
            .filter(is_tensor)
            .map(|name| names.id(name))
            .collect::<Result<_, _>>()?;
        let op = match raw.kind {
            Kind::Const => constant(raw, names)?,
            Kind::Variable | Kind::VariableRead | Kind::VariableWrite => variable(raw, names)?,
            _ => self.with_attributes(raw, operands, constants, names)?,
        };
        let location = match raw.table.location()? {
            Some(location) => location.text()?.map(str::to_owned),
            None => None,
        };
        self.budget
            .charge::<u8>(location.as_ref().map_or(0, String::len))?;
        Ok(Some(Operator {
            op,
            inputs,
            outputs,
            location,
        }))
    }

    fn with_attributes(
        &mut self,
        raw: &Raw<'a>,
        operands: &[&'a str],
        constants: &[&'a str],
        names: &Names<'a>,
    ) -> Result<TosaOp, Wrong> {
        let values: Vec<Value> = constants
            .iter()
            .zip(table::row(raw.kind).constants)
            .map(|(name, role)| names.value(name, role))
            .collect::<Result<_, _>>()?;
        for value in &values {
            match value {
                Value::Tensor(_, content) if raw.kind == Kind::Rescale => {
                    self.budget.charge::<u8>(content.len())?;
                }
                Value::Tensor(..) => {}
                Value::Shape(numbers) => self.budget.charge::<i64>(numbers.len())?,
            }
        }
        let types = |list: &[&str]| {
            let types = list.iter().map(|name| names.ty(name));
            types.collect::<Result<Vec<_>, _>>()
        };
        let (operands, results) = (types(operands)?, types(&raw.outputs)?);
        let sizes = operands.iter().chain(&results).map(|ty| ty.shape.len());
        self.budget.charge::<usize>(sizes.sum())?;
        let attributes = raw.table.attributes()?;
        if let Some(fb::AttributeRef::Custom(custom)) = &attributes {
            let texts = [custom.operator_name()?, custom.domain_name()?];
            let texts: usize = texts.iter().flatten().map(|text| text.len()).sum();
            let bytes = custom.implementation_attrs()?.map_or(0, <[u8]>::len);
            self.budget.charge::<u8>(texts.saturating_add(bytes))?;
        }
        Parts {
            kind: raw.kind,
            attributes,
            values,
            operands: &operands,
            results: &results,
            regions: &self.regions,
        }
        .op()
    }
}

impl<'a> Names<'a> {
    /// Gives ids to the tensors of the graph, in the order of the file.
    fn number(&mut self, listed: &[&'a str], operators: &[Raw<'a>], region: &mut Region) {
        let mut operands = FxHashSet::<&'a str>::default();
        for raw in operators {
            let constants = table::row(raw.kind).constants.len();
            operands.extend(&raw.inputs[raw.inputs.len().saturating_sub(constants)..]);
        }
        for name in listed {
            let is_only_operand =
                self.made.contains(name) && operands.contains(name) && !self.used.contains(name);
            let Some(named) = self.tensors.get_mut(name) else {
                continue;
            };
            if named.variable.is_none() && !is_only_operand {
                named.id = Some(TensorId(region.tensors.len() as u32));
                region.tensors.push(Tensor {
                    name: (*name).to_owned(),
                    dtype: named.ty.dtype,
                    shape: named.ty.shape.clone(),
                });
            }
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        let named = self.tensors.get(name);
        named.is_some_and(|named| named.variable.is_some())
    }

    fn is_kept(&self, name: &str) -> bool {
        let named = self.tensors.get(name);
        named.is_none_or(|named| named.id.is_some())
    }

    fn get(&self, name: &str) -> Result<&Named, String> {
        let named = self.tensors.get(name);
        named.ok_or_else(|| match self.shapes.contains_key(name) {
            true => format!("{name} is a shape, not a tensor"),
            false => format!("there is no tensor {name}"),
        })
    }

    fn ty(&self, name: &str) -> Result<TensorType, String> {
        Ok(self.get(name)?.ty.clone())
    }

    fn id(&self, name: &str) -> Result<TensorId, String> {
        let id = self.get(name)?.id;
        id.ok_or_else(|| format!("{name} is a variable"))
    }

    /// The value of a compile-time operand.
    fn value(&self, name: &str, role: &str) -> Result<Value, String> {
        if !self.made.contains(name) {
            return Err(format!(
                "{role} is {name}, which no CONST makes; compile-time operands must be constants"
            ));
        }
        match self.shapes.get(name) {
            Some(numbers) => Ok(Value::Shape(numbers.clone())),
            None => {
                let (ty, content) = self.content(name)?;
                Ok(Value::Tensor(ty, content))
            }
        }
    }

    /// The type and the bytes of a constant, without those beyond its shape.
    fn content(&self, name: &str) -> Result<(TensorType, Content), String> {
        let named = self.get(name)?;
        let elements = named
            .ty
            .shape
            .iter()
            .try_fold(1usize, |n, &s| n.checked_mul(s));
        let needed = elements.and_then(|n| named.ty.dtype.bytes_of(n));
        let data = named.data.clone().unwrap_or_default();
        match needed {
            Some(needed) if needed <= data.len() => {
                Ok((named.ty.clone(), Content::from(data.slice(..needed))))
            }
            _ => Err(format!("{} bytes for {name}: {}", data.len(), named.ty)),
        }
    }
}

fn constant(raw: &Raw<'_>, names: &Names<'_>) -> Result<TosaOp, String> {
    let [name] = raw.outputs[..] else {
        return Err(format!("{} results, not one", raw.outputs.len()));
    };
    let (ty, values) = names.content(name)?;
    Ok(TosaOp::Const {
        dtype: ty.dtype,
        shape: ty.shape,
        values,
    })
}

/// Operators of variables name the tensor that stands for the variable as an input or as an output.
fn variable(raw: &Raw<'_>, names: &Names<'_>) -> Result<TosaOp, String> {
    let mut ends = raw.inputs.iter().chain(&raw.outputs);
    let tensor = ends.find(|name| names.is_variable(name));
    let Some(tensor) = tensor else {
        return Err("it names no tensor that is a variable".to_owned());
    };
    let named = names.get(tensor)?;
    let name = named.variable.clone().unwrap_or_default();
    let (dtype, shape) = (named.ty.dtype, named.ty.shape.clone());
    Ok(match raw.kind {
        Kind::VariableRead => TosaOp::VariableRead { name, dtype, shape },
        Kind::VariableWrite => TosaOp::VariableWrite { name },
        _ => TosaOp::Variable(Variable {
            name,
            dtype,
            shape,
            initial: match &named.data {
                Some(_) => Some(names.content(tensor)?.1),
                None => None,
            },
        }),
    })
}
