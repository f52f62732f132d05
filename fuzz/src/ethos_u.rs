//! Payloads of Ethos-U delegates, and Vela's results: what is read can be written, and reads the same.

use bytes::Bytes;
use kiln_ethos::payload::{read, write};
use kiln_ethos::read_npz;

/// Reads the bytes as either.
pub fn law(data: &[u8]) {
    let bytes = Bytes::copy_from_slice(data);
    if let Err(error) = read_npz(&bytes) {
        super::refused(error);
    }
    let payload = match read(&bytes) {
        Ok(payload) => payload,
        Err(error) => return super::refused(error),
    };
    let written = write(&payload).expect("blocks that were read are small enough");
    let again = read(&written).expect("what was written is read");
    assert!(payload == again, "a payload changes as it is copied");
}
