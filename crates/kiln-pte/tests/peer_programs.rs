//! Programs of ExecuTorch's own writer: those of the corpus, and those in the folder that `$KILN_PEER_PTE` names.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use bytes::Bytes;
use kiln_testing::corpus::peer_files;

fn programs() -> Vec<(PathBuf, Bytes)> {
    let paths = peer_files("peer_programs", "pte", "KILN_PEER_PTE").unwrap();
    assert!(paths.len() > 10, "{paths:?}");
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
