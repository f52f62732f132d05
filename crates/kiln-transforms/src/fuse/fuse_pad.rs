//! Fuses a constant padding into the window op that follows it.
//!
//! Zeros fuse with a convolution that is not transposed and with an average that counts its padding. The lowest value
//! of a dtype (`-inf`, or the least integer) fuses with a maximum. The target must run the fused form at least as well.
//! If a convolution's weight has an infinity or NaN, the results may differ, because a convolution does not multiply
//! its own padding.
//!
//! ```kiln
//! fuse_pad
//! graph "fuse_pad" {
//!   input tensor "x" [0, 1, 2, 3]
//!   input tensor "w" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 4], %1 "w": f32[3, 2, 3, 3]) {
//!     %2: f32[1, 2, 5, 6] = pad %0 {low=[0, 0, 0, 1], high=[0, 0, 1, 1], mode=constant 0.0}
//!     %3: f32[1, 3, 5, 4] = conv %2, %1 {stride=[1, 1], pad_low=[1, 0], pad_high=[1, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %4: f32[1, 2, 5, 5] = pad %0 {low=[0, 0, 0, 0], high=[0, 0, 1, 1], mode=constant -inf}
//!     %5: f32[1, 2, 2, 2] = pool %4 {f=max, kernel=[3, 3], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     return %3, %5
//!   }
//! }
//! ---
//! graph "fuse_pad" {
//!   input tensor "x" [0, 1, 2, 3]
//!   input tensor "w" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 4], %1 "w": f32[3, 2, 3, 3]) {
//!     %2: f32[1, 3, 5, 4] = conv %0, %1 {stride=[1, 1], pad_low=[1, 1], pad_high=[2, 1], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %3: f32[1, 2, 2, 2] = pool %0 {f=max, kernel=[3, 3], stride=[2, 2], pad_low=[0, 0], pad_high=[1, 1], dilation=[1, 1], ceil=false}
//!     return %2, %3
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::{Placement, Reason, Target};
use crate::guards;
use kiln_ir::graph::ValueList;
use kiln_ir::ops::{Conv, Pad, PadMode, Pool, PoolFn};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, Scalar, TensorData};

guards! {
    /// A convolution pads with zeros.
    ZERO;
    /// A maximum pads with what no element is less than.
    LEAST;
    /// An average pads with zeros.
    ZERO_SUMMAND;
    /// An average that counts the padded zeros counts its own padding too.
    COUNTED;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "fuse_pad",
    keeps_bits: false,
    run,
    rules: &[RULE.name],
    guards: &[GUARDS],
};

const RULE: Rule = Rule {
    name: "fuse_pad",
    rewrite,
};

/// Fuses every padding that matches; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Some((op, operands)) = fused(emitter.graph(), id) else {
        return Ok(None);
    };
    let before = worth(&emitter.placement_of(id));
    let after = emitter.placement(op.clone(), &operands)?;
    if worth(&after) < before {
        let found = match after {
            Placement::Kernel(reason) | Placement::None(reason) => reason.to_string(),
            Placement::Delegate => String::new(),
        };
        return Err(Reason::new(
            "the target runs the op with this padding at least as well as without it",
            found,
        ));
    }
    emitter.unfolded(op, &operands).map(Some)
}

fn worth(placement: &Placement) -> u8 {
    match placement {
        Placement::Delegate => 2,
        Placement::Kernel(_) => 1,
        Placement::None(_) => 0,
    }
}

/// The op with the padding in its attributes, and its operands.
fn fused(graph: &Graph, id: NodeId) -> Option<(Op, ValueList)> {
    let node = graph.node(id);
    let &first = node.operands.first()?;
    let before = graph.node(graph.producer(first)?);
    let Op::Pad(pad) = &before.op else {
        return None;
    };
    let (low, high) = spatial_padding(pad)?;
    let PadMode::Constant(value) = pad.mode else {
        return None;
    };
    let value = TensorData::scalar(graph.ty(first).dtype, value).get(0)?;
    let op = match &node.op {
        Op::Conv(op) if !op.transposed && ZERO.holds(is_zero(value)) => {
            conv(op, &low, &high).into()
        }
        Op::Pool(op) => pool(op, graph.ty(first).dtype, value, &low, &high)?.into(),
        _ => return None,
    };
    let mut operands = node.operands.clone();
    operands[0] = before.operands[0];
    Some((op, operands))
}

/// The known amounts of padding along the spatial axes, if no other axis is padded.
fn spatial_padding(pad: &Pad) -> Option<(Vec<i64>, Vec<i64>)> {
    let known = |all: &[kiln_ir::Dim]| {
        all.iter()
            .map(|d| d.as_const())
            .collect::<Option<Vec<i64>>>()
    };
    let (low, high) = (known(&pad.low)?, known(&pad.high)?);
    let outer = low.iter().take(2).chain(high.iter().take(2));
    if low.len() < 3 || !(outer.into_iter().all(|&n| n == 0)) {
        return None;
    }
    Some((low[2..].to_vec(), high[2..].to_vec()))
}

fn is_zero(value: Scalar) -> bool {
    value.as_f64() == 0.0 && value.as_f64().is_sign_positive()
}

fn is_least(dtype: DType, value: Scalar) -> bool {
    match dtype.int_range() {
        Some((least, _)) => value.as_i64() == least,
        None => dtype.is_float() && value.as_f64() == f64::NEG_INFINITY,
    }
}

fn sum(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn conv(op: &Conv, low: &[i64], high: &[i64]) -> Conv {
    Conv {
        pad_low: sum(&op.pad_low, low),
        pad_high: sum(&op.pad_high, high),
        ..op.clone()
    }
}

fn pool(op: &Pool, dtype: DType, value: Scalar, low: &[i64], high: &[i64]) -> Option<Pool> {
    // With ceil mode, the end of the input decides which windows are dropped, and fusing would change it.
    if op.ceil {
        return None;
    }
    let has_own = op.pad_low.iter().chain(&op.pad_high).any(|&n| n != 0);
    let f = match op.f {
        PoolFn::Max if LEAST.holds(is_least(dtype, value)) => PoolFn::Max,
        PoolFn::Avg {
            count_include_pad,
            divisor,
        } if ZERO_SUMMAND.holds(is_zero(value)) && COUNTED.holds(count_include_pad || !has_own) => {
            PoolFn::Avg {
                count_include_pad: true,
                divisor,
            }
        }
        _ => return None,
    };
    let fused = Pool {
        f,
        pad_low: sum(&op.pad_low, low),
        pad_high: sum(&op.pad_high, high),
        ..op.clone()
    };
    pads_at_most_half(&fused).then_some(fused)
}

/// The limit that PyTorch has for a pool's padding. Within it every window sees an element.
fn pads_at_most_half(op: &Pool) -> bool {
    (0..op.spatial()).all(|i| {
        let extent = op.dilation[i] * (op.kernel[i] - 1) + 1;
        2 * op.pad_low[i].max(op.pad_high[i]) <= extent
    })
}
