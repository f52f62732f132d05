//! Replaces a look-up by slices, if its constant indices run in steady steps.
//!
//! The pass tries to write the positions of the indices as a nest of loops. Each loop has a size and a step along at
//! most one indexed axis. A loop without a step is a broadcast. One loop along an axis is a slice. Several loops along
//! an axis split the axis by their steps. Two loops of the same step are overlapping windows (the table of relative
//! positions in windowed attention), which become a concatenation of slices. A loop of step 1 within one of a longer
//! step gives the frames of a signal: rows of one step are joined with the rows behind them. A nest that is no view replaces
//! the look-up only if the target runs the slices inside a delegate and the look-up outside.
//!
//! ```kiln
//! affine_index kernel index
//! graph "affine_index" {
//!   constant c0 "" i64[4] = [3, 2, 4, 3]
//!   constant c1 "" i64[3] = [1, 1, 1]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[6, 2]) {
//!     %1: i64[4] = constant {value=c0}
//!     %2: i64[3] = constant {value=c1}
//!     %3: f32[4, 2] = index %0, %1 {axis=0, from_start=false}
//!     %4: f32[3, 2] = index %0, %2 {axis=0, from_start=false}
//!     return %3, %4
//!   }
//! }
//! ---
//! graph "affine_index" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[6, 2]) {
//!     %1: f32[2, 2] = slice %0 {axis=0, start=3, len=2, step=1}
//!     %2: f32[2, 2] = slice %0 {axis=0, start=2, len=2, step=1}
//!     %3: f32[4, 2] = concat %1, %2 {axis=0}
//!     %4: f32[2, 2, 2] = move %3 {movement=((a:2 b:2) c:2 -> a b c)}
//!     %5: f32[2, 2, 2] = move %4 {movement=(a:2 b:2 c:2 -> b a c)}
//!     %6: f32[4, 2] = move %5 {movement=(a:2 b:2 c:2 -> (a b) c)}
//!     %7: f32[1, 2] = slice %0 {axis=0, start=1, len=1, step=1}
//!     %8: f32[2] = move %7 {movement=(1 a:2 -> a)}
//!     %9: f32[1, 2] = move %8 {movement=(a:2 -> 1 a)}
//!     %10: f32[3, 2] = broadcast %9 {shape=[3, 2]}
//!     return %6, %10
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::folding::{self, FoldBudget};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::{Placement, Reason, Target};
use crate::guards;
use kiln_ir::ops::{Concat, Slice};
use kiln_ir::tensor::TensorData;
use kiln_ir::types::Shape;
use kiln_ir::{Builder, Dim, Graph, NodeId, Op, Rewriter, Scalar, ValueId};

guards! {
    /// The loops pass through every point.
    WALK;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "affine_index",
    run,
    keeps_bits: true,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "steady_index",
    rewrite,
}];

/// The most overlapping windows. Each window is a slice, so the look-up is better for more.
const MAX_WINDOWS: i64 = 64;

/// Replaces look-ups by slices; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let found = graph.node(node);
    let Op::Index(op) = &found.op else {
        return Ok(None);
    };
    let (axis, x, indices) = (op.axis, found.operands[0], &found.operands[1..]);
    let Some(nest) = nest_of(graph, x, axis, indices) else {
        return Ok(None);
    };
    let shape = graph.ty(indices[0]).shape.clone();
    let result = graph.ty(found.result()).shape.clone();
    let Some(parts) = nest.axes() else {
        return Err(Reason::new(
            "the loops of the index split the indexed axes",
            format!("{:?} along axes of {:?}", nest.loops, nest.sizes),
        ));
    };
    if !nest.is_view(&parts) && !is_gain(emitter, node, x, axis) {
        return Err(Reason::new(
            "the target runs the slices inside a delegate and the look-up outside",
            "that slices gain nothing",
        ));
    }
    let value = spread(emitter, x, axis, &nest, &parts)?;
    let value = in_loop_order(emitter, value, axis, &nest, &parts)?;
    debug_assert_eq!(&result[axis..axis + shape.rank()], &shape[..]);
    emitter.reshape(value, result).map(Some)
}

/// True if the node is a look-up that the pass replaces by slices, of which there are several for an element of the table.
pub(super) fn becomes_slices(emitter: &mut Emitter<'_, '_>, node: NodeId) -> bool {
    let graph = emitter.graph();
    let found = graph.node(node);
    let Op::Index(op) = &found.op else {
        return false;
    };
    let (axis, x) = (op.axis, found.operands[0]);
    let nest = nest_of(graph, x, axis, &found.operands[1..]);
    let parts = nest.as_ref().and_then(Nest::axes).unwrap_or_default();
    let overlap = |part: &Part| matches!(part.span, Span::Windows { .. } | Span::Frames { .. });
    parts.iter().any(overlap) && is_gain(emitter, node, x, axis)
}

/// True if the target runs slices and concatenations of the table inside a delegate, but the look-up outside.
fn is_gain(emitter: &mut Emitter<'_, '_>, node: NodeId, x: ValueId, axis: usize) -> bool {
    if matches!(emitter.placement_of(node), Placement::Delegate) {
        return false;
    }
    let part = emitter.unfolded(one_of(axis), &[x]);
    part.is_ok_and(|part| emitter.delegates(Concat { axis }, &[part, part]))
}

fn one_of(axis: usize) -> Slice {
    let (start, len, step) = (Dim::constant(0), Dim::constant(1), 1);
    Slice {
        axis,
        start,
        len,
        step,
    }
}

/// A loop over positions: the number of iterations, and the step along each indexed axis.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Loop {
    size: i64,
    steps: Vec<i64>,
}

/// The positions of an index: the start along each indexed axis, and the loops, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Nest {
    sizes: Vec<i64>,
    base: Vec<i64>,
    loops: Vec<Loop>,
}

/// The nest of loops that equals the constant indices. `None` if there is none or an index is out of range.
fn nest_of(graph: &Graph, x: ValueId, axis: usize, indices: &[ValueId]) -> Option<Nest> {
    let sizes: Option<Vec<i64>> = (0..indices.len())
        .map(|i| graph.ty(x).shape[axis + i].as_const())
        .collect();
    let (sizes, mut columns) = (sizes?, Vec::new());
    for (&index, &size) in indices.iter().zip(&sizes) {
        let place = |s: Scalar| match s {
            Scalar::Int(i) => Some(i).filter(|i| (0..size).contains(i)),
            Scalar::Float(_) | Scalar::Bool(_) => None,
        };
        let column: Option<Vec<i64>> = known_elements(graph, index)?.scalars().map(place).collect();
        columns.push(column?);
    }
    let loops = loops_of(&columns)?;
    Some(Nest {
        sizes,
        base: columns.iter().map(|c| c[0]).collect(),
        loops,
    })
}

/// The elements of a constant, or of a sum of constants that is too large to be one (the positions of a signal's frames).
fn known_elements(graph: &Graph, value: ValueId) -> Option<TensorData> {
    if let Some(constant) = graph.as_constant(value) {
        return Some(constant.data.clone());
    }
    let node = graph.producer(value)?;
    let folds = graph.node(node).op.facts().folds && graph.node(node).results.len() == 1;
    folds.then(|| folding::computed(graph, node, &mut FoldBudget::default()))?
}

/// The loops that visit the given points in order, outermost first. `columns` has the coordinates of all points, axis
/// by axis.
fn loops_of(columns: &[Vec<i64>]) -> Option<Vec<Loop>> {
    let count = columns.first()?.len();
    let point = |at: usize| columns.iter().map(move |c| c[at]);
    let (mut loops, mut block) = (Vec::new(), 1);
    if count == 0 {
        return None;
    }
    while block < count {
        let steps: Vec<i64> = point(block).zip(point(0)).map(|(a, b)| a - b).collect();
        let follows = |n: usize| {
            let moved = point(n * block).zip(point(0)).zip(&steps);
            moved
                .map(|((a, b), s)| a - b - s * n as i64)
                .all(|d| d == 0)
        };
        let size = (1..count / block).take_while(|&n| follows(n)).count() + 1;
        if size < 2 || count % (block * size) != 0 {
            return None;
        }
        loops.push(Loop {
            size: size as i64,
            steps,
        });
        block *= size;
    }
    loops.reverse();
    WALK.holds(is_walk(columns, &loops)).then_some(loops)
}

/// True if the loops visit exactly these points in order.
fn is_walk(columns: &[Vec<i64>], loops: &[Loop]) -> bool {
    columns.iter().enumerate().all(|(axis, column)| {
        let mut expected = vec![column[0]];
        for l in loops {
            let step = |at: &i64| {
                (0..l.size)
                    .map(move |n| at + n * l.steps[axis])
                    .collect::<Vec<_>>()
            };
            expected = expected.iter().flat_map(step).collect();
        }
        &expected == column
    })
}

/// How a part of an indexed axis is visited. `by`, `rising` and `each` are indices of loops.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Span {
    /// At one position.
    Point,
    /// By one loop.
    Run { by: usize, step: i64 },
    /// By two loops of the same step: `rising` visits the positions within a window, `each` gives the windows' starts.
    Windows {
        rising: usize,
        each: usize,
        falls: bool,
    },
    /// By two loops, of which `rising` visits the positions within a frame, and `each` the frames' starts, `step` apart.
    Frames {
        rising: usize,
        each: usize,
        step: i64,
    },
}

/// A part of an indexed axis, and the lowest position in it that is visited.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    size: i64,
    low: i64,
    span: Span,
}

impl Nest {
    /// True if every element is visited once and in order.
    fn is_view(&self, parts: &[Part]) -> bool {
        let mut next = 0;
        let is_whole = |part: &Part| match part.span {
            Span::Point => part.size == 1,
            Span::Run { by, step } => {
                let in_order = by == next;
                next += 1;
                in_order && step == 1 && self.loops[by].size == part.size
            }
            Span::Windows { .. } | Span::Frames { .. } => false,
        };
        parts.iter().all(is_whole) && next == self.loops.len()
    }

    /// The parts into which the loops split the indexed axes, in order; `None` if a loop has steps along several axes,
    /// or an axis does not split.
    fn axes(&self) -> Option<Vec<Part>> {
        let is_straight = |l: &Loop| l.steps.iter().filter(|&&s| s != 0).count() <= 1;
        if !self.loops.iter().all(is_straight) {
            return None;
        }
        let parts: Option<Vec<Vec<Part>>> = (0..self.sizes.len()).map(|a| self.axis(a)).collect();
        Some(parts?.concat())
    }

    fn axis(&self, axis: usize) -> Option<Vec<Part>> {
        self.split(axis).or_else(|| Some(vec![self.frames(axis)?]))
    }

    /// The whole axis as frames: two loops that rise, one of them in steps of one.
    fn frames(&self, axis: usize) -> Option<Part> {
        let step = |l: usize| self.loops[l].steps[axis];
        let walkers: Vec<usize> = (0..self.loops.len()).filter(|&l| step(l) != 0).collect();
        let &[a, b] = walkers.as_slice() else {
            return None;
        };
        let (rising, each) = if step(b) == 1 { (b, a) } else { (a, b) };
        let step = (step(rising) == 1 && step(each) > 1).then(|| step(each))?;
        let (size, low) = (self.sizes[axis], self.base[axis]);
        let span = Span::Frames { rising, each, step };
        let joined = (self.loops[rising].size + step - 1) / step;
        (joined <= MAX_WINDOWS).then_some(Part { size, low, span })
    }

    /// The parts into which loops of different steps split the axis.
    fn split(&self, axis: usize) -> Option<Vec<Part>> {
        let step = |l: usize| self.loops[l].steps[axis];
        let mut walkers: Vec<usize> = (0..self.loops.len()).filter(|&l| step(l) != 0).collect();
        if let &[by] = walkers.as_slice() {
            let span = Span::Run { by, step: step(by) };
            let low = self.base[axis] + (step(by) * (self.loops[by].size - 1)).min(0);
            let size = self.sizes[axis];
            return (step(by) > 0).then_some(vec![Part { size, low, span }]);
        }
        let falls = |l: &usize| (step(*l) * (self.loops[*l].size - 1)).min(0);
        let mut low = self.base[axis] + walkers.iter().map(falls).sum::<i64>();
        walkers.sort_by_key(|&l| -step(l).abs());
        let (mut parts, mut left) = (Vec::new(), self.sizes[axis]);
        while let Some(&first) = walkers.first() {
            let unit = step(first).abs();
            let same = walkers.iter().filter(|&&l| step(l).abs() == unit).count();
            let group: Vec<usize> = walkers.drain(..same).collect();
            if left % unit != 0 {
                return None;
            }
            let (size, at) = (left / unit, low / unit);
            parts.push(self.part(axis, size, at, &group)?);
            (low, left) = (low % unit, unit);
        }
        if left > 1 || parts.is_empty() {
            let (size, span) = (left, Span::Point);
            parts.push(Part { size, low, span });
        }
        Some(parts)
    }

    /// The part that the loops of one step visit; `None` if they leave it.
    fn part(&self, axis: usize, size: i64, low: i64, walkers: &[usize]) -> Option<Part> {
        let reach = |l: &usize| self.loops[*l].size - 1;
        if low + walkers.iter().map(reach).sum::<i64>() >= size {
            return None;
        }
        let rises = |l: usize| self.loops[l].steps[axis] > 0;
        let span = match *walkers {
            [by] if rises(by) => Span::Run { by, step: 1 },
            [a, b] => {
                let (rising, each) = if rises(b) { (b, a) } else { (a, b) };
                if !rises(rising) || self.loops[each].size > MAX_WINDOWS {
                    return None;
                }
                let falls = !rises(each);
                Span::Windows {
                    rising,
                    each,
                    falls,
                }
            }
            _ => return None,
        };
        Some(Part { size, low, span })
    }
}

/// `x`, with the indexed axes replaced by the axes of the parts: none for a point, one for a run, two for windows
/// (`each` before `rising`).
fn spread(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    nest: &Nest,
    parts: &[Part],
) -> Emitted {
    let mut shape = emitter.shape(x).to_vec();
    let sizes = parts.iter().map(|p| Dim::constant(p.size));
    shape.splice(axis..axis + nest.sizes.len(), sizes);
    let (mut value, mut at) = (emitter.reshape(x, shape)?, axis);
    for part in parts {
        match part.span {
            Span::Point => {
                value = emitter.slice(value, at, part.low, 1, 1)?;
                value = emitter.squeeze(value, &[at])?;
            }
            Span::Run { by, step } => {
                value = emitter.slice(value, at, part.low, nest.loops[by].size, step)?;
                at += 1;
            }
            Span::Windows {
                rising,
                each,
                falls,
            } => {
                let (len, count) = (nest.loops[rising].size, nest.loops[each].size);
                let starts = (0..count).map(|n| part.low + if falls { count - 1 - n } else { n });
                value = windows(emitter, value, at, len, starts)?;
                at += 2;
            }
            Span::Frames { rising, each, step } => {
                let (len, count) = (nest.loops[rising].size, nest.loops[each].size);
                value = frames(emitter, value, at, part.low, step, [count, len])?;
                at += 2;
            }
        }
    }
    Ok(value)
}

/// Stacks slices of `len` elements along a new axis at `axis`; the slices' own axis follows.
fn windows(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    len: i64,
    starts: impl Iterator<Item = i64>,
) -> Emitted {
    let slices: Result<Vec<ValueId>, Reason> = starts
        .map(|start| {
            let (start, len) = (Dim::constant(start), Dim::constant(len));
            let slice = Slice {
                start,
                len,
                ..one_of(axis)
            };
            emitter.unfolded(slice, &[x])
        })
        .collect();
    let slices = slices?;
    let joined = emitter.unfolded(Concat { axis }, &slices)?;
    let mut shape = emitter.shape(slices[0]).to_vec();
    shape.insert(axis, Dim::constant(slices.len() as i64));
    emitter.reshape(joined, shape)
}

/// Frames of `len` elements, `step` apart, from `low` on: the axis becomes `count, len`. The axis is cut into rows of one
/// step. A frame is a row joined with the rows behind it.
fn frames(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    low: i64,
    step: i64,
    [count, len]: [i64; 2],
) -> Emitted {
    let joined = (len + step - 1) / step;
    let rows = count + joined - 1;
    let shape = emitter.shape(x).to_vec();
    let size = emitter.known(&shape[axis], "frames are of an axis of known size")?;
    let lacking = (low + rows * step - size).max(0);
    let mut value = emitter.slice(x, axis, low, rows * step - lacking, 1)?;
    if lacking > 0 {
        // The last frame ends within its last row. What fills that row is read by none.
        let filling = emitter.slice(x, axis, size - lacking, lacking, 1)?;
        value = emitter.concat(&[value, filling], axis)?;
    }
    let mut shape = emitter.shape(value).to_vec();
    shape.splice(axis..=axis, [rows, step].map(Dim::constant));
    value = emitter.reshape(value, shape)?;
    let parts: Result<Vec<ValueId>, Reason> = (0..joined)
        .map(|n| {
            let row = emitter.slice(value, axis, n, count, 1)?;
            emitter.slice(row, axis + 1, 0, step.min(len - n * step), 1)
        })
        .collect();
    emitter.concat(&parts?, axis + 1)
}

/// Permutes the axes of the parts into the order of the loops, and broadcasts along loops without a step.
fn in_loop_order(
    emitter: &mut Emitter<'_, '_>,
    value: ValueId,
    axis: usize,
    nest: &Nest,
    parts: &[Part],
) -> Emitted {
    let walked: Vec<usize> = parts
        .iter()
        .flat_map(|p| match p.span {
            Span::Point => vec![],
            Span::Run { by, .. } => vec![by],
            Span::Windows { rising, each, .. } | Span::Frames { rising, each, .. } => {
                vec![each, rising]
            }
        })
        .collect();
    let rank = emitter.rank(value);
    let mut sorted: Vec<usize> = (0..walked.len()).collect();
    sorted.sort_by_key(|&i| walked[i]);
    let permutation: Vec<usize> = (0..axis)
        .chain(sorted.iter().map(|&i| axis + i))
        .chain(axis + walked.len()..rank)
        .collect();
    let value = emitter.permute(value, &permutation)?;
    let repeated: Vec<usize> = (0..nest.loops.len())
        .filter(|l| !walked.contains(l))
        .map(|l| axis + l)
        .collect();
    if repeated.is_empty() {
        return Ok(value);
    }
    let value = emitter.unsqueeze(value, &repeated)?;
    let mut shape: Shape = emitter.shape(value);
    for (l, each) in nest.loops.iter().enumerate() {
        shape[axis + l] = Dim::constant(each.size);
    }
    emitter.broadcast(value, shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(loops: &[Loop]) -> Vec<(i64, i64)> {
        loops.iter().map(|l| (l.size, l.steps[0])).collect()
    }

    #[test]
    fn relative_positions_are_four_loops() {
        let axis = |a: i64, b: i64| a - b + 2;
        let mut index = Vec::new();
        for p in 0..9 {
            index.extend((0..9).map(|q| axis(p / 3, q / 3) * 5 + axis(p % 3, q % 3)));
        }
        let loops = loops_of(&[index]).unwrap();
        assert_eq!(steps(&loops), [(3, 5), (3, 1), (3, -5), (3, -1)]);
    }

    #[test]
    fn what_changes_its_step_is_no_nest() {
        assert_eq!(loops_of(&[vec![0, 1, 3, 4, 5, 7]]), None);
        assert_eq!(loops_of(&[vec![0, 2, 1]]), None);
    }

    #[test]
    fn diagonals_are_loops_that_step_twice() {
        let loops = loops_of(&[vec![0, 1, 2], vec![2, 1, 0]]).unwrap();
        assert_eq!(loops[0].steps, [1, -1]);
    }
}
