//! `kiln explain` and the budgets of `kiln compile`, on a graph of which a delegate takes all but a look-up.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder as Trial;
use kiln_testing::corpus::Corpus;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const MODEL: &str = r#"graph "forward" {
  constant c0 "table" f32[5, 4] = splat 0.5
  constant c1 "w" f32[4, 4] = splat 0.25
  input tensor "ids" [0]
  output tensor
  source l0 "embedding" "aten.embedding.default" "tokens" "model.py:7 in forward: x = self.tokens(ids)"
  source l1 "linear" "aten.linear.default" "head" ""
  source l2 "exp" "aten.exp.default" "head" ""
  block b0 (%0 "ids": i64[3]) {
    %1: f32[5, 4] = constant {value=c0}
    %2: f32[4, 4] = constant {value=c1}
    %3: f32[3, 4] = index %1, %0 {axis=0, from_start=false} @ l0
    %4: f32[3, 4] = linear %3, %2 {} @ l1
    %5: f32[3, 4] = unary %4 {f=exp} @ l2
    %6: f32[4, 3] = move %5 {movement=(a:3 b:4 -> b a)} @ l2
    return %6
  }
}
"#;

impl Trial {
    fn new() -> Trial {
        Trial::with("model.kiln", MODEL)
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.kiln(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

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
  block b0 (%0 "x": f32[4], %1 "y": f32[4]) {
    %2: f32[4] = binary %0, %1 {f=add}
    %3: f32[4] = binary %2, %1 {f=add}
    %4: bool[4] = compare %3, %1 {f=lt}
    %5: f32[4] = cast %4 {to=f32}
    return %5
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
    return %1, %3
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
        "3 nodes cannot be compiled",
        "a TOSA file keeps no state; found buffer a.0.k",
        "double (cast): TOSA has no 64-bit floats",
        "net.py:4",
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
        stderr.contains("warning: the model has no quantised values"),
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
        own.starts_with("signed_integers\nlive_scales\nfold_quantised\nfold_dequantised\nwiden_integers\nclean\n"),
        "{own}"
    );
    assert_eq!(own.matches("clean").count(), 1, "{own}");
    assert!(
        own.lines().all(|name| all.lines().any(|n| n == name)),
        "{all}"
    );
}

fn page(trial: &Trial) -> String {
    trial.stdout(&["explain", "model.kiln", "--html", "page.html"]);
    std::fs::read_to_string(trial.path("page.html")).unwrap()
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page(&Trial::new());
    // The only address is the namespace of SVG, which no browser fetches.
    let addresses = page.matches("://").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
    for outside in ["<link", "src=", "@import", "url(", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let nodes = data["methods"][0]["nodes"].as_array().unwrap();
    assert!(
        nodes
            .iter()
            .any(|n| n["kind"] == "kernel" && n["source"].is_string())
    );
    assert!(nodes.iter().any(|n| n["kind"] == "delegate"));
}

/// What the browser makes of the page after `script` has run in it, in a window of this width.
fn shown(browser: &Path, trial: &Trial, page: &str, width: u32, script: &str) -> String {
    let page = page.replace("</body>", &format!("<script>{script}</script></body>"));
    let file = trial.path("tried.html");
    std::fs::write(&file, page).unwrap();
    let profile = format!("--user-data-dir={}", trial.path("profile").display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            &profile,
            &format!("--window-size={width},900"),
            "--dump-dom",
        ])
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const WIDE: u32 = 1400;

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let page = page(&trial);
    let dom = shown(&browser, &trial, &page, WIDE, "");
    assert!(
        dom.contains("<p>1 delegate; 1 × aten::index.Tensor_out; "),
        "{dom}"
    );
    assert!(dom.contains("<h2>Not in a delegate</h2>"), "{dom}");
    assert!(
        dom.contains("<h2>Beside the model's own ops</h2><ul><li>"),
        "{dom}"
    );
    let click =
        "document.querySelectorAll('g[data-node]')[1].dispatchEvent(new MouseEvent('click'));";
    let dom = shown(&browser, &trial, &page, WIDE, click);
    assert!(
        dom.contains("<dd>model.py:7 in forward: x = self.tokens(ids)</dd>"),
        "{dom}"
    );
    assert!(dom.contains("found embedding</dd>"), "{dom}");
    let search = "const box_ = document.getElementById('search'); box_.value = 'linear';\
                  box_.dispatchEvent(new Event('input'));";
    let dom = shown(&browser, &trial, &page, WIDE, search);
    assert!(dom.contains("<span id=\"found\">1 found</span>"), "{dom}");
    assert!(dom.contains("<dd>linear</dd>"), "{dom}");
    assert!(dom.contains("<dd>48 multiply-adds</dd>"), "{dom}");
}

/// A module that is closed in the tree is one box of the graph, and opens when a node inside is looked for.
#[test]
fn modules_close_to_boxes() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let page = page(&trial);
    let boxes = |dom: &str| dom.matches("class=\"item module").count();
    assert_eq!(boxes(&shown(&browser, &trial, &page, WIDE, "")), 0);
    let close = "document.querySelector('[aria-label=\"close head\"]').click();";
    let closed = shown(&browser, &trial, &page, WIDE, close);
    assert_eq!(boxes(&closed), 1, "{closed}");
    assert!(closed.contains("▸ head"), "{closed}");
    let select = format!(
        "{close}document.querySelector('g[data-module]').dispatchEvent(new MouseEvent('click'));"
    );
    let selected = shown(&browser, &trial, &page, WIDE, &select);
    assert!(
        selected.contains("<dt>module</dt><dd>head</dd>"),
        "{selected}"
    );
    assert!(selected.contains("<h2>All in delegates</h2>"), "{selected}");
    let reveal = format!("{close}reveal(method.nodes.findIndex(node => node.name === 'linear'));");
    let revealed = shown(&browser, &trial, &page, WIDE, &reveal);
    assert_eq!(boxes(&revealed), 0, "{revealed}");
}

/// No item lies on another one, arrows go down, and nothing sticks out of a window of this width.
#[test]
fn the_graph_is_readable_at_both_widths() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let checks = "const found = []; \
        items.forEach((a, i) => items.forEach((b, j) => { \
          if (i < j && a.y === b.y && Math.abs(a.x - b.x) < (a.width + b.width) / 2) found.push(`${i} on ${j}`); })); \
        arrows.forEach(({ from, to, path }) => { \
          if (!path.classList.contains('back') && items[from].y >= items[to].y) found.push(`${from} to ${to} up`); }); \
        items.forEach(item => item.group.querySelectorAll('text').forEach(text => { \
          if (text.getComputedTextLength() > item.width) found.push(`long ${text.textContent}`); })); \
        if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window'); \
        document.title = `${items.length} items: ${found.join(', ') || 'fine'}`;";
    for name in ["mobilenet_v3_small", "bert_l4_h256", "ghostnet_100"] {
        let path = suite.case(name).unwrap().file("pt2");
        let model = path.to_str().unwrap();
        trial.stdout(&["explain", model, "--html", "page.html"]);
        let page = std::fs::read_to_string(trial.path("page.html")).unwrap();
        for width in [WIDE, 500] {
            let dom = shown(&browser, &trial, &page, width, checks);
            let (_, title) = dom.split_once("<title>").unwrap();
            let (title, _) = title.split_once("</title>").unwrap();
            let (count, found) = title.split_once(" items: ").unwrap();
            assert!(count.parse::<usize>().unwrap() > 10, "{name}: {title}");
            assert_eq!(found, "fine", "{name} at {width}");
        }
    }
}

/// The page of a model of the corpus for Cortex-M.
fn page_of_project(trial: &Trial) -> String {
    let models = kiln_testing::corpus::Corpus::open().unwrap();
    let models = models.suite("quantised_cm").unwrap();
    let model = models.case("ds_cnn").unwrap().file("pt2");
    let model = model.to_str().unwrap();
    trial.stdout(&[
        "explain",
        model,
        "--target",
        "cortex-m4",
        "--html",
        "page.html",
    ]);
    std::fs::read_to_string(trial.path("page.html")).unwrap()
}

/// The picture of the arena has the buffers that the report has, at the same places.
#[test]
fn the_page_of_a_project_draws_its_arena() {
    let trial = Trial::new();
    let page = page_of_project(&trial);
    let models = kiln_testing::corpus::Corpus::open().unwrap();
    let models = models.suite("quantised_cm").unwrap();
    let model = models.case("ds_cnn").unwrap().file("pt2");
    let model = model.to_str().unwrap();
    let report = trial.stdout(&["explain", model, "--target", "cortex-m4", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let memory = &report["memory"];
    let size = format!(
        "arena {} bytes (line), lower bound of these calls {} (dashes)",
        memory["arena_bytes"], memory["arena_lower_bound"]
    );
    assert!(page.contains(&size), "{size}");
    for buffer in memory["buffers"].as_array().unwrap() {
        let name = buffer["name"].as_str().unwrap();
        let (from, bytes) = (
            buffer["offset"].as_u64().unwrap(),
            buffer["bytes"].as_u64().unwrap(),
        );
        assert!(page.contains(&format!(">{name}</text>")), "{name}");
        // An input and an output are written and read as a whole, outside of the calls.
        let text = format!("{name}: i8[{bytes}]\nbytes {from} to {}", from + bytes);
        let is_whole = ["input", "output"]
            .iter()
            .any(|kind| page.contains(&format!("{kind} {text}")));
        assert!(
            is_whole || page.contains(&format!("value {name}: ")),
            "{text}"
        );
    }
    let kinds =
        ["input", "output"].map(|kind| page.matches(&format!("<g class=\"block {kind}\"")).count());
    assert_eq!(kinds, [1, 1]);
}

#[test]
fn the_arena_is_shown_in_a_browser() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let page = page_of_project(&trial);
    let click = "document.getElementById('which').click();\
                 document.querySelector('.block').dispatchEvent(new MouseEvent('click'));";
    let dom = shown(&browser, &trial, &page, WIDE, click);
    assert!(
        dom.contains("<svg id=\"view\" role=\"img\" aria-label=\"the graph\" viewBox="),
        "{dom}"
    );
    let (_, peak) = dom.split_once("<p id=\"peak\">").unwrap();
    let (peak, _) = peak.split_once("</p>").unwrap();
    assert!(peak.starts_with("input x: i8[490]\nbytes "), "{peak}");
    assert!(
        peak.contains("\n\nMost is held: 9280 bytes at call "),
        "{peak}"
    );
    assert!(dom.contains("<button id=\"which\">graph</button>"), "{dom}");
    // A C project has no delegates.
    assert!(
        dom.contains("<span data-kind=\"delegate\">kernel</span>"),
        "{dom}"
    );
}

/// No text of the picture is smaller than 10 pixels, and none leaves the window.
#[test]
fn the_memory_is_legible_at_both_widths() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let checks = "document.getElementById('which').click(); \
        const texts = [...arena.querySelectorAll('text:not([hidden])')], found = []; \
        texts.forEach(text => { \
          const { a, b } = text.getScreenCTM(), pixels = text.getAttribute('font-size') * Math.hypot(a, b); \
          const { left, right, bottom } = text.getBoundingClientRect(), room = arena.getBoundingClientRect(); \
          if (pixels < 9.99) found.push(`${text.textContent}: ${pixels} pixels`); \
          if (left < room.left - 1 || right > room.right + 1 || bottom > room.bottom + 1) found.push(`${text.textContent} is outside`); }); \
        const of = kind => arena.querySelectorAll(`${kind}:not([hidden])`).length; \
        document.title = `${of('.call')} calls, ${of('.block > text')} names: ${found.join(', ') || 'fine'}`;";
    for page in [page_of_project(&trial), page(&trial)] {
        for width in [WIDE, 500] {
            let dom = shown(&browser, &trial, &page, width, checks);
            let (_, title) = dom.split_once("<title>").unwrap();
            let (title, _) = title.split_once("</title>").unwrap();
            assert!(title.ends_with(": fine"), "{width}: {title}");
            assert!(
                !title.starts_with("0 calls") && !title.contains(" 0 names"),
                "{title}"
            );
        }
    }
}

/// Programs have such a picture too: the buffers between calls and delegates.
#[test]
fn the_page_of_a_program_draws_its_planned_memory() {
    let page = page(&Trial::new());
    assert!(page.contains("<svg class=\"arena\""), "{page}");
    for part in [
        "input ids: i64[3]\nbytes ",
        "value embedding: f32[3, 4]\nbytes ",
        "output exp: f32[4, 3]\nbytes ",
        "made by aten::index.Tensor_out of embedding",
        "made by delegate 0",
    ] {
        assert!(page.contains(part), "no {part:?} in\n{page}");
    }
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
