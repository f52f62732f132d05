//! Figures of an emitted method.

use crate::region::Reordered;
use indexmap::IndexMap;
use kiln_ir::NodeId;
use kiln_pte::{Instruction, Method};
use kiln_target::{Arena, AssumedBound, Operators};

/// Figures of an emitted method. What each one counts is part of the contract of `--report`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodReport {
    /// The method.
    pub name: String,
    /// Kernel calls by kernel, sorted by name. Primitive ops are not counted.
    pub kernel_calls: IndexMap<String, usize>,
    /// The same kernel calls by node. Calls that serve inputs, outputs and state have no node.
    pub callers: IndexMap<Option<NodeId>, usize>,
    /// The calls without a node, by kernel, sorted by name.
    pub added: IndexMap<String, usize>,
    /// Delegates that the method loads.
    pub delegates: usize,
    /// Calls of delegates.
    pub delegate_calls: usize,
    /// All instructions, including primitive ops and jumps.
    pub instructions: usize,
    /// Bytes of the arena, including inputs and outputs.
    pub planned_bytes: u64,
    /// The greatest sum of live buffers in the emitted order. No plan of these buffers takes less.
    pub planned_lower_bound: u64,
    /// What lies in the arena at each call.
    pub arena: Arena,
    /// Bytes that kernels and operators inside delegates write only to reorder elements, at the greatest sizes.
    pub transposed_bytes: u64,
    /// The tensors that add up to `transposed_bytes`.
    pub reordered: Vec<Reordered>,
    /// The operators inside delegates. Those of a delegate that several calls share count once.
    pub operators: Operators,
    /// Bounds of sizes that the model leaves open and Kiln chose.
    pub assumed_bounds: Vec<AssumedBound>,
}

impl MethodReport {
    /// The figures that follow from the method. `nodes` gives the node of each instruction.
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
                        if node.is_none() {
                            *report.added.entry(key.clone()).or_default() += 1;
                        }
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
        report.added.sort_unstable_keys();
        report
    }
}

/// Ops on sizes and pointers, which touch no element.
pub(crate) fn is_primitive(key: &str) -> bool {
    key.starts_with("executorch_prim::")
        || matches!(
            key,
            "aten::sym_size.int" | "aten::sym_numel" | "aten::_local_scalar_dense"
        )
}
