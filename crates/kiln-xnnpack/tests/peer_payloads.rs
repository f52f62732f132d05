//! Payloads of ExecuTorch's own writer, inside the programs of the directory that `$KILN_PEER_PTE` names. Skipped
//! without it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use kiln_xnnpack::payload::{self, ConstantData};

fn payloads() -> Vec<(PathBuf, Bytes, kiln_pte::Program)> {
    let Some(directory) = std::env::var_os("KILN_PEER_PTE") else {
        eprintln!("skipped: KILN_PEER_PTE names no directory of .pte files");
        return Vec::new();
    };
    let paths = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "pte"))
        .collect();
    paths.sort();
    let mut payloads = Vec::new();
    for path in paths {
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
            // Some of its graphs read a value that nothing writes. They load, but no result can depend on it.
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
}
