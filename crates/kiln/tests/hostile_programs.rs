//! Runs the command on damaged and malicious programs, payloads and texts. It must end with status 1 and one error on
//! stderr, leave no file, and keep bounds of time and memory.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use trial::{Trial, compiled};

#[test]
fn truncated_programs() {
    let whole = compiled();
    for percent in 0..100 {
        let trial = Trial::new();
        trial.write("bad.pte", &whole[..whole.len() * percent / 100]);
        let what = format!("a program cut at {percent} %");
        trial.refuses(&["run", "bad.pte", "--outputs", "out.safetensors"], &what);
        trial.refuses(&["inspect", "bad.pte"], &what);
    }
}

#[test]
fn programs_with_hostile_numbers() {
    let whole = compiled();
    for at in (8..whole.len() - 4).step_by((whole.len() / 150).next_multiple_of(4)) {
        for hostile in [u32::MAX, 0x7fff_fff0] {
            let trial = Trial::new();
            let mut changed = whole.clone();
            changed[at..at + 4].copy_from_slice(&hostile.to_le_bytes());
            trial.write("bad.pte", &changed);
            trial.answers(&["run", "bad.pte"], &format!("{hostile:#x} at {at}"));
        }
    }
}

/// The payload of the delegate of a program that Kiln compiled.
fn payload() -> Vec<u8> {
    let program = kiln_pte::read(compiled().into()).unwrap();
    let mut blobs = program.methods[0].delegates_with_blobs(&program);
    blobs.next().unwrap().1.unwrap().to_vec()
}

#[test]
fn truncated_payloads() {
    let whole = payload();
    let trial = Trial::new();
    trial.write("good.bin", &whole);
    assert!(trial.kiln(&["inspect", "good.bin"]).status.success());
    for percent in 0..100 {
        trial.write("bad.bin", &whole[..whole.len() * percent / 100]);
        let what = format!("a payload cut at {percent} %");
        trial.refuses(&["inspect", "bad.bin"], &what);
        if percent % 10 == 0 {
            trial.refuses(&["inspect", "bad.bin", "--json"], &what);
            trial.refuses(&["run", "bad.bin", "--outputs", "out.safetensors"], &what);
            trial.refuses(&["opt", "bad.bin"], &what);
            trial.refuses(&["compile", "bad.bin", "-o", "out.pte"], &what);
        }
    }
}

#[test]
fn payloads_with_hostile_numbers() {
    let whole = payload();
    let trial = Trial::new();
    for at in (8..whole.len() - 4).step_by((whole.len() / 100).next_multiple_of(4)) {
        for hostile in [u32::MAX, 0x7fff_fff0] {
            let mut changed = whole.clone();
            changed[at..at + 4].copy_from_slice(&hostile.to_le_bytes());
            trial.write("bad.bin", &changed);
            trial.answers(&["inspect", "bad.bin"], &format!("{hostile:#x} at {at}"));
        }
    }
}

/// An arena that is larger than any plan is refused before its memory is touched. The error names it.
#[test]
fn programs_that_plan_too_much() {
    let mut program = kiln_pte::read(compiled().into()).unwrap();
    for sizes in [
        &[1 << 36][..],
        &[1 << 31, (1 << 31) + 1],
        &[i64::MAX as u64, i64::MAX as u64],
    ] {
        program.methods[0].arena_sizes = sizes.to_vec();
        let mut file = Vec::new();
        kiln_pte::write(&program, &mut file).unwrap();
        let trial = Trial::new();
        trial.write("bad.pte", &file);
        for command in [
            &["run", "bad.pte"][..],
            &["run", "bad.pte", "--poison"],
            &["run", "bad.pte", "--poison", "--runtime", "executorch"],
        ] {
            let said = trial.refuses(command, &format!("{sizes:?}"));
            assert!(said.contains("at most 4294967296"), "{said}");
        }
    }
}

/// A loop over a convolution, with a state and a constant. The text has every kind of line.
const TEXT: &str = r#"graph "forward" {
  symbol s0 in 1..=8
  constant c0 "weight" f32[2, 2, 1] = [1.0, 2.0, 3.0, 4.0]
  constant c1 "zeros" f32[1, 2, 4] = splat 0.0
  state m0 "last" f32[1, 2, 4] = c1
  input tensor "x" [0, 1, 2]
  input tensor "n" []
  output tensor
  source l0 "conv1d" "aten.conv1d.default" "net.conv" "net.py:3"
  block b0 (%0 "x": f32[1, 2, 4], %1 "n": i64[]) {
    %2: f32[2, 2, 1] = constant {value=c0}
    %3: f32[1, 2, 4] = conv %0, %2 {stride=[1], pad_low=[0], pad_high=[0], dilation=[1], groups=1, transposed=false, output_padding=[0]} @l0
    %4: f32[1, 2, 4] = read_state {cell=m0}
    %5: f32[1, 2, 4] = binary %3, %4 {f=add}
    return %5
  }
  update m0 = %5
}
"#;

#[test]
fn truncated_texts() {
    let trial = Trial::new();
    trial.write("good.kiln", TEXT.as_bytes());
    for command in ["opt", "inspect", "run"] {
        let output = trial.kiln(&[command, "good.kiln"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
    }
    for percent in 0..100 {
        trial.write(
            "bad.kiln",
            &TEXT.as_bytes()[..TEXT.trim_end().len() * percent / 100],
        );
        let what = format!("a text cut at {percent} %");
        trial.refuses(&["opt", "bad.kiln"], &what);
        if percent % 10 == 0 {
            trial.refuses(&["inspect", "bad.kiln", "--json"], &what);
            trial.refuses(&["run", "bad.kiln", "--outputs", "out.safetensors"], &what);
            trial.refuses(&["compile", "bad.kiln", "-o", "out.pte"], &what);
        }
    }
}

/// The fault, the text that is replaced, and its replacement.
const DAMAGED: [(&str, &str, &str); 18] = [
    (
        "fewer elements than the sizes",
        "[1.0, 2.0, 3.0, 4.0]",
        "[1.0, 2.0]",
    ),
    (
        "sizes that overflow",
        "f32[2, 2, 1] = [",
        "f32[4611686018427387904, 4611686018427387904] = [",
    ),
    (
        "a size beyond 64 bits",
        "f32[1, 2, 4] = splat",
        "f32[99999999999999999999] = splat",
    ),
    (
        "a saturated size",
        "%0 \"x\": f32[1, 2, 4]",
        "%0 \"x\": f32[1, 2, 9223372036854775807]",
    ),
    (
        "a negative size",
        "%0 \"x\": f32[1, 2, 4]",
        "%0 \"x\": f32[1, 2, -4]",
    ),
    (
        "a splat beyond the budget",
        "f32[1, 2, 4] = splat",
        "f32[1, 2, 400000000] = splat",
    ),
    ("a constant out of order", "constant c1", "constant c7"),
    ("a constant that is not there", "value=c0", "value=c9"),
    (
        "a value read before it is made",
        "conv %0, %2",
        "conv %0, %5",
    ),
    ("a value that reads itself", "conv %0, %2", "conv %3, %2"),
    (
        "a value defined twice",
        "%4: f32[1, 2, 4] = read",
        "%3: f32[1, 2, 4] = read",
    ),
    (
        "a state updated twice",
        "update m0 = %5",
        "update m0 = %5\n update m0 = %4",
    ),
    (
        "a symbol declared twice",
        "symbol s0 in 1..=8",
        "symbol s0 in 1..=8\n symbol s0 in 1..=8",
    ),
    (
        "a block defined twice",
        "update m0 = %5",
        "update m0 = %5\n block b0 () { return }",
    ),
    ("a source that is not there", "@l0", "@l5"),
    (
        "an update of a state that is not there",
        "update m0",
        "update m3",
    ),
    (
        "padding that overflows",
        "pad_high=[0]",
        "pad_high=[9223372036854775807]",
    ),
    (
        "a stride that overflows",
        "dilation=[1]",
        "dilation=[4611686018427387904]",
    ),
];

#[test]
fn texts_that_make_no_sense() {
    for (what, from, to) in DAMAGED {
        assert!(TEXT.contains(from), "{what}: nothing to damage");
        let trial = Trial::new();
        trial.write("bad.kiln", TEXT.replace(from, to).as_bytes());
        trial.refuses(&["opt", "bad.kiln"], what);
        trial.refuses(&["run", "bad.kiln", "--outputs", "out.safetensors"], what);
    }
}

/// Short constants of large sizes. Each alone is accepted, and all together are refused.
#[test]
fn splats_beyond_the_budget() {
    let constants = |count: usize| -> String {
        let line = |i| format!("constant c{i} \"\" f32[1, 50000000] = splat 0.0\n");
        let lines: String = (0..count).map(line).collect();
        format!("graph \"a\" {{ {lines} block b0 () {{ return }} }}")
    };
    let trial = Trial::new();
    trial.write("good.kiln", constants(1).as_bytes());
    assert!(trial.kiln(&["inspect", "good.kiln"]).status.success());
    trial.write("bad.kiln", constants(400).as_bytes());
    for command in ["opt", "inspect", "run"] {
        let said = trial.refuses(&[command, "bad.kiln"], "400 splats");
        assert!(said.contains("at most 536870912"), "{said}");
    }
}

/// A loop that is its own body, and blocks that are nested without end.
#[test]
fn blocks_that_contain_themselves() {
    let own_body = r#"graph "a" { input tensor "x" [] output tensor
  block b0 (%0: bool[]) { %1: bool[] = while %0 {condition=b1, body=b1, carried=1} return %1 }
  block b1 (%2: bool[]) { %3: bool[] = while %2 {condition=b1, body=b1, carried=1} return %3 }
}"#;
    let count = 3000;
    let block = |i: usize| {
        format!(
            "block b{i} (%{0}: bool[]) {{ %{1}: bool[] = if %{0} {{then=b{2}, otherwise=b{3}}} return %{1} }}\n",
            2 * i,
            2 * i + 1,
            (2 * i + 1) % count,
            (2 * i + 2) % count,
        )
    };
    let nested = format!(
        "graph \"a\" {{ input tensor \"x\" [] output tensor\n {} }}",
        (0..count).map(block).collect::<String>()
    );
    for (what, text) in [("its own body", own_body), ("a ring of branches", &nested)] {
        let trial = Trial::new();
        trial.write("bad.kiln", text.as_bytes());
        trial.refuses(&["opt", "bad.kiln"], what);
        trial.refuses(&["run", "bad.kiln"], what);
    }
}

/// A TOSA file of an op on two inputs of 600 MB each.
fn huge_tosa(trial: &Trial) -> Vec<u8> {
    let text = "graph \"forward\" {
  input tensor \"x\" [0]
  input tensor \"y\" [0]
  output tensor
  block b0 (%0 \"x\": f32[150000000], %1 \"y\": f32[150000000]) {
    %2: f32[150000000] = binary %0, %1 {f=add}
    return %2
  }
}
";
    trial.write("huge.kiln", text.as_bytes());
    let arguments = [
        "compile",
        "huge.kiln",
        "--target",
        "tosa-fp",
        "-o",
        "huge.tosa",
    ];
    let output = trial.kiln(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    std::fs::read(trial.folder.path().join("huge.tosa")).unwrap()
}

#[test]
fn inputs_that_are_too_large_together_are_not_made_up() {
    let trial = Trial::new();
    huge_tosa(&trial);
    let said = trial.refuses(&["run", "huge.tosa"], "two inputs");
    assert!(
        said.contains("input 1") && said.contains("--inputs"),
        "{said}"
    );
}

#[test]
fn a_damaged_tosa_file_is_refused_before_inputs_are_made_up() {
    let trial = Trial::new();
    let mut file = huge_tosa(&trial);
    let size = 150_000_000i32.to_le_bytes();
    let places = file
        .windows(4)
        .enumerate()
        .filter(|(_, bytes)| *bytes == size);
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    assert!(places.len() >= 3, "{places:?}");
    for at in places {
        file[at..at + 4].copy_from_slice(&149_999_999i32.to_le_bytes());
        trial.write("bad.tosa", &file);
        let said = trial.refuses(&["run", "bad.tosa"], "another size");
        assert!(!said.contains("--inputs"), "{said}");
        file[at..at + 4].copy_from_slice(&size);
    }
}
