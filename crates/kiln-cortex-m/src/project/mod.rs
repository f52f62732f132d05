//! A program as a folder of C99 that firmware builds.
//!
//! [`Project::files`] are the files: `NAME.h` with the interface, `NAME.c` with one call for each layer, `NAME_weights.c` with
//! the constants, the kernels of `kiln_nn/` that are called, and the files that CMake, Zephyr, PlatformIO and Arduino ask for.
//! All C compiles without warnings under `-std=c99 -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes`.
//!
//! # Invariants
//! - The C uses no heap and no stdio, and writes nothing outside of the arena and the model. So models run at once, each on an
//!   arena of its own.
//! - External names begin with the project's name, except those of the kernels, which two projects share.
//! - The same program gives the same files, byte for byte.

mod arduino;
mod arguments;
mod cmake;
mod flow;
mod header;
mod kernels;
mod literal;
mod name;
mod readme;
mod report;
mod reserved;
mod shared;
mod source;
mod symbols;
mod weights;
mod zephyr;

use crate::cores::Core;
use crate::dialect::{Buffer, BufferId, Dtype, Function, Program, Role};
use crate::plan::{ALIGNMENT, Plan, plan};
use crate::threads::both;
use crate::verify::{Fault, Verified, verify};
use kernels::Kernels;
pub(crate) use kernels::is_replaced;
pub use name::{Name, is_identifier};
pub use report::{calls_json, io_json, memory_json};
use std::sync::OnceLock;

/// A program, planned for a core, under a name.
#[derive(Clone, Debug)]
pub struct Project {
    name: Name,
    core: &'static Core,
    program: Program,
    plan: Plan,
    kernels: Kernels,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// Set when it is first asked for.
    constant_bytes: OnceLock<u64>,
}

/// An input or an output of the model. Its buffer says the type.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// The model's name for it.
    pub name: String,
    /// Its position among the model's flattened inputs or outputs.
    pub index: usize,
    /// Sizes, in the order of the model's axes.
    pub shape: Vec<usize>,
    /// The axes in the order of memory, outermost first.
    pub dim_order: Vec<u8>,
    /// The scale and the zero point, if the model quantises it.
    pub quantised: Option<(f64, i64)>,
    /// The step of floats that are dequantised last.
    pub step: Option<f64>,
    /// Whether it has booleans: bytes that are 0 or 1.
    pub is_bool: bool,
}

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in the folder, with slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Why there is no project for a program.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProjectError {
    /// The program breaks rules of the library.
    #[error("the program breaks a rule: {}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Faults(Vec<Fault>),
    /// The sizes of the buffers add up to more than any device has.
    #[error(transparent)]
    Plan(#[from] kiln_plan::ProblemError),
    /// `kiln_nn` has no kernel for a function.
    #[error("kiln_nn has no {}", .0.name())]
    Kernel(Function),
    /// The ports do not match the program's inputs or outputs in number or sizes.
    #[error("the ports are not those of the program: {0}")]
    Ports(String),
}

impl Project {
    /// Verifies and plans a program. Inputs and outputs are in the order of the program's buffers.
    ///
    /// # Errors
    /// If the program breaks a rule, or `kiln_nn` lacks a function.
    pub fn new(
        name: Name,
        core: &'static Core,
        program: Program,
        inputs: Vec<Port>,
        outputs: Vec<Port>,
    ) -> Result<Project, ProjectError> {
        let verified = verify(&program, core.build).map_err(ProjectError::Faults)?;
        let plan = plan(&verified)?;
        Project::of_plan(name, core, program, plan, [inputs, outputs])
    }

    /// A project of a program that is verified and planned already, with its inputs and outputs.
    ///
    /// # Errors
    /// As [`Project::new`], without the rules of the library.
    pub(crate) fn of_plan(
        name: Name,
        core: &'static Core,
        program: Program,
        plan: Plan,
        [inputs, outputs]: [Vec<Port>; 2],
    ) -> Result<Project, ProjectError> {
        debug_assert!(verify(&program, core.build).is_ok());
        check_ports(&program, &program.inputs(), &inputs)?;
        check_ports(&program, &program.outputs(), &outputs)?;
        let kernels = Kernels::of(&program).map_err(ProjectError::Kernel)?;
        // An arena that is not empty spares all comparisons with 0.
        let plan = Plan {
            arena_bytes: plan.arena_bytes.max(ALIGNMENT),
            ..plan
        };
        Ok(Project {
            name,
            core,
            program,
            plan,
            kernels,
            inputs,
            outputs,
            constant_bytes: OnceLock::new(),
        })
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The core that it is planned for.
    pub fn core(&self) -> &'static Core {
        self.core
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The places of buffers and scratch memory in the arena.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The program, which was verified when the project was made.
    ///
    /// # Panics
    /// Never: programs do not change.
    pub fn verified(&self) -> Verified<'_> {
        verify(&self.program, self.core.build).expect("it was verified before")
    }

    /// The inputs, with their buffers.
    pub fn inputs(&self) -> impl Iterator<Item = (&Port, BufferId)> {
        self.inputs.iter().zip(self.program.inputs())
    }

    /// The inputs that a run changes, with their buffers.
    pub fn updated(&self) -> impl Iterator<Item = (&Port, BufferId)> {
        let is_updated = |id: BufferId| self.buffer(id).role == Role::Updated;
        self.inputs().filter(move |&(_, id)| is_updated(id))
    }

    /// The outputs, with their buffers.
    pub fn outputs(&self) -> impl Iterator<Item = (&Port, BufferId)> {
        self.outputs.iter().zip(self.program.outputs())
    }

    /// The bytes of all constants, the factors by channel included.
    pub fn constant_bytes(&self) -> u64 {
        let bytes = || symbols::Symbols::of(self).bytes();
        *self.constant_bytes.get_or_init(bytes)
    }

    /// The arrays of constants by name, with their bytes.
    pub fn constants(&self) -> Vec<(String, u64)> {
        let symbols = symbols::Symbols::of(self);
        self.constant_bytes.get_or_init(|| symbols.bytes());
        symbols.constants()
    }

    /// All files but the report.
    pub fn files(&self) -> Vec<File> {
        let symbols = symbols::Symbols::of(self);
        self.constant_bytes.get_or_init(|| symbols.bytes());
        let file = |path: String, text: String| File { path, text };
        let name = &self.name;
        // The two longest texts.
        let (source, weights) = both(
            || source::source(self, &symbols),
            || weights::source(self, &symbols),
        );
        let mut files = vec![
            file(format!("{name}.h"), header::interface(self)),
            file(format!("{name}.c"), source),
            file(format!("{name}_weights.h"), weights::header(self, &symbols)),
            file(format!("{name}_weights.c"), weights),
            file("CMakeLists.txt".into(), cmake::lists(self)),
            file("README.md".into(), readme::readme(self)),
        ];
        let kernels = self.kernels.files();
        files.extend(kernels.map(|(path, text)| file(format!("kiln_nn/{path}"), text.to_owned())));
        files.extend(zephyr::files(self));
        files.extend(arduino::files(self));
        files
    }

    fn buffer(&self, id: BufferId) -> &Buffer {
        &self.program.buffers[id.index()]
    }

    /// The C sources, by path: the model's own, then the kernels.
    fn own_sources(&self) -> [String; 2] {
        [
            format!("{}.c", self.name),
            format!("{}_weights.c", self.name),
        ]
    }
}

impl Port {
    /// An input or an output with one axis, which is not quantised.
    pub fn plain(name: impl Into<String>, index: usize, elements: usize) -> Port {
        Port {
            name: name.into(),
            index,
            shape: vec![elements],
            dim_order: vec![0],
            quantised: None,
            step: None,
            is_bool: false,
        }
    }

    /// The sizes in the order of memory.
    pub fn memory_shape(&self) -> Vec<usize> {
        self.dim_order
            .iter()
            .map(|&axis| self.shape[usize::from(axis)])
            .collect()
    }
}

fn check_ports(
    program: &Program,
    buffers: &[BufferId],
    ports: &[Port],
) -> Result<(), ProjectError> {
    if buffers.len() != ports.len() {
        let counts = format!("{}, not {}", ports.len(), buffers.len());
        return Err(ProjectError::Ports(counts));
    }
    for (port, id) in ports.iter().zip(buffers) {
        let (buffer, elements) = (
            &program.buffers[id.index()],
            port.shape.iter().product::<usize>(),
        );
        if buffer.elements != elements || buffer.dtype == Dtype::I4 {
            let found = format!(
                "{} of {elements} elements is {}[{}]",
                port.name, buffer.dtype, buffer.elements
            );
            return Err(ProjectError::Ports(found));
        }
    }
    Ok(())
}
