//! TOSA files: what is read and can be written reads the same.

use bytes::Bytes;
use kiln_tosa::file;

/// Reads; writes and reads again.
pub fn law(data: &[u8]) {
    let graph = match file::read(&Bytes::copy_from_slice(data)) {
        Ok(graph) => graph,
        Err(error) => return super::refused(error),
    };
    let written = match file::write(&graph) {
        Ok(written) => written.to_bytes(),
        Err(error) => return super::refused(error),
    };
    let again = file::read(&Bytes::from(written)).expect("what was written is read");
    assert!(graph == again, "a graph changes as it is copied");
}
