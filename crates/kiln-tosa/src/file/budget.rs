//! The reader's bound of memory: tables of a flatbuffer can be shared, so a small file can describe a huge graph.

/// The memory that each byte of a file may take, in bytes. A file without sharing takes less than ten.
const FACTOR: u64 = 16;
/// The memory that any file may take, in bytes.
const FLOOR: u64 = 1 << 20;

/// The memory that is left.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    limit: u64,
}

impl Budget {
    /// The budget of a file of this many bytes.
    pub fn new(file: usize) -> Self {
        let limit = (file as u64).saturating_mul(FACTOR).saturating_add(FLOOR);
        Budget { left: limit, limit }
    }

    /// Takes `count` items from the budget. The error is the budget's limit.
    pub fn charge<T>(&mut self, count: usize) -> Result<(), u64> {
        let cost = (count as u64).saturating_mul(size_of::<T>().max(1) as u64);
        self.left = self.left.checked_sub(cost).ok_or(self.limit)?;
        Ok(())
    }
}
