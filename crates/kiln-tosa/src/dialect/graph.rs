//! Regions, tensors and operators.

use super::dtype::TosaDtype;
use super::op::TosaOp;
use kiln_ir::Content;
use smallvec::SmallVec;
use std::fmt;

/// Counts in [`Region::tensors`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorId(pub u32);

/// Counts in [`TosaGraph::regions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(pub u32);

impl TensorId {
    /// The position in the region's tensors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RegionId {
    /// The region in which a graph begins.
    pub const MAIN: RegionId = RegionId(0);

    /// The position in the graph's regions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for TensorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Debug for RegionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// A TOSA program.
#[derive(Clone, Debug, PartialEq)]
pub struct TosaGraph {
    /// `main`, then the bodies of branches and loops.
    pub regions: Vec<Region>,
}

/// A list of operators: the program, or the body of a branch or loop, which sees nothing but its inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Its name, unique in the graph.
    pub name: String,
    /// Every tensor that an operator, an input or an output names.
    pub tensors: Vec<Tensor>,
    /// The operators; a tensor is made before it is read.
    pub operators: Vec<Operator>,
    /// Tensors that are given.
    pub inputs: Vec<TensorId>,
    /// Tensors that are the result.
    pub outputs: Vec<TensorId>,
}

/// A tensor: a region's input, or one operator's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name, unique in the graph.
    pub name: String,
    /// Type of the elements.
    pub dtype: TosaDtype,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
}

/// An operator with its operands and results.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// What it does.
    pub op: TosaOp,
    /// The tensors it reads, without those that are attributes here.
    pub inputs: SmallVec<[TensorId; 3]>,
    /// The tensors it makes.
    pub outputs: SmallVec<[TensorId; 1]>,
    /// Where it comes from, for the reader of a file.
    pub location: Option<String>,
}

impl TosaGraph {
    /// The region in which the program begins; a graph that was built or read has it.
    pub fn main(&self) -> &Region {
        &self.regions[RegionId::MAIN.index()]
    }

    /// A region, if the id is in range.
    pub fn region(&self, id: RegionId) -> Option<&Region> {
        self.regions.get(id.index())
    }
}

impl Region {
    /// A tensor, if the id is in range.
    pub fn tensor(&self, id: TensorId) -> Option<&Tensor> {
        self.tensors.get(id.index())
    }

    /// Ids of all tensors.
    pub fn tensor_ids(&self) -> impl Iterator<Item = TensorId> + use<> {
        (0..self.tensors.len() as u32).map(TensorId)
    }

    /// By tensor, the values of the constants that operators of this region make.
    pub fn constants(&self) -> Vec<Option<&Content>> {
        let mut values = vec![None; self.tensors.len()];
        for operator in &self.operators {
            if let (
                TosaOp::Const {
                    values: content, ..
                },
                [id],
            ) = (&operator.op, operator.outputs.as_slice())
                && let Some(slot) = values.get_mut(id.index())
            {
                *slot = Some(content);
            }
        }
        values
    }
}

impl Tensor {
    /// Number of elements; `None` if it does not fit.
    pub fn elements(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s))
    }

    /// Bytes of the elements in a file; `None` if it does not fit.
    pub fn bytes(&self) -> Option<usize> {
        self.dtype.bytes_of(self.elements()?)
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{:?}", self.name, self.dtype, self.shape)
    }
}
