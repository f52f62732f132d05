//! Constants in nested blocks. A block sees only its parameters, so it names a constant of another block itself: passes
//! see it as a constant there too, and a target prepares it once, not at every run of the block.

use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::{Builder, Graph, Op, ValueId};

impl Importer<'_> {
    /// True if [`Importer::remade`] can make the value in any block: it is a constant, maybe dequantised and moved.
    pub fn is_remakable(&self, value: ValueId) -> bool {
        ops_of_constant(self.graph(), value).is_some()
    }

    /// The constant in the present block: its ops once more. `None` if the value is made of something else.
    ///
    /// # Errors
    /// If the call has made too many nodes.
    pub fn remade(&mut self, value: ValueId) -> Result<Option<ValueId>, Problem> {
        let ops = ops_of_constant(self.graph(), value).unwrap_or_default();
        let mut made = None;
        for op in ops.into_iter().rev() {
            made = Some(self.value(op, made.as_slice())?);
        }
        Ok(made)
    }
}

/// The ops that make a value of a constant, from the last one to the constant. `None` if it is of something else.
fn ops_of_constant(graph: &Graph, mut value: ValueId) -> Option<Vec<Op>> {
    let mut ops = Vec::new();
    loop {
        let node = graph.node(graph.producer(value)?);
        ops.push(node.op.clone());
        match node.op {
            Op::Constant(_) => return Some(ops),
            Op::Dequantize(_) | Op::Move(_) => value = node.operands[0],
            _ => return None,
        }
    }
}
