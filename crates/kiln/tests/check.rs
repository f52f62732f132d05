//! `kiln check`: a table over many models, and an error where one is over budget, wrong or refused.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use serde_json::Value;

const MODEL: &str = r#"graph "forward" {
  constant c0 "w" f32[2, 4] = splat 0.5
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {
    %1: f32[2, 4] = constant {value=c0}
    %2: f32[3, 2] = linear %0, %1 {}
    return %2
  }
}
"#;

/// A folder with a model, what it gives, and a file of models.
fn folder(toml: &str) -> Folder {
    let folder = Folder::with("m.kiln", MODEL);
    let made = folder.kiln(&["run", "m.kiln", "--outputs", "out.safetensors"]);
    assert!(made.status.success(), "{made:?}");
    std::fs::write(folder.path("kiln.toml"), toml).unwrap();
    folder
}

/// The exit status, stdout and stderr.
fn check(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = folder.kiln(&[&["check"], arguments].concat());
    let [stdout, stderr] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
    (output.status.code(), stdout, stderr)
}

#[test]
fn models_within_budget_are_a_table() {
    let folder = folder(
        "[defaults]\nmax-delegates = 1\n[[model]]\npath = \"m.kiln\"\n[[model]]\npath = \"m.kiln\"\nname = \"C\"\ntarget = \"host-c\"\n",
    );
    let (status, table, said) = check(&folder, &[]);
    assert_eq!(status, Some(0), "{said}");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(
        rows[2].starts_with("| m | xnnpack | 1 | 0 | 0 |"),
        "{table}"
    );
    assert!(rows[3].starts_with("| C | host-c |"), "{table}");
    assert!(
        rows.iter().skip(2).all(|row| row.ends_with("| ok |")),
        "{table}"
    );
    assert!(said.contains("2 models within budget"), "{said}");
}

#[test]
fn each_fault_is_said_and_the_others_are_checked() {
    let folder = folder(
        "[[model]]\npath = \"m.kiln\"\nmax-bytes = 10\n[[model]]\npath = \"gone.pt2\"\n[[model]]\npath = \"m.kiln\"\nname = \"third\"\nmax-delegates = 0\n",
    );
    let (status, json, said) = check(&folder, &["--json"]);
    assert_eq!(status, Some(1));
    for part in [
        "the budget is 10",
        "gone.pt2",
        "third for xnnpack: method forward: 1 delegate",
        "3 of 3 models failed",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["ok"], false);
    assert!(document["models"][0]["figures"]["bytes"].as_u64().unwrap() > 10);
    assert!(document["models"][1]["figures"].is_null());
}

#[test]
fn outputs_are_compared() {
    let toml = "[[model]]\npath = \"m.kiln\"\nexpect = \"golden.safetensors\"\nmin-sqnr = 100\n";
    let folder = folder(toml);
    let golden = |value: f32| {
        let mut runs = kiln_target::Runs::default();
        let x = kiln_ir::TensorData::from_f32(vec![3, 4], &[1.0; 12]);
        let y = kiln_ir::TensorData::from_f32(vec![3, 2], &[value; 6]);
        runs.insert(0, kiln_target::Role::Input, 0, x);
        runs.insert(0, kiln_target::Role::Output, 0, y);
        runs.write(&folder.path("golden.safetensors")).unwrap();
        check(&folder, &[])
    };
    let (status, table, said) = golden(2.0);
    assert_eq!(
        (status, table.contains("| equal | ok |")),
        (Some(0), true),
        "{said}"
    );
    let (status, table, said) = golden(2.5);
    assert_eq!(status, Some(1), "{said}");
    assert!(table.contains("| 14.0 | wrong |"), "{table}");
    assert!(said.contains("element 0: found 2, expected 2.5"), "{said}");
}

#[test]
fn outputs_that_are_not_compared_have_no_ratio() {
    let toml = "[[model]]\npath = \"m.kiln\"\nname = \"a|b\"\nexpect = \"golden.safetensors\"\nmin-sqnr = 50\n";
    let folder = folder(toml);
    let mut runs = kiln_target::Runs::default();
    let x = kiln_ir::TensorData::from_f32(vec![3, 4], &[1.0; 12]);
    runs.insert(0, kiln_target::Role::Input, 0, x);
    runs.write(&folder.path("golden.safetensors")).unwrap();
    let (status, table, said) = check(&folder, &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(table.contains(" |  | wrong |"), "{table}");
    assert!(said.contains("has no outputs to compare with"), "{said}");
    assert!(!said.contains(" dB"), "{said}");
    assert!(table.contains("| a\\|b | xnnpack |"), "{table}");
}

/// The keys are the options of `kiln compile`, with the same effect.
#[test]
fn options_of_compile_are_keys() {
    let toml = "[defaults]\ntarget = \"tosa-fp\"\n[[model]]\npath = \"m.kiln\"\nprecision = \"f16\"\nexpect = \"golden.safetensors\"\n\
         [[model]]\npath = \"m.kiln\"\ntarget = \"xnnpack\"\nfast-nan = true\nhalf = \"native\"\ncustom-op = [\"mine\"]\n";
    let given = folder(toml);
    let mut runs = kiln_target::Runs::default();
    let x = kiln_ir::TensorData::from_f32(vec![3, 4], &[1.0; 12]);
    // As many dB from the result as f16 allows, and f32 does not.
    let y = kiln_ir::TensorData::from_f32(vec![3, 2], &[2.002; 6]);
    runs.insert(0, kiln_target::Role::Input, 0, x);
    runs.insert(0, kiln_target::Role::Output, 0, y);
    runs.write(&given.path("golden.safetensors")).unwrap();
    let (status, table, said) = check(&given, &[]);
    assert_eq!(status, Some(0), "{table}{said}");
    let refused = [
        (
            "strict-nan = true\nfast-nan = true\n",
            "--strict-nan and --fast-nan are opposites",
        ),
        (
            "float-io = true\n",
            "--float-io is for targets with an integer border",
        ),
        (
            "dim = [\"n\"]\n",
            "dim = [\"n\"]: expected SYMBOL<=MAX, which SYMBOL=MAX means too, or SYMBOL==SIZE",
        ),
        ("dim = [\"n==4\"]\n", "--dim n==4 is for archives"),
        ("half = \"f8\"\n", "half = \"f8\": expected native or f32"),
    ];
    for (keys, part) in refused {
        let toml = format!("[[model]]\npath = \"m.kiln\"\n{keys}");
        let (status, _, said) = check(&folder(&toml), &[]);
        assert_eq!(status, Some(1), "{keys}");
        assert!(said.contains(part), "{keys}: {said}");
    }
}

/// A program of integers is some steps beside its model of floats, for each target.
#[test]
fn integers_of_floats_have_a_rule_of_their_own() {
    let model = |target: &str| {
        format!(
            "[[model]]\npath = \"m.kiln\"\ntarget = \"{target}\"\nquantize = \"int8\"\nsamples = \"in.safetensors\"\n\
             expect = \"golden.safetensors\"\n"
        )
    };
    let toml = ["xnnpack", "tosa-int", "host-c"].map(model).concat();
    let given = folder(&toml);
    let numbers: Vec<f32> = (0..12).map(|i| ((i * 7) % 12) as f32 / 5.0 - 1.0).collect();
    let mut runs = kiln_target::Runs::default();
    let x = kiln_ir::TensorData::from_f32(vec![3, 4], &numbers);
    runs.insert(0, kiln_target::Role::Input, 0, x.clone());
    runs.write(&given.path("in.safetensors")).unwrap();
    let run = ["run", "m.kiln", "--inputs", "in.safetensors", "--outputs"];
    let done = given.kiln(&[&run[..], &["golden.safetensors"]].concat());
    assert!(done.status.success(), "{done:?}");
    let mut golden = kiln_target::Runs::read(&given.path("golden.safetensors")).unwrap();
    golden.insert(0, kiln_target::Role::Input, 0, x);
    golden.write(&given.path("golden.safetensors")).unwrap();
    let (status, document, said) = check(&given, &["--json"]);
    let document: Value = serde_json::from_str(&document).unwrap();
    let models = document["models"].as_array().unwrap();
    assert_eq!((status, models.len()), (Some(0), 3), "{document:#}{said}");
    for model in models {
        let sqnr = model["figures"]["sqnr"].as_f64().unwrap();
        assert!((20.0..60.0).contains(&sqnr), "{model}");
    }
}

/// A graph whose mask hides a quotient, and a layer of halves.
const CHOICES: &str = r#"graph "forward" {
  constant c0 "mask" bool[1, 4] = [false, true, true, false]
  constant c1 "hidden" f32[1, 1] = [0.0]
  constant c2 "weight" f16[4, 4] = splat 0.5
  input tensor "x" [0, 1]
  input tensor "h" [0, 1]
  output tensor
  output tensor
  block b0 (%0 "x": f32[3, 4], %1 "h": f16[3, 4]) {
    %2: f32[3, 4] = binary %0, %0 {f=div}
    %3: bool[1, 4] = constant {value=c0}
    %4: f32[1, 1] = constant {value=c1}
    %5: f32[3, 4] = select %3, %2, %4 {}
    %6: f16[4, 4] = constant {value=c2}
    %7: f16[3, 4] = linear %1, %6 {}
    return %5, %7
  }
}
"#;

#[test]
fn choices_of_numbers_take_effect() {
    let model = |keys: &str| format!("[[model]]\npath = \"choices.kiln\"\n{keys}\n");
    let keys = ["", "fast-nan = true", "half = \"native\"", "half = \"f32\""];
    let given = folder(&keys.map(model).concat());
    std::fs::write(given.path("choices.kiln"), CHOICES).unwrap();
    let (status, document, said) = check(&given, &["--json"]);
    assert_eq!(status, Some(0), "{document}{said}");
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let of = |model: usize, figure: &str| {
        document["models"][model]["figures"][figure]
            .as_u64()
            .unwrap()
    };
    assert_eq!([0, 1].map(|model| of(model, "kernel_calls")), [1, 0]);
    assert!(of(2, "bytes") < of(3, "bytes"), "{document}");
}

#[test]
fn files_that_say_something_else_are_refused() {
    let cases = [
        (
            "[[model]]\npath = \"m.kiln\"\nmax-delegate = 1\n",
            "unknown field `max-delegate`",
        ),
        (
            "[[model]]\nname = \"m\"\n",
            "the [[model]] number 1 has no path",
        ),
        ("[defaults]\n", "has no [[model]]"),
        (
            "[defaults]\nname = \"m\"\n[[model]]\npath = \"m.kiln\"\n",
            "[defaults] has no path",
        ),
        (
            "[[model]]\npath = \"m.kiln\"\ntarget = \"gpu\"\n",
            "expected one of xnnpack",
        ),
        (
            "[[model]]\npath = \"m.kiln\"\nmin-sqnr = 80\n",
            "min-sqnr needs golden outputs",
        ),
    ];
    for (toml, part) in cases {
        let (status, table, said) = check(&folder(toml), &[]);
        assert_eq!((status, table.as_str()), (Some(1), ""), "{toml}");
        assert!(said.contains("kiln.toml") && said.contains(part), "{said}");
    }
    let (status, _, said) = check(&folder(""), &["other.toml"]);
    assert_eq!(status, Some(1));
    assert!(said.contains("cannot read other.toml"), "{said}");
}

/// The action's shell, as a runner starts it: the summary has the table and the reasons.
#[cfg(unix)]
#[test]
fn the_action_puts_reasons_into_the_summary() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let action = std::fs::read_to_string(format!("{root}/action.yml")).unwrap();
    let (_, script) = action.split_once("run: |\n").unwrap();
    let summary = |toml: &str| {
        let folder = folder(toml);
        let output = std::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(folder.path("."))
            .env("FILE", "kiln.toml")
            .env("KILN", env!("CARGO_BIN_EXE_kiln"))
            .env("GITHUB_STEP_SUMMARY", folder.path("summary.md"))
            .output()
            .unwrap();
        let text = std::fs::read_to_string(folder.path("summary.md")).unwrap();
        (output.status.code(), text)
    };
    let (status, text) = summary("[[model]]\npath = \"m.kiln\"\nmax-bytes = 10\n");
    assert_eq!(status, Some(1), "{text}");
    assert!(
        text.contains("| over budget |") && text.contains("the budget is 10"),
        "{text}"
    );
    let (status, text) = summary("[[model]]\npath = \"m.kiln\"\nmax-byte = 10\n");
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("unknown field `max-byte`"), "{text}");
    let (status, text) = summary("[[model]]\npath = \"m.kiln\"\n");
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("1 model within budget"), "{text}");
}
