//! Inference: the dtypes and shapes of results.

use super::attributes::{Resize, ResizeMode};
use super::dtype::TosaDtype;
use super::graph::{Region, RegionId, Tensor};
use super::kind::Kind;
use super::op::TosaOp;
use super::shape;
use super::table::{Column, Dtypes, Row, ShapeRule, row};
use smallvec::SmallVec;

/// The element type and the sizes of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// The type of the elements.
    pub dtype: TosaDtype,
    /// The sizes, outermost first.
    pub shape: Vec<usize>,
}

impl TensorType {
    /// The type of these elements and sizes.
    pub fn new(dtype: TosaDtype, shape: impl Into<Vec<usize>>) -> Self {
        TensorType {
            dtype,
            shape: shape.into(),
        }
    }
}

impl From<&Tensor> for TensorType {
    fn from(tensor: &Tensor) -> Self {
        TensorType::new(tensor.dtype, tensor.shape.as_slice())
    }
}

impl std::fmt::Display for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.dtype, self.shape)
    }
}

/// An operator does not take its operands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {what}")]
pub struct Misfit {
    /// The operator.
    pub kind: Kind,
    /// What was found and what is allowed.
    pub what: String,
}

/// The types of an operator's results; few operators have more than one.
pub type Results = SmallVec<[TensorType; 1]>;

/// Infers the types of an operator's results. `regions` are those of the graph, for branches and loops.
///
/// # Errors
/// If there are too few or too many operands, if their dtypes do not go together, or if the operator does not take
/// their shapes.
pub fn infer(op: &TosaOp, operands: &[TensorType], regions: &[Region]) -> Result<Results, Misfit> {
    results(op, operands, regions).map_err(|what| Misfit {
        kind: op.kind(),
        what,
    })
}

fn results(op: &TosaOp, operands: &[TensorType], regions: &[Region]) -> Result<Results, String> {
    let row = row(op.kind());
    check_count(&row, operands)?;
    check_ranks(&row, operands)?;
    if row.shape == ShapeRule::Region {
        return of_region(op, regions);
    }
    if let TosaOp::Custom(custom) = op {
        let results = custom.results.iter();
        return Ok(results
            .map(|(dtype, shape)| TensorType::new(*dtype, shape.as_slice()))
            .collect());
    }
    let dtypes = combination(op, &row, operands)?;
    let shape = shape::shape(op, &row, operands)?;
    let results = row.results.iter().map(|column| match column {
        Column::Only(dtype) => *dtype,
        Column::Of(i) => dtypes.columns[usize::from(*i)],
        Column::Any => operands[0].dtype,
    });
    Ok(results
        .map(|dtype| TensorType::new(dtype, shape.as_slice()))
        .collect())
}

fn check_count(row: &Row, operands: &[TensorType]) -> Result<(), String> {
    let (least, found) = (row.operands.len(), operands.len());
    let is_optional = row.is_list && row.kind != Kind::Concat;
    if row.is_list && found + usize::from(is_optional) >= least || found == least {
        return Ok(());
    }
    let names = row.operands.iter().map(|o| o.name);
    Err(format!(
        "{found} operands, not {least}: {}",
        names.collect::<Vec<_>>().join(", ")
    ))
}

fn check_ranks(row: &Row, operands: &[TensorType]) -> Result<(), String> {
    for (i, operand) in operands.iter().enumerate() {
        let slot = row.operands[i.min(row.operands.len() - 1)];
        let (least, most) = (usize::from(slot.rank.0), usize::from(slot.rank.1));
        if operand.shape.len() < least || operand.shape.len() > most {
            let expected = if least == most {
                format!("{least}")
            } else {
                format!("at least {least}")
            };
            return Err(format!(
                "{} is {operand}, of rank {}, not {expected}",
                slot.name,
                operand.shape.len()
            ));
        }
    }
    Ok(())
}

/// The combination of dtypes that the operands and the attributes have.
pub(crate) fn combination(
    op: &TosaOp,
    row: &Row,
    operands: &[TensorType],
) -> Result<Dtypes, String> {
    let found = row.dtypes.iter().find(|dtypes| {
        let fits = |(i, operand): (usize, &TensorType)| match row.operands
            [i.min(row.operands.len() - 1)]
        .column
        {
            Column::Of(c) => dtypes.columns[usize::from(c)] == operand.dtype,
            Column::Only(dtype) => operand.dtype == dtype,
            Column::Any => true,
        };
        let chosen = row.chosen.map(|c| dtypes.columns[usize::from(c)]);
        operands.iter().enumerate().all(fits)
            && (chosen.is_none() || chosen == op.chosen_dtype())
            && is_mode(op, dtypes)
    });
    found.copied().ok_or_else(|| {
        let operands = operands.iter().map(|o| o.dtype.name());
        let chosen = op
            .chosen_dtype()
            .map_or_else(String::new, |dtype| format!(" with {dtype}"));
        format!(
            "no combination of dtypes ({}){chosen}",
            operands.collect::<Vec<_>>().join(", ")
        )
    })
}

/// Bilinear samples of integers have a wider type.
fn is_mode(op: &TosaOp, dtypes: &Dtypes) -> bool {
    match (op, dtypes.columns) {
        (TosaOp::Resize(Resize { mode, .. }), [from, to]) if from.is_int() => {
            (from != to) == (*mode == ResizeMode::Bilinear)
        }
        _ => true,
    }
}

fn of_region(op: &TosaOp, regions: &[Region]) -> Result<Results, String> {
    let id = match op {
        TosaOp::CondIf(branch) => branch.then,
        TosaOp::WhileLoop(looped) => looped.body,
        _ => unreachable!("only branches and loops have the shapes of a region"),
    };
    let region = region(regions, id)?;
    let outputs = region.outputs.iter().map(|&id| {
        let tensor = region.tensor(id);
        tensor.map(TensorType::from).ok_or_else(|| {
            format!(
                "an output of region {} names no tensor of it: {id:?}",
                region.name
            )
        })
    });
    outputs.collect()
}

fn region(regions: &[Region], id: RegionId) -> Result<&Region, String> {
    regions
        .get(id.index())
        .ok_or_else(|| format!("there is no region {id:?}"))
}
