//! A program that is written and read again stays the same.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generated;

use bytes::Bytes;
use kiln_pte::{Program, WriteError, read, write, write_file};
use proptest::prelude::*;

fn written(program: &Program) -> Bytes {
    let mut file = Vec::new();
    let size = write(program, &mut file).unwrap();
    assert_eq!(size, file.len() as u64);
    file.into()
}

proptest! {
    #[test]
    fn a_program_survives(program in generated::program()) {
        let file = written(&program);
        let again = read(file.clone()).unwrap();
        prop_assert_eq!(&again, &program);
        prop_assert_eq!(written(&again), file);
    }

    #[test]
    fn constants_are_aligned(program in generated::program()) {
        let file = written(&program);
        let again = read(file.clone()).unwrap();
        let offset = |data: &kiln_ir::Content| data.bytes().as_ptr() as usize - file.as_ptr() as usize;
        for (_, data) in again.constants.iter().filter(|(_, data)| !data.is_empty()) {
            prop_assert_eq!(offset(data) % 16, 0);
        }
        for (_, data) in again.delegate_blobs.iter().filter(|(_, data)| !data.is_empty()) {
            prop_assert_eq!(offset(data) % 128, 0);
        }
    }
}

#[test]
fn a_program_without_anything_is_its_flatbuffer() {
    let file = written(&Program::default());
    assert_eq!(read(file).unwrap(), Program::default());
}

#[test]
fn a_file_appears_complete_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pte");
    let broken = Program {
        version: 1,
        ..Program::default()
    };
    assert!(matches!(
        write_file(&broken, &path),
        Err(WriteError::Fault(_))
    ));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    let size = write_file(&Program::default(), &path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size);
    assert!(write_file(&broken, &path).is_err());
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    let absent = directory.path().join("absent").join("model.pte");
    assert!(matches!(
        write_file(&Program::default(), &absent),
        Err(WriteError::Io { .. })
    ));
}

#[test]
fn equal_named_data_are_stored_once() {
    let named = |key: &str| kiln_pte::NamedData {
        key: key.into(),
        data: Bytes::from(vec![1; 10_000]).into(),
    };
    let program = Program {
        named_data: vec![named("a"), named("b")],
        ..Program::default()
    };
    assert!(written(&program).len() < 12_000);
}

/// Old writers omit the extended header if there are no segments.
#[test]
fn a_file_without_extended_header_is_read() {
    let method = kiln_pte::Method {
        name: "forward".into(),
        ..Default::default()
    };
    let program = Program {
        methods: vec![method],
        ..Program::default()
    };
    let mut file = written(&program).to_vec();
    let root = u32::from_le_bytes(file[..4].try_into().unwrap());
    file[..4].copy_from_slice(&(root - 32).to_le_bytes());
    file.drain(8..40);
    assert_eq!(read(file.into()).unwrap(), program);
}

#[test]
fn what_a_method_calls_is_counted() {
    use kiln_pte::{Instruction, Method, Operator};
    let mut method = Method::default();
    for key in ["aten::mul.out", "aten::add.out", "aten::mul.out", "plain"] {
        let op = method.add_operator(Operator::from_key(key));
        method.instructions.push(Instruction::KernelCall {
            op,
            args: Vec::new(),
        });
    }
    let calls: Vec<_> = method.kernel_calls().into_iter().collect();
    let counted = [("aten::mul.out", 2), ("aten::add.out", 1), ("plain", 1)]
        .map(|(key, n)| (key.to_owned(), n));
    assert_eq!(calls, counted);
    let program = Program {
        methods: vec![method.clone(), method],
        ..Program::default()
    };
    let keys: Vec<_> = program.operators().iter().map(Operator::key).collect();
    assert_eq!(keys, ["aten::add.out", "aten::mul.out", "plain"]);
}
