//! Common parts of all flatbuffer formats: writing the identifier, and a memory limit for reading.

/// The bytes of a flatbuffer with this root and identifier. The root offset is at byte 0, the identifier at byte 4.
///
/// Scalars of up to 8 bytes are aligned. (planus 1.3 has a `finish` with identifier, but that puts it before the root
/// offset.)
pub fn finish<T>(root: impl planus::WriteAsOffset<T>, identifier: [u8; 4]) -> Vec<u8> {
    finish_with(&mut planus::Builder::new(), root, identifier)
}

/// As [`finish`], for a root whose parts may already be in a builder.
pub fn finish_with<T>(
    builder: &mut planus::Builder,
    root: impl planus::WriteAsOffset<T>,
    identifier: [u8; 4],
) -> Vec<u8> {
    /// The bytes of the identifier, and the same number again to keep the rest aligned.
    const INSERTED: usize = 8;
    let plain = builder.finish(root, None);
    let (offset, rest) = plain
        .split_first_chunk::<4>()
        .expect("a flatbuffer starts with its root offset");
    let mut finished = Vec::with_capacity(plain.len() + INSERTED);
    finished.extend((u32::from_le_bytes(*offset) + INSERTED as u32).to_le_bytes());
    finished.extend(identifier);
    finished.extend([0; INSERTED - 4]);
    finished.extend(rest);
    finished
}

/// What is wrong with a flatbuffer, and where.
pub fn describe(error: &planus::Error) -> String {
    let place = error.source_location;
    format!(
        "{}.{} at byte {}: {}",
        place.type_, place.method, place.byte_offset, error.error_kind
    )
}

/// The most bytes of memory per byte of a flatbuffer. Without sharing it is below ten, as the smallest owned table
/// takes 16 bytes in the file.
const FACTOR: u64 = 16;
/// The number of bytes that any flatbuffer may take.
const FLOOR: u64 = 1 << 20;

/// A memory limit. Tables, vectors and strings of a flatbuffer can be shared, so a small file can describe a huge owned
/// model.
#[derive(Debug)]
pub struct Budget {
    left: u64,
    limit: u64,
    file: u64,
}

/// A flatbuffer would take memory out of proportion to its size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it would take more than {limit} bytes in memory, out of proportion to its {file} bytes in the file"
)]
pub struct Expands {
    /// The limit in bytes.
    pub limit: u64,
    /// The size of the flatbuffer in bytes.
    pub file: u64,
}

impl Budget {
    /// The budget for a flatbuffer of this many bytes.
    pub fn new(file: u64) -> Self {
        let limit = file.saturating_mul(FACTOR).saturating_add(FLOOR);
        Self {
            left: limit,
            limit,
            file,
        }
    }

    /// Subtracts the memory of `count` owned items of type `T`.
    pub fn charge<T>(&mut self, count: usize) -> Result<(), Expands> {
        let cost = (count as u64).saturating_mul(size_of::<T>().max(1) as u64);
        let left = self.left.checked_sub(cost).ok_or(Expands {
            limit: self.limit,
            file: self.file,
        })?;
        self.left = left;
        Ok(())
    }
}
