//! Projects: the C that is written for programs compiles without warnings, and computes what CMSIS-NN does.
//!
//! The calls of the corpus `cmsis_nn`, as many of a function in a project as fit, are compiled as outside checks do it: all `.c` files
//! of the folder, with the folder as the only include path, by strict flags, and with sanitisers on this machine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod recorded;

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::{BufferId, Function, Program, Role};
use kiln_cortex_m::evaluate::Data;
use kiln_cortex_m::project::{File, Name, Port, Project};
use kiln_testing::c::{compile_each, succeed};
use kiln_testing::corpus::Corpus;
use kiln_testing::part;
use recorded::{Recorded, Replay};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const STRICT: [&str; 8] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wconversion",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-O1",
];

/// How many calls are in one project.
const MOST_CALLS: usize = 24;

/// Several recorded calls as one program, with their inputs, and with what buffers hold after a run.
#[derive(Default)]
struct Group {
    program: Program,
    inputs: Vec<Data>,
    expected: Vec<(BufferId, Vec<u8>, String)>,
}

impl Group {
    fn add(&mut self, replay: Replay, recorded: &Recorded<'_>, place: &str) {
        let (first, number) = (self.program.buffers.len() as u32, self.program.calls.len());
        for mut buffer in replay.program.buffers {
            buffer.name = format!("{}_{number}", buffer.name);
            self.program.buffers.push(buffer);
        }
        let moved = |id: BufferId| BufferId(id.0 + first);
        for mut call in replay.program.calls {
            call.buffers = call.buffers.iter().map(|id| id.map(moved)).collect();
            call.layer = place.to_owned();
            self.program.calls.push(call);
        }
        self.inputs.extend(replay.inputs);
        for (slot, id) in recorded.row().slots.iter().zip(&replay.buffers) {
            if let Some(name) = recorded.json["expect"][recorded.path(slot.name)].as_str() {
                let bytes = recorded.tensor(name).0.to_vec();
                self.expected
                    .push((moved(id.unwrap()), bytes, format!("{place}: {}", slot.name)));
            }
        }
    }
}

/// The calls of the suite that the library takes on a core, in groups by function. Of each function, every `step`-th call.
fn groups(core: &Core, step: usize) -> Vec<Group> {
    let suite = Corpus::open().unwrap().suite("cmsis_nn").unwrap();
    let mut all = BTreeMap::<Function, Vec<Group>>::new();
    let mut seen = BTreeMap::<Function, usize>::new();
    recorded::each(&suite, |place, call| {
        let is_taken = call.json["returns"] == 0 && call.builds().contains(&core.build);
        if !is_taken || is_missing(call.function) {
            return;
        }
        let count = seen.entry(call.function).or_default();
        *count += 1;
        if !(*count - 1).is_multiple_of(step) {
            return;
        }
        let groups = all.entry(call.function).or_default();
        let is_full = |group: &Group| group.program.calls.len() == MOST_CALLS;
        if groups.last().is_none_or(is_full) {
            groups.push(Group::default());
        }
        let group = groups.last_mut().unwrap();
        group.add(call.replay(core.build), call, &place);
    });
    all.into_values().flatten().collect()
}

/// Functions of the suite that `kiln_nn` has under another name only.
fn is_missing(function: Function) -> bool {
    matches!(function, Function::TransposeConvS8 | Function::ReluQ15)
}

fn ports(program: &Program, wanted: fn(&Role) -> bool) -> Vec<Port> {
    let buffers = program
        .buffers
        .iter()
        .filter(|buffer| wanted(&buffer.role))
        .enumerate();
    buffers
        .map(|(i, buffer)| Port::plain(&buffer.name, i, buffer.elements))
        .collect()
}

fn project(name: &str, core: &'static Core, program: &Program) -> Project {
    let inputs = ports(program, |role| matches!(role, Role::Input));
    let outputs = ports(program, |role| matches!(role, Role::Output));
    Project::new(
        Name::new(name).unwrap(),
        core,
        program.clone(),
        inputs,
        outputs,
    )
    .unwrap()
}

fn write(folder: &Path, files: &[File]) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &file.text).unwrap();
        if file.path.ends_with(".c") {
            sources.push(path);
        }
    }
    sources
}

/// The main of an outside check: each model takes its inputs from a file, and writes the buffers that are compared.
fn main_source(projects: &[(Project, &Group)]) -> String {
    let (mut text, mut calls) = (String::from("#include \"runner/run.h\"\n"), String::new());
    let largest = projects
        .iter()
        .map(|(project, _)| project.plan().arena_bytes)
        .max()
        .unwrap();
    for (project, _) in projects {
        writeln!(text, "#include \"{}.h\"", project.name()).unwrap();
    }
    writeln!(
        text,
        "static uint8_t arena[{largest}] __attribute__((aligned(16)));"
    )
    .unwrap();
    for (project, group) in projects {
        let (name, buffers) = (project.name(), &project.program().buffers);
        writeln!(
            text,
            "static int run_{name}(void)\n{{\n    {name}_model model;"
        )
        .unwrap();
        writeln!(
            text,
            "    int status = {name}_init(&model, arena, sizeof arena);"
        )
        .unwrap();
        for (i, id) in project.program().inputs().into_iter().enumerate() {
            let bytes = buffers[id.index()].bytes();
            writeln!(
                text,
                "    status |= run_read({name}_input(&model, {i}), {bytes});"
            )
            .unwrap();
        }
        writeln!(text, "    status |= {name}_invoke(&model);").unwrap();
        for (id, ..) in &group.expected {
            let (offset, bytes) = (
                project.plan().offsets[id.index()].unwrap(),
                buffers[id.index()].bytes(),
            );
            writeln!(text, "    status |= run_write(arena + {offset}, {bytes});").unwrap();
        }
        writeln!(text, "    return status;\n}}").unwrap();
        writeln!(
            calls,
            "    if (status == 0) {{\n        status = run_{name}() == 0 ? 0 : 1;\n    }}"
        )
        .unwrap();
    }
    write!(text, "int main(void)\n{{\n    int status = run_open();\n{calls}    return status != 0 ? 1 : run_close();\n}}\n").unwrap();
    text
}

/// Runs a compiler or a program in the folder, where it must succeed.
fn run(command: &mut Command, folder: &Path) {
    succeed(command.current_dir(folder));
}

/// Compiles the sources of projects in the folder, and gives the objects.
fn compile(compiler: &Path, flags: &[&str], sources: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
    let place = folder.join("objects");
    std::fs::create_dir_all(&place).unwrap();
    compile_each(compiler, &[flags, &["-I.."]].concat(), sources, &place)
}

/// Writes all projects to one folder, where they share the kernels, with the runner of a machine. Gives the sources of each.
fn set_up(
    projects: &[(Project, &Group)],
    machine: &str,
    folder: &Path,
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut sources = Vec::new();
    for (project, group) in projects {
        sources.extend(write(folder, &project.files()));
        let inputs: Vec<u8> = group.inputs.iter().flat_map(Data::bytes).collect();
        let path = folder.join("inputs.bin");
        let before = std::fs::read(&path).unwrap_or_default();
        std::fs::write(path, [before, inputs].concat()).unwrap();
    }
    sources.sort();
    sources.dedup();
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut runner = Vec::new();
    for file in ["runner/run.h", machine, "board/board.h", "board/board.c"] {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(crate_folder.join(file), &path).unwrap();
        if path.extension().is_some_and(|e| e == "c") {
            runner.push(path);
        }
    }
    std::fs::write(folder.join("runner/layers.h"), "#define RUN_LAYERS 0u\n").unwrap();
    std::fs::write(folder.join("main.c"), main_source(projects)).unwrap();
    runner.push(folder.join("main.c"));
    (sources, runner)
}

/// Compares what the program left with what CMSIS-NN gave; how many values there are.
fn compare(projects: &[(Project, &Group)], folder: &Path) -> usize {
    let found = std::fs::read(folder.join("outputs.bin")).unwrap();
    let (mut rest, mut compared) = (found.as_slice(), 0);
    for (_, group) in projects {
        for (_, expected, place) in &group.expected {
            let (found, others) = rest.split_at(expected.len());
            assert!(found == expected.as_slice(), "{place}");
            rest = others;
            compared += 1;
        }
    }
    assert_eq!(rest.len(), 0, "everything is compared");
    compared
}

fn named<'g>(core: &'static Core, groups: &'g [Group]) -> Vec<(Project, &'g Group)> {
    let names = (0..).map(|i| format!("m{i}"));
    names
        .zip(groups)
        .map(|(name, group)| (project(&name, core, &group.program), group))
        .collect()
}

#[test]
fn projects_compute_what_the_library_does() {
    let core = Core::named("host-c").unwrap();
    let groups = groups(core, 1);
    let projects = named(core, &groups);
    let folder = tempfile::tempdir().unwrap();
    let (sources, mut runner) = set_up(&projects, "runner/host.c", folder.path());
    runner.retain(|path| !path.ends_with("board/board.c"));
    let sanitisers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let flags = [&STRICT[..], &sanitisers].concat();
    let objects = compile(Path::new("cc"), &flags, &sources, folder.path());
    let rest = ["-std=c99", "-I.", "-o", "run", "-lm"];
    run(
        Command::new("cc")
            .args(sanitisers)
            .args(&runner)
            .args(&objects)
            .args(rest),
        folder.path(),
    );
    run(&mut Command::new("./run"), folder.path());
    let compared = compare(&projects, folder.path());
    println!(
        "{} projects of {} files, {compared} buffers",
        projects.len(),
        sources.len()
    );
    assert!(compared >= 530, "the whole suite: {compared}");
}

/// A part of the suite on a core's board.
fn on_board(name: &str) {
    let Some(compiler) = part::ARM_GCC.find() else {
        return;
    };
    let Some(emulator) = part::QEMU_ARM.find() else {
        return;
    };
    let core = Core::named(name).unwrap();
    let groups = groups(core, 4);
    let projects = named(core, &groups);
    let folder = tempfile::tempdir().unwrap();
    let (sources, runner) = set_up(&projects, "runner/board.c", folder.path());
    let sections = ["-mthumb", "-ffunction-sections", "-fdata-sections"];
    let flags = [&STRICT[..], core.flags, &sections].concat();
    let objects = compile(&compiler, &flags, &sources, folder.path());
    let board = core.board.unwrap();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("board");
    let link = [
        "-Wl,--gc-sections",
        "-nostartfiles",
        "--specs=nano.specs",
        "--specs=nosys.specs",
        "-I.",
        "-o",
        "run",
        "-T",
        board.script,
    ];
    let mut linker = Command::new(&compiler);
    let linker = linker
        .args(core.flags)
        .args(sections)
        .args(&runner)
        .args(&objects)
        .args(link);
    run(linker.arg("-L").arg(scripts).arg("-lm"), folder.path());
    let arguments = [
        "-M",
        board.machine,
        "-kernel",
        "run",
        "-display",
        "none",
        "-monitor",
        "none",
        "-serial",
        "null",
        "-semihosting-config",
        "enable=on,target=native",
    ];
    run(Command::new(emulator).args(arguments), folder.path());
    let compared = compare(&projects, folder.path());
    println!("{name}: {} projects, {compared} buffers", projects.len());
    assert!(compared >= 140, "a part of the suite: {compared}");
}

#[test]
fn projects_run_on_a_cortex_m4() {
    on_board("cortex-m4");
}

#[test]
fn projects_run_on_a_cortex_m55() {
    on_board("cortex-m55");
}
