//! Averages with frequent ties, for operand and result of one scale and zero point.
//!
//! TOSA rounds ties up. PyTorch multiplies the mean by an inverse scale in f32 and rounds to even, so a tie goes up or
//! down, depending on the integers on both sides of it ([`from_middle`]); what the sum in f32 adds is left out. The
//! average is rounded up and rounded down, which differs for ties only, and a table says for each upper integer whether
//! PyTorch takes it.

use super::Lowering;
use super::rescale::To;
use super::step::Step;
use crate::dialect::{NanMode, TensorId, TosaDtype, TosaOp};
use kiln_ir::Content;
use kiln_quantised::average::from_middle;
use kiln_transforms::framework::target::Reason;

/// The most elements of an average for which ties are handled: one average in so many is a tie.
const MAX_ELEMENTS: usize = 16;

impl Lowering<'_, '_> {
    /// True if averages of `count` integers of a tensor have frequent ties.
    pub(super) fn has_ties(&self, x: TensorId, count: usize) -> bool {
        let is_frequent = count.is_multiple_of(2) && count <= MAX_ELEMENTS;
        is_frequent && self.parts.dtype(x) == TosaDtype::I8 && !self.parts.machine().spares_words
    }

    /// Averages of `count` integers, from their sums about the zero point.
    pub(super) fn tied(
        &mut self,
        sum: TensorId,
        count: usize,
        step: Step,
    ) -> Result<TensorId, Reason> {
        let to = To {
            dtype: TosaDtype::I8,
            zero_point: step.zero_point,
        };
        // Half a unit more, or less: so no factor has to hit the middle exactly.
        let twice = self.parts.op(TosaOp::Add, &[sum, sum])?;
        let one = self.parts.number(twice, 1.0)?;
        let factor = [0.5 / count as f64];
        let more = self.parts.op(TosaOp::Add, &[twice, one])?;
        let upper = self.rescale(more, 0, &factor, to)?;
        let less = self.parts.op(TosaOp::Sub, &[twice, one])?;
        let lower = self.rescale(less, 0, &factor, To::WORDS)?;
        let entries: Vec<u8> = (i8::MIN..=i8::MAX)
            .map(|upper| from_middle(upper.into(), step).max(i8::MIN.into()) as u8)
            .collect();
        let table = Content::from(bytes::Bytes::from(entries));
        let told = self.parts.op(TosaOp::Table { table }, &[upper])?;
        let told = self.rescale(told, step.zero_point, &[1.0], To::WORDS)?;
        let nan_mode = NanMode::Propagate;
        let mean = self
            .parts
            .op(TosaOp::Maximum { nan_mode }, &[lower, told])?;
        self.rescale(mean, 0, &[1.0], to)
    }
}
