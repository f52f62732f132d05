//! Which whole numbers a value may hold, by interval arithmetic over the graph.
//!
//! What comes from outside lies in 32 bits, in which files hold it.

use kiln_ir::graph::{Def, Node};
use kiln_ir::ops::{BinaryFn, PadMode, ReduceFn, Simple, UnaryFn};
use kiln_ir::{DType, Graph, Op, ValueId};
use rustc_hash::FxHashMap;

/// The least and the greatest number.
pub(crate) type Range = (i128, i128);

/// What fits in the words of a file.
pub(crate) const WORD: Range = (i32::MIN as i128, i32::MAX as i128);

/// Values that one question looks at: what follows from more is any word, so that a question of each node takes no
/// longer than the graph is long.
const REACH: usize = 256;

/// Ranges of one graph's values, each found once.
pub(crate) struct Ranges<'g> {
    graph: &'g Graph,
    known: FxHashMap<ValueId, Range>,
}

impl<'g> Ranges<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Ranges<'g> {
        Ranges {
            graph,
            known: FxHashMap::default(),
        }
    }

    /// What the value holds. Operands are found before what is made of them, without recursion.
    pub(crate) fn of(&mut self, value: ValueId) -> Range {
        let mut open = vec![value];
        while let Some(&next) = open.last() {
            if self.known.contains_key(&next) {
                open.pop();
                continue;
            }
            match self.first_missing(next) {
                Some(operand) if self.known.len() + open.len() < REACH => open.push(operand),
                Some(operand) => {
                    self.known
                        .insert(operand, limits(self.graph.ty(operand).dtype));
                }
                None => {
                    let found = self.found(next);
                    self.known.insert(next, found);
                }
            }
        }
        self.known[&value]
    }

    fn first_missing(&self, value: ValueId) -> Option<ValueId> {
        let operands = &self.graph.node(self.graph.producer(value)?).operands;
        let whole = |v: &ValueId| !self.graph.ty(*v).dtype.is_float();
        let open = |v: &ValueId| whole(v) && !self.known.contains_key(v);
        operands.iter().copied().find(open)
    }

    fn found(&self, value: ValueId) -> Range {
        let own = limits(self.graph.ty(value).dtype);
        let Def::Result(id, slot) = self.graph.value(value).def else {
            return own;
        };
        let (low, high) = self.made(self.graph.node(id), slot).unwrap_or(own);
        // What wraps is reported where it does, and is any word from there on.
        match own.0 <= low && high <= own.1 {
            true => (low, high),
            false => own,
        }
    }

    /// What the node makes, before it has to fit; `None` where that is not known.
    pub(crate) fn made(&self, node: &Node, slot: u32) -> Option<Range> {
        let of = |i: usize| self.known.get(node.operands.get(i)?).copied();
        let size = |i: usize, axis: usize| {
            let dim = self.graph.ty(*node.operands.get(i)?).shape[axis].clone();
            self.graph.symbols.max(&dim).map(i128::from)
        };
        match &node.op {
            Op::Constant(op) => {
                let scalars = self.graph.constant(op.value).data.scalars();
                let ends = scalars.map(|s| i128::from(s.as_i64()));
                ends.fold(None, |ends, n| Some(joined(ends.unwrap_or((n, n)), (n, n))))
            }
            Op::Iota(op) => Some((0, i128::from(self.graph.symbols.max(&op.len)?.max(1) - 1))),
            Op::DimValue(op) => {
                let bounds = self.graph.symbols.bounds(&op.dim);
                Some((bounds.lo?.into(), bounds.hi?.into()))
            }
            Op::ArgReduce(op) => Some((0, size(0, op.axis)?.max(1) - 1)),
            Op::Sort(op) if slot == 1 => Some((0, size(0, op.axis)?.max(1) - 1)),
            Op::TopK(op) if slot == 1 => Some((0, size(0, op.axis)?.max(1) - 1)),
            Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Reverse(_) | Op::Gather(_) => of(0),
            Op::Index(_) | Op::Sort(_) | Op::TopK(_) | Op::Cast(_) => of(0),
            Op::Concat(_) | Op::SliceUpdate(_) => {
                let parts = (0..node.operands.len()).map(of);
                parts.reduce(|a, b| Some(joined(a?, b?))).flatten()
            }
            Op::Select(_) => Some(joined(of(1)?, of(2)?)),
            Op::Pad(op) => match &op.mode {
                PadMode::Constant(number) => {
                    let number = i128::from(number.as_i64());
                    Some(joined(of(0)?, (number, number)))
                }
                PadMode::Reflect | PadMode::Replicate | PadMode::Circular => of(0),
            },
            Op::Unary(op) => unary(op.f, of(0)?),
            Op::Binary(op) => binary(op.f, of(0)?, of(1)?),
            Op::Reduce(op) => match op.f {
                ReduceFn::Max | ReduceFn::Min => of(0),
                ReduceFn::Sum => {
                    let sizes = op.axes.iter().map(|&axis| size(0, axis));
                    let count = sizes.reduce(|a, b| a?.checked_mul(b?)).unwrap_or(Some(1))?;
                    let (low, high) = of(0)?;
                    Some((
                        low.min(0).checked_mul(count)?,
                        high.max(0).checked_mul(count)?,
                    ))
                }
                ReduceFn::Any | ReduceFn::All => Some((0, 1)),
                ReduceFn::Mean | ReduceFn::Prod => None,
            },
            _ => None,
        }
    }
}

/// What a type holds in a file.
fn limits(dtype: DType) -> Range {
    match dtype {
        DType::Bool => (0, 1),
        DType::U8 => (0, 255),
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I32 | DType::I64 | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => WORD,
    }
}

fn joined(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

fn unary(f: UnaryFn, (low, high): Range) -> Option<Range> {
    match f {
        UnaryFn::Simple(Simple::Neg) => Some((-high, -low)),
        UnaryFn::Simple(Simple::Abs) => {
            let least = if low <= 0 && high >= 0 {
                0
            } else {
                low.abs().min(high.abs())
            };
            Some((least, low.abs().max(high.abs())))
        }
        UnaryFn::Clamp { min, max } => {
            let least = min.map_or(low, |m| low.max(m.as_i64().into()));
            let greatest = max.map_or(high, |m| high.min(m.as_i64().into()));
            (least <= greatest).then_some((least, greatest))
        }
        _ => None,
    }
}

fn binary(f: BinaryFn, a: Range, b: Range) -> Option<Range> {
    match f {
        BinaryFn::Add => Some((a.0 + b.0, a.1 + b.1)),
        BinaryFn::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryFn::Mul => {
            let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            Some((*products.iter().min()?, *products.iter().max()?))
        }
        BinaryFn::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        BinaryFn::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        BinaryFn::FloorDiv if b.0 > 0 => Some((a.0.min(0), a.1.max(0))),
        BinaryFn::TruncDiv if b.0 > 0 => Some((a.0.min(0), a.1.max(0))),
        BinaryFn::Remainder if b.0 > 0 => Some((0, b.1 - 1)),
        BinaryFn::Fmod if b.0 > 0 => Some((a.0.min(0).max(1 - b.1), a.1.max(0).min(b.1 - 1))),
        // Bits above a word are copies of its sign.
        BinaryFn::BitAnd | BinaryFn::BitOr | BinaryFn::BitXor | BinaryFn::Shr => Some(WORD),
        _ => None,
    }
}
