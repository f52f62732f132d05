//! Graphs of one op, with one size replaced by the greatest size of a runtime and by one beyond it, for every target: an
//! artifact or a refusal, no panic and no bug, in bounded time and memory.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use trial::Trial;

const GRAPHS: &str = include_str!("huge_sizes/graphs.txt");
/// A file of one op is small, whatever its sizes are.
const MAX_BYTES: u64 = 8 << 20;
/// Each target with the file that it writes: a TOSA file where a program would need Vela.
const TARGETS: [(&str, &str); 5] = [
    ("portable", "out.pte"),
    ("xnnpack", "out.pte"),
    ("tosa-fp", "out.tosa"),
    ("tosa-int", "out.tosa"),
    ("ethos-u55-128", "out.tosa"),
];

/// The text with each `N`, and each `N + k`, replaced.
fn sized(text: &str, size: u64) -> String {
    let mut sized = String::new();
    let mut rest = text;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(at) = rest.find('N') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let is_whole = !before.ends_with(is_word) && !behind.starts_with(is_word);
        sized.push_str(before);
        rest = behind;
        if !is_whole {
            sized.push('N');
            continue;
        }
        let digits = behind.strip_prefix(" + ").map_or(0, |more| {
            more.len() - more.trim_start_matches(|c: char| c.is_ascii_digit()).len()
        });
        let more = match digits {
            0 => 0,
            digits => behind[3..3 + digits].parse().unwrap(),
        };
        rest = if digits > 0 {
            &behind[3 + digits..]
        } else {
            behind
        };
        sized.push_str(&(size + more).to_string());
    }
    sized + rest
}

/// The graph of a row of [`GRAPHS`].
fn graph(row: &str, size: u64) -> String {
    let row = sized(row, size);
    let (inputs, ops) = row.split_once(" -> ").unwrap();
    let inputs: Vec<&str> = inputs.split("; ").collect();
    let ops: Vec<String> = ops
        .split("; %")
        .map(|op| format!("    %{}\n", op.trim_start_matches('%')))
        .collect();
    let (result, _) = ops.last().unwrap().trim_start().split_once(':').unwrap();
    let declared = inputs.iter().map(|ty| {
        let order: Vec<String> = (0..=ty.matches(',').count())
            .map(|i| i.to_string())
            .collect();
        format!("  input tensor \"x\" [{}]\n", order.join(", "))
    });
    let params: Vec<String> = inputs
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("%{i}: {ty}"))
        .collect();
    format!(
        "graph \"forward\" {{\n{}  output tensor\n  block b0 ({}) {{\n{}    return {result}\n  }}\n}}\n",
        declared.collect::<String>(),
        params.join(", "),
        ops.concat()
    )
}

fn rows() -> impl Iterator<Item = &'static str> {
    GRAPHS.lines().filter(|row| !row.starts_with('#'))
}

#[test]
fn the_graphs_compile_with_small_sizes() {
    let trial = Trial::new();
    for row in rows() {
        trial.write("good.kiln", graph(row, 5).as_bytes());
        let output = trial.kiln(&[
            "compile",
            "good.kiln",
            "-o",
            "out.pte",
            "--target",
            "portable",
        ]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{row}: {said}");
    }
}

fn compiles_or_is_refused(target: &str, out: &str) {
    for row in rows() {
        for size in [i32::MAX as u64, 1 << 40] {
            let trial = Trial::new();
            trial.write("huge.kiln", graph(row, size).as_bytes());
            let what = format!("N = {size} in {row}");
            trial.answers(
                &["compile", "huge.kiln", "-o", out, "--target", target, "-q"],
                &what,
            );
            let output = trial.folder.path().join(out);
            let bytes = output.metadata().map_or(0, |file| file.len());
            assert!(bytes <= MAX_BYTES, "{target}, {what}: {bytes} bytes");
        }
    }
}

#[test]
fn kernels_are_planned_or_refused() {
    let (target, out) = TARGETS[0];
    compiles_or_is_refused(target, out);
}

#[test]
fn delegates_are_compiled_or_refused() {
    let (target, out) = TARGETS[1];
    compiles_or_is_refused(target, out);
}

#[test]
fn tosa_files_are_written_or_refused() {
    for (target, out) in &TARGETS[2..] {
        compiles_or_is_refused(target, out);
    }
}
