//! XNNPACK as the driver sees it.

use crate::{Options as XnnpackOptions, Xnnpack, XnnpackPayloads};
use kiln_ir::Graph;
use kiln_portable::program::{
    DelegateReader, PROGRAM, ProgramTarget, compile, warning_of_quantised_kernels,
};
use kiln_target::{CompileError, CompileTarget, Compiled, Entry, Error, Options, SourceMethod};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;

/// The target.
pub const TARGETS: &[Entry] = &[Entry {
    name: "xnnpack",
    help: "ExecuTorch with the XNNPACK delegate",
    kind: &PROGRAM,
    choices: &[],
    create: |_, options| Box::new(Xnnpack::new(own_options(options))),
}];

const DELEGATES: &[&dyn DelegateReader] = &[&XnnpackPayloads];

fn own_options(options: &Options) -> XnnpackOptions {
    XnnpackOptions {
        strict_nan: options.strict_nan,
        ..XnnpackOptions::default()
    }
}

impl CompileTarget for Xnnpack {
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
            delegates: DELEGATES,
            kernels: &[],
        };
        let delegates = |graph: &mut Graph| {
            let regions = crate::compile(graph, self.options()).map_err(Error::of)?;
            Ok(regions.into())
        };
        let mut compiled = compile(&target, methods, dims, &delegates)?;
        for (source, method) in methods.iter().zip(&mut compiled.methods) {
            let warning = warning_of_quantised_kernels(source.graph, &method.placements);
            method.warnings.extend(warning);
        }
        Ok(compiled)
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        crate::least_moved(graph, self.options())
    }
}
