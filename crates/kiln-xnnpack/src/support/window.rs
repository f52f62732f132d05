//! Support rules for pools and resizing.

use super::{F32, Query};
use crate::lower::pool;
use kiln_ir::ops::{AdaptivePool, Pool, Resize, ResizeMode};
use kiln_transforms::framework::target::Reason;

impl Query<'_> {
    pub(super) fn pool(&self, op: &Pool) -> Result<(), Reason> {
        self.spatial(op.spatial())?;
        self.rows_reshape()?;
        if self.is_quantised() {
            return pool::of_integers(&self.ty(0).shape, op);
        }
        self.dtype_in(F32)?;
        pool::exact(&self.ty(0).shape, op).map(drop)
    }

    pub(super) fn adaptive_pool(&self, op: &AdaptivePool) -> Result<(), Reason> {
        self.spatial(op.output.len())?;
        self.pool(&pool::of_adaptive(&self.ty(0).shape, op)?)
    }

    pub(super) fn resize(&self, op: &Resize) -> Result<(), Reason> {
        if !self.is_quantised() {
            self.dtype_in(F32)?;
        }
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
                    self.size(size),
                ));
            }
            let source = &self.ty(0).shape[i + 2];
            crate::lower::resize::check_scale(source, size, op.scales[i], op.align_corners)?;
        }
        Ok(())
    }
}
