//! Resizing to known sizes, axis by axis: a look-up for the nearest, a product with a constant matrix for
//! a blend of neighbours.
//!
//! Table and matrix are what the op itself makes of an axis's numbers and of unit vectors, so its
//! rounding of places is kept. A whole multiple is a repetition. (A blend by a matrix spreads infinities
//! and NaN along the axis.)
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
//!   constant c0 "" i64[5] = [0, 0, 1, 1, 2]
//!   constant c1 "" f32[5, 3] = [1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0]
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 2, 3]) {
//!     %1: f32[1, 1, 2, 1, 3] = move %0 {movement=(c:1 d:1 a:2 b:3 -> c d a 1 b)}
//!     %2: f32[1, 1, 2, 2, 3] = broadcast %1 {shape=[1, 1, 2, 2, 3]}
//!     %3: f32[1, 1, 4, 3] = move %2 {movement=(d:1 e:1 a:2 b:2 c:3 -> d e (a b) c)}
//!     %4: i64[5] = constant {value=c0}
//!     %5: f32[1, 1, 4, 5] = index %3, %4 {axis=3}
//!     %6: f32[5, 3] = constant {value=c1}
//!     %7: f32[1, 1, 2, 5] = linear %0, %6 {}
//!     return %5, %7
//!   }
//! }
//! ```

use super::{Expanded, Expansion, only, operand};
use crate::emitter::{Emitted, Emitter};
use crate::target::Reason;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Index, Linear, Resize, ResizeMode};
use kiln_ir::tensor::TensorData;
use kiln_ir::{DType, Dim, NodeId, Op, Symbols, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "resize",
    expand,
};

/// A matrix or table of more bytes is not made.
const MOST_BYTES: i64 = 64 << 20;

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
    /// What the op makes of rows `[rows, from]`.
    fn evaluated(&self, rows: usize, elements: Vec<f32>) -> Result<Vec<f32>, Reason> {
        let op = Resize {
            output: vec![Dim::constant(self.to)],
            scales: vec![self.op.scales[self.axis]],
            ..self.op.clone()
        };
        let x = Tensor::new(vec![rows, 1, self.from as usize], elements);
        let mut bindings = Bindings::new(&Symbols::default());
        let results = evaluate_op(&Op::Resize(op), &[x], &mut bindings, MOST_BYTES as u64);
        let results = results.map_err(|e| Reason::new("the resize has a value", e.to_string()))?;
        let elements = results.first().and_then(|t| t.elements::<f32>());
        elements
            .map(<[f32]>::to_vec)
            .ok_or_else(|| Reason::new("the resize is of floats", "another type"))
    }

    fn check_bytes(&self, elements: Option<i64>) -> Result<(), Reason> {
        match elements.and_then(|n| n.checked_mul(8)) {
            Some(bytes) if bytes <= MOST_BYTES && self.from > 0 && self.from < 1 << 24 => Ok(()),
            _ => Err(Reason::new(
                format!("the table of a resize takes at most {MOST_BYTES} bytes"),
                format!("{} elements to {}", self.from, self.to),
            )),
        }
    }

    fn nearest(&self, emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
        self.check_bytes(Some(self.from.max(self.to)))?;
        let places = self.evaluated(1, (0..self.from).map(|i| i as f32).collect())?;
        let places: Vec<i64> = places.into_iter().map(|p| p as i64).collect();
        let axis = self.axis + 2;
        if places.iter().copied().eq(0..self.from) {
            return Ok(x);
        }
        let times = self.to / self.from;
        let is_multiple = times * self.from == self.to;
        if is_multiple && (0..self.to).map(|i| i / times).eq(places.iter().copied()) {
            return self.repeat(emitter, x, axis, times);
        }
        let table = emitter.constant("", TensorData::from_i64(vec![places.len()], &places));
        emitter.node(Index { axis }, &[x, table])
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
        if self.from == self.to && self.is_identity()? {
            return Ok(x);
        }
        let weight = self.matrix()?;
        let dtype = emitter.ty(x).dtype;
        let weight = emitter.constant("", weight);
        let weight = emitter.cast(weight, dtype)?;
        let (axis, last) = (self.axis + 2, emitter.rank(x) - 1);
        let moved = emitter.swap_axes(x, axis, last)?;
        let value = emitter.node(Linear {}, &[moved, weight])?;
        emitter.swap_axes(value, axis, last)
    }

    /// The unit vectors, resized: row `i` is the part that element `i` has in each result.
    fn parts(&self) -> Result<Vec<f32>, Reason> {
        let n = self.from as usize;
        let unit = |i: usize| if i / n == i % n { 1.0 } else { 0.0 };
        self.evaluated(n, (0..n * n).map(unit).collect())
    }

    fn is_identity(&self) -> Result<bool, Reason> {
        let n = self.from as usize;
        let parts = self.parts()?;
        Ok(parts
            .iter()
            .enumerate()
            .all(|(i, &p)| p == if i / n == i % n { 1.0 } else { 0.0 }))
    }

    /// `[to, from]`.
    fn matrix(&self) -> Result<TensorData, Reason> {
        let (n, m) = (self.from as usize, self.to as usize);
        let parts = self.parts()?;
        let transposed: Vec<f32> = (0..n * m).map(|i| parts[i % n * m + i / n]).collect();
        debug_assert_eq!(parts.len(), n * m);
        let data = TensorData::from_f32(vec![m, n], &transposed);
        debug_assert_eq!(data.dtype(), DType::F32);
        Ok(data)
    }
}
