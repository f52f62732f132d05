//! Support rules for layers on floats whose weights are integers. The forms are the lowering's own, in [`crate::lower::dynamic`].

use super::Query;
use crate::lower::dynamic::form;
use kiln_ir::Op;
use kiln_ir::ops::Dequantised;
use kiln_transforms::framework::target::Reason;

impl Query<'_> {
    pub(super) fn dequantised(&self, op: &Dequantised) -> Result<(), Reason> {
        match &*op.op {
            Op::Linear(_) => {}
            Op::Conv(conv) => self.windows(conv)?,
            other => {
                return Err(Reason::new(
                    "XNNPACK has layers on floats with weights of integers",
                    other.name(),
                ));
            }
        }
        form(self.graph, self.node, op).map(drop)
    }
}
