//! TOSA files: what is read prints and is verified, and reads the same if it can be written.

use bytes::Bytes;
use kiln_tosa::dialect::Spec;
use kiln_tosa::file;
use kiln_tosa::verify::verify;

/// Reads, prints and verifies; writes and reads again.
pub fn law(data: &[u8]) {
    let graph = match file::read(&Bytes::copy_from_slice(data)) {
        Ok(graph) => graph,
        Err(error) => return super::refused(error),
    };
    let _ = graph.to_string();
    let _ = verify(&graph, Spec::all());
    let written = match file::write(&graph) {
        Ok(written) => written.to_bytes(),
        Err(error) => return super::refused(error),
    };
    let again = file::read(&Bytes::from(written)).expect("what was written is read");
    assert!(graph == again, "a graph changes as it is copied");
}
