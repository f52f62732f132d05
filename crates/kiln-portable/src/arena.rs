//! What lies in a method's planned memory at each call, for people.

use crate::draft::Draft;
use crate::memory::Planned;
use kiln_ir::{Graph, NodeId};
use kiln_pte::{Instruction, ValueIndex};
use kiln_target::{Arena, ArenaCall, Block, BlockKind, Span};
use kiln_transforms::framework::pass::{names, provenance};
use std::ops::Range;

/// A tensor's name and type, as the model has them.
pub(crate) struct Named {
    pub tensor: ValueIndex,
    pub name: String,
    pub text: String,
}

/// The arena of a planned method. Of the tensors in a buffer, the first of `named` is its name.
pub(crate) fn arena(draft: &Draft<'_>, planned: &Planned, graph: &Graph, named: &[Named]) -> Arena {
    let calls = Calls::of(draft);
    let mut blocks: Vec<Block> = Vec::new();
    let mut of_buffer: Vec<Option<&Named>> = vec![None; draft.buffers.len()];
    for known in named {
        if let Some((buffer, _)) = draft.memory[known.tensor.index()] {
            of_buffer[buffer.0].get_or_insert(known);
        }
    }
    let makers = makers(draft);
    for (number, buffer) in draft.buffers.iter().enumerate() {
        let Some(life) = planned.lives[number].clone().filter(|_| buffer.size > 0) else {
            continue;
        };
        let kind = match (buffer.state, buffer.from_start, buffer.to_end) {
            (true, ..) => BlockKind::State,
            (false, true, _) => BlockKind::Input,
            (false, false, true) => BlockKind::Output,
            (false, false, false) => BlockKind::Value,
        };
        let maker = makers[number].filter(|_| matches!(kind, BlockKind::Output | BlockKind::Value));
        let maker = maker.map(|instruction| calls.at[instruction]);
        let known = of_buffer[number];
        let offset = planned.offsets[number];
        blocks.push(Block {
            name: known.map_or_else(|| format!("buffer {number}"), |k| k.name.clone()),
            text: known.map_or_else(|| format!("{} bytes", buffer.size), |k| k.text.clone()),
            kind,
            maker: maker.filter(|&call| call < calls.instructions.len()),
            spans: vec![Span {
                calls: calls.during(&life),
                bytes: offset..offset + buffer.size,
            }],
        });
    }
    Arena {
        bytes: planned.bytes,
        lower_bound: planned.lower_bound,
        calls: calls
            .instructions
            .iter()
            .map(|&i| call(draft, i, graph))
            .collect(),
        blocks,
    }
}

/// The first instruction that writes each buffer.
fn makers(draft: &Draft<'_>) -> Vec<Option<usize>> {
    let mut makers = vec![None; draft.buffers.len()];
    for (instruction, written) in draft.written.iter().enumerate() {
        for tensor in written {
            if let Some((buffer, _)) = draft.memory[tensor.tensor.index()] {
                makers[buffer.0].get_or_insert(instruction);
            }
        }
    }
    makers
}

/// The instructions that are calls. Jumps and the like belong to the next call.
struct Calls {
    instructions: Vec<usize>,
    /// The call of each instruction, and of the end.
    at: Vec<usize>,
}

impl Calls {
    fn of(draft: &Draft<'_>) -> Calls {
        let (mut instructions, mut at) = (Vec::new(), Vec::new());
        for (number, instruction) in draft.method.instructions.iter().enumerate() {
            at.push(instructions.len());
            if matches!(
                instruction,
                Instruction::KernelCall { .. } | Instruction::DelegateCall { .. }
            ) {
                instructions.push(number);
            }
        }
        at.push(instructions.len());
        Calls { instructions, at }
    }

    /// The calls during a range of instructions; at least one, if there is any.
    fn during(&self, life: &Range<usize>) -> Range<usize> {
        let all = self.instructions.len();
        let start = self.at[life.start].min(all.saturating_sub(1));
        let last = self.at[life.end.saturating_sub(1).max(life.start)];
        start..(last + 1).clamp(start, all)
    }
}

fn call(draft: &Draft<'_>, number: usize, graph: &Graph) -> ArenaCall {
    let method = &draft.method;
    let function = match &method.instructions[number] {
        Instruction::KernelCall { op, .. } => method.operators[op.index()].key(),
        Instruction::DelegateCall { delegate, .. } => format!("delegate {}", delegate.index()),
        Instruction::Move { .. } | Instruction::JumpFalse { .. } | Instruction::Free { .. } => {
            String::new()
        }
    };
    // A delegate computes many nodes.
    let is_delegate = matches!(
        method.instructions[number],
        Instruction::DelegateCall { .. }
    );
    let node: Option<NodeId> = draft.callers[number].filter(|_| !is_delegate);
    let layer = node.map(|node| names(graph, node).join(", "));
    ArenaCall {
        function,
        layer: layer.unwrap_or_default(),
        source: node.map_or_else(String::new, |node| provenance(graph, node)),
    }
}
