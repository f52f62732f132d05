//! Payloads that ExecuTorch wrote, in the programs of the corpus and of the folder that `$KILN_PEER_PTE` names.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use bytes::Bytes;
use kiln_testing::corpus::{Corpus, peer_files};
use kiln_testing::part::STOCK_RUNTIME;
use kiln_xnnpack::payload::{self, ConstantData};

fn programs() -> Vec<PathBuf> {
    peer_files("peer_programs", "pte", "KILN_PEER_PTE").unwrap()
}

fn payloads() -> Vec<(PathBuf, Bytes, kiln_pte::Program)> {
    let mut payloads = Vec::new();
    for path in programs() {
        let program = kiln_pte::read(std::fs::read(&path).unwrap().into()).unwrap();
        let delegates = program
            .methods
            .iter()
            .flat_map(|method| method.delegates_with_blobs(&program));
        let blobs: Vec<_> = delegates.map(|(_, blob)| blob.unwrap().clone()).collect();
        payloads.extend(
            blobs
                .into_iter()
                .map(|blob| (path.clone(), blob, program.clone())),
        );
    }
    payloads
}

#[test]
fn every_payload_is_read_and_written_alike() {
    let payloads = payloads();
    let mut nodes = BTreeMap::new();
    for (path, blob, program) in &payloads {
        let path = path.display();
        let graph = payload::read(blob.clone()).unwrap_or_else(|e| panic!("{path}: {e}"));
        for node in &graph.nodes {
            *nodes.entry(node.op.name()).or_insert(0) += 1;
        }
        for value in &graph.values {
            let Some(constant) = value.constant else {
                continue;
            };
            let ConstantData::Named(key) = &graph.constants[constant.index()] else {
                continue;
            };
            let Some(data) = program.named(key) else {
                continue;
            };
            assert!(
                data.len() as u64 >= value.nbytes().unwrap(),
                "{path}: {value:?} has {} bytes",
                data.len()
            );
        }
        if let Err(fault) = payload::check(&graph) {
            // Some graphs of ExecuTorch read a value that nothing writes. They load, but no result can depend on it.
            assert!(
                fault.rule.ends_with("which nothing writes"),
                "{path}: {fault}"
            );
            println!("{path}: {fault}");
            continue;
        }
        let again = payload::read(payload::write(&graph).unwrap()).unwrap();
        assert_eq!(graph, again, "{path}");
        assert_eq!(graph.to_string(), again.to_string());
    }
    println!("{} payloads: {nodes:?}", payloads.len());
    assert!(nodes.len() > 10, "{nodes:?}");
}

/// The runner's answer: whether it succeeded, and the bytes of the outputs.
fn answer(
    runner: &Path,
    program: &Path,
    inputs: Option<&Path>,
    out: &Path,
) -> (bool, Option<Vec<u8>>) {
    let _ = std::fs::remove_file(out);
    let mut command = Command::new(runner);
    command.arg(program).arg("--out").arg(out);
    if let Some(inputs) = inputs {
        command.arg("--in").arg(inputs);
    }
    let done = command.output().unwrap();
    (done.status.success(), std::fs::read(out).ok())
}

/// Files are named `<suite>.<case>[.<variant>].pte`.
fn inputs_of(corpus: &Corpus, program: &Path) -> Option<PathBuf> {
    let name = program.file_name().unwrap().to_str().unwrap();
    let (suite, rest) = name.split_once('.').unwrap();
    let case = rest.split('.').next().unwrap();
    let suite = corpus.suite(suite).unwrap();
    suite.case(case).map(|case| case.file("safetensors"))
}

/// A program that is read and written again, with its payloads, gives the same results on the stock runtime.
#[test]
fn rewritten_programs_run_alike() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let corpus = Corpus::open().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let [rewritten, out] = ["p.pte", "out.safetensors"].map(|name| scratch.path().join(name));
    let mut ran = 0;
    for path in programs() {
        let mut program = kiln_pte::read(std::fs::read(&path).unwrap().into()).unwrap();
        let graphs = program
            .delegate_blobs
            .iter()
            .map(|(_, blob)| payload::read(blob.bytes().clone()).unwrap());
        let graphs: Vec<_> = graphs.collect();
        if graphs.iter().any(|graph| payload::check(graph).is_err()) {
            continue;
        }
        program.delegate_blobs = kiln_pte::Pool::default();
        for graph in &graphs {
            program.delegate_blobs.push(payload::write(graph).unwrap());
        }
        kiln_pte::write_file(&program, &rewritten).unwrap();
        let inputs = inputs_of(&corpus, &path);
        let original = answer(&runner, &path, inputs.as_deref(), &out);
        let ours = answer(&runner, &rewritten, inputs.as_deref(), &out);
        assert!(
            original == ours,
            "{}: {} became {}",
            path.display(),
            original.0,
            ours.0
        );
        ran += usize::from(ours.0);
    }
    println!("{ran} programs ran");
    assert!(ran > 10, "{ran}");
}
