//! Rules for pools and resizing.

use super::{F32, F32_F16, Query};
use crate::lower::pool;
use crate::lower::window::{UNIT, image};
use crate::lower::window_sum::{self, Count};
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn, Resize, ResizeMode};
use kiln_transforms::target::Reason;

impl Query<'_> {
    pub(super) fn pool(&self, op: &Pool) -> Result<(), Reason> {
        let is_plain = op.f == PoolFn::Max && !self.strict_nan;
        self.dtype_in(if is_plain { F32_F16 } else { F32 })?;
        self.spatial(op.spatial())?;
        self.rows_reshape()?;
        match pool::plan(&self.ty(0).shape, op)? {
            pool::Plan::Max(windows) if self.strict_nan => self.guarded_maximum(op, &windows),
            _ => Ok(()),
        }
    }

    /// What keeps NaN in a maximum is a sum over its windows.
    fn guarded_maximum(&self, op: &Pool, windows: &[pool::Window]) -> Result<(), Reason> {
        let shape = &self.ty(0).shape;
        if shape[1].as_const().is_none() {
            return Err(Reason::new("channels are known", format!("{}", shape[1])));
        }
        let taps = op.kernel.iter().fold(1i64, |n, &k| n.saturating_mul(k));
        if taps > pool::MOST_GUARDED_TAPS {
            let rule = format!(
                "a maximum that keeps NaN is of at most {} elements",
                pool::MOST_GUARDED_TAPS
            );
            return Err(Reason::new(rule, taps.to_string()));
        }
        let covered = window_sum::stages(image(windows, UNIT), Count::Any);
        if covered.is_some_and(|stages| window_sum::fit(&stages, shape)) {
            return Ok(());
        }
        let rule = "a maximum over such a window keeps NaN where sizes are known";
        Err(Reason::new(rule, format!("{shape:?}")))
    }

    pub(super) fn adaptive_pool(&self, op: &AdaptivePool) -> Result<(), Reason> {
        self.spatial(op.output.len())?;
        self.pool(&pool::of_adaptive(&self.ty(0).shape, op)?)
    }

    pub(super) fn resize(&self, op: &Resize) -> Result<(), Reason> {
        self.dtype_in(F32_F16)?;
        self.spatial(op.output.len())?;
        self.rows_reshape()?;
        match op.mode {
            ResizeMode::Linear => self.linear_resize(op),
            ResizeMode::Nearest => crate::lower::resize::factors(&self.ty(0).shape, op).map(|_| ()),
            ResizeMode::Cubic => Err(Reason::new("XNNPACK resizes linearly", "cubic")),
        }
    }

    fn linear_resize(&self, op: &Resize) -> Result<(), Reason> {
        for (i, size) in op.output.iter().enumerate() {
            if size.as_const().is_none() {
                return Err(Reason::new(
                    "XNNPACK resizes to known sizes",
                    format!("{size}"),
                ));
            }
            let source = &self.ty(0).shape[i + 2];
            crate::lower::resize::check_scale(source, size, op.scales[i], op.align_corners)?;
        }
        Ok(())
    }
}
