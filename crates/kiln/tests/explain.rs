//! `kiln explain` and the budgets of `kiln compile`, as text and as JSON.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod explained;
mod folder;

use explained::{MODEL, page};
use folder::Folder as Trial;
use kiln_testing::corpus::Corpus;
use serde_json::Value;

#[test]
fn text_names_what_no_delegate_took_and_the_users_line() {
    let text = Trial::new().stdout(&["explain", "model.kiln"]);
    for part in [
        "1 delegate, 1 kernel call,",
        "bytes planned (at least",
        "Not in a delegate (1 node)",
        "embedding [kernel] in tokens: model.py:7 in forward: x = self.tokens(ids)",
        "found embedding",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// Rows of two unknown sizes are joined as rows, so a delegate would have to split them again.
const DIVIDED: &str = r#"
graph "forward" {
  symbol s in 1..=4 like 2
  symbol t in 1..=8 like 3
  input tensor "x" [0, 1, 2]
  output tensor
  block b0 (%0 "x": f32[s, t, 8]) {
    %1: f32[s, t, 8] = unary %0 {f=tanh}
    %2: f32[s*t, 8] = move %1 {movement=(a:{s} b:{t} c:8 -> (a b) c)}
    %3: f32[s*t, 8] = unary %2 {f=abs}
    %4: f32[s*t, 16] = concat %2, %3 {axis=1}
    %5: f32[s, t, 16] = move %4 {movement=((a:{s} b:{t}) c:16 -> a b c)}
    %6: f32[s, t, 16] = unary %5 {f=tanh}
    return %6
  }
}
"#;

#[test]
fn text_names_a_view_that_divides_delegates() {
    let text = Trial::with("model.kiln", DIVIDED).stdout(&["explain", "model.kiln"]);
    for part in [
        "2 delegates, 0 kernel calls,",
        "Not in a delegate (1 node)",
        "found [s*t, 16] to [s, t, 16]",
        "- view [free]",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// A node without a line of the user's has its operator, behind the module.
#[test]
fn text_names_a_module_once() {
    let model = MODEL.replace("model.py:7 in forward: x = self.tokens(ids)", "");
    let text = Trial::with("model.kiln", &model).stdout(&["explain", "model.kiln"]);
    let line = "- embedding [kernel] in tokens: aten.embedding.default\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn text_says_what_is_paid_beside_the_models_own_ops() {
    let text = Trial::new().stdout(&["explain", "model.kiln"]);
    for part in [
        "1 copy of 48 bytes in all, to reorder elements: exp (48 bytes)",
        "that keep NaN and infinity as in PyTorch (--fast-nan leaves them out)",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let fast = Trial::new().stdout(&["explain", "model.kiln", "--fast-nan"]);
    assert!(!fast.contains("--fast-nan leaves them out"), "{fast}");
}

/// The costs are data too, and the page has them.
#[test]
fn costs_are_in_the_report_and_on_the_page() {
    let trial = Trial::new();
    let json = trial.stdout(&["explain", "model.kiln", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let costs = json["methods"][0]["costs"].as_array().unwrap();
    let found = |kind: &str| costs.iter().find(|cost| cost["kind"] == kind).unwrap();
    assert_eq!(found("copies")["bytes"], 48);
    assert_eq!(found("copies")["nodes"][0], "exp");
    let guards = found("guards_for_nan");
    assert_eq!(guards["advice"], "--fast-nan leaves them out");
    // What is left without guards is what they are counted beside.
    let operators = |options: &[&str]| {
        trial.stdout(&[&["compile", "model.kiln", "-o", "m.pte"], options].concat());
        let inspected = trial.stdout(&["inspect", "m.pte", "--json"]);
        let inspected: Value = serde_json::from_str(&inspected).unwrap();
        let nodes = &inspected["methods"][0]["delegates"][0]["nodes"];
        let counts = nodes.as_object().unwrap().values();
        counts.map(|n| n.as_u64().unwrap()).sum::<u64>()
    };
    let (all, without) = (operators(&[]), operators(&["--fast-nan"]));
    assert_eq!(guards["of"], all);
    assert_eq!(guards["count"], all - without);
    let page = page(&trial);
    for cost in costs {
        let text = cost["text"].as_str().unwrap();
        assert!(page.contains(text), "no {text:?} on the page");
    }
}

#[test]
fn text_ends_with_the_share_of_each_module() {
    let text = Trial::new().stdout(&["explain", "model.kiln"]);
    let (_, table) = text
        .split_once("By module (the time is an estimate):")
        .unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let costs = |module: &str| {
        let row = rows.iter().find(|row| row.first() == Some(&module));
        row.unwrap_or_else(|| panic!("no {module} in\n{table}"))[1..5].to_vec()
    };
    assert_eq!(costs("tokens"), ["1", "1", "0", "80"]);
    assert_eq!(costs("head"), ["3", "0", "48", "64"]);
    let shares: Vec<u32> = rows
        .iter()
        .filter_map(|row| row.get(5)?.parse().ok())
        .collect();
    assert!((99..=101).contains(&shares.iter().sum::<u32>()), "{table}");
}

/// Pass counts and declined rewrites are for those who look for them.
#[test]
fn internals_are_said_on_demand() {
    const LESS: &str = r#"graph "forward" {
  input tensor "x" [0]
  input tensor "y" [0]
  output tensor
  block b0 (%0 "x": f32[4], %1 "y": i16[4]) {
    %2: f32[4] = binary %0, %0 {f=add}
    %3: f32[4] = cast %1 {to=f32}
    %4: f32[4] = binary %2, %3 {f=add}
    return %4
  }
}
"#;
    let trial = Trial::with("model.kiln", LESS);
    let explain = |more: &[&str]| trial.stdout(&[&["explain", "model.kiln"], more].concat());
    for part in ["    passes: ", "Rewrites declined ("] {
        assert!(!explain(&[]).contains(part), "{part:?} without --verbose");
        assert!(explain(&["--verbose"]).contains(part), "no {part:?}");
    }
}

#[test]
fn nodes_have_functions_and_modules_as_data() {
    let json = Trial::new().stdout(&["explain", "model.kiln", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let nodes = json["methods"][0]["nodes"].as_array().unwrap();
    let found = |name: &str| nodes.iter().find(|node| node["name"] == name).unwrap();
    assert_eq!(found("exp")["function"], "exp");
    assert_eq!(found("exp")["op"], "unary");
    assert_eq!(found("embedding")["module"], "tokens");
    assert_eq!(found("linear")["multiply_adds"], 3 * 4 * 4);
    let shares = nodes.iter().map(|n| n["estimated_share"].as_f64().unwrap());
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9);
}

/// A clamp behind a layer is part of the layer's operator, but a call of its own where kernels of the runtime compute both.
#[test]
fn fused_clamps_take_no_time() {
    let clamped = MODEL.replace("unary %4 {f=exp}", "unary %4 {f=clamp[0, 6]}");
    let trial = Trial::with("model.kiln", &clamped.replace("\"exp\"", "\"relu6\""));
    let share = |model: &str, target: &str, function: &str| {
        let json = trial.stdout(&["explain", model, "--json", "--target", target]);
        let json: Value = serde_json::from_str(&json).unwrap();
        let nodes = json["methods"][0]["nodes"].as_array().unwrap().clone();
        let shares = nodes.iter().filter(|node| node["function"] == function);
        let shares = shares.map(|node| node["estimated_share"].as_f64().unwrap());
        shares.fold(None, |sum: Option<f64>, share| {
            Some(sum.unwrap_or(0.0) + share)
        })
    };
    assert_eq!(share("model.kiln", "xnnpack", "clamp"), Some(0.0));
    assert!(share("model.kiln", "portable", "clamp") > Some(0.0));
    let suite = Corpus::open().unwrap().suite("quantised_small").unwrap();
    let model = suite.case("mv2_025_96_q").unwrap().file("pt2");
    let model = model.to_str().unwrap();
    assert_eq!(share(model, "cortex-m4", "clamp"), Some(0.0));
    assert!(share(model, "cortex-m4", "conv") > Some(0.8));
}

/// A buffer that is kept is read before the call writes it: a kernel that no node asks for.
#[test]
fn text_lists_calls_that_no_node_asked_for() {
    let trial = Trial::new();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/cache.pt2");
    let text = trial.stdout(&["explain", archive]);
    let json = trial.stdout(&["explain", archive, "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let added = json["methods"][0]["added_kernel_calls"]
        .as_object()
        .unwrap();
    assert!(!added.is_empty(), "{text}");
    assert!(
        text.contains("Added for the method's inputs, outputs and state ("),
        "{text}"
    );
    for (kernel, count) in added {
        assert!(
            text.contains(&format!("    - {count} x {kernel}\n")),
            "{text}"
        );
    }
}

#[test]
fn json_is_the_report_of_compile() {
    let trial = Trial::new();
    let explained: Value =
        serde_json::from_str(&trial.stdout(&["explain", "model.kiln", "--json"])).unwrap();
    trial.stdout(&["compile", "model.kiln", "-o", "m.pte", "--report", "r.json"]);
    let report = std::fs::read_to_string(trial.path("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let untimed = |mut value: Value| {
        for pass in value["methods"][0]["passes"].as_array_mut().unwrap() {
            pass["ms"] = Value::Null;
        }
        value
    };
    let size = std::fs::metadata(trial.path("m.pte")).unwrap().len();
    assert_eq!(explained["size"], size);
    let (explained, report) = (untimed(explained), untimed(report));
    assert_eq!(explained, report);
    let method = &explained["methods"][0];
    for key in [
        "name",
        "delegates",
        "kernel_calls",
        "planned_bytes",
        "planned_lower_bound",
        "transposed_bytes",
        "passes",
    ] {
        assert!(!method[key].is_null(), "{key}");
    }
    for node in method["nodes"].as_array().unwrap() {
        assert!(
            node["placed"].is_string() && node["why"].is_string(),
            "{node}"
        );
        if node["placed"] == "kernel" {
            assert!(
                node["reason"].is_string() && node["allowed"].is_string(),
                "{node}"
            );
        }
    }
}

#[test]
fn a_broken_budget_names_the_nodes_and_leaves_no_file() {
    let trial = Trial::new();
    for (budget, parts) in [
        (
            "--max-kernel-calls",
            [
                "1 kernel call, the budget is 0",
                "embedding: 1 call",
                "model.py:7",
            ],
        ),
        (
            "--max-delegates",
            [
                "1 delegate, the budget is 0",
                "delegate 0: 3 nodes, the first is linear",
                "found embedding",
            ],
        ),
        (
            "--max-arena",
            [
                "bytes, the budget is 0; no plan of these calls in this order needs less",
                "embedding: 48 bytes of f32[3, 4], made by aten::index.Tensor_out of embedding",
                "model.py:7",
            ],
        ),
    ] {
        let output = trial.kiln(&["compile", "model.kiln", "-o", "m.pte", budget, "0"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(!trial.path("m.pte").exists());
        assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "no {part:?} in\n{stderr}");
        }
        trial.stdout(&["compile", "model.kiln", "-o", "m.pte", budget, "100000"]);
        std::fs::remove_file(trial.path("m.pte")).unwrap();
    }
}

const CONV: &str = r#"graph "forward" {
  constant c0 "w" f32[3, 3, 3, 3] = splat 0.5
  input tensor "image" [0, 1, 2, 3]
  output tensor
  source l0 "conv2d" "aten.conv2d.default" "body" "net.py:9 in forward: x = self.body(x)"
  block b0 (%0 "image": f32[1, 3, 8, 8]) {
    %1: f32[3, 3, 3, 3] = constant {value=c0}
    %2: f32[1, 3, 6, 6] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]} @ l0
    return %2
  }
}
"#;

/// Updates of a buffer are kernel calls, too.
#[test]
fn kernel_calls_are_named_to_the_last() {
    adds_up(STATE, 2);
    let steps = (1..20).map(|i| format!("    %{i}: f32[4] = unary %{} {{f=exp}}\n", i - 1));
    let chain = CHAIN.replace("    STEPS\n", &steps.collect::<String>());
    let said = adds_up(&chain, 19);
    assert!(said.contains("8 more nodes"), "{said}");
}

/// Checks that the message about an exceeded budget counts all kernel calls, and that there are at least `least`.
fn adds_up(model: &str, least: usize) -> String {
    let trial = Trial::with("m.kiln", model);
    let compile = ["compile", "m.kiln", "-o", "m.pte", "--target", "portable"];
    let output = trial.kiln(&[&compile[..], &["--max-kernel-calls", "0"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    let number = |text: &str| text.trim().parse::<usize>().unwrap();
    let (_, found) = said.split_once("method forward: ").unwrap();
    let all = number(found.split_once(" kernel call").unwrap().0);
    let listed = said.lines().skip(1).map(|line| {
        let (before, _) = line.split_once(" call").unwrap();
        number(before.rsplit_once(": ").unwrap().1)
    });
    assert!(all >= least, "{said}");
    assert_eq!(listed.sum::<usize>(), all, "{said}");
    said
}

const CHAIN: &str = r#"graph "forward" {
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[4]) {
    STEPS
    return %19
  }
}
"#;

const STATE: &str = r#"graph "forward" {
  constant c0 "start" f32[4] = splat 0
  state m0 "sum" f32[4] = c0
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[4]) {
    %1: f32[4] = read_state {cell=m0}
    %2: f32[4] = binary %0, %1 {f=add}
    %3: f32[4] = unary %2 {f=exp}
    return %3
  }
  update m0 = %2
}
"#;

#[test]
fn over_budget_the_report_is_left_and_names_what_lowering_moves() {
    let trial = Trial::new();
    std::fs::write(trial.path("conv.kiln"), CONV).unwrap();
    for target in ["xnnpack", "tosa-fp"] {
        let compile = ["compile", "conv.kiln", "-o", "c.out", "--target", target];
        let limit = ["--max-transposed-bytes", "0", "--report", "r.json"];
        let output = trial.kiln(&[&compile[..], &limit[..]].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("net.py:9"), "{target}: {stderr}");
        assert!(!trial.path("c.out").exists());
        let report = std::fs::read_to_string(trial.path("r.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let method = &report["methods"][0];
        assert!(method["transposed_bytes"].as_u64().unwrap() > 0, "{target}");
        std::fs::remove_file(trial.path("r.json")).unwrap();
    }
    let arena = trial.kiln(&["compile", "conv.kiln", "-o", "c.pte", "--max-arena", "0"]);
    let stderr = String::from_utf8(arena.stderr).unwrap();
    assert!(
        stderr.contains("input image: 768 bytes of f32[1, 3, 8, 8]"),
        "{stderr}"
    );
}

const REFUSED: &str = r#"graph "forward" {
  constant c0 "start" f32[4] = splat 0
  state m0 "a.0.k" f32[4] = c0
  input tensor "x" [0]
  output tensor
  output tensor
  source l0 "double" "aten.to.dtype" "" "net.py:3 in forward: x = x.double()"
  source l1 "exp" "aten.exp.default" "" "net.py:4 in forward: return x.exp()"
  source l2 "a.0.k" "buffer" "" ""
  block b0 (%0 "x": f32[4]) {
    %1: f32[4] = read_state {cell=m0} @ l2
    %2: f64[4] = cast %0 {to=f64} @ l0
    %3: f64[4] = unary %2 {f=exp} @ l1
    %4: f64[4] = unary %3 {f=exp} @ l1
    return %1, %4
  }
  update m0 = %0
}
"#;

#[test]
fn every_node_that_the_target_refuses_is_named() {
    let trial = Trial::new();
    std::fs::write(trial.path("refused.kiln"), REFUSED).unwrap();
    let output = trial.kiln(&["explain", "refused.kiln", "--target", "tosa-fp"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    for part in [
        "4 nodes cannot be compiled",
        "a TOSA file keeps no state; found buffer a.0.k",
        "double (to): TOSA has no 64-bit floats",
        "found f64; export the model in float32 (net.py:4 in forward: return x.exp()), and 1 more node like it",
    ] {
        assert!(stderr.contains(part), "no {part:?} in\n{stderr}");
    }
}

#[test]
fn verify_says_what_it_checked_and_tosa_int_warns_of_floats() {
    let trial = Trial::new();
    let verified = trial.kiln(&["compile", "model.kiln", "-o", "m.pte", "--verify"]);
    let stderr = String::from_utf8(verified.stderr).unwrap();
    assert!(
        stderr.contains("verified: ") && stderr.contains(" passes,"),
        "{stderr}"
    );
    assert!(!stderr.contains("warning"), "{stderr}");
    let floats = trial.kiln(&[
        "compile",
        "model.kiln",
        "-o",
        "m.tosa",
        "--target",
        "tosa-int",
    ]);
    let stderr = String::from_utf8(floats.stderr).unwrap();
    assert!(
        stderr.contains("warning: the model has no quantised activations"),
        "{stderr}"
    );
}

#[test]
fn passes_end_after_an_application() {
    let trial = Trial::new();
    let plain = trial.stdout(&[
        "opt",
        "model.kiln",
        "--passes",
        "decompose",
        "--stop-after",
        "decompose:0",
    ]);
    assert!(plain.contains("= linear"), "{plain}");
    trial.stdout(&["opt", "model.kiln", "--verify"]);
    let unknown = trial.kiln(&[
        "compile",
        "model.kiln",
        "-o",
        "m.pte",
        "--stop-after",
        "nothing",
    ]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn list_names_the_passes() {
    let trial = Trial::new();
    let all = trial.stdout(&["opt", "model.kiln", "--passes", "list"]);
    let own = trial.stdout(&["opt", "model.kiln", "--stop-after", "list"]);
    let compiled = [
        "compile",
        "model.kiln",
        "-o",
        "m.pte",
        "--stop-after",
        "list",
    ];
    assert_eq!(trial.stdout(&compiled), own);
    assert!(!trial.path("m.pte").exists());
    assert!(
        own.starts_with("raise_quantisation\nsigned_integers\nlive_scales\ncentred_weights\nfold_quantised\nfold_dequantised\nwiden_integers\nclean\n"),
        "{own}"
    );
    assert_eq!(own.matches("clean").count(), 1, "{own}");
    assert!(
        own.lines().all(|name| all.lines().any(|n| n == name)),
        "{all}"
    );
}

/// For kernels of integers, what a model quantises as it runs is one reason with one remedy: to quantise it statically.
#[test]
fn steps_that_are_found_at_run_time_have_one_remedy() {
    let trial = Trial::new();
    let suite = Corpus::open().unwrap().suite("quantised_small").unwrap();
    let path = suite.case("deep_autoencoder_qd").unwrap().file("pt2");
    let text = trial.stdout(&["explain", path.to_str().unwrap(), "--target", "cortex-m4"]);
    let reason = "kernels of integers take steps that are known before the program runs; \
                  found steps that it finds as it runs (dynamic quantisation)";
    for part in [
        reason,
        "what to do: quantise statically",
        "found steps of operand 0 of linear that are computed at run time",
    ] {
        assert_eq!(text.matches(part).count(), 1, "{part:?} in\n{text}");
    }
    assert_eq!(text.matches("what to do: quantise").count(), 1, "{text}");
}

/// Why a node of a quantised model stays in floats, for kernels of integers: which of its operands and results is not quantised.
#[test]
fn floats_of_a_quantised_model_have_their_cause() {
    let trial = Trial::new();
    let suite = Corpus::open().unwrap().suite("cortex_m").unwrap();
    for (name, cause, advice) in [
        (
            "nn_modules_hardsigmoid",
            "found a result in floats, read by hardsigmoid",
            "what to do: quantise its result before the export",
        ),
        (
            "nn_modules_hardsigmoid",
            "found operand 0 in floats, made by linear",
            "what to do: quantise that operand before the export",
        ),
        (
            "conv_transpose_conv_transpose2d_output_padding_asym",
            "found a weight in floats",
            "what to do: quantise the weight before the export",
        ),
    ] {
        let path = suite
            .case(name)
            .unwrap_or_else(|| panic!("{name}"))
            .file("pt2");
        let text = trial.stdout(&["explain", path.to_str().unwrap(), "--target", "cortex-m4"]);
        for part in [cause, advice] {
            assert!(text.contains(part), "{name}: no {part:?} in\n{text}");
        }
        // Quantisations at the border are where they should be.
        assert!(!text.contains("found quantize"), "{name}: {text}");
    }
}
