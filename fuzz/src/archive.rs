//! Archives: whatever opens gives its program, tensors and sample inputs, or says why not.

use bytes::Bytes;
use kiln_pt2::{Archive, Payload, SampleValue, StoredTensor};

/// A tensor that its file expands beyond this is not copied out.
const MAX_COPIED: usize = 1 << 20;

/// Opens `data` and reads all that there is.
pub fn law(data: &[u8]) {
    match Archive::from_bytes(Bytes::copy_from_slice(data)) {
        Ok(archive) => read_all(&archive),
        Err(error) => super::refused(error),
    }
}

pub(crate) fn read_all(archive: &Archive) {
    let _ = archive.program().map_err(super::refused);
    let _ = archive.verify_checksums().map_err(super::refused);
    for name in archive.tensor_names() {
        let _ = archive.tensor(name).map_err(super::refused);
        match archive.payload(name) {
            Ok(Payload::Tensor(tensor)) => tensor_law(&tensor),
            Ok(Payload::Subclass(subclass)) => subclass.inner.values().for_each(tensor_law),
            Err(error) => super::refused(error),
        }
    }
    match archive.sample_inputs() {
        Ok(leaves) => leaves.iter().flatten().for_each(|leaf| {
            if let SampleValue::Tensor(tensor) = leaf {
                tensor_law(tensor);
            }
        }),
        Err(error) => super::refused(error),
    }
}

/// Copies are as long as the sizes say, and dense bytes are the elements in the order given.
fn tensor_law(tensor: &StoredTensor) {
    let size = tensor
        .dtype()
        .size()
        .expect("a tensor has elements of a known size");
    let length = tensor.element_count() * size;
    assert_eq!(
        tensor.element_count(),
        tensor.sizes().iter().product::<usize>()
    );
    let dense = tensor.dense_bytes();
    assert_eq!(dense.is_some(), tensor.permuted_dense().is_some());
    assert!(dense.is_none_or(|bytes| bytes.len() == length));
    if length <= MAX_COPIED {
        assert_eq!(tensor.to_contiguous().len(), length);
    }
}
