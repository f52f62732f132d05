//! `kiln quantize`: archives of integers that compute what `compile --quantize` makes of the same model.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln::evaluator::run_graph;
use kiln::import::{ImportOptions, import_archive};
use kiln_check::{Close, Recipe, Side, difference, generate, inputs, run, situations};
use kiln_export::{ExportError, export};
use kiln_ir::graph::InputSpec;
use kiln_ir::{Graph, TensorData};
use kiln_pt2::{
    self as pt2, Archive, Argument, ExportedProgram, ModuleCall, OutputSpec, RangeConstraint,
};
use kiln_target::{Role, Runs};
use kiln_testing::corpus::Corpus;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The paths of a case's archive and golden outputs.
fn case(suite: &str, name: &str) -> [String; 2] {
    let suite = Corpus::open().unwrap().suite(suite).unwrap();
    let case = suite.case(name).unwrap();
    ["pt2", "safetensors"].map(|extension| case.file(extension).to_str().unwrap().to_owned())
}

fn succeeds(folder: &Folder, arguments: &[&str]) -> Output {
    let done = folder.kiln(arguments);
    assert!(done.status.success(), "{arguments:?}: {done:?}");
    done
}

fn report(folder: &Folder, arguments: &[&str]) -> Value {
    succeeds(folder, &[arguments, &["--report", "m.json"]].concat());
    serde_json::from_slice(&std::fs::read(folder.path("m.json")).unwrap()).unwrap()
}

fn outputs(folder: &Folder, file: &str, golden: &str) -> Runs {
    succeeds(
        folder,
        &[
            "run",
            file,
            "--inputs",
            golden,
            "--outputs",
            "o.safetensors",
        ],
    );
    Runs::read(&folder.path("o.safetensors")).unwrap()
}

fn are_equal(a: &Runs, b: &Runs, what: &str) {
    let mut count = 0;
    for (run, position, data) in a.all(Role::Output) {
        let other = b.get(run, Role::Output, position).unwrap();
        assert_eq!(data.bytes(), other.bytes(), "{what}: {run}.out.{position}");
        count += 1;
    }
    assert!(count > 0, "{what}");
}

/// Both ways give programs of the same parts and results.
fn both_ways(folder: &Folder, name: &str, scheme: &str, quantize: &str, samples: bool) {
    let [model, golden] = case("models_small", name);
    let data = ["--data", &golden];
    let made = ["quantize", &model, "--scheme", scheme, "-o", "q.pt2"];
    succeeds(
        folder,
        &[&made[..], &data[..if samples { 2 } else { 0 }]].concat(),
    );
    let [original, written] = [PathBuf::from(&model), folder.path("q.pt2")]
        .map(|path| Archive::open(path).unwrap().program().unwrap());
    modules_are_kept(&original, &written, name);
    let compile = ["compile", &model, "-o", "a.pte", "--quantize", quantize];
    let given = ["--samples", &golden];
    let direct = report(
        folder,
        &[&compile[..], &given[..if samples { 2 } else { 0 }]].concat(),
    );
    let archived = report(folder, &["compile", "q.pt2", "-o", "b.pte"]);
    for figure in ["delegates", "kernel_calls"] {
        let of = |report: &Value| report["methods"][0][figure].clone();
        assert_eq!(of(&direct), of(&archived), "{name} {scheme} {figure}");
    }
    let [a, b] = ["a.pte", "b.pte"].map(|file| outputs(folder, file, &golden));
    are_equal(&a, &b, &format!("{name} {scheme}"));
}

#[test]
fn an_archive_compiles_to_the_same_integers() {
    let folder = Folder::with("nothing", "");
    for name in [
        "resnet8",
        "dscnn",
        "mobilenet_v1_025",
        "deit_tiny",
        "unet_small",
    ] {
        both_ways(&folder, name, "static", "int8", true);
    }
    for name in [
        "deit_tiny",
        "bert_l4_h256",
        "deep_autoencoder",
        "wav2letter",
    ] {
        both_ways(&folder, name, "dynamic", "int8-dynamic", false);
    }
    for name in ["bert_l4_h256", "llama_15m"] {
        both_ways(&folder, name, "w4", "int4", false);
    }
}

#[test]
fn weights_alone_are_integers_beside_floats() {
    let folder = Folder::with("nothing", "");
    let [model, golden] = case("models_small", "bert_l4_h256");
    succeeds(
        &folder,
        &["quantize", &model, "--scheme", "w8", "-o", "q.pt2"],
    );
    let sizes = [PathBuf::from(&model), folder.path("q.pt2")].map(|path| {
        let archive = Archive::open(path).unwrap();
        let tensors = archive
            .tensor_names()
            .map(|name| archive.tensor(name).unwrap());
        tensors.map(|tensor| tensor.storage().len()).sum::<usize>()
    });
    assert!(sizes[1] * 3 < sizes[0], "{sizes:?}");
    for file in ["q.pt2", "q.pte"] {
        if file == "q.pte" {
            let report = report(&folder, &["compile", "q.pt2", "-o", file]);
            assert_eq!(report["methods"][0]["delegates"], 1);
        }
        succeeds(&folder, &["run", file, "--expect", &golden, "--sqnr", "35"]);
    }
}

#[test]
fn the_steps_of_a_layer_share_their_weights() {
    let folder = Folder::with("nothing", "");
    for (scheme, quantize, samples) in
        [("static", "int8", true), ("dynamic", "int8-dynamic", false)]
    {
        both_ways(&folder, "kws_lstm", scheme, quantize, samples);
        let archive = Archive::open(folder.path("q.pt2")).unwrap();
        let tensors = archive
            .tensor_names()
            .map(|name| archive.tensor(name).unwrap());
        let weights = tensors.filter(|tensor| tensor.sizes().len() == 2);
        let all: Vec<_> = weights.map(|tensor| tensor.to_contiguous()).collect();
        assert!(all.len() > 2, "{scheme}");
        for (i, weight) in all.iter().enumerate() {
            assert!(!all[..i].contains(weight), "{scheme}");
        }
    }
}

#[test]
fn targets_of_integers_take_activations_of_8_and_16_bits() {
    let folder = Folder::with("nothing", "");
    let [model, golden] = case("models_small", "resnet8");
    for (scheme, sqnr) in [("static", "36"), ("a16w8", "43")] {
        let options = [
            "--data", &golden, "--target", "tosa-int", "--scheme", scheme, "-o", "q.pt2",
        ];
        succeeds(&folder, &[&["quantize", &model][..], &options].concat());
        succeeds(
            &folder,
            &["run", "q.pt2", "--expect", &golden, "--sqnr", sqnr],
        );
        let compile = [
            "compile",
            "q.pt2",
            "--target",
            "tosa-int",
            "--float-io",
            "-o",
            "q.tosa",
        ];
        succeeds(&folder, &compile);
        succeeds(
            &folder,
            &["run", "q.tosa", "--expect", &golden, "--sqnr", sqnr],
        );
    }
}

#[test]
fn what_cannot_be_quantised_leaves_no_file() {
    let folder = Folder::with("nothing", "");
    let [model, golden] = case("models_small", "resnet8");
    let [quantised, _] = case("quantised_small", "resnet8_q");
    let [branching, data] = case("dynamic", "cond_tensor_predicate");
    for (arguments, status, says) in [
        (vec![&model[..]], 1, "give --data"),
        (
            vec![&model, "--scheme", "a16w8", "--data", &golden],
            2,
            "16 bits",
        ),
        (
            vec![&model, "--scheme", "w8", "--target", "tosa-int"],
            2,
            "--scheme static with --data",
        ),
        (
            vec![&model, "--scheme", "w8", "--target", "portable"],
            2,
            "choose target xnnpack",
        ),
        (vec![&quantised, "--data", &golden], 1, "is quantised"),
        (vec![&branching, "--data", &data], 1, "branches and loops"),
        (
            vec![&golden, "--data", &golden],
            1,
            "neither an export archive",
        ),
    ] {
        let done = folder.kiln(&[&["quantize", "-o", "q.pt2"], &arguments[..]].concat());
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(
            said.contains(says) && said.lines().count() == 1,
            "{arguments:?}: {said}"
        );
        assert!(!folder.path("q.pt2").exists(), "{arguments:?}");
    }
}

#[test]
fn samples_that_no_scheme_reads_are_named() {
    let folder = Folder::with("nothing", "");
    let [model, golden] = case("models_small", "deep_autoencoder");
    let made = [
        "quantize", &model, "--data", &golden, "--scheme", "dynamic", "-o", "q.pt2", "--json",
    ];
    let done = succeeds(&folder, &made);
    assert!(String::from_utf8_lossy(&done.stderr).contains("is not used"));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(document["scheme"], "dynamic");
    assert!(document["layers"].as_u64().unwrap() > 5, "{document}");
}

/// Stdout gets the bytes that a file of its name gets, and the size is known.
#[test]
fn an_archive_goes_to_stdout() {
    let folder = Folder::with("nothing", "");
    let [model, _] = case("models_small", "deep_autoencoder");
    let made = ["quantize", &model, "--scheme", "w8", "-o"];
    succeeds(&folder, &[&made[..], &["stdout.pt2"]].concat());
    let archive = std::fs::read(folder.path("stdout.pt2")).unwrap();
    let done = succeeds(&folder, &[&made[..], &["-"]].concat());
    assert!(done.stdout == archive);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains(&format!("{} bytes", archive.len())), "{said}");
}

#[test]
fn an_archive_that_cannot_be_written_is_named_with_the_reason() {
    let folder = Folder::with("nothing", "");
    let [model, _] = case("models_small", "deep_autoencoder");
    let refusal = |output: &str| {
        let made = ["quantize", &model, "--scheme", "w8", "-o", output];
        let done = folder.kiln(&made);
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        String::from_utf8(done.stderr).unwrap()
    };
    let said = refusal("absent/q.pt2");
    assert_eq!(
        said,
        "error: cannot write absent/q.pt2: there is no directory absent\n"
    );
    if cfg!(target_os = "linux") {
        let said = refusal("/dev/full");
        let expected = "error: cannot write /dev/full: No space left on device (os error 28)\n";
        assert_eq!(said, expected);
    }
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 1);
}

#[test]
fn samples_with_nan_are_refused() {
    let folder = Folder::with("nothing", "");
    let [model, golden] = case("models_small", "deep_autoencoder");
    let mut runs = Runs::read(Path::new(&golden)).unwrap();
    let given = runs.get(1, Role::Input, 0).unwrap();
    let count = given.elements();
    let numbers = (0..count).map(|i| given.get(i).unwrap().as_f64() as f32);
    let mut numbers: Vec<f32> = numbers.collect();
    (numbers[3], numbers[count - 1]) = (f32::NAN, f32::NAN);
    let damaged = TensorData::from_f32(given.sizes().to_vec(), &numbers);
    runs.insert(1, Role::Input, 0, damaged);
    runs.write(&folder.path("data.safetensors")).unwrap();
    for made in [
        ["quantize", &model, "-o", "q.pt2", "--data"].as_slice(),
        &[
            "compile",
            &model,
            "-o",
            "q.pt2",
            "--quantize",
            "int8",
            "--samples",
        ],
    ] {
        let done = folder.kiln(&[made, &["data.safetensors"]].concat());
        let said = String::from_utf8_lossy(&done.stderr);
        let expected =
            format!("data.safetensors: input 0 of sample 1 has 2 NaN among {count} elements");
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains(&expected), "{said}");
        assert!(!folder.path("q.pt2").exists());
    }
}

/// Weights of halves are rounded from their exact values, and inputs and outputs stay halves.
#[test]
fn models_of_halves_are_quantised() {
    let folder = Folder::with("nothing", "");
    let pointwise = "conv2d_convolution_2d_bf16_1x1";
    for (suite, name, schemes) in [
        (
            "ops_fp32",
            "conv2d_float16",
            &["static", "dynamic", "w8"][..],
        ),
        ("ops_fp32", "linear_float16", &["static", "dynamic", "w8"]),
        ("tosa_fp", pointwise, &["static", "w8"]),
    ] {
        let [model, golden] = case(suite, name);
        for scheme in schemes {
            let made = [
                "quantize", &model, "--data", &golden, "--scheme", scheme, "-o", "q.pt2", "--json",
            ];
            let done = succeeds(&folder, &made);
            let document: Value = serde_json::from_slice(&done.stdout).unwrap();
            assert_eq!(document["layers"], 1, "{name} {scheme}");
            let said = String::from_utf8(done.stderr).unwrap();
            assert!(said.contains("of a model of halves in f32"), "{said}");
            let [before, after] =
                [model.clone(), folder.path("q.pt2").display().to_string()].map(|path| {
                    let program = Archive::open(path).unwrap().program().unwrap();
                    let graph = &program.graph;
                    let users = graph.outputs.iter().chain(graph.inputs.last());
                    let dtype =
                        |value: &Argument| graph.tensor_values[value.value_name().unwrap()].dtype;
                    users.map(dtype).collect::<Vec<_>>()
                });
            assert_eq!(before, after, "{name} {scheme}");
            succeeds(&folder, &["compile", "q.pt2", "-o", "q.pte"]);
            for file in ["q.pt2", "q.pte"] {
                succeeds(&folder, &["run", file, "--expect", &golden, "--sqnr", "25"]);
            }
        }
    }
}

/// What became of a case.
enum Came {
    /// The families that were written.
    Back(BTreeSet<&'static str>),
    Refused(ExportError),
}

/// Each node is in calls of modules that the original program has, from the root on, and the nodes of a call are next to each other. A
/// dequantisation is in the call that reads it.
fn modules_are_kept(original: &ExportedProgram, written: &ExportedProgram, name: &str) {
    let of = |calls: &[ModuleCall]| -> Vec<(String, String)> {
        let pairs = calls.iter();
        pairs
            .map(|call| (call.path.clone(), call.type_name.clone()))
            .collect()
    };
    let mut known = BTreeSet::new();
    stacks(&original.graph, &mut |calls| {
        (0..=calls.len()).for_each(|depth| {
            known.insert(of(&calls[..depth]));
        });
    });
    let is_told = known.len() > 1;
    let (mut open, mut ended) = (Vec::<(String, u32)>::new(), BTreeSet::new());
    for node in &written.graph.nodes {
        let calls = &node.metadata.modules;
        assert!(calls[0].path.is_empty(), "{name}: {node:?}");
        assert!(!is_told || known.contains(&of(calls)), "{name}: {node:?}");
        let entered: Vec<_> = calls
            .iter()
            .map(|call| (call.path.clone(), call.number))
            .collect();
        let same = open
            .iter()
            .zip(&entered)
            .take_while(|(a, b)| a == b)
            .count();
        ended.extend(open.drain(same..));
        let again = entered.iter().find(|call| ended.contains(*call));
        assert_eq!(again, None, "{name}: {node:?}");
        open = entered;
    }
    assert_eq!(written.modules, original.modules, "{name}");
    for (i, node) in written.graph.nodes.iter().enumerate() {
        if !node.target.contains(".dequantize_") {
            continue;
        }
        let mut behind = written.graph.nodes[i..].iter();
        let reads = |reader: &pt2::Node| {
            let mut inputs = reader.inputs.iter();
            inputs.any(|input| input.arg.value_name() == node.outputs[0].value_name())
        };
        if let Some(reader) = behind.find(|reader| reads(reader)) {
            let [own, readers] = [node, reader].map(|node| &node.metadata.modules);
            assert_eq!(own, readers, "{name}: {node:?}");
        }
    }
}

/// The calls of modules of all nodes, also those in nested graphs.
fn stacks(graph: &kiln_pt2::Graph, see: &mut impl FnMut(&[ModuleCall])) {
    for node in &graph.nodes {
        see(&node.metadata.modules);
        for input in &node.inputs {
            if let Argument::Graph(nested) = &input.arg {
                stacks(&nested.graph, see);
            }
        }
    }
}

/// Writes the graph of floats and reads it again: both compute the same bits.
fn there_and_back(path: &Path, golden: &Path) -> Option<Came> {
    let archive = Archive::open(path).ok()?;
    let graph = import_archive(&archive, "forward", ImportOptions::default()).ok()?;
    let program = archive.program().unwrap();
    let exported = match export(&graph, &program) {
        Ok(exported) => exported,
        Err(error) => return Some(Came::Refused(error)),
    };
    let name = path.display();
    modules_are_kept(&program, &exported.program, &name.to_string());
    let leaves = archive.sample_inputs().unwrap();
    let bytes = exported.write(Vec::new(), "m", leaves).unwrap();
    let written = Archive::from_bytes(bytes.into()).unwrap();
    let again = import_archive(&written, "forward", ImportOptions::default());
    let again = again.unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let golden = Runs::read(golden).unwrap();
    let runs = golden.count().min(2);
    let [a, b] = [&graph, &again].map(|graph| run_graph(graph, &golden, runs).unwrap());
    for role in [Role::Output, Role::InputAfter] {
        for (run, position, data) in a.all(role) {
            let other = b.get(run, role, position).unwrap();
            assert_eq!(data.sizes(), other.sizes(), "{name}: {run}, {position}");
            assert_eq!(data.bytes(), other.bytes(), "{name}: {run}, {position}");
        }
    }
    Some(Came::Back(exported.families))
}

/// A program of a graph that no exporter made: its inputs are tensors.
fn program_of(graph: &Graph) -> ExportedProgram {
    let text = r#"{"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}}, "signature":
        {"input_specs": [], "output_specs": []}, "module_call_graph": []}, "opset_version": {"aten": 10}, "range_constraints": {},
        "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.15.0", "guards_code": []}"#;
    let mut program = ExportedProgram::parse(text.as_bytes()).unwrap();
    for (i, input) in graph.signature.inputs.iter().enumerate() {
        let argument = match input {
            InputSpec::Tensor { .. } => Argument::Tensor(format!("input_{i}")),
            other => panic!("an input is {other:?}"),
        };
        program.graph.inputs.push(argument.clone());
        let spec = kiln_pt2::InputSpec::UserInput { arg: argument };
        program.signature.input_specs.push(spec);
    }
    for (_, symbol) in graph.symbols.iter() {
        let range = RangeConstraint {
            min: Some(symbol.min),
            max: symbol.max,
        };
        program.range_constraints.insert(symbol.name.clone(), range);
    }
    program
}

const STATES: &str = r#"graph "forward" {
  constant c0 "" f32[2] = [5.0, 6.0]
  state m0 "a" f32[2] = c0
  state m1 "b" f32[2] = c0
  state m2 "c" f32[2] = c0
  state m3 "d" f32[2] = c0
  state m4 "e" f32[2] = c0
  state m5 "y" f32[2] = input 1
  input tensor "x" [0]
  input tensor "y" [0]
  output tensor
  block b0 (%0 "x": f32[2], %1 "y": f32[2]) {
    %2: f32[2] = read_state {cell=m0}
    %3: f32[2] = binary %2, %0 {f=add}
    %4: f32[2] = read_state {cell=m1}
    %5: f32[2] = read_state {cell=m2}
    %6: f32[2] = binary %4, %5 {f=mul}
    return %6
  }
  update m0 = %4
  update m1 = %2
  update m2 = %3
  update m3 = %3
  update m4 = %1
  update m5 = %0
}
"#;

/// `torch.export.unflatten` changes a state right behind the node that computes its new content, and knows one state for a node.
#[test]
fn states_change_when_they_are_read() {
    let graph = kiln_ir::text::parse(STATES).unwrap();
    let program = export(&graph, &program_of(&graph)).unwrap().program;
    let nodes = &program.graph.nodes;
    let is = |argument: &Argument, name: &str| argument.value_name() == Some(name);
    let mut places = BTreeSet::new();
    for spec in &program.signature.output_specs {
        let (content, state) = match spec {
            OutputSpec::BufferMutation { name, fqn } => {
                let mut specs = program.signature.input_specs.iter();
                let buffer = specs.find_map(|spec| match spec {
                    pt2::InputSpec::Buffer { name, fqn: own, .. } if own == fqn => Some(name),
                    _ => None,
                });
                (name, buffer.unwrap())
            }
            OutputSpec::UserInputMutation { name, input } => (name, input),
            _ => continue,
        };
        let mut computes = nodes
            .iter()
            .map(|node| node.outputs.iter().any(|x| is(x, content)));
        let place = computes.position(|is_it| is_it).unwrap();
        assert!(
            places.insert(place),
            "{content} is the content of two states"
        );
        let mut behind = nodes[place..].iter().flat_map(|node| &node.inputs);
        assert!(
            !behind.any(|input| is(&input.arg, state)),
            "{state} is read behind {content}"
        );
    }
    assert_eq!(places.len(), 6);
}

/// Writes a random graph and reads it again. Gives the families that were written; `None` if it is refused.
fn random_there_and_back(seed: u64) -> Result<Option<BTreeSet<&'static str>>, String> {
    let recipe = if seed.is_multiple_of(2) {
        Recipe::ANY
    } else {
        Recipe::DENSE
    };
    let graph = generate(seed, &recipe);
    let Ok(exported) = export(&graph, &program_of(&graph)) else {
        return Ok(None);
    };
    let bytes = exported.write(Vec::new(), "m", None).unwrap();
    let archive = Archive::from_bytes(bytes.into()).unwrap();
    let again = import_archive(&archive, "random", ImportOptions::default());
    let again = again.map_err(|error| format!("seed {seed}: {error:#}"))?;
    for situation in situations(&graph) {
        let Some(inputs) = inputs(&graph, situation, seed) else {
            continue;
        };
        let (Ok(before), Ok(after)) = (run(&graph, &inputs), run(&again, &inputs)) else {
            continue;
        };
        let sides = [(&graph, &before), (&again, &after)].map(|(graph, ran)| Side { graph, ran });
        let found = difference(sides[0], sides[1], &inputs, Close::Bits);
        if let Some(found) = found {
            return Err(format!("seed {seed}, {situation:?}: {found:?}"));
        }
    }
    Ok(Some(exported.families))
}

#[test]
fn random_graphs_come_back() {
    let (mut written, mut families, mut faults) = (0, BTreeSet::new(), Vec::new());
    for seed in 0..1500 {
        match random_there_and_back(seed) {
            Ok(Some(found)) => {
                written += 1;
                families.extend(found);
            }
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults: {}",
        faults.len(),
        faults.join("\n")
    );
    println!("{written} of 1500 random graphs came back; families: {families:?}");
    assert!(written > 700, "{written}");
    let missing: Vec<_> = ["reverse", "distances", "scatter", "grid_sample"]
        .iter()
        .filter(|name| !families.contains(**name))
        .collect();
    assert!(missing.is_empty(), "no graph has {missing:?}");
}

/// Families with a writer that the corpus has. Random graphs have the others. Those of quantisation are in the other tests.
const WRITTEN: [&str; 33] = [
    "move",
    "broadcast",
    "slice",
    "pad",
    "concat",
    "slice_update",
    "binary",
    "compare",
    "select",
    "cast",
    "unary",
    "matmul",
    "linear",
    "conv",
    "reduce",
    "arg_reduce",
    "scan",
    "sort",
    "top_k",
    "index",
    "index_put",
    "gather",
    "softmax",
    "normalize",
    "attention",
    "pool",
    "adaptive_pool",
    "resize",
    "iota",
    "dim_value",
    "read_state",
    "constant",
    "bind_symbol",
];

#[test]
fn graphs_of_floats_come_back() {
    let corpus = Corpus::open().unwrap();
    let (mut written, mut refused, mut families) = (0, Vec::new(), BTreeSet::new());
    for suite in ["models_small", "ops_fp32", "dynamic", "archives", "tosa_fp"] {
        let suite = corpus.suite(suite).unwrap();
        let files: Vec<PathBuf> = suite.files("pt2");
        for path in files {
            match there_and_back(&path, &path.with_extension("safetensors")) {
                Some(Came::Back(found)) => {
                    written += 1;
                    families.extend(found);
                }
                Some(Came::Refused(error)) => refused.push(format!("{}: {error}", path.display())),
                None => {}
            }
        }
    }
    println!(
        "{written} cases came back, {} are refused; families: {families:?}",
        refused.len()
    );
    refused
        .iter()
        .for_each(|refusal| println!("refused: {refusal}"));
    assert!(
        written > 300 && refused.len() * 12 < written,
        "{written}, {refused:?}"
    );
    let missing: Vec<&&str> = WRITTEN
        .iter()
        .filter(|name| !families.contains(**name))
        .collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
}

/// Padding that differs between the sides is added before an image is rounded, so that the convolution computes in integers. Parameters
/// keep their names, also those that are no variables of Python, and a batch norm of default statistics is no obstacle.
#[test]
fn uneven_padding_and_odd_names_are_kept() {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/uneven");
    let [model, golden] = ["pt2", "safetensors"].map(|end| format!("{own}.{end}"));
    let folder = Folder::with("empty", "");
    succeeds(
        &folder,
        &["quantize", &model, "--scheme", "dynamic", "-o", "q.pt2"],
    );
    let found = report(&folder, &["compile", "q.pt2", "-o", "q.pte"]);
    let method = &found["methods"][0];
    assert_eq!(method["delegates"], 1);
    assert_eq!(
        method["kernel_calls"].as_object().unwrap().len(),
        0,
        "{method}"
    );
    let nodes = method["nodes"].as_array().unwrap();
    let layers = nodes.iter().filter(|node| node["function"] == "conv");
    let computes: Vec<&str> = layers
        .map(|node| node["computes"].as_str().unwrap())
        .collect();
    assert_eq!(computes.len(), 2);
    assert!(
        computes.iter().all(|text| text.contains("i8")),
        "{computes:?}"
    );
    succeeds(
        &folder,
        &["run", "q.pte", "--expect", &golden, "--sqnr", "30"],
    );
    let archive = Archive::open(folder.path("q.pt2")).unwrap();
    let original = Archive::open(&model).unwrap();
    for name in ["a-b", "a_b"] {
        let name = format!("layers.{name}.bias");
        let [kept, given] =
            [&archive, &original].map(|of| of.tensor(&name).unwrap().to_contiguous());
        assert_eq!(kept, given, "{name}");
    }
}
