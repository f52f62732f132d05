//! Expands a resize between known sizes, axis by axis: to elements at known places for the nearest neighbour, or to a weighted sum
//! of such for linear and cubic modes. Places at equal distances are slices and repetitions, others are looked up.
//!
//! Tables and weights come from evaluating the op itself on indices and on unit vectors. So its rounding of coordinates
//! is kept, and so is its treatment of NaN and infinities (see `resize_taps`). A resize by a whole factor becomes a
//! repetition.
//!
//! ```kiln
//! decompose none resize
//! graph "resize" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 2, 3]) {
//!     %1: f32[1, 1, 4, 5] = resize %0 {mode=nearest, align_corners=false, output=[4, 5], scales=[none, none]}
//!     %2: f32[1, 1, 2, 5] = resize %0 {mode=linear, align_corners=true, output=[2, 5], scales=[none, none]}
//!     return %1, %2
//!   }
//! }
//! ---
//! graph "resize" {
//!   constant c0 "" f32[1, 1, 1, 5] = [1.0, 0.5, 1.0, 0.5, 1.0]
//!   constant c1 "" f32[1, 1, 1, 5] = [0.0, 0.5, 0.0, 0.5, 0.0]
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 2, 3]) {
//!     %1: f32[1, 1, 2, 1, 3] = move %0 {movement=(c:1 d:1 a:2 b:3 -> c d a 1 b)}
//!     %2: f32[1, 1, 2, 2, 3] = broadcast %1 {shape=[1, 1, 2, 2, 3]}
//!     %3: f32[1, 1, 4, 3] = move %2 {movement=(d:1 e:1 a:2 b:2 c:3 -> d e (a b) c)}
//!     %4: f32[1, 1, 4, 2] = slice %3 {axis=3, start=0, len=2, step=1}
//!     %5: f32[1, 1, 4, 2, 1] = move %4 {movement=(c:1 d:1 a:4 b:2 -> c d a b 1)}
//!     %6: f32[1, 1, 4, 2, 2] = broadcast %5 {shape=[1, 1, 4, 2, 2]}
//!     %7: f32[1, 1, 4, 4] = move %6 {movement=(d:1 e:1 a:4 b:2 c:2 -> d e a (b c))}
//!     %8: f32[1, 1, 4, 1] = slice %3 {axis=3, start=2, len=1, step=1}
//!     %9: f32[1, 1, 4, 5] = concat %7, %8 {axis=3}
//!     %10: f32[1, 1, 2, 2] = slice %0 {axis=3, start=0, len=2, step=1}
//!     %11: f32[1, 1, 2, 2, 1] = move %10 {movement=(c:1 d:1 a:2 b:2 -> c d a b 1)}
//!     %12: f32[1, 1, 2, 2, 2] = broadcast %11 {shape=[1, 1, 2, 2, 2]}
//!     %13: f32[1, 1, 2, 4] = move %12 {movement=(d:1 e:1 a:2 b:2 c:2 -> d e a (b c))}
//!     %14: f32[1, 1, 2, 1] = slice %0 {axis=3, start=2, len=1, step=1}
//!     %15: f32[1, 1, 2, 5] = concat %13, %14 {axis=3}
//!     %16: f32[1, 1, 1, 5] = constant {value=c0}
//!     %17: f32[1, 1, 2, 5] = binary %15, %16 {f=mul}
//!     %18: f32[1, 1, 2, 1] = slice %0 {axis=3, start=1, len=1, step=1}
//!     %19: f32[1, 1, 2, 1, 1] = move %18 {movement=(b:1 c:1 a:2 d:1 -> b c a d 1)}
//!     %20: f32[1, 1, 2, 1, 2] = broadcast %19 {shape=[1, 1, 2, 1, 2]}
//!     %21: f32[1, 1, 2, 2] = move %20 {movement=(c:1 d:1 a:2 1 b:2 -> c d a b)}
//!     %22: f32[1, 1, 2, 1] = slice %0 {axis=3, start=2, len=1, step=1}
//!     %23: f32[1, 1, 2, 1, 1] = move %22 {movement=(b:1 c:1 a:2 d:1 -> b c a d 1)}
//!     %24: f32[1, 1, 2, 1, 3] = broadcast %23 {shape=[1, 1, 2, 1, 3]}
//!     %25: f32[1, 1, 2, 3] = move %24 {movement=(c:1 d:1 a:2 1 b:3 -> c d a b)}
//!     %26: f32[1, 1, 2, 5] = concat %21, %25 {axis=3}
//!     %27: f32[1, 1, 1, 5] = constant {value=c1}
//!     %28: f32[1, 1, 2, 5] = binary %26, %27 {f=mul}
//!     %29: f32[1, 1, 2, 5] = binary %17, %28 {f=add}
//!     return %9, %29
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand, resize_taps};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{BinaryFn, Resize, ResizeMode};
use kiln_ir::tensor::TensorData;
use kiln_ir::{Builder, DType, Dim, NodeId, Op, Scalar, Symbols, ValueId};

guards! {
    /// Each element is picked equally often, one after the other.
    REPEATS;
    /// The weights are 1.
    WEIGHTS_OF_ONE;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "resize",
    rounds: Rounds::Often,
    expand,
};

/// The most bytes of a matrix or table.
const MAX_BYTES: i64 = 64 << 20;

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Resize);
    let mut x = operand(emitter, node, 0);
    for (i, output) in op.output.iter().enumerate() {
        const RULE: &str = "a resize is between known sizes";
        let from = emitter.known(&emitter.shape(x)[i + 2].clone(), RULE)?;
        let to = emitter.known(output, RULE)?;
        let along = Along {
            op: &op,
            axis: i,
            from,
            to,
        };
        x = if op.mode == ResizeMode::Nearest {
            along.nearest(emitter, x)?
        } else {
            along.blend(emitter, x)?
        };
    }
    only(Ok(x))
}

/// The resize along one axis.
struct Along<'o> {
    op: &'o Resize,
    axis: usize,
    from: i64,
    to: i64,
}

impl Along<'_> {
    /// Evaluates the op on rows `[rows, from]`.
    fn evaluated<T: kiln_eval::Element>(
        &self,
        rows: usize,
        elements: Vec<T>,
    ) -> Result<Vec<T>, Reason> {
        let op = Resize {
            output: vec![Dim::constant(self.to)],
            scales: vec![self.op.scales[self.axis]],
            ..self.op.clone()
        };
        let x = Tensor::new(vec![rows, 1, self.from as usize], elements);
        let mut bindings = Bindings::new(&Symbols::default());
        let results = evaluate_op(&Op::Resize(op), &[x], &mut bindings, MAX_BYTES as u64);
        let results =
            results.map_err(|e| Reason::new("the resize can be evaluated", e.to_string()))?;
        let elements = results.first().and_then(|t| t.elements::<T>());
        elements
            .map(<[T]>::to_vec)
            .ok_or_else(|| Reason::new("the operand of the resize is a float", "another type"))
    }

    fn check_bytes(&self, elements: Option<i64>) -> Result<(), Reason> {
        match elements.and_then(|n| n.checked_mul(8)) {
            Some(bytes) if bytes <= MAX_BYTES && self.from > 0 && self.from < 1 << 24 => Ok(()),
            _ => Err(Reason::new(
                format!("the table of a resize takes at most {MAX_BYTES} bytes"),
                format!("{} elements to {}", self.from, self.to),
            )),
        }
    }

    fn nearest(&self, emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
        self.check_bytes(Some(self.from.max(self.to)))?;
        let numbers: Vec<f32> = (0..self.from).map(|i| i as f32).collect();
        let places = self.evaluated(1, numbers)?;
        let places: Vec<i64> = places.into_iter().map(|p| p as i64).collect();
        let axis = self.axis + 2;
        if places.iter().copied().eq(0..self.from) {
            return Ok(x);
        }
        let times = self.to / self.from;
        let is_multiple = times * self.from == self.to;
        let repeats = || (0..self.to).map(|i| i / times);
        if is_multiple && REPEATS.holds(repeats().eq(places.iter().copied())) {
            return self.repeat(emitter, x, axis, times);
        }
        resize_taps::picked(emitter, x, axis, &places)
    }

    fn repeat(
        &self,
        emitter: &mut Emitter<'_, '_>,
        x: ValueId,
        axis: usize,
        times: i64,
    ) -> Emitted {
        let mut merged = emitter.shape(x);
        merged[axis] = Dim::constant(self.to);
        let x = emitter.unsqueeze(x, &[axis + 1])?;
        let mut repeated = emitter.shape(x);
        repeated[axis + 1] = Dim::constant(times);
        let x = emitter.broadcast(x, repeated)?;
        emitter.reshape(x, merged)
    }

    fn blend(&self, emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
        self.check_bytes(self.from.checked_mul(self.from.max(self.to)))?;
        let rows = |elements: Vec<f64>| self.response(emitter.ty(x).dtype, elements);
        let taps = resize_taps::taps(self.from as usize, self.to as usize, rows)?;
        let axis = self.axis + 2;
        let mut sum: Option<ValueId> = None;
        for tap in taps {
            let picked = resize_taps::picked(emitter, x, axis, &tap.places)?;
            let part = self.weighted(emitter, picked, axis, &tap.weights)?;
            sum = Some(match sum {
                Some(sum) => emitter.binary(BinaryFn::Add, sum, part)?,
                None => part,
            });
        }
        sum.ok_or_else(|| Reason::new("a resize has at least one input element", "none"))
    }

    fn weighted(
        &self,
        emitter: &mut Emitter<'_, '_>,
        x: ValueId,
        axis: usize,
        weights: &[f64],
    ) -> Emitted {
        if WEIGHTS_OF_ONE.holds(weights.iter().all(|&w| w == 1.0)) {
            return Ok(x);
        }
        let mut sizes = vec![1; emitter.rank(x)];
        sizes[axis] = weights.len();
        let scalars = weights.iter().map(|&w| Scalar::Float(w));
        let data = TensorData::from_scalars(emitter.ty(x).dtype, sizes, scalars);
        let weights = emitter.constant("", data);
        emitter.binary(BinaryFn::Mul, x, weights)
    }

    /// Evaluates the op on rows, in the precision with which it computes this dtype.
    fn response(&self, dtype: DType, elements: Vec<f64>) -> Result<Vec<f64>, Reason> {
        let rows = elements.len() / self.from as usize;
        if dtype == DType::F64 {
            return self.evaluated(rows, elements);
        }
        let single = elements.into_iter().map(|v| v as f32).collect();
        let found: Vec<f32> = self.evaluated(rows, single)?;
        Ok(found.into_iter().map(f64::from).collect())
    }
}
