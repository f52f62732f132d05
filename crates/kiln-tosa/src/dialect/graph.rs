//! Regions, tensors and operators.

use super::dtype::TosaDtype;
use super::op::TosaOp;
use kiln_ir::Content;
use smallvec::SmallVec;
use std::fmt;

/// The index of a tensor in [`Region::tensors`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorId(pub u32);

/// The index of a region in [`TosaGraph::regions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(pub u32);

impl TensorId {
    /// The index in the region's tensors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RegionId {
    /// The region `main`, in which a graph begins.
    pub const MAIN: RegionId = RegionId(0);

    /// The index in the graph's regions.
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
    /// The regions: `main`, then the bodies of branches and loops.
    pub regions: Vec<Region>,
}

/// A list of operators: the program, or the body of a branch or a loop. A region sees only its own tensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Its name, unique in the graph.
    pub name: String,
    /// All tensors: inputs and results of operators.
    pub tensors: Vec<Tensor>,
    /// The operators, in an order in which each tensor is made before it is read.
    pub operators: Vec<Operator>,
    /// The inputs.
    pub inputs: Vec<TensorId>,
    /// The outputs.
    pub outputs: Vec<TensorId>,
}

/// A tensor: a region's input, or one operator's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name, unique in the graph.
    pub name: String,
    /// The type of the elements.
    pub dtype: TosaDtype,
    /// The sizes, outermost first.
    pub shape: Vec<usize>,
}

/// An operator with its operands and results.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// The operator and its attributes.
    pub op: TosaOp,
    /// The tensors that it reads, without the compile-time operands, which are attributes here.
    pub inputs: SmallVec<[TensorId; 3]>,
    /// The tensors that it makes.
    pub outputs: SmallVec<[TensorId; 1]>,
    /// The origin: where the operator comes from, for readers of a file.
    pub location: Option<String>,
}

impl TosaGraph {
    /// The region `main`. Every graph that is built or read has it.
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

    /// The ids of all tensors.
    pub fn tensor_ids(&self) -> impl Iterator<Item = TensorId> + use<> {
        (0..self.tensors.len() as u32).map(TensorId)
    }

    /// For each tensor, its bytes if an operator of this region makes it as a constant.
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
    /// The number of elements; `None` if it does not fit.
    pub fn elements(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s))
    }

    /// The bytes of the elements in a file; `None` if the number does not fit.
    pub fn bytes(&self) -> Option<usize> {
        self.dtype.bytes_of(self.elements()?)
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{:?}", self.name, self.dtype, self.shape)
    }
}
