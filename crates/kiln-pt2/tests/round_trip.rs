//! An archive that is read, written and read again stays the same.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus_files;

use std::path::Path;

use bytes::Bytes;
use corpus_files::archives_of;
use kiln_pt2::{
    Archive, ArchiveWriter, ExportedProgram, InputSpec, SampleValue, ScalarType, StoredTensor,
    WRITTEN_SCHEMA,
};

/// Writes the archive again.
fn rewrite(archive: &Archive, program: &ExportedProgram) -> Vec<u8> {
    let mut writer = ArchiveWriter::new(program);
    for spec in &program.signature.input_specs {
        match spec {
            InputSpec::Parameter { fqn, .. } => {
                writer.weight(fqn, &archive.tensor(fqn).unwrap(), true)
            }
            InputSpec::Buffer {
                fqn,
                persistent: true,
                ..
            } => writer.weight(fqn, &archive.tensor(fqn).unwrap(), false),
            InputSpec::Buffer { fqn, .. } | InputSpec::TensorConstant { fqn, .. } => {
                writer.constant(fqn, &archive.tensor(fqn).unwrap())
            }
            _ => &mut writer,
        };
    }
    if let Some(leaves) = archive.sample_inputs().unwrap() {
        writer.sample_inputs(leaves);
    }
    writer
        .extra_file("note.txt", "hello")
        .write(Vec::new(), "rewritten")
        .unwrap()
}

fn check(path: &Path) {
    let archive = Archive::open(path).unwrap();
    let program = archive.program().unwrap();
    let written = rewrite(&archive, &program);
    let again = Archive::from_bytes(Bytes::from(written.clone())).unwrap();
    again.verify_checksums().unwrap();
    let reread = again.program().unwrap();
    let expected = ExportedProgram {
        schema_version: WRITTEN_SCHEMA,
        ..program
    };
    assert_eq!(reread, expected, "{}", path.display());
    assert_eq!(
        again.sample_inputs().unwrap(),
        archive.sample_inputs().unwrap(),
        "{}",
        path.display()
    );
    assert_eq!(again.extra_file("note.txt").unwrap(), "hello");
    for name in again.tensor_names() {
        assert_eq!(
            again.tensor(name).unwrap(),
            archive.tensor(name).unwrap(),
            "{name} of {}",
            path.display()
        );
    }
    assert_eq!(
        rewrite(&again, &reread),
        written,
        "{} is not a fixed point",
        path.display()
    );
}

#[test]
fn archives_of_every_version_survive() {
    for suite in ["archives", "dynamic", "quantised_small"] {
        archives_of(suite).iter().for_each(|path| check(path));
    }
}

const EMPTY: &str = r#"{"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}},
    "signature": {"input_specs": [], "output_specs": []}, "module_call_graph": [{"fqn": "", "signature": {
    "in_spec": "[1, {\"type\": \"builtins.list\", \"context\": \"null\", \"children_spec\": [LEAVES]}]",
    "out_spec": "[1, {\"type\": null, \"context\": null, \"children_spec\": []}]"}}]},
    "schema_version": {"major": 8, "minor": 20}}"#;

fn program_with_leaves(count: usize) -> ExportedProgram {
    let leaf = r#"{\"type\": null, \"context\": null, \"children_spec\": []}"#;
    ExportedProgram::parse(
        EMPTY
            .replace("LEAVES", &vec![leaf; count].join(", "))
            .as_bytes(),
    )
    .unwrap()
}

#[test]
fn every_kind_of_leaf_and_dtype_survives() {
    let mut leaves = vec![
        SampleValue::None,
        SampleValue::Bool(true),
        SampleValue::Int(-1),
        SampleValue::Int(i64::MIN),
        SampleValue::Float(-0.5),
        SampleValue::Str("é".to_owned()),
    ];
    for dtype in [
        ScalarType::F32,
        ScalarType::BF16,
        ScalarType::U16,
        ScalarType::F8E4M3FN,
        ScalarType::C128,
        ScalarType::U64,
    ] {
        let data = Bytes::from(
            (0..6 * dtype.size().unwrap())
                .map(|i| i as u8)
                .collect::<Vec<_>>(),
        );
        leaves.push(SampleValue::Tensor(
            StoredTensor::new(dtype, vec![2, 2], vec![1, 3], 1, data).unwrap(),
        ));
    }
    let program = program_with_leaves(leaves.len());
    let written = ArchiveWriter::new(&program)
        .sample_inputs(leaves.clone())
        .write(Vec::new(), "m")
        .unwrap();
    let read = Archive::from_bytes(written.into())
        .unwrap()
        .sample_inputs()
        .unwrap();
    assert_eq!(read, Some(leaves));
}

#[test]
fn payloads_are_aligned_and_shared() {
    let program = program_with_leaves(0);
    let data = Bytes::from(vec![7u8; 100]);
    let tied = StoredTensor::new(ScalarType::F32, vec![5, 5], vec![5, 1], 0, data).unwrap();
    let mut writer = ArchiveWriter::new(&program);
    writer
        .weight("a", &tied, true)
        .weight("b", &tied, true)
        .constant("c", &tied);
    let archive =
        Archive::from_bytes(writer.write(Vec::new(), "odd name.v2").unwrap().into()).unwrap();
    let start = |name: &str| archive.tensor(name).unwrap().storage().as_ptr().addr();
    assert_eq!(start("a"), start("b"));
    assert_eq!(start("c").abs_diff(start("a")) % 64, 0);
}

#[test]
fn empty_and_absent_tensors_are_told_apart() {
    let program = program_with_leaves(0);
    let empty = StoredTensor::contiguous(ScalarType::F32, vec![0, 3], Bytes::new()).unwrap();
    let one =
        StoredTensor::contiguous(ScalarType::F32, vec![1], Bytes::from_static(&[0; 4])).unwrap();
    let mut writer = ArchiveWriter::new(&program);
    let written = writer
        .weight("empty", &empty, true)
        .weight("one", &one, true)
        .write(Vec::new(), "m")
        .unwrap();
    let archive = Archive::from_bytes(written.into()).unwrap();
    assert_eq!(archive.tensor("empty").unwrap().sizes(), [0, 3]);
    assert_eq!(archive.tensor("one").unwrap().to_contiguous(), [0; 4][..]);
    assert!(
        archive
            .tensor("absent")
            .unwrap_err()
            .to_string()
            .contains("no tensor `absent`")
    );
}
