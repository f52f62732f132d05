//! Pointwise affine maps under movements: the forms that must become one layer without needless movements,
//! and those that must stay as they are.
//!
//! A file of `filetests/pointwise` has a graph, `---`, and the expected result for XNNPACK: figures, the operators of the
//! delegate in order, the rules that passes declined with the reasons, and the remaining movements with their bytes.
//! `KILN_BLESS=1` replaces the expected result. Passes must also keep the results of each graph.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::compiler::compile_graph;
use kiln::target::TargetName;
use kiln_check::{Baseline, check_passes_from};
use kiln_ir::{Graph, Op, text, verify::verify};
use kiln_transforms::framework::pass::PassRun;
use kiln_xnnpack::payload;
use std::fmt::Write;
use std::path::Path;

fn outcome(input: &str) -> Result<String, String> {
    let mut graph = text::parse(input).map_err(|e| e.to_string())?;
    verify(&graph).map_err(|faults| format!("{faults:?}"))?;
    let target = TargetName::default().create(&kiln_target::Options::default());
    let baselines = Baseline::all(&graph);
    if !baselines.iter().any(|b| b.elements() > 0) {
        return Err("no inputs give it a value to compare".into());
    }
    let (target_of_passes, passes) = (target.as_target(), target.pipeline());
    let known = Some(baselines.as_slice());
    let runs = check_passes_from(&mut graph, target_of_passes, passes, None, known)
        .map_err(|failure| failure.to_string())?
        .runs;
    let options = kiln_xnnpack::Options::default();
    let regions = kiln_xnnpack::compile(&graph, &options).map_err(|e| e.to_string())?;
    let mut steps = String::new();
    for region in &regions {
        let delegate = payload::read(region.blob().unwrap().clone()).map_err(|e| e.to_string())?;
        steps += &operators(&delegate.to_string());
    }
    let kept = movements(&graph);
    let compiled = compile_graph(graph, &*target).map_err(|e| format!("{e:#}"))?;
    let figures = &compiled.methods[0].figures;
    let mut text = format!(
        "{} delegates, {} bytes transposed\n",
        figures.delegates.unwrap(),
        figures.transposed_bytes
    );
    for (kernel, count) in figures.kernel_calls.iter().flatten() {
        writeln!(text, "{count} x {kernel}").unwrap();
    }
    Ok(text + &steps + &declined(&runs) + &kept)
}

/// `operator -> type` of each step of a payload's text.
fn operators(payload: &str) -> String {
    let mut text = String::new();
    for line in payload.lines() {
        let Some((result, operator)) = line.split_once(" = ") else {
            continue;
        };
        let Some((operator, _)) = operator.split_once('(') else {
            continue;
        };
        let ty = result.split_once(' ').map_or(result, |(_, ty)| ty);
        writeln!(text, "  {operator} -> {ty}").unwrap();
    }
    text
}

fn declined(runs: &[PassRun]) -> String {
    let mut text = String::new();
    for run in runs {
        for d in &run.report.declined {
            writeln!(text, "declined {}: {}", d.rule, d.reason).unwrap();
        }
    }
    text
}

fn movements(graph: &Graph) -> String {
    let mut text = String::new();
    for (_, node) in graph.nodes_in(graph.root()) {
        if let Op::Move(op) = &node.op
            && !op.movement.is_view()
        {
            writeln!(text, "moves {}", op.movement).unwrap();
        }
    }
    text
}

#[test]
fn files_say_what_becomes_of_pointwise_maps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/pointwise");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let mut faults = Vec::new();
    for path in &paths {
        let file = std::fs::read_to_string(path).unwrap();
        let (input, expected) = file.split_once("---\n").unwrap();
        match outcome(input) {
            Err(fault) => faults.push(format!("{}: {fault}", path.display())),
            Ok(found) if found == expected => {}
            Ok(found) if std::env::var_os("KILN_BLESS").is_some() => {
                std::fs::write(path, format!("{input}---\n{found}")).unwrap();
            }
            Ok(found) => faults.push(format!(
                "{}: expected\n{expected}found\n{found}",
                path.display()
            )),
        }
    }
    assert!(paths.len() >= 20, "{} files", paths.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
