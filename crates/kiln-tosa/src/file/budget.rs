//! A limit on memory: parts of a flatbuffer can be shared, so a small file can describe a huge graph.

/// Bytes of memory that a byte of a file may become. Without sharing it is below ten.
const FACTOR: u64 = 16;
/// What any file may take.
const FLOOR: u64 = 1 << 20;

/// Memory that is left.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    limit: u64,
}

impl Budget {
    /// For a file of this many bytes.
    pub fn new(file: usize) -> Self {
        let limit = (file as u64).saturating_mul(FACTOR).saturating_add(FLOOR);
        Budget { left: limit, limit }
    }

    /// Pays for `count` owned items; the limit, if they are too many.
    pub fn charge<T>(&mut self, count: usize) -> Result<(), u64> {
        let cost = (count as u64).saturating_mul(size_of::<T>().max(1) as u64);
        self.left = self.left.checked_sub(cost).ok_or(self.limit)?;
        Ok(())
    }
}
