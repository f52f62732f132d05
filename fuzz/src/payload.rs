//! XNNPACK payloads: what is read prints, and what can be written reads the same.

use bytes::Bytes;
use kiln_xnnpack::payload;

/// Reads and prints; writes and reads again what passes the check. Graphs are compared as they print, since a NaN is
/// never itself.
pub fn law(data: &[u8]) {
    let graph = match payload::read(Bytes::copy_from_slice(data)) {
        Ok(graph) => graph,
        Err(error) => return super::refused(error),
    };
    let _ = graph.to_string();
    let checked = payload::check(&graph);
    let written = payload::write(&graph);
    assert_eq!(
        checked.is_ok(),
        written.is_ok(),
        "the writer writes what the check lets pass"
    );
    if let Ok(blob) = written {
        let again = payload::read(blob).expect("what was written is read");
        assert!(
            graph == again || format!("{graph:?}") == format!("{again:?}"),
            "a payload changes as it is copied"
        );
    }
}
