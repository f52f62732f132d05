//! Many projects in one program, for checks. Thousands of projects compile and run in the time of some hundreds.
//!
//! The kernels, or CMSIS-NN's, are compiled once, and all of Kiln's C with the warnings of a project as errors. On this machine Kiln's C is
//! compiled with sanitisers, and CMSIS-NN is not. Each project has an arena of its own with exactly the bytes that it asks for.

use super::building::{machine_flags, object_of, put, words};
use super::library::Library;
use super::machine::emulation;
use super::tools::{arm_compiler, compile, compile_each, host_compiler, run};
use crate::cores::{Board, Core};
use crate::dialect::Function;
use crate::embedded::{BOARD, KILN_NN, RUNNER};
use crate::project::{Project, is_replaced};
use kiln_target::Error;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const WARNINGS: &str = "-std=c99 -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes";
const SANITISERS: &str = "-g1 -fsanitize=address,undefined -fno-sanitize-recover=all";

/// The folder of the compiled kernels.
const KERNELS: &str = "kernels";

/// Compiled kernels, with which programs are linked: for this machine, or for the board of a core.
pub struct Workshop {
    folder: TempDir,
    core: Option<(&'static Core, Board)>,
    /// CMSIS-NN in place of Kiln's kernels, if it was given.
    library: Option<Library>,
}

/// The outcome of a run of a project: the bytes of its outputs, or its status if that is not 0.
pub type Outcome = Result<Vec<Vec<u8>>, i32>;

/// Projects as one program.
pub struct Together<'w> {
    workshop: &'w Workshop,
    folder: TempDir,
    /// The sizes of the outputs in bytes, by project.
    outputs: Vec<Vec<usize>>,
}

impl Workshop {
    /// Compiles all kernels: for the board of a core, or for this machine. A checkout of CMSIS-NN gives those that it has; on this
    /// machine they are those of cores without extensions ([`Build::Scalar`](crate::dialect::Build)), and are compiled without
    /// sanitisers.
    ///
    /// # Errors
    /// If the core has no board, a compiler is missing, or a kernel does not compile.
    pub fn new(core: Option<&'static Core>, cmsis_nn: Option<&Path>) -> Result<Workshop, Error> {
        let board = |core: &'static Core| {
            let board = core.board;
            let board = board.ok_or_else(|| Error::new(format!("QEMU has no {}", core.name)))?;
            Ok((core, board))
        };
        let workshop = Workshop {
            folder: tempfile::tempdir().map_err(Error::of)?,
            core: core.map(board).transpose()?,
            library: cmsis_nn
                .map(|path| Library::build(path, core))
                .transpose()?,
        };
        workshop.fill()?;
        Ok(workshop)
    }

    fn fill(&self) -> Result<(), Error> {
        let at = self.folder.path();
        for (place, files) in [("kiln_nn", KILN_NN), ("runner", RUNNER), ("board", BOARD)] {
            for (name, text) in files {
                put(at.join(place).join(name), text)?;
            }
        }
        put(
            at.join("runner/layers.h"),
            "#define RUN_LAYERS 1u\nvoid run_layer(void);\n",
        )?;
        let objects = at.join(KERNELS);
        fs::create_dir_all(&objects).map_err(Error::of)?;
        let sources = self.kernels();
        let sources: Vec<PathBuf> = sources.map(|name| at.join("kiln_nn").join(name)).collect();
        let mut arguments = words(WARNINGS);
        arguments.extend(self.flags("-O1"));
        compile_each(
            || self.compiler(),
            &arguments,
            &sources,
            &objects,
            object_of,
        )?;
        Ok(())
    }

    /// The sources of Kiln's kernels, but those that CMSIS-NN replaces.
    fn kernels(&self) -> impl Iterator<Item = &'static str> {
        let functions: BTreeSet<&str> = Function::ALL.iter().map(|f| f.name()).collect();
        let is_replaced =
            move |name: &&str| self.library.is_some() && is_replaced(name, &functions);
        let sources = KILN_NN.iter().map(|&(name, _)| name);
        sources.filter(move |name| name.ends_with(".c") && !is_replaced(name))
    }

    fn compiler(&self) -> Result<Command, Error> {
        match self.core {
            None => host_compiler(),
            Some(_) => arm_compiler(),
        }
    }

    /// The flags of the machine; on this machine with this level of optimisation.
    fn flags(&self, level: &str) -> Vec<OsString> {
        let mut flags = match self.core {
            None => words(level).into_iter().chain(words(SANITISERS)).collect(),
            Some((core, _)) => machine_flags(Some(core)),
        };
        if let Some(library) = &self.library {
            flags.extend(library.flags());
        }
        flags
    }

    /// Builds projects as one program. Each project has a name of its own.
    ///
    /// # Errors
    /// If one of them does not compile.
    pub fn assemble(&self, projects: &[&Project]) -> Result<Together<'_>, Error> {
        // Within the folder of the kernels: the compiler's arguments have the same relative paths in each run.
        let folder = tempfile::tempdir_in(self.folder.path()).map_err(Error::of)?;
        let at = folder.path();
        for project in projects {
            let name = project.name().as_str();
            let own = |path: &str| path.starts_with(name) && !path.contains('/');
            for file in project.files().iter().filter(|file| own(&file.path)) {
                put(at.join(&file.path), &file.text)?;
            }
            put(at.join(format!("{name}_member.c")), &member(project))?;
        }
        put(at.join("members.h"), &members(projects))?;
        self.build(projects, at)?;
        let bytes = |project: &&Project| {
            project
                .outputs()
                .map(|(_, id)| size_of(project, id))
                .collect()
        };
        Ok(Together {
            workshop: self,
            outputs: projects.iter().map(bytes).collect(),
            folder,
        })
    }

    fn build(&self, projects: &[&Project], at: &Path) -> Result<(), Error> {
        let root = self.folder.path();
        let mut include = vec!["-I".into(), at.into(), "-I".into(), root.into()];
        include.extend(["-I".into(), root.join("runner").into()]);
        let names = projects.iter().map(|project| project.name().as_str());
        let members: Vec<PathBuf> = names
            .map(|name| format!("{name}_member.c").into())
            .collect();
        let mut arguments = words(WARNINGS);
        arguments.extend(self.flags("-O0"));
        arguments.extend(include.clone());
        let compiler = || self.compiler();
        let mut objects = compile_each(compiler, &arguments, &members, at, object_of)?;
        let mut arguments = words("-std=gnu99");
        arguments.extend(self.flags("-O1"));
        arguments.extend(include);
        if self.core.is_some() {
            arguments.push("-DRUN_ON_BOARD".into());
        }
        let runner = self
            .runner()
            .iter()
            .map(|file| root.join(file))
            .collect::<Vec<_>>();
        objects.extend(compile_each(
            compiler,
            &arguments,
            &runner,
            at,
            object_of_runner,
        )?);
        self.link(&objects, at)
    }

    /// The sources of the runner.
    fn runner(&self) -> &'static [&'static str] {
        match self.core {
            None => &["runner/many.c", "runner/host.c"],
            Some(_) => &["runner/many.c", "runner/board.c", "board/board.c"],
        }
    }

    /// Links the objects of projects and of the runner with the kernels.
    fn link(&self, objects: &[PathBuf], at: &Path) -> Result<(), Error> {
        let root = self.folder.path();
        let mut arguments = self.flags("-O1");
        if let Some((_, board)) = self.core {
            arguments.extend(words(
                "-Wl,--gc-sections -nostartfiles --specs=nano.specs --specs=nosys.specs -L",
            ));
            arguments.push(root.join("board").into());
            arguments.extend(["-T".into(), board.script.into()]);
        }
        arguments.extend(objects.iter().map(Into::into));
        let kernels = self
            .kernels()
            .map(|name| root.join(KERNELS).join(name).with_extension("o"));
        arguments.extend(kernels.map(PathBuf::into_os_string));
        let library = self.library.iter().flat_map(Library::objects);
        arguments.extend(library.map(Into::into));
        arguments.extend(words("-lm -o program"));
        compile(self.compiler()?, &arguments, at)
    }
}

impl Together<'_> {
    /// Runs the projects. Each runs once for each of its inputs, which are the bytes of each tensor.
    ///
    /// # Errors
    /// By project: the output of the program if it ends while it runs the project.
    ///
    /// # Panics
    /// If there are inputs for another number of projects.
    pub fn run(&self, inputs: &[Vec<Vec<&[u8]>>]) -> Vec<Result<Vec<Outcome>, String>> {
        assert_eq!(inputs.len(), self.outputs.len(), "inputs for each project");
        match self.run_some(0, inputs) {
            Ok(all) => all.into_iter().map(Ok).collect(),
            // Each by itself tells which of them ends the program.
            Err(_) => (0..inputs.len())
                .map(|i| {
                    self.run_some(i, &inputs[i..=i])
                        .map(|mut one| one.remove(0))
                })
                .collect(),
        }
    }

    /// Runs some successive projects.
    fn run_some(
        &self,
        first: usize,
        inputs: &[Vec<Vec<&[u8]>>],
    ) -> Result<Vec<Vec<Outcome>>, String> {
        let number = |n: usize| (n as u32).to_le_bytes();
        let mut bytes = [number(first), number(inputs.len())].concat();
        for runs in inputs {
            bytes.extend(number(runs.len()));
            bytes.extend(runs.iter().flatten().flat_map(|input| input.iter()));
        }
        let at = self.folder.path();
        let text = |error: &dyn std::fmt::Display| error.to_string();
        fs::write(at.join("inputs.bin"), bytes).map_err(|e| text(&e))?;
        let mut command = match self.workshop.core {
            None => Command::new(at.join("program")),
            Some((_, board)) => emulation(board, "program").map_err(|e| text(&e))?,
        };
        let output = run(&mut command, at).map_err(|e| text(&e))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", output.status, said.trim()));
        }
        let found = fs::read(at.join("outputs.bin")).map_err(|e| text(&e))?;
        let mut rest = found.as_slice();
        let runs = inputs.iter().zip(&self.outputs[first..]);
        let all =
            runs.map(|(runs, sizes)| runs.iter().map(|_| outcome(&mut rest, sizes)).collect());
        let all: Option<Vec<Vec<Outcome>>> = all.collect();
        all.ok_or_else(|| "the program's outputs are cut off".to_owned())
    }
}

/// The object of a source of the runner, in the folder of the program: each program has members of its own. Two folders of the runner
/// have a `board.c`.
fn object_of_runner(source: &Path) -> PathBuf {
    let folder = source.parent().and_then(Path::file_name);
    let folder = folder.unwrap_or_default().to_string_lossy();
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    format!("{folder}_{name}.o").into()
}

/// The next outcome in a file of outputs.
fn outcome(rest: &mut &[u8], sizes: &[usize]) -> Option<Outcome> {
    let mut take = |size: usize| {
        let (taken, left) = rest.split_at_checked(size)?;
        *rest = left;
        Some(taken)
    };
    let status = i32::from_le_bytes(take(4)?.try_into().ok()?);
    if status != 0 {
        return Some(Err(status));
    }
    let outputs: Option<Vec<Vec<u8>>> =
        sizes.iter().map(|&n| take(n).map(<[u8]>::to_vec)).collect();
    outputs.map(Ok)
}

fn size_of(project: &Project, id: crate::dialect::BufferId) -> usize {
    project.program().buffers[id.index()].bytes()
}

/// The source of a project: all of its files, and the function that runs it.
fn member(project: &Project) -> String {
    let name = project.name();
    let upper = name.upper();
    let sizes = |ids: Vec<usize>| {
        let text: String = ids.iter().map(|n| format!("{n}, ")).collect();
        // A table has an element at least.
        format!("{{{text}0}}")
    };
    let inputs: Vec<usize> = project
        .inputs()
        .map(|(_, id)| size_of(project, id))
        .collect();
    let outputs: Vec<usize> = project
        .outputs()
        .map(|(_, id)| size_of(project, id))
        .collect();
    let counts = (inputs.len(), outputs.len());
    format!(
        "#include \"{name}.c\"
#include \"{name}_weights.c\"

#include <member.h>

static {name}_model own_model;

static int own_init(void *own_arena, size_t own_bytes)
{{
    return {name}_init(&own_model, own_arena, own_bytes);
}}

static void *own_input(size_t own_index)
{{
    return {name}_input(&own_model, own_index);
}}

static void *own_output(size_t own_index)
{{
    return {name}_output(&own_model, own_index);
}}

static int own_invoke(void)
{{
    return {name}_invoke(&own_model);
}}

static const size_t own_input_bytes[] = {inputs};
static const size_t own_output_bytes[] = {outputs};
extern const member {name}_member;
const member {name}_member = {{
    own_init, own_input, own_output, own_invoke, {upper}_ARENA_BYTES, {}, own_input_bytes, {}, own_output_bytes,
}};
",
        counts.0,
        counts.1,
        inputs = sizes(inputs),
        outputs = sizes(outputs),
    )
}

/// The list of the members.
fn members(projects: &[&Project]) -> String {
    let most = projects.iter().map(|project| project.plan().arena_bytes);
    let mut text = format!("#define MOST_ARENA_BYTES {}u\n", most.max().unwrap_or(1));
    let mut list = String::new();
    for project in projects {
        let name = project.name();
        let _ = writeln!(text, "extern const member {name}_member;");
        let _ = writeln!(list, "    &{name}_member,");
    }
    text + "static const member *const members[] = {\n" + &list + "};\n"
}
