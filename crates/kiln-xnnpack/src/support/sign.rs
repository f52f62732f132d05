//! What is known of floats: signs and sizes, NaN aside, and what is never NaN.

use kiln_ir::ops::UnaryFn;
use kiln_ir::{Graph, Op, ValueId};
use kiln_transforms::analysis::ranges::{Floats, Ranges};

pub(super) fn range(graph: &Graph, value: ValueId) -> Option<Floats> {
    Ranges::new(graph).of(value).floats()
}

/// Some normal number above 0.
pub(super) const LEAST_POSITIVE: f64 = 0.99e-30;

/// True if the value is greater than some normal number above 0 wherever it is not NaN.
pub(crate) fn is_positive(graph: &Graph, value: ValueId) -> bool {
    range(graph, value).is_some_and(|range| range.low >= LEAST_POSITIVE)
}

/// True if the value is nowhere below 0.
pub(crate) fn is_not_negative(graph: &Graph, value: ValueId) -> bool {
    range(graph, value).is_some_and(|range| range.low >= 0.0)
}

/// True if the value is nowhere infinite, nor so great that neighbours differ by infinity.
pub(crate) fn is_bounded(graph: &Graph, value: ValueId) -> bool {
    let dtype = graph.ty(value).dtype;
    range(graph, value).is_some_and(|range| range.is_finite_times(4.0, dtype))
}

/// True if no element is NaN: the value holds reals of integers, moved, picked or limited, or numbers that are known.
pub(crate) fn is_number(graph: &Graph, value: ValueId) -> bool {
    if !graph.ty(value).dtype.is_float() {
        return true;
    }
    if let Some(known) = graph.as_constant(value) {
        let is_nan = |s: kiln_ir::Scalar| s.as_f64().is_nan();
        return known.data.as_splat().is_some_and(|s| !is_nan(s))
            || !known.data.scalars().any(is_nan);
    }
    let Some(producer) = graph.producer(value) else {
        return false;
    };
    let node = graph.node(producer);
    match &node.op {
        Op::Dequantize(_) => true,
        Op::Move(_) | Op::Slice(_) | Op::Broadcast(_) => is_number(graph, node.operands[0]),
        Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }) => {
            is_number(graph, node.operands[0])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_eval::{Options, State, Tensor, evaluate};

    const EDGES: [f32; 16] = [
        0.0,
        -0.0,
        1e-38,
        -1e-38,
        1.0,
        -1.0,
        0.5,
        -2.5,
        6.0,
        -7.0,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        3.0,
    ];

    /// Lines that make `%3` of `%0`, any number, and `%2`, which is not negative.
    const LINES: &[&str] = &[
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.5, 2.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.5, -2.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.0, -0.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.0, -inf]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[none, 2.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[-1.0, none]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=abs}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=exp}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=square}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=sqrt}",
        "%3: f32[1, 1, 4, 4] = unary %2 {f=neg}",
        "%3: f32[1, 1, 4, 4] = unary %2 {f=log}",
        "%3: f32[1, 1, 4, 4] = binary %0, %0 {f=mul}",
        "%3: f32[1, 1, 4, 4] = binary %0, %2 {f=mul}",
        "%3: f32[1, 1, 4, 4] = binary %0, %2 {f=max}",
        "%3: f32[1, 1, 4, 4] = binary %0, %2 {f=min}",
        "%3: f32[1, 1, 4, 4] = binary %2, %2 {f=sub}",
        "%3: f32[1, 1, 4, 4] = binary %2, %1 {f=add}",
        "%3: f32[1, 1, 4, 4] = binary %0, %1 {f=add}",
        "%3: f32[1, 1, 4, 4] = binary %2, %0 {f=div}",
        "%3: f32[1, 1, 4, 4] = softmax %0 {axis=3, log=false}",
        "%3: f32[1, 1, 4, 4] = softmax %2 {axis=3, log=true}",
        "%3: f32[1, 1, 4, 1] = reduce %2 {f=mean, axes=[3]}",
        "%3: f32[1, 1, 4, 1] = reduce %2 {f=sum, axes=[3]}",
        "%3: f32[1, 1, 4, 1] = reduce %2 {f=min, axes=[3]}",
        "%3: f32[1, 1, 4, 1] = reduce %0 {f=max, axes=[3]}",
        "%3: f32[1, 1, 5, 4] = pad %2 {low=[0, 0, 1, 0], high=[0, 0, 0, 0], mode=constant -1.0}",
        "%3: f32[1, 1, 5, 4] = pad %2 {low=[0, 0, 1, 0], high=[0, 0, 0, 0], mode=constant 1.0}",
        "%3: f32[1, 1, 4, 4] = pool %2 {f=avg -1, kernel=[1, 1], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 4, 4] = pool %2 {f=avg none, kernel=[1, 1], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 5, 5] = pool %2 {f=avg_of_padded 3, kernel=[2, 2], stride=[1, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 5, 5] = pool %2 {f=max, kernel=[2, 2], stride=[1, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 3, 3] = pool %0 {f=max, kernel=[2, 2], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 7, 9] = resize %2 {mode=linear, align_corners=false, output=[7, 9], scales=[none, none]}",
        "%3: f32[1, 1, 7, 9] = resize %2 {mode=cubic, align_corners=false, output=[7, 9], scales=[none, none]}",
        "%3: f32[1, 1, 4, 4] = slice_update %2, %0 {axis=2, start=0, step=1}",
    ];

    fn graph(line: &str) -> Graph {
        let result = line.split(" = ").next().and_then(|l| l.split(": ").nth(1));
        let result = result.expect("a line with a type");
        let text = format!(
            "graph \"signs\" {{\n  constant c0 \"tiny\" f32[1, 1, 1, 1] = splat 1e-20\n  input tensor \"x\" [0, 1, 2, 3]\n  output tensor\n  block b0 (%0 \"x\": f32[1, 1, 4, 4]) {{\n    %1: f32[1, 1, 1, 1] = constant {{value=c0}}\n    %2: f32[1, 1, 4, 4] = unary %0 {{f=clamp[0, none]}}\n    {line}\n    %4: {result} = unary %3 {{f=abs}}\n    return %3\n  }}\n}}\n"
        );
        kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    fn elements(graph: &Graph, numbers: &[f32]) -> Vec<f32> {
        let x = Tensor::new(vec![1, 1, 4, 4], numbers.to_vec());
        let mut state = State::new(graph);
        let found = evaluate(graph, &[x], &mut state, &Options::default()).expect("it runs");
        found.outputs[0].elements::<f32>().expect("f32").to_vec()
    }

    #[test]
    fn nothing_is_below_what_is_claimed() {
        let mut claimed = [0; 3];
        for line in LINES {
            let graph = graph(line);
            let result = graph.block(graph.root()).results[0];
            let is_positive = is_positive(&graph, result);
            let is_not_negative = is_not_negative(&graph, result);
            let is_bounded = is_bounded(&graph, result);
            for turn in 0..EDGES.len() {
                let mut numbers = EDGES;
                numbers.rotate_left(turn);
                let scattered: Vec<f32> = (0..16).map(|i| numbers[i * 7 % 16]).collect();
                for numbers in [&numbers[..], &scattered, &[numbers[0]; 16]] {
                    let found = elements(&graph, numbers);
                    let least = found.iter().copied().fold(f32::INFINITY, f32::min);
                    let is_infinite = found.iter().any(|n| n.is_infinite());
                    assert!(!is_positive || least > 0.0, "{line}: {least}");
                    assert!(!is_not_negative || least >= 0.0, "{line}: {least}");
                    assert!(!is_bounded || !is_infinite, "{line}");
                }
            }
            claimed[0] += usize::from(is_positive);
            claimed[1] += usize::from(is_not_negative);
            claimed[2] += usize::from(is_bounded);
        }
        assert!(
            claimed[0] >= 2 && claimed[1] >= 19 && claimed[2] >= 5,
            "{claimed:?}"
        );
    }
}
