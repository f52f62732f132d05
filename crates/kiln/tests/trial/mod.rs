//! Runs the command under limits of memory and time, on files that tests write.

#![allow(dead_code, reason = "each test uses a part of it")]

use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;
use std::process::{Command, Output};

/// The limit of a child's address space in KiB, its code and threads included.
const MAX_MEMORY: usize = 2 << 20;

/// The limit of a child's processor time in seconds, without optimisation.
const MAX_SECONDS: usize = 20;

/// A folder with one hostile file, in which the command runs.
pub struct Trial {
    pub folder: tempfile::TempDir,
}

impl Trial {
    pub fn new() -> Trial {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Trial { folder }
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.folder.path().join(name), content).unwrap();
    }

    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs `kiln` under the limits, with the folder as the current one.
    pub fn kiln(&self, arguments: &[&str]) -> Output {
        let limits = format!("ulimit -v {MAX_MEMORY} -t {MAX_SECONDS} -c 0; exec \"$0\" \"$@\"");
        Command::new("bash")
            .args(["-c", &limits, env!("CARGO_BIN_EXE_kiln")])
            .args(arguments)
            .current_dir(self.folder.path())
            .env("RAYON_NUM_THREADS", "2")
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap()
    }

    /// Checks that the command ends with status 1 and one error, and leaves no file. Returns the error.
    #[track_caller]
    pub fn refuses(&self, arguments: &[&str], what: &str) -> String {
        let before = self.files();
        let output = self.kiln(arguments);
        one_error(&output, &format!("{arguments:?} on {what}"));
        assert_eq!(self.files(), before, "{arguments:?} on {what} leaves files");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Checks that the command succeeds or refuses, for damage that may be harmless.
    #[track_caller]
    pub fn answers(&self, arguments: &[&str], what: &str) {
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
    // Below the error stand the nodes that it is about.
    let mut others = said.trim_end().lines().skip(1);
    assert!(others.all(|l| l.starts_with("  ")), "{what}: {said}");
    let longest = said.lines().map(str::len).max();
    assert!(longest < Some(2000), "{what}: a line of {longest:?} bytes");
    assert!(!said.contains("a bug in Kiln"), "{what}: {said}");
}

/// The files that a compilation would write.
pub const OUTPUTS: [&str; 4] = ["-o", "out.pte", "--report", "out.json"];

/// A program `y = relu(x)` on `f32[2, 3]`, as an exporter saves it.
pub const PROGRAM: &str = r#"{"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "y"}}],
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

/// An archive of a program, the config of its weights, and the weights.
pub fn archive(program: &str, config: &str, weights: &[(&str, &[u8])]) -> Vec<u8> {
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

/// The config of a program without weights.
pub const NO_WEIGHTS: &str = r#"{"config": {}}"#;

/// The bytes of a program that Kiln compiles.
pub fn compiled() -> Vec<u8> {
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
