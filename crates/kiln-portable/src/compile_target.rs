//! The portable target, as the driver sees it.

use crate::program::{Delegates, PROGRAM, ProgramTarget, compile, warning_of_quantised_kernels};
use crate::target::Portable;
use kiln_target::{CompileError, CompileTarget, Compiled, Entry, SourceMethod};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;

/// The target.
pub const TARGETS: &[Entry] = &[Entry {
    name: "portable",
    help: "ExecuTorch with kernels only",
    kind: &PROGRAM,
    choices: &[],
    create: |_, _| Box::new(Portable),
}];

impl CompileTarget for Portable {
    fn as_target(&self) -> &dyn Target {
        self
    }

    fn pipeline(&self) -> &'static [Pass] {
        crate::pipeline()
    }

    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        dims: &[(String, i64)],
    ) -> Result<Compiled, CompileError> {
        let target = ProgramTarget {
            target: self,
            delegates: &[],
            kernels: &[],
        };
        let mut compiled = compile(&target, methods, dims, &|_| Ok(Delegates::default()))?;
        for (source, method) in methods.iter().zip(&mut compiled.methods) {
            let warning = warning_of_quantised_kernels(source.graph, &method.placements);
            method.warnings.extend(warning);
        }
        Ok(compiled)
    }
}
