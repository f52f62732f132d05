//! Programs of ExecuTorch's own writer, from the directory that `$KILN_PEER_PTE` names. Skipped without it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use bytes::Bytes;

fn programs() -> Vec<(PathBuf, Bytes)> {
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
    paths
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap().into()))
        .collect()
}

#[test]
fn every_program_is_read_and_written_alike() {
    let programs = programs();
    for (path, file) in &programs {
        let program =
            kiln_pte::read(file.clone()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut written = Vec::new();
        kiln_pte::write(&program, &mut written)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let again = kiln_pte::read(written.into()).unwrap();
        assert_eq!(
            format!("{program:?}"),
            format!("{again:?}"),
            "{}",
            path.display()
        );
        assert!(
            program == again || format!("{program:?}").contains("NaN"),
            "{}",
            path.display()
        );
    }
    println!("{} programs", programs.len());
}
