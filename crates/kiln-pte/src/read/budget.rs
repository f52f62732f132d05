//! A limit on memory: flatbuffer tables can be shared, so a small file can describe a huge owned program.

use super::ReadError;

/// Bytes of memory that a byte of flatbuffer may become. Without sharing it is below ten: the smallest value takes
/// 16 bytes in the file.
const FACTOR: u64 = 16;
/// What any program may take.
const FLOOR: u64 = 1 << 20;

/// What is left to spend.
pub(super) struct Budget {
    left: u64,
    limit: u64,
    file: u64,
}

impl Budget {
    /// For a flatbuffer of this many bytes.
    pub fn new(file: u64) -> Self {
        let limit = file.saturating_mul(FACTOR).saturating_add(FLOOR);
        Self {
            left: limit,
            limit,
            file,
        }
    }

    /// Pays for `count` owned items of a type.
    pub fn charge<T>(&mut self, count: usize) -> Result<(), ReadError> {
        let cost = (count as u64).saturating_mul(size_of::<T>().max(1) as u64);
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::Expands {
                limit: self.limit,
                file: self.file,
            }),
        }
    }
}
