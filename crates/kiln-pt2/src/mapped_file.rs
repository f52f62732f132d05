//! A file's bytes as a mapping whose memory can be given back while the bytes stay in use.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use memmap2::Mmap;

/// Memory is given back in multiples of this, which every size of a page divides: what a system fetches around one page.
const GRAIN: usize = 64 << 10;

/// Bytes so near to those passed before go with them: what lies between two entries of an archive.
const NEAR: usize = 4 << 10;

/// How much is given back at most although it is read again: fetching it takes time.
const MOST_AGAIN: usize = 6 << 20;

/// A file that is mapped read-only. Cloning shares the mapping.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: File,
    map: Mmap,
    passed: Mutex<Passed>,
}

/// What was read last and is still in memory.
#[derive(Debug, Default)]
struct Passed {
    range: Range<usize>,
    /// Bytes that were given back although they are read again.
    again: usize,
}

impl MappedFile {
    /// Maps a file, which no one may change while its bytes are in use.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the mapping is private and read-only; that no one else changes the file meanwhile is the caller's part
        // of the contract of `Archive::open`, as for every mapped file.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self(Arc::new(Inner {
            path: path.to_owned(),
            file,
            map,
            passed: Mutex::default(),
        })))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// All of its bytes.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::from_owner(self.clone())
    }

    /// Copies bytes of the mapping, or others, to `out`, which has their length; those of the mapping out of the file, so
    /// that they take no memory in place.
    pub fn copy(&self, bytes: &[u8], out: &mut [u8]) {
        let place = self.place(bytes);
        let copied = place.is_some_and(|range| self.read_at(range.start as u64, out).is_ok());
        if !copied {
            out.copy_from_slice(bytes);
        }
    }

    /// Notes that bytes have been read, and gives back memory that they take. They stay as they are, and are fetched again
    /// when they are read again; where that is known to happen, only so much is given back.
    pub fn passed(&self, bytes: &[u8], again: bool) {
        let Some(range) = self.place(bytes) else {
            return;
        };
        let mut passed = self.0.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let gap = range.start.checked_sub(passed.range.end);
        let start = match gap {
            Some(gap) if gap <= NEAR => passed.range.start,
            _ => range.start,
        };
        passed.range = start..range.end;
        let whole = start.next_multiple_of(GRAIN)..range.end / GRAIN * GRAIN;
        let spent = passed.again + whole.len();
        if whole.is_empty() || (again && spent > MOST_AGAIN) {
            return;
        }
        if again {
            passed.again = spent;
        }
        passed.range.start = whole.end;
        self.give_back(whole);
    }

    /// Where bytes lie in the mapping, if they do.
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
        // again. Where the system refuses, the pages stay.
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
            (MOST_AGAIN - 2 * GRAIN..=MOST_AGAIN).contains(&spent),
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
