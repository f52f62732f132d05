//! The segments, and the constants in them.

use std::collections::HashMap;

use bytes::Bytes;

use super::{ReadError, header, present};
use crate::program_fb::executorch as fb;
use crate::{Method, TensorStorage, TensorValue, Value};

/// The segments by index. Each lies within the file.
pub(super) struct Segments {
    items: Vec<Bytes>,
}

impl Segments {
    /// The segments that the root table lists.
    pub fn new(root: &fb::ProgramRef<'_>, data: Bytes) -> Result<Self, ReadError> {
        let segments = present(root.segments()?);
        let mut items = Vec::with_capacity(segments.len());
        for (index, segment) in segments.iter().enumerate() {
            let segment = segment?;
            items.push(header::part(
                &data,
                &format!("segment {index}"),
                segment.offset()?,
                segment.size()?,
            )?);
        }
        Ok(Self { items })
    }

    /// The bytes of a segment.
    pub fn get(&self, index: u32) -> Result<Bytes, ReadError> {
        self.items
            .get(index as usize)
            .cloned()
            .ok_or(ReadError::Value {
                what: "a segment index",
                found: index.into(),
                allowed: "less than the number of segments",
            })
    }
}

/// For each constant and initial datum that tensors use, the most bytes that a tensor needs of it, by ascending index.
#[derive(Default)]
pub(super) struct Uses {
    pub constants: Vec<(u32, u64)>,
    pub initial_data: Vec<(u32, u64)>,
}

impl Uses {
    /// The needs of all tensors of the methods.
    pub fn of(methods: &[Method]) -> Self {
        let mut uses = Uses::default();
        let tensors = methods
            .iter()
            .flat_map(|method| method.values.iter().filter_map(Value::as_tensor));
        for tensor in tensors {
            uses.note(tensor);
        }
        for needs in [&mut uses.constants, &mut uses.initial_data] {
            needs.sort_unstable_by_key(|&(index, bytes)| (index, std::cmp::Reverse(bytes)));
            needs.dedup_by_key(|&mut (index, _)| index);
        }
        uses
    }

    fn note(&mut self, tensor: &TensorValue) {
        let bytes = tensor.nbytes().unwrap_or(u64::MAX);
        match tensor.storage {
            TensorStorage::Constant(index) => self.constants.push((index.0, bytes)),
            TensorStorage::PlannedWithInitial(_, index) => self.initial_data.push((index.0, bytes)),
            _ => {}
        }
    }
}

/// Splits a segment at its offsets. A part is as long as its tensors need, because the file does not contain its
/// length, and the bytes before the next part may be padding. A part without tensors is empty.
pub(super) fn cut(
    segment: &Bytes,
    offsets: Vec<u64>,
    what: &str,
    needs: &[(u32, u64)],
) -> Result<Vec<Bytes>, ReadError> {
    let needs: HashMap<u32, u64> = needs.iter().copied().collect();
    let part = |(index, &offset): (u32, &u64)| {
        let size = needs.get(&index).copied().unwrap_or(0);
        header::part(segment, &format!("{what} {index}"), offset, size)
    };
    (0..).zip(&offsets).map(part).collect()
}
