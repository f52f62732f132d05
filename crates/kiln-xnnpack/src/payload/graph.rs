//! The payload's graph: values, nodes in order of execution, and constants.

use bytes::Bytes;

use super::node::XnnNode;
use super::quant::{Datatype, Quant};

/// Counts in [`XnnGraph::values`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

/// Counts in [`XnnGraph::constants`], from 0 (the file's reserved entry is not one).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstantIndex(pub u32);

impl ValueId {
    /// The position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ConstantIndex {
    /// The position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Debug for ValueId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl std::fmt::Display for ValueId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl std::fmt::Debug for ConstantIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "c{}", self.0)
    }
}

/// A delegate's payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct XnnGraph {
    /// Every value that a node names.
    pub values: Vec<XnnValue>,
    /// The nodes; a result is computed before it is read.
    pub nodes: Vec<XnnNode>,
    /// How many arguments the delegate's call has. At most 4096; a position that no value has is an argument that
    /// the delegate ignores.
    pub num_externs: u32,
    /// Bytes of constant values and scales.
    pub constants: Vec<ConstantData>,
}

/// A tensor of the payload.
#[derive(Clone, Debug, PartialEq)]
pub struct XnnValue {
    /// Type of the elements.
    pub datatype: Datatype,
    /// How integers stand for reals; present for the quantised types.
    pub quant: Option<Quant>,
    /// The shape, outermost in memory first; for values that are not constant it is a hint that the runtime
    /// replaces. At most 6 dims.
    pub dims: Vec<u32>,
    /// The bytes of a constant.
    pub constant: Option<ConstantIndex>,
    /// The argument of the delegate's call that this value is.
    pub external: Option<External>,
}

/// A value that crosses the delegate's boundary. Both flags may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct External {
    /// Position in the call's arguments; below [`XnnGraph::num_externs`], and no two values have the same.
    pub position: u32,
    /// Read from the argument.
    pub input: bool,
    /// Written to the argument.
    pub output: bool,
}

/// Where a constant's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantData {
    /// In the payload. It is freed after init, so only what init repacks may be inline: weights and biases of fully
    /// connected and convolution nodes, and their scales. Anything else must be [`Named`](Self::Named).
    Inline(Bytes),
    /// In the program's named data, under this key (not empty).
    Named(String),
}

impl XnnGraph {
    /// Appends a value.
    pub fn add_value(&mut self, value: XnnValue) -> ValueId {
        self.values.push(value);
        ValueId(u32::try_from(self.values.len() - 1).expect("a payload has fewer than 2^32 values"))
    }

    /// Appends a constant.
    pub fn add_constant(&mut self, data: ConstantData) -> ConstantIndex {
        self.constants.push(data);
        ConstantIndex(
            u32::try_from(self.constants.len() - 1)
                .expect("a payload has fewer than 2^32 constants"),
        )
    }

    /// The value, if the id is in range.
    pub fn value(&self, id: ValueId) -> Option<&XnnValue> {
        self.values.get(id.index())
    }

    /// The values that are read from the call's arguments, by position.
    pub fn inputs(&self) -> Vec<ValueId> {
        self.externals(|external| external.input)
    }

    /// The values that are written to the call's arguments, by position.
    pub fn outputs(&self) -> Vec<ValueId> {
        self.externals(|external| external.output)
    }

    fn externals(&self, keep: impl Fn(&External) -> bool) -> Vec<ValueId> {
        let with_position = self
            .values
            .iter()
            .zip(0..)
            .filter_map(|(value, id)| Some((value.external?, ValueId(id))));
        let mut found: Vec<_> = with_position
            .filter(|(external, _)| keep(external))
            .collect();
        found.sort_by_key(|(external, _)| external.position);
        found.into_iter().map(|(_, id)| id).collect()
    }
}

impl XnnValue {
    /// An internal value of a plain type.
    pub fn internal(datatype: Datatype, dims: Vec<u32>) -> Self {
        Self {
            datatype,
            quant: None,
            dims,
            constant: None,
            external: None,
        }
    }

    /// Bytes of the elements, 4-bit types packed row by row; None where the product exceeds 64 bits.
    pub fn nbytes(&self) -> Option<u64> {
        let (last, outer) = self
            .dims
            .split_last()
            .map_or((1, &[][..]), |(&last, outer)| (u64::from(last), outer));
        let row = last.checked_mul(self.datatype.bits())?.div_ceil(8);
        outer
            .iter()
            .try_fold(row, |bytes, &dim| bytes.checked_mul(u64::from(dim)))
    }
}
