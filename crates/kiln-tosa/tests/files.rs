//! A file that is written and read again stays the same, and damaged files are refused.

mod cases;

use bytes::Bytes;
use kiln_check::Random;
use kiln_testing::corpus::peer_files;
use kiln_tosa::dialect::Spec;
use kiln_tosa::dialect::{Builder, TosaDtype, TosaOp};
use kiln_tosa::file::{ReadError, is_tosa, read, write};
use kiln_tosa::verify::verify;

#[test]
fn what_is_written_is_read_back() {
    for case in (0..20).flat_map(cases::all) {
        let bytes = Bytes::from(write(&case.graph).unwrap().to_bytes());
        assert!(is_tosa(&bytes));
        let graph = read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(graph, case.graph, "{}", case.name);
        let again = write(&graph).unwrap().to_bytes();
        assert_eq!(bytes, again, "{}", case.name);
    }
}

#[test]
fn equal_constants_are_stored_once() {
    let mut b = Builder::new();
    let x = b.input("x", TosaDtype::F32, &[1000]);
    let weights = vec![0.25; 1000];
    let a = b.floats(TosaDtype::F32, &[1000], &weights).unwrap();
    let c = b.floats(TosaDtype::F32, &[1000], &weights).unwrap();
    let y = b.op(TosaOp::Mul { shift: 0 }, &[x, a]).unwrap();
    let z = b.op(TosaOp::Mul { shift: 0 }, &[y, c]).unwrap();
    let bytes = write(&b.finish(&[z])).unwrap().to_bytes();
    assert!(bytes.len() < 6000, "{}", bytes.len());
}

#[test]
fn broken_files_are_refused_without_panic() {
    let mut random = Random::new(7);
    for case in cases::all(1) {
        let whole = write(&case.graph).unwrap().to_bytes();
        for _ in 0..200 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = random.bits() as u8;
            }
            bytes.truncate(bytes.len() - random.below(2) * random.below(bytes.len()));
            let _ = read(&Bytes::from(bytes));
        }
    }
}

#[test]
fn another_format_is_named() {
    let error = read(&Bytes::from_static(b"....TFL3")).unwrap_err();
    assert!(matches!(error, ReadError::Identifier { .. }), "{error}");
    assert!(read(&Bytes::new()).is_err());
}

/// `KILN_WRITE_CASES=FOLDER` keeps the files, as seeds for fuzzing or for inspection with flatc.
#[test]
fn cases_are_written_to_files() {
    let scratch = tempfile::tempdir().unwrap();
    let named = std::env::var_os("KILN_WRITE_CASES").map(std::path::PathBuf::from);
    let folder = named.unwrap_or_else(|| scratch.path().to_path_buf());
    let seed = std::env::var_os("KILN_SEED").map(|n| n.to_string_lossy().parse());
    for case in cases::all(seed.map_or(3, |n| n.expect("KILN_SEED is a number"))) {
        let name = format!("{}.tosa", case.name.to_lowercase().replace(' ', "_"));
        let bytes = write(&case.graph).unwrap().to_bytes();
        std::fs::write(folder.join(&name), bytes).unwrap();
        let again = Bytes::from(std::fs::read(folder.join(name)).unwrap());
        assert_eq!(read(&again).unwrap(), case.graph, "{}", case.name);
    }
}

#[test]
fn cases_have_no_faults() {
    for case in (0..20).flat_map(cases::all) {
        assert_eq!(verify(&case.graph, Spec::all()), Ok(()), "{}", case.name);
    }
}

/// Files that ExecuTorch's flow wrote. `KILN_PEER_TOSA` names a folder with more of them.
#[test]
fn the_peers_files_are_read() {
    let paths = peer_files("peer_tosa", "tosa", "KILN_PEER_TOSA").unwrap();
    assert!(paths.len() > 10, "{paths:?}");
    for path in &paths {
        let bytes = Bytes::from(std::fs::read(path).unwrap());
        let graph = read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(verify(&graph, Spec::all()), Ok(()), "{}", path.display());
        let again = Bytes::from(write(&graph).unwrap().to_bytes());
        assert_eq!(read(&again).unwrap(), graph, "{}", path.display());
    }
}
