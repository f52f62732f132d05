//! A mapped file, whose memory can be given back while its bytes stay in use.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use memmap2::Mmap;

/// Memory is given back in multiples of this. It is a multiple of all page sizes, and what a system fetches around one
/// page.
const GRANULE_BYTES: usize = 64 << 10;

/// Of a file of at most so many bytes, all may be in memory.
const FEW_BYTES: usize = 1 << 20;

/// Read ranges with a gap of at most this are merged. It covers the gap between two entries of an archive.
const MAX_GAP_BYTES: usize = 4 << 10;

/// The most bytes that are given back although they will be read again, because fetching them takes time.
const MAX_REFETCHED_BYTES: usize = 6 << 20;

/// A file that is mapped read-only. Clones share the mapping.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: File,
    map: Mmap,
    passed: Mutex<Passed>,
}

/// The range that was read last and is still in memory.
#[derive(Debug, Default)]
struct Passed {
    range: Range<usize>,
    /// The bytes that were given back although they will be read again.
    again: usize,
}

impl MappedFile {
    /// Maps a file. Nobody may change the file while its bytes are in use.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the mapping is private and read-only; that no one else changes the file meanwhile is the caller's
        // part of the contract of `Archive::open`, as for every mapped file.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self(Arc::new(Inner {
            path: path.to_owned(),
            file,
            map,
            passed: Mutex::default(),
        })))
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// All bytes of the file.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::from_owner(self.clone())
    }

    /// Copies bytes to `out`, which has their length. Bytes of the mapping are read from the file, so that the mapping
    /// takes no memory, if that would be much.
    pub fn copy(&self, bytes: &[u8], out: &mut [u8]) {
        let place = self.place(bytes).filter(|_| self.0.map.len() > FEW_BYTES);
        let copied = place.is_some_and(|range| self.read_at(range.start as u64, out).is_ok());
        if !copied {
            out.copy_from_slice(bytes);
        }
    }

    /// Reports that bytes have been read, and gives their memory back. The bytes stay valid, and are fetched if they
    /// are read again. `again` says that they will be; then only a limited amount is given back.
    pub fn passed(&self, bytes: &[u8], again: bool) {
        let Some(range) = self.place(bytes) else {
            return;
        };
        let mut passed = self.0.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let gap = range.start.checked_sub(passed.range.end);
        let start = match gap {
            Some(gap) if gap <= MAX_GAP_BYTES => passed.range.start,
            _ => range.start,
        };
        passed.range = start..range.end;
        let whole =
            start.next_multiple_of(GRANULE_BYTES)..range.end / GRANULE_BYTES * GRANULE_BYTES;
        let spent = passed.again + whole.len();
        if whole.is_empty() || (again && spent > MAX_REFETCHED_BYTES) {
            return;
        }
        if again {
            passed.again = spent;
        }
        passed.range.start = whole.end;
        self.give_back(whole);
    }

    /// The range of bytes in the mapping, if they are part of it.
    fn place(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let start = (bytes.as_ptr() as usize).checked_sub(self.0.map.as_ptr() as usize)?;
        let end = start.checked_add(bytes.len())?;
        (end <= self.0.map.len()).then_some(start..end)
    }

    #[cfg(unix)]
    fn read_at(&self, at: u64, out: &mut [u8]) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0.file, out, at)
    }

    #[cfg(not(unix))]
    fn read_at(&self, _: u64, _: &mut [u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    #[cfg(unix)]
    fn give_back(&self, range: Range<usize>) {
        let advice = memmap2::UncheckedAdvice::DontNeed;
        // SAFETY: the mapping is of a file and read-only, so a page that is dropped reads the same when it is touched
        // again. If the system refuses, the pages stay.
        let _ = unsafe {
            self.0
                .map
                .unchecked_advise_range(advice, range.start, range.len())
        };
    }

    #[cfg(not(unix))]
    fn give_back(&self, _: Range<usize>) {}
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.0.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_when_memory_is_given_back() {
        let path = std::env::temp_dir().join(format!("kiln-mapped-{}", std::process::id()));
        let content: Vec<u8> = (0..8_000_000).map(|i| (i / 300) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let file = MappedFile::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let bytes = file.bytes();
        for again in [true, false] {
            for (at, part) in content.chunks(50_000).enumerate() {
                let found = &bytes[at * 50_000..at * 50_000 + part.len()];
                assert_eq!(found, part);
                file.passed(found, again);
            }
        }
        file.passed(&content[..70_000], false);
        let spent = file.0.passed.lock().unwrap().again;
        assert!(
            (MAX_REFETCHED_BYTES - 2 * GRANULE_BYTES..=MAX_REFETCHED_BYTES).contains(&spent),
            "{spent}"
        );
        let mut copy = vec![0; 5000];
        file.copy(&bytes[70_001..75_001], &mut copy);
        assert_eq!(copy, content[70_001..75_001]);
        file.copy(&content[1..5001], &mut copy);
        assert_eq!(copy, content[1..5001]);
        drop(file);
        assert_eq!(bytes, content);
    }
}
