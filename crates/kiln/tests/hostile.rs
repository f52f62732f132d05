//! The command on damaged and malicious files: status 1, one error on stderr, no file left, in bounded time and memory.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// KiB of address space that a child may take, its code and threads included.
const MOST_MEMORY: usize = 2 << 20;

/// Seconds of processor time that a child may take, unoptimised.
const MOST_SECONDS: usize = 20;

/// A folder with one hostile file, in which the command runs.
struct Trial {
    folder: tempfile::TempDir,
}

impl Trial {
    fn new() -> Trial {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Trial { folder }
    }

    fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.folder.path().join(name), content).unwrap();
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs `kiln` under the limits, with the folder as the current one.
    fn kiln(&self, arguments: &[&str]) -> Output {
        let limits = format!("ulimit -v {MOST_MEMORY} -t {MOST_SECONDS} -c 0; exec \"$0\" \"$@\"");
        Command::new("bash")
            .args(["-c", &limits, env!("CARGO_BIN_EXE_kiln")])
            .args(arguments)
            .current_dir(self.folder.path())
            .env("RAYON_NUM_THREADS", "2")
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap()
    }

    /// The command ends with status 1 and one error, and leaves no file.
    #[track_caller]
    fn refuses(&self, arguments: &[&str], what: &str) {
        let before = self.files();
        let output = self.kiln(arguments);
        one_error(&output, &format!("{arguments:?} on {what}"));
        assert_eq!(self.files(), before, "{arguments:?} on {what} leaves files");
    }

    /// The command succeeds, or refuses as it should: for damage that need not show.
    #[track_caller]
    fn answers(&self, arguments: &[&str], what: &str) {
        let output = self.kiln(arguments);
        if output.status.code() != Some(0) {
            one_error(&output, &format!("{arguments:?} on {what}"));
        }
    }
}

#[track_caller]
fn one_error(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{what}: {}\n{said}",
        output.status
    );
    assert!(
        said.starts_with("error: ") && said.trim_end().len() > 12,
        "{what}: {said}"
    );
    assert_eq!(said.trim_end().lines().count(), 1, "{what}: {said}");
    assert!(said.len() < 2000, "{what}: {} bytes of error", said.len());
}

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("KILN_CORPUS").map_or(beside, PathBuf::from);
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: no corpus at {}", root.display());
    None
}

/// The smallest archive of a suite, which any machine runs at once.
fn smallest(suite: &Path) -> Vec<u8> {
    let paths = std::fs::read_dir(suite)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let archives = paths.filter(|path| path.extension().is_some_and(|e| e == "pt2"));
    let path = archives
        .min_by_key(|path| (path.metadata().unwrap().len(), path.clone()))
        .unwrap();
    std::fs::read(path).unwrap()
}

const OUTPUTS: [&str; 4] = ["-o", "out.pte", "--report", "out.json"];

#[test]
fn truncated_archives() {
    let Some(corpus) = corpus() else { return };
    for suite in ["archives", "ops_fp32"] {
        let whole = smallest(&corpus.join(suite));
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
    // Place, width and name of what is overwritten with ones.
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

/// A program `y = relu(x)` on `f32[2, 3]`, as an exporter saves it.
const PROGRAM: &str = r#"{"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "y"}}],
"nodes": [{"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
"outputs": [{"as_tensor": {"name": "y"}}], "metadata": {}, "is_hop_single_tensor_return": null, "name": "y"}],
"tensor_values": {"x": {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 3}], "requires_grad": false, "device": {"type": "cpu", "index": null},
"strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7},
"y": {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 3}], "requires_grad": false, "device": {"type": "cpu", "index": null},
"strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}},
"sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}, "sym_float_values": {}},
"signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
"output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]},
"module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {}}, "opset_version": {"aten": 10}, "range_constraints": {},
"schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.15.0", "guards_code": []}"#;

/// An archive of this program, weights' config and weights.
fn archive(program: &str, config: &str, weights: &[(&str, &[u8])]) -> Vec<u8> {
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("m/archive_format", b"pt2"),
        ("m/archive_version", b"0"),
        ("m/byteorder", b"little"),
        ("m/models/model.json", program.as_bytes()),
        (
            "m/data/weights/model_weights_config.json",
            config.as_bytes(),
        ),
        (
            "m/data/constants/model_constants_config.json",
            b"{\"config\": {}}",
        ),
    ];
    entries.extend(weights);
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (name, data) in entries {
        let file = archive
            .new_file(name)
            .compression_method(CompressionMethod::STORE);
        let (mut entry, config) = file.start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(data).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}

const NO_WEIGHTS: &str = r#"{"config": {}}"#;

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

/// What is wrong, what of the program is replaced (every time it occurs), and by what.
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
        trial.refuses(&[&["compile", "bad.pt2"][..], &OUTPUTS].concat(), what);
        trial.refuses(&["run", "bad.pt2", "--outputs", "out.safetensors"], what);
    }
}

/// What an exporter does not write, but which has a meaning or is refused.
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

/// A model of more bytes than there are may compile, but is not run.
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

/// A program of ours, as bytes.
fn compiled() -> Vec<u8> {
    let trial = Trial::new();
    trial.write("good.pt2", &archive(PROGRAM, NO_WEIGHTS, &[]));
    let output = trial.kiln(&["compile", "good.pt2", "-o", "out.pte"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read(trial.folder.path().join("out.pte")).unwrap()
}

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
