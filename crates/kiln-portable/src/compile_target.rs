//! The portable target, as the driver sees it.

use crate::program::{PROGRAM, ProgramTarget, Regions, ToPrograms};
use crate::target::Portable;
use kiln_ir::Graph;
use kiln_target::{Entry, Error, Integers};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;

/// The target.
pub const TARGETS: &[Entry] = &[Entry {
    name: "portable",
    help: "ExecuTorch with kernels only",
    kind: &PROGRAM,
    choices: &[],
    integers: Integers::Nothing,
    create: |_, _| Box::new(ToPrograms(Portable)),
}];

impl ProgramTarget for Portable {
    fn as_target(&self) -> &dyn Target {
        self
    }

    fn pipeline(&self) -> &'static [Pass] {
        crate::pipeline()
    }

    fn takes_loops(&self) -> bool {
        true
    }

    fn regions(&self, _: &mut Graph) -> Result<Regions, Error> {
        Ok(Regions::default())
    }
}
