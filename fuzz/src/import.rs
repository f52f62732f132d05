//! Archives, imported node by node: a graph that the verifier takes, or a refusal that says something.

use bytes::Bytes;
use kiln_pt2::Archive;

/// How the importer reports a graph that its own verifier refuses.
const BROKEN: &str = "a bug in Kiln";

/// Opens `data` and imports its program.
pub fn law(data: &[u8]) {
    let archive = match Archive::from_bytes(Bytes::copy_from_slice(data)) {
        Ok(archive) => archive,
        Err(error) => return super::refused(error),
    };
    if let Err(error) = kiln::import::import_archive(&archive, "forward", Default::default()) {
        let error = format!("{error:#}");
        assert!(!error.contains(BROKEN), "{error}");
        super::refused(error);
    }
}
