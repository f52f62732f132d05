//! The kernels of `kiln_nn` as C compilers make them: every recorded call, and random calls of each kernel of Kiln's own, with the
//! results of the evaluator to the bit. A NaN is any NaN.

use crate::driver::{Prototypes, Stubs};
use crate::random;
use crate::trial::{self, Trial};
use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::Function;
use kiln_testing::c::{compile_each, succeed};
use kiln_testing::part::{ARM_GCC, HOST_CC, QEMU_ARM};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Random calls of each function.
const CALLS: u64 = 25;

/// The flags by which a project is compiled.
const WARNINGS: [&str; 7] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wconversion",
    "-Wshadow",
    "-Wstrict-prototypes",
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder with an extension, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = all
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    found.sort();
    found
}

/// What is replayed: the same on every platform.
struct Replayed {
    program: String,
    bytes: Vec<u8>,
    /// Where each trial comes from.
    names: Vec<String>,
}

fn replayed() -> &'static Replayed {
    static ALL: OnceLock<Replayed> = OnceLock::new();
    ALL.get_or_init(|| {
        let headers = ["kiln_nn.h", "kiln_ops.h"];
        let headers =
            headers.map(|name| std::fs::read_to_string(folder("kiln_nn").join(name)).unwrap());
        let prototypes = Prototypes::of(&headers.concat());
        let mut trials: Vec<Trial> = trial::recorded();
        trials.extend(random::trials(CALLS, &trials));
        let stubs = Stubs::of(&trials, &prototypes);
        Replayed {
            program: stubs.program(),
            bytes: stubs.bytes(&trials),
            names: trials.into_iter().map(|trial| trial.name).collect(),
        }
    })
}

/// A folder with the program and the trials.
fn written(replayed: &Replayed, name: &str) -> PathBuf {
    let at = kiln_testing::target_folder().join("kiln_nn").join(name);
    std::fs::create_dir_all(&at).unwrap();
    std::fs::write(at.join("driver.c"), &replayed.program).unwrap();
    std::fs::write(at.join("trials"), &replayed.bytes).unwrap();
    at
}

fn run(command: &mut Command) -> (bool, String) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// Compiles the kernels with all warnings, and the program with none, to an executable.
fn compile(compiler: &Path, at: &Path, flags: &[&str], link: &[String]) -> PathBuf {
    let kernels = files(&folder("kiln_nn"), "c");
    let strict = [&WARNINGS[..], flags].concat();
    let objects = compile_each(compiler, &strict, &kernels, at);
    let include = format!("-I{}", folder("kiln_nn").display());
    let mut command = Command::new(compiler);
    command
        .current_dir(at)
        .args(["-std=c99", &include, "driver.c"])
        .args(flags)
        .args(objects);
    succeed(command.args(link).args(["-o", "driver"]));
    at.join("driver")
}

/// The lines of the program: functions with their numbers of calls, of results, and of wrong ones.
fn check(platform: &str, replayed: &Replayed, text: &str, succeeded: bool) {
    let (mut calls, mut results) = (0, 0);
    let mut missing: Vec<&str> = Function::ALL.iter().map(|f| f.name()).collect();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, numbers @ ..] = words.as_slice() else {
            continue;
        };
        let numbers: Result<Vec<u64>, _> = numbers.iter().map(|n| n.parse()).collect();
        if let Ok([of_calls, of_results, _]) = numbers.as_deref() {
            (calls, results) = (calls + of_calls, results + of_results);
            if *of_results > 0 {
                missing.retain(|function| function != name);
            }
        }
    }
    let wrong = text.lines().filter(|line| line.starts_with("wrong"));
    let wrong: Vec<String> = wrong
        .map(|line| format!("{line} ({})", origin(replayed, line)))
        .collect();
    assert!(
        succeeded && wrong.is_empty(),
        "{platform}:\n{}\n{text}",
        wrong.join("\n")
    );
    assert!(missing.is_empty(), "{platform}: no result of {missing:?}");
    println!(
        "{platform}: {calls} calls of {} functions; {results} results compared",
        Function::ALL.len()
    );
}

/// Where the trial comes from whose number a line has.
fn origin<'r>(replayed: &'r Replayed, line: &str) -> &'r str {
    let number = line
        .split_once("trial ")
        .and_then(|(_, rest)| rest.split_once(','));
    let number = number.and_then(|(number, _)| number.parse::<usize>().ok());
    number
        .and_then(|number| replayed.names.get(number))
        .map_or("", String::as_str)
}

#[test]
fn kernels_on_the_host() {
    let Some(compiler) = HOST_CC.find() else {
        return;
    };
    let replayed = replayed();
    let at = written(replayed, "host");
    let flags = [
        "-O1",
        "-g",
        "-DHOST",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ];
    let program = compile(&compiler, &at, &flags, &[]);
    let (succeeded, text) = run(Command::new(program).current_dir(&at));
    check("host", replayed, &text, succeeded);
}

fn on_board(core: &str) {
    let (Some(compiler), Some(qemu)) = (ARM_GCC.find(), QEMU_ARM.find()) else {
        return;
    };
    let core = Core::named(core).unwrap();
    let board = core.board.unwrap();
    let replayed = replayed();
    let at = written(replayed, core.name);
    // The level that vectorises most for MVE.
    let mut flags = vec!["-mthumb", "-O3", "-ffunction-sections", "-fdata-sections"];
    flags.extend(core.flags);
    let sources = folder("board");
    let link = [
        "-Wl,--gc-sections".to_owned(),
        "-nostartfiles".to_owned(),
        "--specs=nano.specs".to_owned(),
        "--specs=nosys.specs".to_owned(),
        format!("-I{}", sources.display()),
        format!("-L{}", sources.display()),
        format!("-T{}", board.script),
        sources.join("board.c").display().to_string(),
    ];
    let program = compile(&compiler, &at, &flags, &link);
    let mut command = Command::new(qemu);
    command
        .current_dir(&at)
        .args(["-M", board.machine, "-display", "none", "-monitor", "none"]);
    command.args([
        "-serial",
        "null",
        "-semihosting-config",
        "enable=on,target=native",
        "-kernel",
    ]);
    let (succeeded, text) = run(command.arg(program));
    check(core.name, replayed, &text, succeeded);
}

#[test]
fn kernels_on_cortex_m3() {
    on_board("cortex-m3");
}

#[test]
fn kernels_on_cortex_m4() {
    on_board("cortex-m4");
}

#[test]
fn kernels_on_cortex_m55() {
    on_board("cortex-m55");
}
