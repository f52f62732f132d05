//! Runs the command on damaged and malicious archives, inputs and problems. It must end with status 1 and one error on
//! stderr, leave no file, and keep bounds of time and memory.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use kiln_testing::corpus::Corpus;
use trial::{NO_WEIGHTS, OUTPUTS, PROGRAM, Trial, archive};

/// The smallest archive of a suite.
fn smallest(suite: &str) -> Vec<u8> {
    let suite = Corpus::open().unwrap().suite(suite).unwrap();
    let archives = suite.files("pt2").into_iter();
    let path = archives.min_by_key(|path| path.metadata().unwrap().len());
    std::fs::read(path.unwrap()).unwrap()
}

#[test]
fn truncated_archives() {
    for suite in ["archives", "ops_fp32"] {
        let whole = smallest(suite);
        for percent in 0..100 {
            let trial = Trial::new();
            trial.write("bad.pt2", &whole[..whole.len() * percent / 100]);
            let what = format!("{suite} cut at {percent} %");
            trial.refuses(&[&["compile", "bad.pt2"][..], &OUTPUTS].concat(), &what);
            if percent % 10 == 0 {
                trial.refuses(&["run", "bad.pt2", "--outputs", "out.safetensors"], &what);
                trial.refuses(&["inspect", "bad.pt2", "--json"], &what);
                trial.refuses(&["opt", "bad.pt2"], &what);
            }
        }
    }
}

#[test]
fn archives_whose_directory_lies() {
    let whole = archive(PROGRAM, "{}", &[]);
    let end = whole.windows(4).rposition(|w| w == b"PK\x05\x06").unwrap();
    let central = whole.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    // The offset, width and name of each field that is overwritten with ones.
    let fields = [
        (end + 10, 2, "the count of entries"),
        (end + 12, 4, "the size of the directory"),
        (end + 16, 4, "the place of the directory"),
        (central + 20, 4, "the stored size of an entry"),
        (central + 24, 4, "the size of an entry"),
        (central + 42, 4, "the place of an entry"),
    ];
    for (at, width, what) in fields {
        let trial = Trial::new();
        let mut changed = whole.clone();
        changed[at..at + width].fill(0xfe);
        trial.write("bad.pt2", &changed);
        trial.refuses(&[&["compile", "bad.pt2"][..], &OUTPUTS].concat(), what);
    }
}

#[test]
fn the_undamaged_program_compiles() {
    let trial = Trial::new();
    trial.write("good.pt2", &archive(PROGRAM, NO_WEIGHTS, &[]));
    let output = trial.kiln(&["compile", "good.pt2", "-o", "out.pte"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(trial.files(), ["good.pt2", "out.pte"]);
}

/// The fault, the text of the program that is replaced everywhere, and its replacement.
const DAMAGED: [(&str, &str, &str); 17] = [
    (
        "a node that reads its own result",
        r#""arg": {"as_tensor": {"name": "x"}}, "kind""#,
        r#""arg": {"as_tensor": {"name": "y"}}, "kind""#,
    ),
    (
        "a node that reads what nothing defines",
        r#""arg": {"as_tensor": {"name": "x"}}, "kind""#,
        r#""arg": {"as_tensor": {"name": "z"}}, "kind""#,
    ),
    (
        "two inputs of one name",
        r#""inputs": [{"as_tensor": {"name": "x"}}], "outputs""#,
        r#""inputs": [{"as_tensor": {"name": "x"}}, {"as_tensor": {"name": "x"}}], "outputs""#,
    ),
    (
        "a result with an input's name",
        r#"{"name": "y"}"#,
        r#"{"name": "x"}"#,
    ),
    (
        "more inputs declared than there are",
        r#""input_specs": ["#,
        r#""input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}, "#,
    ),
    (
        "more outputs declared than there are",
        r#""output_specs": ["#,
        r#""output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}, "#,
    ),
    (
        "sizes whose product overflows",
        r#""sizes": [{"as_int": 2}, {"as_int": 3}]"#,
        r#""sizes": [{"as_int": 4611686018427387904}, {"as_int": 4611686018427387904}]"#,
    ),
    (
        "sizes beyond 64 bits",
        r#""sizes": [{"as_int": 2}"#,
        r#""sizes": [{"as_int": 99999999999999999999}"#,
    ),
    (
        "a negative size",
        r#""sizes": [{"as_int": 2}"#,
        r#""sizes": [{"as_int": -2}"#,
    ),
    (
        "a size that is a list",
        r#""sizes": [{"as_int": 2}"#,
        r#""sizes": [[]"#,
    ),
    (
        "an input whose sizes are not those that the op gives",
        r#""y": {"dtype": 7, "sizes": [{"as_int": 2}"#,
        r#""y": {"dtype": 7, "sizes": [{"as_int": 5}"#,
    ),
    ("an unknown element type", r#""dtype": 7"#, r#""dtype": 99"#),
    (
        "an unknown op",
        "aten.relu.default",
        "aten.no_such_op.default",
    ),
    (
        "an op without its operand",
        r#"[{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}]"#,
        "[]",
    ),
    (
        "an unknown argument",
        r#"{"as_tensor": {"name": "x"}}, "kind""#,
        r#"{"as_no_such_thing": 1}, "kind""#,
    ),
    ("a schema of another age", r#""major": 8"#, r#""major": 1"#),
    (
        "text behind the program",
        r#""guards_code": []}"#,
        r#""guards_code": []} {"#,
    ),
];

#[test]
fn programs_that_make_no_sense() {
    for (what, from, to) in DAMAGED {
        assert!(PROGRAM.contains(from), "{what}: nothing to damage");
        let trial = Trial::new();
        trial.write(
            "bad.pt2",
            &archive(&PROGRAM.replace(from, to), NO_WEIGHTS, &[]),
        );
        // The report has unknown ops and refused calls, also of a model that is refused.
        let outputs = if to.contains("no_such_op") || what == "a negative size" {
            &OUTPUTS[..2]
        } else {
            &OUTPUTS
        };
        trial.refuses(&[&["compile", "bad.pt2"][..], outputs].concat(), what);
        trial.refuses(&["run", "bad.pt2", "--outputs", "out.safetensors"], what);
    }
}

/// Programs that no exporter writes. They have a meaning or are refused.
#[test]
fn programs_that_are_odd() {
    let sizes = r#""sizes": [{"as_int": 2}, {"as_int": 3}]"#;
    let axes = |count: usize| {
        format!(
            r#""sizes": [{}]"#,
            vec![r#"{"as_int": 1}"#; count].join(", ")
        )
    };
    for (what, from, to) in [
        (
            "fewer strides than sizes",
            r#""strides": [{"as_int": 3}, {"as_int": 1}]"#,
            r#""strides": [{"as_int": 3}]"#,
        ),
        (
            "more strides than sizes",
            r#""strides": ["#,
            r#""strides": [{"as_int": 9}, "#,
        ),
        (
            "a stride at the end of the integers",
            r#""strides": [{"as_int": 3}"#,
            r#""strides": [{"as_int": 9223372036854775807}"#,
        ),
        (
            "no elements",
            sizes,
            r#""sizes": [{"as_int": 0}, {"as_int": 9223372036854775807}]"#,
        ),
        ("300 axes", sizes, &axes(300)),
    ] {
        assert!(PROGRAM.contains(from), "{what}: nothing to change");
        let trial = Trial::new();
        trial.write(
            "odd.pt2",
            &archive(&PROGRAM.replace(from, to), NO_WEIGHTS, &[]),
        );
        trial.answers(&["compile", "odd.pt2", "-o", "out.pte"], what);
        trial.answers(&["run", "odd.pt2"], what);
    }
}

#[test]
fn nesting_without_end() {
    let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
    let trial = Trial::new();
    let nested = PROGRAM.replace(
        r#""guards_code": []"#,
        &format!(r#""guards_code": {open}{close}"#),
    );
    trial.write("bad.pt2", &archive(&nested, NO_WEIGHTS, &[]));
    trial.answers(&["compile", "bad.pt2", "-o", "out.pte"], "nested lists");
    trial.write(
        "bad.kiln",
        format!(
            "graph \"a\" {{ symbol s0 in 0..  block b0 (%0: f32[{}1",
            "(".repeat(200_000)
        )
        .as_bytes(),
    );
    trial.refuses(&["inspect", "bad.kiln"], "nested parentheses");
}

/// A model that needs more memory than the machine has may compile, but does not run.
#[test]
fn tensors_larger_than_memory() {
    let huge = PROGRAM.replace(
        r#""sizes": [{"as_int": 2}"#,
        r#""sizes": [{"as_int": 1099511627776}"#,
    );
    let trial = Trial::new();
    trial.write("bad.pt2", &archive(&huge, NO_WEIGHTS, &[]));
    trial.answers(&["compile", "bad.pt2", "-o", "out.pte"], "12 TiB");
    trial.refuses(&["run", "bad.pt2"], "12 TiB");
    if trial.files().contains(&"out.pte".to_owned()) {
        trial.refuses(&["run", "out.pte"], "12 TiB");
    }
}

/// The program with a parameter `w`, whose config has this path, sizes and offset.
fn with_weight(path: &str, sizes: &str, offset: &str, bytes: &[u8]) -> Vec<u8> {
    let program = PROGRAM
        .replace(
            r#"{"graph": {"inputs": ["#,
            r#"{"graph": {"inputs": [{"as_tensor": {"name": "p_w"}}, "#,
        )
        .replace(
            r#""input_specs": ["#,
            r#""input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}, "#,
        )
        .replace(
            r#""tensor_values": {"#,
            &format!(r#""tensor_values": {{"p_w": {}, "#, meta(sizes, offset)),
        )
        .replace(
            r#""arg": {"as_tensor": {"name": "x"}}, "kind""#,
            r#""arg": {"as_tensor": {"name": "p_w"}}, "kind""#,
        );
    let config = format!(
        r#"{{"config": {{"w": {{"path_name": "{path}", "is_param": true, "use_pickle": false, "tensor_meta": {}}}}}}}"#,
        meta(sizes, offset)
    );
    archive(&program, &config, &[("m/data/weights/weight_0", bytes)])
}

fn meta(sizes: &str, offset: &str) -> String {
    format!(
        r#"{{"dtype": 7, "sizes": [{{"as_int": {sizes}}}], "requires_grad": true, "device": {{"type": "cpu", "index": null}},
        "strides": [{{"as_int": 1}}], "storage_offset": {{"as_int": {offset}}}, "layout": 7}}"#
    )
}

#[test]
fn weights_that_are_not_where_they_should_be() {
    let cases = [
        ("a missing file", "weight_9", "4", "0"),
        ("a file outside", "../../../../etc/hostname", "4", "0"),
        ("too few bytes", "weight_0", "5", "0"),
        ("an offset past the end", "weight_0", "4", "1"),
        (
            "an offset that overflows",
            "weight_0",
            "4",
            "9223372036854775807",
        ),
        (
            "a size that overflows",
            "weight_0",
            "9223372036854775807",
            "0",
        ),
        ("a negative offset", "weight_0", "4", "-1"),
    ];
    for (what, path, sizes, offset) in cases {
        let trial = Trial::new();
        trial.write("bad.pt2", &with_weight(path, sizes, offset, &[0; 16]));
        trial.refuses(&[&["compile", "bad.pt2"][..], &OUTPUTS].concat(), what);
        trial.refuses(&["run", "bad.pt2"], what);
    }
}

/// A weight of which one bit is another than the exporter wrote.
#[test]
fn weights_that_were_damaged() {
    let weight: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat();
    let mut damaged = with_weight("weight_0", "4", "0", &weight);
    let at = damaged.windows(16).position(|bytes| bytes == weight);
    damaged[at.unwrap() + 5] ^= 1;
    let trial = Trial::new();
    trial.write("bad.pt2", &damaged);
    for command in [
        &["compile", "bad.pt2", "--target", "host-c", "-o", "net/"][..],
        &[
            "compile",
            "bad.pt2",
            "--target",
            "cortex-m4",
            "-o",
            "out.pte",
        ],
        &["compile", "bad.pt2", "-o", "out.pte"],
        &[
            "compile", "bad.pt2", "--target", "tosa-fp", "-o", "out.tosa",
        ],
        &["explain", "bad.pt2"],
        &["explain", "bad.pt2", "--target", "cortex-m4"],
        &["opt", "bad.pt2", "--verify"],
        &["run", "bad.pt2"],
    ] {
        let said = trial.refuses(command, "a damaged weight");
        for part in ["bad.pt2: ", "data/weights/weight_0: ", "was damaged"] {
            assert!(said.contains(part), "no {part:?} in {said}");
        }
    }
    trial.write("good.pt2", &with_weight("weight_0", "4", "0", &weight));
    let undamaged = trial.kiln(&["opt", "good.pt2", "--verify"]);
    let said = String::from_utf8_lossy(&undamaged.stderr);
    assert!(!said.contains("damaged"), "{said}");
}

#[test]
fn inputs_texts_and_problems() {
    let trial = Trial::new();
    trial.write("good.pt2", &archive(PROGRAM, NO_WEIGHTS, &[]));
    for (what, bytes) in [
        ("an empty file", &b""[..]),
        ("a length past the end", b"\xff\xff\xff\xff\xff\xff\xff\x7f{}"),
        ("a header that is no JSON", b"\x02\0\0\0\0\0\0\0{["),
        (
            "a tensor of the wrong size",
            b"\x45\0\0\0\0\0\0\0{\"0.in.0\": {\"dtype\": \"F32\", \"shape\": [9, 9], \"data_offsets\": [0, 8]}}12345678",
        ),
    ] {
        trial.write("bad.safetensors", bytes);
        trial.refuses(&["run", "good.pt2", "--inputs", "bad.safetensors", "--outputs", "out.safetensors"], what);
    }
    for text in [
        "graph",
        "graph \"a\" {",
        "graph \"a\" { block b0 () { return %7 } }",
        "graph \"\\",
        "# nothing",
    ] {
        trial.write("bad.kiln", text.as_bytes());
        trial.refuses(&["opt", "bad.kiln"], text);
        trial.refuses(&["run", "bad.kiln"], text);
    }
    for csv in [
        "",
        "id\n",
        "id,lower,upper,size\na,0,2,-1\n",
        "id,lower,upper,size\na,0,2,18446744073709551615\n",
    ] {
        trial.write("bad.csv", csv.as_bytes());
        trial.refuses(&["plan", "bad.csv"], csv);
    }
    for command in [
        &["inspect", "absent.pt2"][..],
        &["compile", "absent.pt2", "-o", "out.pte"],
        &["run", "."],
    ] {
        trial.refuses(command, "no such file");
    }
}

/// Tensors whose files are small but whose sizes are large. Each alone is accepted, and all together are refused.
#[test]
fn tensors_that_are_not_stored() {
    let entry = |i: usize, strides: &str, file: &str| {
        format!(
            r#""w{i}": {{"path_name": "{file}", "is_param": true, "use_pickle": false, "tensor_meta": {}}}"#,
            meta("50000000", "0").replace(r#""strides": [{"as_int": 1}]"#, strides)
        )
    };
    let archive_of = |count: usize, strides: &str, file: &str| {
        let entries: Vec<_> = (0..count).map(|i| entry(i, strides, file)).collect();
        let config = format!(r#"{{"config": {{{}}}}}"#, entries.join(", "));
        let files: [(&str, &[u8]); 2] = [
            ("m/data/weights/some", &[0; 64]),
            ("m/data/weights/none", &[]),
        ];
        archive(PROGRAM, &config, &files)
    };
    let unit = r#""strides": [{"as_int": 1}]"#;
    let zero = r#""strides": [{"as_int": 0}]"#;
    for (what, strides, file) in [
        ("zeros that are not stored", unit, "none"),
        ("one element many times", zero, "some"),
    ] {
        let trial = Trial::new();
        trial.write("bad.pt2", &archive_of(1, strides, file));
        trial.answers(&["inspect", "bad.pt2"], what);
        trial.write("bad.pt2", &archive_of(400, strides, file));
        for command in [
            &["compile", "bad.pt2", "-o", "out.pte"][..],
            &["run", "bad.pt2"],
            &["opt", "bad.pt2"],
        ] {
            let output = trial.refuses(command, what);
            assert!(output.contains("80000000000 bytes"), "{output}");
        }
    }
}

#[test]
fn two_entries_of_one_name() {
    let again: [(&str, &[u8]); 1] = [("m/models/model.json", PROGRAM.as_bytes())];
    let trial = Trial::new();
    trial.write("bad.pt2", &archive(PROGRAM, NO_WEIGHTS, &again));
    for command in [
        &["compile", "bad.pt2", "-o", "out.pte"][..],
        &["run", "bad.pt2"],
        &["inspect", "bad.pt2"],
        &["opt", "bad.pt2"],
    ] {
        trial.refuses(command, "two programs");
    }
}
