//! XNNPACK as the driver sees it.

use crate::{Options as XnnpackOptions, Xnnpack, XnnpackPayloads};
use kiln_ir::Graph;
use kiln_portable::program::{DelegateReader, PROGRAM, ProgramTarget, Regions, ToPrograms};
use kiln_target::{Choice, Entry, Error, Options};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;

/// The target.
pub const TARGETS: &[Entry] = &[Entry {
    name: "xnnpack",
    help: "ExecuTorch with the XNNPACK delegate",
    kind: &PROGRAM,
    choices: &[Choice::StrictNan],
    compares_checksums: false,
    create: |_, options| Box::new(ToPrograms(Xnnpack::new(own_options(options)))),
}];

fn own_options(options: &Options) -> XnnpackOptions {
    XnnpackOptions {
        strict_nan: options.strict_nan,
        ..XnnpackOptions::default()
    }
}

impl ProgramTarget for Xnnpack {
    fn as_target(&self) -> &dyn Target {
        self
    }

    fn pipeline(&self) -> &'static [Pass] {
        crate::pipeline()
    }

    fn regions(&self, graph: &mut Graph) -> Result<Regions, Error> {
        let regions = crate::compile(graph, self.options()).map_err(Error::of)?;
        Ok(regions.into())
    }

    fn delegates(&self) -> &'static [&'static dyn DelegateReader] {
        &[&XnnpackPayloads]
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        crate::least_moved(graph, self.options())
    }
}
