//! Every n-th element along an axis, by slices and reshapes: TOSA's SLICE has no stride.

use super::Lowering;
use crate::dialect::TensorId;
use kiln_ir::Scalar;
use kiln_transforms::framework::target::Reason;

impl Lowering<'_, '_> {
    /// The elements `from, from + step, ..` along an axis, `len` in all.
    pub(crate) fn strided(
        &mut self,
        x: TensorId,
        axis: usize,
        from: usize,
        len: usize,
        step: usize,
    ) -> Result<TensorId, Reason> {
        if step == 1 || len <= 1 {
            return self.parts.part(x, axis, from, len);
        }
        let sizes = self.parts.shape(x).to_vec();
        let (outer, inner): (usize, usize) = (
            sizes[..axis].iter().product(),
            sizes[axis + 1..].iter().product(),
        );
        let flat = self.parts.reshape(x, &[outer, sizes[axis], inner])?;
        let within = (sizes[axis] - from).min(len * step);
        let near = self.parts.part(flat, 1, from, within)?;
        // The axis may end before the last group is complete.
        let whole = self.padded(
            near,
            vec![[0, 0], [0, len * step - within], [0, 0]],
            Scalar::Int(0),
        )?;
        let groups = self.parts.reshape(whole, &[outer, len, step, inner])?;
        let firsts = self.parts.part(groups, 2, 0, 1)?;
        let mut to = sizes;
        to[axis] = len;
        self.parts.reshape(firsts, &to)
    }
}
