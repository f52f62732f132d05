//! `--quantize`: a model of floats becomes one of integers, without another export.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_ir::TensorData;
use kiln_target::{Role, Runs};
use kiln_testing::corpus::Corpus;
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::Value;
use std::process::Output;

/// A model of the corpus with its golden outputs, which are those of floats.
struct Model {
    archive: String,
    golden: String,
}

fn model(name: &str) -> Model {
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let case = suite.case(name).unwrap();
    let path = |extension| case.file(extension).to_str().unwrap().to_owned();
    Model {
        archive: path("pt2"),
        golden: path("safetensors"),
    }
}

fn compile(folder: &Folder, model: &Model, output: &str, options: &[&str]) -> Output {
    let compile = [
        "compile",
        &model.archive,
        "-o",
        output,
        "--report",
        "m.json",
    ];
    folder.kiln(&[&compile[..], options].concat())
}

fn report(folder: &Folder, model: &Model, output: &str, options: &[&str]) -> Value {
    let made = compile(folder, model, output, options);
    assert!(made.status.success(), "{options:?}: {made:?}");
    serde_json::from_slice(&std::fs::read(folder.path("m.json")).unwrap()).unwrap()
}

/// In what the layers compute.
fn layers(report: &Value) -> Vec<String> {
    let nodes = report["methods"][0]["nodes"].as_array().unwrap().iter();
    let layers = nodes.filter(|node| {
        let function = node["function"].as_str().unwrap();
        ["conv", "linear"].contains(&function)
    });
    let texts = layers.filter_map(|node| node["computes"].as_str());
    texts.map(str::to_owned).collect()
}

/// Runs the program on the model's inputs, and demands this SQNR of every output, which is about that of PyTorch's quantisers.
fn is_near(folder: &Folder, model: &Model, output: &str, sqnr: &str) {
    let mut runtimes = vec!["builtin"];
    runtimes.extend(
        STOCK_RUNTIME
            .find()
            .filter(|_| output.ends_with(".pte"))
            .map(|_| "executorch"),
    );
    for runtime in runtimes {
        let run = ["run", output, "--expect", &model.golden, "--sqnr", sqnr];
        let done = folder.kiln(&[&run[..], &["--runtime", runtime]].concat());
        assert!(
            done.status.success(),
            "{} on {runtime}: {done:?}",
            model.archive
        );
    }
}

#[test]
fn static_int8_computes_layers_in_integers() {
    let folder = Folder::with("nothing", "");
    for (name, sqnr) in [
        ("resnet8", "36"),
        ("mobilenet_v1_025", "33"),
        ("unet_small", "28"),
        ("deit_tiny", "27"),
        ("wav2letter", "40"),
    ] {
        let model = model(name);
        let options = ["--quantize", "int8", "--samples", &model.golden];
        let report = report(&folder, &model, "m.pte", &options);
        let method = &report["methods"][0];
        assert_eq!(method["delegates"], 1, "{name}");
        assert_eq!(
            method["kernel_calls"].as_object().unwrap().len(),
            0,
            "{name}"
        );
        let layers = layers(&report);
        assert!(
            layers.len() > 5 && layers.iter().all(|text| text == "i8"),
            "{name}: {layers:?}"
        );
        assert!(
            report["notes"][0]
                .as_str()
                .unwrap()
                .starts_with("--quantize: "),
            "{report}"
        );
        is_near(&folder, &model, "m.pte", sqnr);
    }
}

#[test]
fn rows_are_rounded_when_running() {
    let folder = Folder::with("nothing", "");
    for (name, mode, weights, sqnr) in [
        ("deit_tiny", "int8-dynamic", "i8 by channel", "30"),
        ("bert_l4_h256", "int8-dynamic", "i8 by channel", "33"),
        ("llama_15m", "int8-dynamic", "i8 by channel", "28"),
        ("llama_15m", "int4", "i4 in groups of 32", "9"),
        ("bert_l4_h256", "int4", "i4 in groups of 32", "13"),
        ("wav2letter", "int8-dynamic", "i8 by channel", "42"),
        (
            "whisper_tiny_encoder",
            "int8-dynamic",
            "i8 by channel",
            "33",
        ),
    ] {
        let model = model(name);
        let report = report(&folder, &model, "m.pte", &["--quantize", mode]);
        assert_eq!(report["methods"][0]["delegates"], 1, "{name} {mode}");
        let layers = layers(&report);
        let is_quantised = |text: &&String| text.contains("of i8 x") && text.contains(weights);
        let quantised = layers.iter().filter(is_quantised).count();
        assert!(
            quantised * 10 >= layers.len() * 9 && quantised > 5,
            "{name} {mode}: {layers:?}"
        );
        is_near(&folder, &model, "m.pte", sqnr);
    }
}

#[test]
fn targets_of_integers_take_floats_of_pytorch() {
    let folder = Folder::with("nothing", "");
    let model = model("resnet8");
    let options = |target| {
        [
            "--quantize",
            "int8",
            "--samples",
            &model.golden,
            "--float-io",
            "--target",
            target,
        ]
    };
    report(&folder, &model, "m.tosa", &options("tosa-int"));
    is_near(&folder, &model, "m.tosa", "36");
    for target in ["host-c", "cortex-m4"] {
        let output = format!("{target}/");
        let report = report(&folder, &model, &output, &options(target));
        let warnings = report["warnings"].as_array().unwrap();
        assert!(warnings.is_empty(), "{target}: {warnings:?}");
    }
    is_near(&folder, &model, "host-c/", "36");
}

/// A model of this crate.
fn own(name: &str) -> Model {
    let path = format!("{}/tests/archives/{name}", env!("CARGO_MANIFEST_DIR"));
    Model {
        archive: format!("{path}.pt2"),
        golden: format!("{path}.safetensors"),
    }
}

/// One image is read by a convolution of windows, whose parameters are those of the image, and by one of 1x1, whose parameters
/// are those of each place.
#[test]
fn each_convolution_has_parameters_of_its_own() {
    let folder = Folder::with("nothing", "");
    let model = own("places");
    let report = report(&folder, &model, "m.pte", &["--quantize", "int8-dynamic"]);
    let layers = layers(&report);
    let is_quantised = |text: &String| text.contains("of i8 x i8 by channel");
    assert!(
        layers.len() == 3 && layers.iter().all(is_quantised),
        "{layers:?}"
    );
    is_near(&folder, &model, "m.pte", "36");
}

/// The archive's own sample inputs are samples too.
#[test]
fn samples_are_those_of_the_export_by_default() {
    let folder = Folder::with("nothing", "");
    let model = own("sampled");
    report(&folder, &model, "m.pte", &["--quantize", "int8"]);
    is_near(&folder, &model, "m.pte", "50");
}

/// Each method has samples of its own.
#[test]
fn methods_have_their_own_samples() {
    let folder = Folder::with("nothing", "");
    let [first, second] = ["resnet8", "dscnn"].map(model);
    let method = format!("second={}", second.archive);
    let [own, others] = [("forward", &first), ("second", &second)]
        .map(|(name, model)| format!("{name}={}", model.golden));
    let options = |samples: &[&str]| {
        let both = ["--method", &method, "--quantize", "int8"].map(str::to_owned);
        let samples = samples
            .iter()
            .flat_map(|s| ["--samples".to_owned(), (*s).to_owned()]);
        both.into_iter().chain(samples).collect::<Vec<String>>()
    };
    let done = |samples: &[&str]| {
        let options = options(samples);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        compile(&folder, &first, "m.pte", &options)
    };
    assert!(done(&[&own, &others]).status.success());
    let run = [
        "run",
        "m.pte",
        "--method",
        "second",
        "--expect",
        &second.golden,
        "--sqnr",
        "25",
    ];
    let ran = folder.kiln(&run);
    assert!(ran.status.success(), "{ran:?}");
    for (samples, text) in [
        (vec![own.as_str()], "needs samples"),
        (
            vec![own.as_str(), &own],
            "--samples for forward is given twice",
        ),
    ] {
        let refused = done(&samples);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(
            !refused.status.success() && error.contains(text),
            "{samples:?}: {error}"
        );
    }
    let third = format!("third={}", first.golden);
    let refused = done(&[&own, &others, &third]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(
        error.contains("samples are for the method third; the program has forward, second"),
        "{error}"
    );
}

/// A layer in halves stays as it is, which a warning says, and becomes one of integers behind a conversion.
#[test]
fn layers_that_stay_are_said() {
    let text = TEXT.replace("f32", "f16");
    let folder = Folder::with("m.kiln", &text);
    let compile = [
        "compile",
        "m.kiln",
        "-o",
        "m.pte",
        "--quantize",
        "int8-dynamic",
    ];
    let said = |options: &[&str]| {
        let made = folder.kiln(&[&compile[..], options].concat());
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stderr).unwrap()
    };
    let nothing = "warning: --quantize int8-dynamic quantises nothing: ";
    let text = said(&[]);
    assert!(
        text.contains(nothing) && text.contains("1 layer in floats"),
        "{text}"
    );
    let text = said(&["--precision", "f32"]);
    assert!(
        !text.contains(nothing) && text.contains("1 layer with weights of 8 bits"),
        "{text}"
    );
}

/// A sample of rows of four elements, in a file.
fn write_rows(folder: &Folder, name: &str, rows: &[[f32; 4]]) {
    let mut runs = Runs::default();
    let data = TensorData::from_f32(vec![rows.len(), 4], &rows.concat());
    runs.insert(0, Role::Input, 0, data);
    runs.write(&folder.path(name)).unwrap();
}

/// Runs `m.pte` on inputs in a file, and demands 30 dB beside the floats of `m.kiln`.
fn is_near_the_graph(folder: &Folder, inputs: &str) {
    let run = [
        "run",
        "m.kiln",
        "--inputs",
        inputs,
        "--outputs",
        "golden.safetensors",
    ];
    let made = folder.kiln(&run);
    assert!(made.status.success(), "{made:?}");
    let judge = [
        "run",
        "m.pte",
        "--inputs",
        inputs,
        "--expect",
        "golden.safetensors",
        "--sqnr",
        "30",
    ];
    let mut runtimes = vec!["builtin"];
    runtimes.extend(STOCK_RUNTIME.find().map(|_| "executorch"));
    for runtime in runtimes {
        let done = folder.kiln(&[&judge[..], &["--runtime", runtime]].concat());
        assert!(done.status.success(), "{runtime}: {done:?}");
    }
}

/// Where a model has given no number on any sample, a range would be that of nothing, and all results 0.
#[test]
fn results_that_were_no_numbers_stay_in_floats() {
    // A second layer behind the first, on numbers that a scale of 1 would make 0.
    let second = "    %3: f32[2, 4] = linear %2, %1 {}\n    return %3";
    let text = TEXT.replace("splat 0.5", "splat 0.1");
    let folder = Folder::with("m.kiln", &text.replace("    return %2", second));
    let row = [f32::INFINITY, 1.0, 1.0, 1.0];
    write_rows(&folder, "samples.safetensors", &[row, row]);
    write_rows(&folder, "ones.safetensors", &[[1.0; 4], [1.0; 4]]);
    let compile = ["compile", "m.kiln", "-o", "m.pte", "--quantize", "int8"];
    let made = folder.kiln(&[&compile[..], &["--samples", "samples.safetensors"]].concat());
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(
        said.contains("the results of 2 nodes are NaN or infinite in all samples"),
        "{said}"
    );
    is_near_the_graph(&folder, "ones.safetensors");
}

/// A channel of tiny weights beside a bias has a tiny scale, in whose units the bias is beyond f32.
#[test]
fn a_channel_of_tiny_weights_leaves_its_layer_in_integers() {
    let text = r#"graph "forward" {
  constant c0 "w" f32[2, 4] = [1.0, -2.0, 0.5, 3.0, 1e-33, 1e-33, -1e-33, 1e-33]
  constant c1 "b" f32[2] = [0.5, 0.25]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {
    %1: f32[2, 4] = constant {value=c0}
    %2: f32[2] = constant {value=c1}
    %3: f32[3, 2] = linear %0, %1, %2 {}
    return %3
  }
}
"#;
    let folder = Folder::with("m.kiln", text);
    let model = Model {
        archive: "m.kiln".into(),
        golden: "golden.safetensors".into(),
    };
    let report = report(&folder, &model, "m.pte", &["--quantize", "int8-dynamic"]);
    assert_eq!(layers(&report), ["rows of i8 x i8 by channel -> f32"]);
    let rows = [
        [1.0, -0.5, 2.0, 0.25],
        [0.0, 3.0, -1.0, 1.0],
        [-2.0, 0.5, 0.5, -1.5],
    ];
    write_rows(&folder, "rows.safetensors", &rows);
    is_near_the_graph(&folder, "rows.safetensors");
}

const TEXT: &str = r#"graph "forward" {
  constant c0 "w" f32[4, 4] = splat 0.5
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[2, 4]) {
    %1: f32[4, 4] = constant {value=c0}
    %2: f32[2, 4] = linear %0, %1 {}
    return %2
  }
}
"#;

#[test]
fn what_cannot_be_quantised_says_why() {
    let folder = Folder::with("m.kiln", TEXT);
    let said = |arguments: &[&str]| {
        let compile = [&["compile"], arguments, &["-o", "m.pte"]].concat();
        let refused = folder.kiln(&compile);
        assert!(!refused.status.success(), "{refused:?}");
        assert!(!folder.path("m.pte").exists());
        String::from_utf8(refused.stderr).unwrap()
    };
    let text = said(&["m.kiln", "--quantize", "int8"]);
    assert!(
        text.contains("m.kiln: --quantize int8 needs samples"),
        "{text}"
    );
    std::fs::write(folder.path("none.safetensors"), b"none").unwrap();
    let samples = ["--samples", "none.safetensors"];
    let text = said(&[&["m.kiln", "--quantize", "int8"], &samples[..]].concat());
    assert!(
        text.contains("none.safetensors is not a whole .safetensors file"),
        "{text}"
    );
    let text = said(&[&["m.kiln", "--quantize", "int4"], &samples[..]].concat());
    assert!(text.contains("int4 finds ranges when running"), "{text}");
    let on_tosa = ["m.kiln", "--quantize", "int4", "--target", "tosa-int"];
    let text = said(&on_tosa);
    assert!(
        text.contains("which tosa-int does not compute in integers"),
        "{text}"
    );
    let text = said(&["m.kiln", "--quantize", "int4", "--precision", "bf16"]);
    assert!(
        text.contains("--precision bf16 does not go with --quantize"),
        "{text}"
    );
    let other = model("resnet8").golden;
    let text = said(&["m.kiln", "--quantize", "int8", "--samples", &other]);
    assert!(text.contains("sample 0"), "{text}");
    let suite = Corpus::open().unwrap().suite("quantised_cm").unwrap();
    let quantised = suite.case("ds_cnn").unwrap().file("pt2");
    let text = said(&[quantised.to_str().unwrap(), "--quantize", "int8"]);
    assert!(
        text.contains("--quantize is for models in floats"),
        "{text}"
    );
    for archive in [own("scaled"), own("one_scale"), own("subclasses")].map(|own| own.archive) {
        let text = said(&[&archive, "--quantize", "int8-dynamic"]);
        assert!(
            text.contains("--quantize is for models in floats"),
            "{text}"
        );
        let text = said(&[&archive, "--precision", "f16"]);
        assert!(text.contains("is for models in floats"), "{text}");
    }
    let bytes = r#"graph "forward" {
  constant c0 "w" i8[4, 4] = splat 3
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[2, 4]) {
    %1: i8[4, 4] = constant {value=c0}
    %2: f32[4, 4] = cast %1 {to=f32}
    %3: f32[2, 4] = matmul %0, %2 {}
    return %3
  }
}
"#;
    std::fs::write(folder.path("bytes.kiln"), bytes).unwrap();
    let text = said(&["bytes.kiln", "--quantize", "int8-dynamic"]);
    assert!(
        text.contains("--quantize is for models in floats"),
        "{text}"
    );
    let mut surplus = Runs::default();
    let ones = TensorData::from_f32(vec![2, 4], &[1.0; 8]);
    (0..2).for_each(|position| surplus.insert(0, Role::Input, position, ones.clone()));
    surplus.write(&folder.path("surplus.safetensors")).unwrap();
    let samples = ["--samples", "surplus.safetensors"];
    let text = said(&[&["m.kiln", "--quantize", "int8"], &samples[..]].concat());
    assert!(
        text.contains("surplus.safetensors: there is a tensor 0.in.1, but the method has 1 input"),
        "{text}"
    );
}

/// A function of a layer's results, with samples.
fn with_function(function: &str) -> (Folder, [&'static str; 5]) {
    let text = format!(
        r#"graph "forward" {{
  constant c0 "w" f32[4, 4] = [1.0, 0.5, -0.5, 0.25, 0.5, 1.0, 0.25, -0.5, -1.0, 0.5, 0.5, 0.25, 0.25, -0.25, 1.0, 0.5]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[2, 4]) {{
    %1: f32[4, 4] = constant {{value=c0}}
    %2: f32[2, 4] = linear %0, %1 {{}}
    %3: f32[2, 4] = unary %2 {{f={function}}}
    return %3
  }}
}}
"#
    );
    let folder = Folder::with("m.kiln", &text);
    let mut samples = Runs::default();
    let x = TensorData::from_f32(vec![2, 4], &[1.0, -0.5, 0.25, 0.75, -1.0, 0.5, 0.1, -0.2]);
    samples.insert(0, Role::Input, 0, x);
    samples.write(&folder.path("in.safetensors")).unwrap();
    let options = [
        "--quantize",
        "int8",
        "--samples",
        "in.safetensors",
        "--target",
    ];
    (folder, options)
}

/// For targets of integers, functions without jumps and poles are integers too. Others are so only between two layers: 8 bits would lose
/// some of their results.
#[test]
fn gentle_functions_are_integers_for_targets_of_integers() {
    let computes = |function: &str, target: &str| {
        let (folder, options) = with_function(function);
        let arguments = ["compile", "m.kiln", "-o", "out/", "--report", "m.json"];
        let arguments = match target {
            "cortex-m4" => arguments.to_vec(),
            _ => [&arguments[..3], &["out"], &arguments[4..]].concat(),
        };
        let made = folder.kiln(&[&arguments, &options[..], &[target]].concat());
        assert!(made.status.success(), "{function} for {target}: {made:?}");
        let report = std::fs::read(folder.path("m.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        let nodes = report["methods"][0]["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["function"] == function);
        node.unwrap()["computes"].as_str().unwrap().to_owned()
    };
    for target in ["tosa-int", "cortex-m4"] {
        for function in ["abs", "neg", "square", "cos", "erf"] {
            assert_eq!(computes(function, target), "i8", "{function} for {target}");
        }
        for function in ["exp", "log", "rsqrt"] {
            assert_eq!(computes(function, target), "f32", "{function} for {target}");
        }
    }
    assert_eq!(computes("cos", "xnnpack"), "f32");
}
