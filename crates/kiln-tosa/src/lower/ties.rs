//! Averages in their operand's own steps of which some lie in the middle of two integers.
//!
//! TOSA rounds such ties up. PyTorch multiplies the mean by an inverse scale in f32 and rounds to even, by which some fall
//! this way and some that: to which side is known of each pair of neighbours, but for what summing in f32 adds. So the
//! average is rounded up and down, which differs for ties only, and a table tells for every upper integer which it is.

use super::Lowering;
use super::rescale::To;
use super::step::Step;
use crate::dialect::{NanMode, TensorId, TosaDtype, TosaOp};
use kiln_ir::Content;
use kiln_quantised::average::from_middle;
use kiln_transforms::framework::target::Reason;

/// One in so many averages is a tie; fewer are not worth the operators.
const MOST_ELEMENTS: usize = 16;

impl Lowering<'_, '_> {
    /// True if averages of so many integers of a tensor have ties that are worth it.
    pub(super) fn has_ties(&self, x: TensorId, count: usize) -> bool {
        let is_frequent = count.is_multiple_of(2) && count <= MOST_ELEMENTS;
        is_frequent && self.parts.dtype(x) == TosaDtype::I8 && !self.parts.machine().spares_words
    }

    /// Sums of so many integers of these steps, from their zero point, as averages.
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
        // Half of a unit more or less, so that no factor has to hit the middle.
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
