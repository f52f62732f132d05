//! Whether a model may make NaN of numbers, as `x / 0` and the logarithm of a negative number do.
//!
//! Inputs and weights of layers count as numbers, and no sum or product of numbers as infinite. What may be infinite otherwise counts as NaN:
//! a product with 0 or a difference makes NaN of it. What is made far away, with many values between, is not seen ([`MAX_VALUES`]): this is
//! asked about each of many layers.

use super::sign::LEAST_POSITIVE;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, PadMode, Simple, UnaryFn};
use kiln_ir::{DType, Graph, Op, TensorData, ValueId};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::analysis::ranges::{Floats, Ranges};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The most values that are looked at, the nearest first.
pub(crate) const MAX_VALUES: usize = 128;

/// What gives the NaN of a value, by the name of its function; `None` if nothing does.
pub(crate) fn maker_of_nan(graph: &Graph, value: ValueId) -> Option<String> {
    let mut ranges = Ranges::new(graph);
    let mut seen = FxHashSet::default();
    let mut waiting = VecDeque::from([value]);
    while let Some(value) = waiting.pop_front() {
        if seen.len() == MAX_VALUES {
            return None;
        }
        // Integers hold no NaN.
        if !graph.ty(value).dtype.is_float() || !seen.insert(value) {
            continue;
        }
        let Some(id) = graph.producer(value) else {
            match graph.block(graph.root()).params.contains(&value) {
                true => continue,
                false => return Some("what a branch or a loop reads".into()),
            }
        };
        let node = graph.node(id);
        let name = || Some(node.op.function().into_owned());
        match &node.op {
            // The logarithm of what a mask hides is minus infinity, so its masks are no exception.
            Op::Softmax(op) if !op.log => match unmasked(graph, node.operands[0], op.axis) {
                Some(scores) => waiting.extend(scores),
                None => return name(),
            },
            // Weights are many numbers, and finite.
            Op::Linear(_) | Op::Conv(_) => waiting.push_back(node.operands[0]),
            _ if makes(graph, &mut ranges, node) => return name(),
            _ => waiting.extend(&node.operands),
        }
    }
    None
}

fn makes(graph: &Graph, ranges: &mut Ranges<'_>, node: &Node) -> bool {
    match &node.op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => function_makes(f, ranges.of(node.operands[0]).floats()),
            UnaryFn::Clamp { .. }
            | UnaryFn::Elu { .. }
            | UnaryFn::LeakyRelu { .. }
            | UnaryFn::Softplus { .. } => false,
        },
        Op::Binary(op) => pair_makes(graph, ranges, op.f, node),
        Op::Constant(op) => !is_finite(&graph.constant(op.value).data),
        Op::Pad(op) => matches!(op.mode, PadMode::Constant(number) if !number.as_f64().is_finite()),
        Op::Select(_)
        | Op::Cast(_)
        | Op::Move(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Reverse(_)
        | Op::Concat(_)
        | Op::SliceUpdate(_)
        | Op::Reduce(_)
        | Op::Softmax(_)
        | Op::MatMul(_)
        | Op::Pool(_)
        | Op::AdaptivePool(_)
        | Op::Resize(_)
        | Op::GridSample(_)
        | Op::Gather(_)
        | Op::Index(_)
        | Op::Dequantize(_)
        | Op::Dequantised(_)
        | Op::FakeQuantize(_) => false,
        _ => true,
    }
}

/// True for a function that makes NaN or an infinity of some number in the range.
fn function_makes(f: Simple, range: Option<Floats>) -> bool {
    let is = |holds: fn(Floats) -> bool| range.is_some_and(holds);
    match f {
        Simple::Sqrt => !is(|range| range.low >= 0.0),
        Simple::Log | Simple::Log2 | Simple::Log10 | Simple::Rsqrt | Simple::Reciprocal => {
            !is(|range| range.low >= LEAST_POSITIVE)
        }
        // They overflow.
        Simple::Exp | Simple::Exp2 | Simple::Expm1 | Simple::Sinh | Simple::Cosh => {
            !is(|range| -MAX_POWER <= range.low && range.high <= MAX_POWER)
        }
        Simple::Log1p
        | Simple::Tan
        | Simple::Asin
        | Simple::Acos
        | Simple::Acosh
        | Simple::Atanh
        | Simple::Erfinv => true,
        _ => false,
    }
}

/// No exponential of a number up to this overflows f32.
const MAX_POWER: f64 = 88.0;

fn pair_makes(graph: &Graph, ranges: &mut Ranges<'_>, f: BinaryFn, node: &Node) -> bool {
    let b = node.operands[1];
    match f {
        BinaryFn::Div
        | BinaryFn::FloorDiv
        | BinaryFn::TruncDiv
        | BinaryFn::Remainder
        | BinaryFn::Fmod => !is_never_zero(graph, ranges, b),
        BinaryFn::Pow => {
            let is_plain = |data: &TensorData| {
                let mut powers = data.scalars().map(|s| s.as_f64());
                powers.all(|power| power >= 0.0 && power.fract() == 0.0)
            };
            !constant_of(graph, b).is_some_and(|b| is_plain(&b))
        }
        _ => false,
    }
}

fn is_never_zero(graph: &Graph, ranges: &mut Ranges<'_>, value: ValueId) -> bool {
    match constant_of(graph, value) {
        Some(data) => data.scalars().all(|s| s.as_f64() != 0.0),
        None => ranges
            .of(value)
            .floats()
            .is_some_and(|range| range.low >= LEAST_POSITIVE),
    }
}

fn is_finite(data: &TensorData) -> bool {
    if data.dtype() != DType::F32 {
        return data.scalars().all(|s| s.as_f64().is_finite());
    }
    // Masks are large, and are asked about for each of many layers. The exponent of infinities and of NaN has all bits.
    const EXPONENT: u32 = 0x7f80_0000;
    let is_special = |bytes: &[u8]| {
        let words = bytes
            .chunks_exact(4)
            .map(|word| [word[0], word[1], word[2], word[3]]);
        let words = words.map(|word| u32::from_le_bytes(word) & EXPONENT == EXPONENT);
        words.fold(false, |any, own| any | own)
    };
    !data.bytes().chunks(1 << 12).any(is_special)
}

/// The scores behind the masks of a softmax along an axis. `None` if all scores of a row may be minus infinity, by constants that are added to
/// them or put in their place.
fn unmasked(graph: &Graph, scores: ValueId, axis: usize) -> Option<Vec<ValueId>> {
    // Several masks together may empty a row that each of them leaves an element.
    let mut masks = 0;
    let mut found = Vec::new();
    let mut waiting = vec![(scores, Some(axis))];
    while let Some((value, axis)) = waiting.pop() {
        let node = graph.producer(value).map(|id| graph.node(id));
        let is_mask = |op: &Op| match op {
            Op::Binary(op) => op.f == BinaryFn::Add,
            op => matches!(op, Op::Select(_)),
        };
        match node.map(|node| (node, &node.op)) {
            Some((node, op)) if is_mask(op) => {
                let first = usize::from(matches!(op, Op::Select(_)));
                for position in first..node.operands.len() {
                    let operand = node.operands[position];
                    let Some(data) = constant_of(graph, operand) else {
                        waiting.push((operand, axis));
                        continue;
                    };
                    if is_finite(&data) {
                        continue;
                    }
                    masks += 1;
                    if masks > 1 || empties_row(graph, node, position, axis) {
                        return None;
                    }
                }
            }
            // The axis of the rows is another one before.
            Some((node, Op::Move(_) | Op::Broadcast(_))) => waiting.push((node.operands[0], None)),
            _ => found.push(value),
        }
    }
    Some(found)
}

/// True if an operand with infinities, or what it is put in place of, leaves no element of some row.
fn empties_row(graph: &Graph, node: &Node, position: usize, axis: Option<usize>) -> bool {
    let (Some(axis), Some(data)) = (axis, constant_of(graph, node.operands[position])) else {
        return true;
    };
    // Only minus infinity hides.
    if data
        .scalars()
        .any(|s| s.as_f64().is_nan() || s.as_f64() == f64::INFINITY)
    {
        return true;
    }
    match node.op {
        Op::Select(_) => constant_of(graph, node.operands[0]).is_none_or(|condition| {
            has_row_of(&condition, axis, |element| {
                (element != 0.0) == (position == 1)
            })
        }),
        _ => has_row_of(&data, axis, f64::is_infinite),
    }
}

/// True if a row of the data along the axis has such elements only.
fn has_row_of(data: &TensorData, axis: usize, is: impl Fn(f64) -> bool) -> bool {
    let sizes = data.sizes();
    let Some(&length) = sizes.get(axis) else {
        return true;
    };
    let inner: usize = sizes[axis + 1..].iter().product();
    let rows = data.elements() / length.max(1);
    (0..rows).any(|row| {
        let first = row / inner * inner * length + row % inner;
        let mut elements = (0..length).map(|i| data.get(first + i * inner));
        elements.all(|element| element.is_some_and(|s| is(s.as_f64())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_eval::{Options, State, Tensor, evaluate};

    /// Numbers with squares that no sum makes infinite.
    const NUMBERS: [f32; 16] = [
        0.0, -0.0, 1e-30, -1e-30, 1.0, -1.0, 0.5, -2.5, 6.0, -7.0, 1e9, -1e9, 2.0, -3.0, 0.25,
        100.0,
    ];

    /// Lines that make a value of `%0`, any numbers, `%1`, which are at least 0.5, and masks: `%2` adds minus infinity everywhere in a row,
    /// `%3` in a part of each row, and `%4` picks half of each row.
    const LINES: &[(&str, bool)] = &[
        ("%6: f32[4, 4] = binary %0, %0 {f=div}", true),
        ("%6: f32[4, 4] = binary %0, %1 {f=div}", false),
        ("%6: f32[4, 4] = binary %0, %1 {f=mul}", false),
        ("%6: f32[4, 4] = binary %1, %0 {f=pow}", true),
        ("%6: f32[4, 4] = binary %0, %1 {f=pow}", true),
        ("%6: f32[4, 4] = binary %0, %0 {f=fmod}", true),
        ("%6: f32[4, 4] = unary %0 {f=log}", true),
        ("%6: f32[4, 4] = unary %1 {f=log}", false),
        ("%6: f32[4, 4] = unary %0 {f=sqrt}", true),
        ("%6: f32[4, 4] = unary %1 {f=rsqrt}", false),
        ("%6: f32[4, 4] = unary %0 {f=atanh}", true),
        ("%6: f32[4, 4] = unary %0 {f=gelu}", false),
        ("%6: f32[4, 4] = softmax %0 {axis=1, log=false}", false),
        (
            "%6: f32[4, 4] = binary %0, %2 {f=add}\n    %7: f32[4, 4] = softmax %6 {axis=1, log=false}",
            true,
        ),
        (
            "%6: f32[4, 4] = binary %0, %3 {f=add}\n    %7: f32[4, 4] = softmax %6 {axis=1, log=false}",
            false,
        ),
        (
            "%6: f32[4, 4] = select %4, %0, %5 {}\n    %7: f32[4, 4] = softmax %6 {axis=1, log=false}",
            false,
        ),
        (
            "%6: f32[4, 4] = select %4, %0, %5 {}\n    %7: f32[4, 4] = softmax %6 {axis=0, log=false}",
            true,
        ),
        (
            "%6: f32[4, 4] = select %4, %0, %5 {}\n    %7: f32[4, 4] = binary %6, %3 {f=add}\n    %8: f32[4, 4] = softmax %7 {axis=1, log=false}",
            true,
        ),
        (
            "%6: f32[4, 4] = unary %0 {f=log}\n    %7: f32[4, 4] = matmul %6, %1 {}",
            true,
        ),
        (
            "%6: f32[4, 4] = softmax %0 {axis=1, log=false}\n    %7: f32[4, 4] = unary %6 {f=log}\n    %8: f32[4, 4] = binary %6, %7 {f=mul}",
            true,
        ),
        (
            "%6: f32[4, 4] = unary %0 {f=square}\n    %7: f32[4, 4] = unary %6 {f=rsqrt}\n    %8: f32[4, 4] = binary %0, %7 {f=mul}",
            true,
        ),
        (
            "%6: f32[4, 4] = unary %0 {f=reciprocal}\n    %7: f32[4, 4] = binary %0, %6 {f=mul}",
            true,
        ),
        (
            "%6: f32[4, 4] = unary %0 {f=exp}\n    %7: f32[4, 4] = binary %6, %6 {f=sub}",
            true,
        ),
        ("%6: f32[4, 4] = binary %0, %3 {f=mul}", true),
        ("%6: f32[4, 4] = softmax %0 {axis=1, log=true}", false),
        (
            "%6: f32[4, 4] = binary %0, %3 {f=add}\n    %7: f32[4, 4] = softmax %6 {axis=1, log=true}\n    %8: f32[4, 4] = binary %7, %7 {f=sub}",
            true,
        ),
        (
            "%6: f32[4, 4] = binary %0, %2 {f=add}\n    %7: f32[4, 1] = reduce %6 {f=max, axes=[1]}\n    %8: f32[4, 4] = binary %6, %7 {f=sub}",
            true,
        ),
        (
            "%6: f32[4, 4] = unary %0 {f=clamp[-3.0, 3.0]}\n    %7: f32[4, 4] = unary %6 {f=exp}\n    %8: f32[4, 4] = binary %7, %0 {f=mul}",
            false,
        ),
    ];

    fn graph(line: &str) -> Graph {
        let made = line
            .rsplit("    ")
            .next()
            .and_then(|last| last.split(':').next());
        let made = made.expect("a line that makes a value");
        let text = format!(
            r#"graph "nan" {{
  constant c0 "none" f32[4, 1] = [0.0, -inf, 0.0, 0.0]
  constant c1 "rest" f32[1, 4] = [0.0, -inf, -inf, 0.0]
  constant c2 "half" bool[1, 4] = [false, true, true, false]
  constant c3 "hidden" f32[1, 1] = [-inf]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[4, 4]) {{
    %1: f32[4, 4] = unary %0 {{f=clamp[0.5, none]}}
    %2: f32[4, 1] = constant {{value=c0}}
    %3: f32[1, 4] = constant {{value=c1}}
    %4: bool[1, 4] = constant {{value=c2}}
    %5: f32[1, 1] = constant {{value=c3}}
    {line}
    return {made}
  }}
}}
"#
        );
        kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    fn gives_nan(graph: &Graph, numbers: &[f32]) -> bool {
        let x = Tensor::new(vec![4, 4], numbers.to_vec());
        let mut state = State::new(graph);
        let found = evaluate(graph, &[x], &mut state, &Options::default()).expect("it runs");
        let elements = found.outputs[0].elements::<f32>().expect("f32");
        elements.iter().any(|element| element.is_nan())
    }

    #[test]
    fn what_makes_nan_is_found() {
        for (line, is_claimed) in LINES {
            let graph = graph(line);
            let result = graph.block(graph.root()).results[0];
            assert_eq!(
                maker_of_nan(&graph, result).is_some(),
                *is_claimed,
                "{line}"
            );
            for turn in 0..NUMBERS.len() {
                let mut numbers = NUMBERS;
                numbers.rotate_left(turn);
                assert!(*is_claimed || !gives_nan(&graph, &numbers), "{line}");
            }
        }
    }
}
