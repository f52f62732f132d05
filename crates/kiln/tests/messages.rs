//! What the command tells a user who gave it something else than it takes: the cause, with his own names, and what to do.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use kiln_testing::corpus::Corpus;
use std::process::{Command, Stdio};
use trial::{NO_WEIGHTS, PROGRAM, Trial, archive};

/// The path of a case of the corpus.
fn case(suite: &str, name: &str) -> String {
    let suite = Corpus::open().unwrap().suite(suite).unwrap();
    suite
        .case(name)
        .unwrap()
        .file("pt2")
        .to_str()
        .unwrap()
        .to_owned()
}

/// What a command that succeeds says on stderr.
fn said(trial: &Trial, arguments: &[&str]) -> String {
    let output = trial.kiln(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

fn with_model() -> Trial {
    let trial = Trial::new();
    trial.write("model.pt2", &archive(PROGRAM, NO_WEIGHTS, &[]));
    trial
}

/// Behind a refused call the import goes on with stand-ins for its results.
#[test]
fn calls_that_are_refused_are_named_together() {
    let node = |op: &str, argument: &str, y: &str| {
        format!(
            r#"{{"target": "torch.ops.{op}", "inputs": [{{"name": "{argument}", "arg": {{"as_tensor": {{"name": "x"}}}}, "kind": 1}}],
            "outputs": [{{"as_tensor": {{"name": "{y}"}}}}], "metadata": {{}}, "is_hop_single_tensor_return": null, "name": "{y}"}}, "#
        )
    };
    let refused = ["aten.linalg_inv.default", "aten.rand_like.default"];
    let nodes = [
        node(refused[0], "A", "a"),
        node("aten.celu_with_noise.default", "self", "b"),
        node(refused[1], "self", "c"),
    ];
    let (trial, start) = (Trial::new(), r#""nodes": ["#);
    let program = PROGRAM.replace(start, &format!("{start}{}", nodes.concat()));
    let mut program: serde_json::Value = serde_json::from_str(&program).unwrap();
    let values = &mut program["graph_module"]["graph"]["tensor_values"];
    for name in ["a", "b", "c"] {
        values[name] = values["x"].clone();
    }
    let program = program.to_string();
    trial.write("model.pt2", &archive(&program, NO_WEIGHTS, &[]));
    let compile = [
        "compile",
        "model.pt2",
        "-o",
        "out.pte",
        "--report",
        "r.json",
    ];
    let made = trial.kiln(&compile);
    let said = String::from_utf8(made.stderr).unwrap();
    assert_eq!(made.status.code(), Some(1), "{said}");
    assert!(said.contains("an op is not known"), "{said}");
    assert!(said.contains("2 calls are refused"), "{said}");
    assert_eq!(trial.files(), ["model.pt2", "r.json"]);
    let report = std::fs::read(trial.folder.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let calls = report["refused_calls"].as_array().unwrap();
    let ops: Vec<&str> = calls.iter().map(|c| c["op"].as_str().unwrap()).collect();
    assert_eq!(ops, refused);
    assert_eq!(report["unknown_ops"].as_array().unwrap().len(), 1);
}

/// All unknown ops are named at once, each with what helps there.
#[test]
fn ops_that_are_not_known_are_named_together() {
    let node = |op: &str, y: &str| {
        format!(
            r#"{{"target": "torch.ops.{op}", "inputs": [{{"name": "self", "arg": {{"as_tensor": {{"name": "x"}}}}, "kind": 1}}],
            "outputs": [{{"as_tensor": {{"name": "{y}"}}}}], "metadata": {{}}, "is_hop_single_tensor_return": null, "name": "{y}"}}, "#
        )
    };
    let nodes = [
        node("mylib.scale.default", "a"),
        node("aten.celu_with_noise.default", "b"),
        node("aten.linalg_made_up.default", "c"),
        node("mylib.scale.default", "d"),
    ];
    let (trial, start) = (Trial::new(), r#""nodes": ["#);
    let program = PROGRAM.replace(start, &format!("{start}{}", nodes.concat()));
    trial.write("model.pt2", &archive(&program, NO_WEIGHTS, &[]));
    let compile = ["compile", "model.pt2", "-o", "out.pte"];
    let said = trial.refuses(&compile, "unknown ops");
    let reported = trial.kiln(&[&compile[..], &["--report", "r.json"]].concat());
    assert_eq!(reported.status.code(), Some(1));
    assert_eq!(trial.files(), ["model.pt2", "r.json"]);
    let report = std::fs::read(trial.folder.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let ops = report["unknown_ops"].as_array().unwrap();
    assert_eq!(
        (ops.len(), &ops[0]["op"]),
        (3, &"mylib.scale.default".into())
    );
    assert_eq!(ops[0]["calls"], 2);
    assert!(said.contains(ops[2]["advice"].as_str().unwrap()), "{said}");
    let lines: Vec<&str> = said.trim_end().lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(
        lines[0].contains("model.pt2: 3 ops are not known"),
        "{said}"
    );
    assert!(
        lines[1]
            .contains("mylib.scale.default, by node a and 1 node more: an op of the library mylib"),
        "{said}"
    );
    assert!(lines[2].contains("run_decompositions()"), "{said}");
    assert!(
        lines[3].contains("aten.linalg_made_up.default, by node c: PyTorch does not decompose it"),
        "{said}"
    );
}

/// Each size is named once, whatever the number of nodes that are refused for it.
#[test]
fn a_size_that_is_not_known_is_named_with_its_input() {
    let trial = Trial::new();
    let (batch, image) = (
        case("dynamic", "dyn_batch_mlp"),
        case("dynamic", "dyn_spatial_conv"),
    );
    for (target, output) in [
        ("cortex-m4", "net/"),
        ("host-c", "net/"),
        ("tosa-fp", "net.tosa"),
    ] {
        let refused = |model: &str| {
            trial.refuses(
                &["compile", model, "--target", target, "-o", output],
                target,
            )
        };
        let one = refused(&batch);
        assert_eq!(one.trim_end().lines().count(), 2, "{one}");
        assert!(one.contains("1 size is known only when running"), "{one}");
        assert!(
            one.contains("\n  input input, dim 0 \"s31\" (1 to 32): "),
            "{one}"
        );
        assert!(one.contains("--dim s31==4"), "{one}");
        let two = refused(&image);
        assert_eq!(two.trim_end().lines().count(), 3, "{two}");
        assert!(
            two.contains("input input, dim 2 \"s16\" (8 to 40)"),
            "{two}"
        );
        assert!(
            two.contains("input input, dim 3 \"s82\" (8 to 40)"),
            "{two}"
        );
    }
}

/// The remedy works, and the model then takes inputs of that size only.
#[test]
fn a_size_is_fixed() {
    let trial = Trial::new();
    let model = case("dynamic", "dyn_batch_mlp");
    let compile = |dim: &str| {
        [
            "compile", &model, "--target", "host-c", "-o", "net/", "--dim",
        ]
        .map(str::to_owned)
        .into_iter()
        .chain([dim.to_owned()])
        .collect::<Vec<_>>()
    };
    let with = |dim: &str| -> Vec<String> { compile(dim) };
    let arguments = with("s31==4");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    said(&trial, &arguments);
    let inspected = trial.kiln(&["inspect", "net/", "--json"]);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert_eq!(
        inspected["io"]["inputs"][0]["shape"],
        serde_json::json!([4, 6])
    );
    said(&trial, &["run", "net/"]);
    said(
        &trial,
        &["compile", &model, "-o", "net.pte", "--dim", "s31==4"],
    );
    let described = trial.kiln(&["inspect", "net.pte", "--json"]);
    let described: serde_json::Value = serde_json::from_slice(&described.stdout).unwrap();
    assert_eq!(
        described["methods"][0]["inputs"][0]["shape"],
        serde_json::json!([4, 6])
    );
    for (dim, expected) in [
        ("s31==33", "the export allows 1 to 32"),
        ("typo==4", "there is no dim typo; the model has s31"),
    ] {
        let arguments = with(dim);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let refused = trial.refuses(
            &[&arguments[..4], &["-o", "other/"], &arguments[6..]].concat(),
            dim,
        );
        assert!(refused.contains(expected), "{refused}");
    }
    // A bound, in both spellings.
    let size = |dim: &str| {
        said(&trial, &["compile", &model, "-o", "b.pte", "--dim", dim]);
        std::fs::read(trial.folder.path().join("b.pte")).unwrap()
    };
    assert_eq!(size("s31<=4"), size("s31=4"));
    assert_ne!(size("s31<=4"), size("s31==4"));
    let values = case("dynamic", "nonzero_mask");
    let refused = trial.refuses(&["compile", &values, "-o", "o.pte", "--dim", "u0==2"], "u0");
    assert!(refused.contains("u0 is no size of an input"), "{refused}");
}

#[test]
fn options_that_change_nothing_are_named() {
    let trial = with_model();
    let compile = |more: &[&str]| said(&trial, &[&["compile", "model.pt2"], more].concat());
    for (more, option) in [
        (
            &["-o", "o.tosa", "--target", "tosa-fp", "--strict-nan"][..],
            "--strict-nan",
        ),
        (
            &["-o", "o.pte", "--target", "cortex-m4", "--float-io"],
            "--float-io",
        ),
        (
            &["-o", "o.pte", "--target", "cortex-m4", "--name", "net"],
            "--name",
        ),
        (
            &[
                "-o",
                "o.tosa",
                "--target",
                "ethos-u55-128",
                "--kernels",
                "portable",
            ],
            "--kernels",
        ),
        (
            &["-o", "net/", "--target", "host-c", "--max-delegates", "3"],
            "--max-delegates",
        ),
    ] {
        let text = compile(more);
        assert!(
            text.contains(&format!("warning: {option} changes nothing")),
            "{text}"
        );
    }
    let text = compile(&["-o", "o.pte", "--strict-nan", "--max-delegates", "3"]);
    assert!(!text.contains("changes nothing"), "{text}");
    for (arguments, option) in [
        (&["run", "model.pt2", "--poison"][..], "--poison"),
        (&["run", "model.pt2", "--cmsis-nn", "."], "--cmsis-nn"),
        (&["run", "o.pte", "--cmsis-nn", "."], "--cmsis-nn"),
        (&["run", "net/", "--threads", "2"], "--threads"),
    ] {
        let text = said(&trial, arguments);
        assert!(
            text.contains(&format!("warning: {option} changes nothing")),
            "{text}"
        );
    }
    let text = said(&trial, &["run", "net/", "--poison"]);
    assert!(!text.contains("changes nothing"), "{text}");
}

#[test]
fn what_is_no_model_is_said_with_the_remedy() {
    let trial = Trial::new();
    for junk in [
        &b"hello world\n"[..],
        b"# a file of notes\nhello\n",
        b"graphic novel\n",
        b"{\"a\": 1}",
        b"\x7fELF\x02\x01\x01",
    ] {
        trial.write("junk.pt2", junk);
        let text = trial.refuses(&["compile", "junk.pt2", "-o", "o.pte"], "junk");
        for part in [
            "junk.pt2: is ",
            "neither an export archive (.pt2)",
            "torch.export.save(",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert!(!text.contains("line 1"), "{text}");
    }
    // What means to be a graph is told its fault.
    trial.write("m.kiln", b"# a graph\ngraph \"a\" {\n");
    let text = trial.refuses(&["opt", "m.kiln"], "half a graph");
    assert!(text.contains("line "), "{text}");
}

/// A pipe that nobody reads takes messages, and ends nothing.
#[test]
fn a_closed_stderr_ends_nothing() {
    let trial = with_model();
    for (arguments, status) in [
        (&["compile", "model.pt2", "-o", "o.pte"][..], 0),
        (&["run", "model.pt2"], 0),
        (&["compile", "absent.pt2", "-o", "other.pte"], 1),
        (&["compile", "--no-such-option"], 2),
    ] {
        let mut child = Command::new("bash")
            // The reader is gone before the command starts.
            .args([
                "-c",
                "read _; exec \"$0\" \"$@\"",
                env!("CARGO_BIN_EXE_kiln"),
            ])
            .args(arguments)
            .current_dir(trial.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        drop(child.stdout.take());
        drop(child.stdin.take());
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), Some(status), "{arguments:?}");
    }
    assert!(trial.files().contains(&"o.pte".to_owned()));
}
