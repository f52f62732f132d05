//! What came of a method, in figures.

use crate::region::Reordered;
use indexmap::IndexMap;
use kiln_ir::NodeId;
use kiln_pte::{Instruction, Method};
use kiln_target::AssumedBound;

/// Figures of an emitted method; what each counts is the contract of `--report`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodReport {
    /// The method.
    pub name: String,
    /// Kernel calls by kernel, in order of name; primitive ops are not counted.
    pub kernel_calls: IndexMap<String, usize>,
    /// The same calls by the node that they are of; what inputs, outputs and state need is of none.
    pub callers: IndexMap<Option<NodeId>, usize>,
    /// Delegates that the method loads.
    pub delegates: usize,
    /// Calls of delegates.
    pub delegate_calls: usize,
    /// All instructions, primitive ops and jumps included.
    pub instructions: usize,
    /// Bytes of the arena, inputs and outputs included.
    pub planned_bytes: u64,
    /// The largest live load in the emitted order: no plan of these buffers takes less.
    pub planned_lower_bound: u64,
    /// Bytes written by kernels, and by operators inside delegates, that only reorder elements, at the
    /// largest sizes.
    pub transposed_bytes: u64,
    /// The tensors that make these bytes.
    pub reordered: Vec<Reordered>,
    /// Bounds that nothing in the model gives, and that were chosen.
    pub assumed_bounds: Vec<AssumedBound>,
}

impl MethodReport {
    /// The figures that the method itself shows, of which each instruction is of that node.
    pub(crate) fn of(method: &Method, nodes: &[Option<NodeId>]) -> MethodReport {
        let mut report = MethodReport {
            name: method.name.clone(),
            delegates: method.delegates.len(),
            instructions: method.instructions.len(),
            ..MethodReport::default()
        };
        for (instruction, node) in method.instructions.iter().zip(nodes) {
            match instruction {
                Instruction::KernelCall { op, .. } => {
                    let key = method.operators[op.index()].key();
                    if !is_primitive(&key) {
                        *report.kernel_calls.entry(key).or_default() += 1;
                        *report.callers.entry(*node).or_default() += 1;
                    }
                }
                Instruction::DelegateCall { .. } => report.delegate_calls += 1,
                Instruction::Move { .. }
                | Instruction::JumpFalse { .. }
                | Instruction::Free { .. } => {}
            }
        }
        report.kernel_calls.sort_unstable_keys();
        report
    }
}

/// Ops on sizes and pointers, which touch no element.
fn is_primitive(key: &str) -> bool {
    key.starts_with("executorch_prim::")
        || matches!(
            key,
            "aten::sym_size.int" | "aten::sym_numel" | "aten::_local_scalar_dense"
        )
}
