//! The entries of a zip file whose payloads are stored without compression: slices of the file, without copies.
//!
//! Invariants of a [`ZipDirectory`]: every range lies within the file, no two ranges overlap, no two names are equal,
//! and each local header has the name that the central directory gives it.

use std::ops::Range;

use bytes::Bytes;
use indexmap::IndexMap;
use rawzip::{CompressionMethod, ZipArchive, ZipSliceArchive};

use crate::Error;

/// The entries of a zip file, in the order of its central directory.
#[derive(Clone, Debug)]
pub(crate) struct ZipDirectory {
    data: Bytes,
    entries: IndexMap<String, Entry>,
}

/// The message for a file with TorchScript code.
pub(crate) const TORCH_SCRIPT: &str = "this is TorchScript, not torch.export";

#[derive(Clone, Debug)]
struct Entry {
    range: Range<usize>,
    crc: u32,
}

impl ZipDirectory {
    /// Reads the central directory and all local headers.
    pub fn read(data: Bytes) -> Result<Self, Error> {
        let archive = ZipArchive::from_slice(data.as_ref()).map_err(|error| match error.kind() {
            rawzip::ErrorKind::MissingEndOfCentralDirectory => Error::zip(
                "the file is cut off or no zip archive: its directory, which stands at the end, is not there",
            ),
            _ => Error::zip(error),
        })?;
        let mut entries = IndexMap::new();
        for record in archive.entries() {
            let record = record.map_err(Error::zip)?;
            let name = entry_name(record.file_path().as_bytes())?;
            // TorchScript compresses its code. The error of such a file is not the compression.
            if record.compression_method() != CompressionMethod::STORE && is_code(&name) {
                return Err(Error::not_torch_export(TORCH_SCRIPT));
            }
            let entry = read_entry(&archive, &record).map_err(|error| error.in_entry(&name))?;
            if entries.contains_key(&name) {
                return Err(Error::zip("two entries have this name").in_entry(&name));
            }
            entries.insert(name, entry);
        }
        if entries.len() as u64 != archive.entries_hint() {
            let (found, said) = (entries.len(), archive.entries_hint());
            return Err(Error::zip(format!(
                "{found} entries where the directory says {said}"
            )));
        }
        check_overlap(&entries)?;
        Ok(Self { data, entries })
    }

    /// The payload of an entry.
    pub fn get(&self, name: &str) -> Option<Bytes> {
        self.entries
            .get(name)
            .map(|entry| self.data.slice(entry.range.clone()))
    }

    /// The payload of an entry below the root folder, which is that of the first entry, if it has one.
    pub fn get_rooted(&self, name: &str) -> Option<Bytes> {
        self.get(&[self.root(), name].concat())
    }

    /// The size of the whole file in bytes.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// The root folder with its slash; empty if there is none.
    pub fn root(&self) -> &str {
        let first = self.names().next().unwrap_or_default();
        first.find('/').map_or("", |slash| &first[..=slash])
    }

    /// The names below the root folder, without it.
    pub fn rooted_names(&self) -> impl Iterator<Item = &str> {
        let root = self.root();
        self.names().filter_map(move |name| name.strip_prefix(root))
    }

    /// The names, in the order of the directory.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Compares the payload of an entry with its checksum. An entry that is absent has nothing to compare.
    pub fn verify(&self, name: &str) -> Result<(), Error> {
        let Some(entry) = self.entries.get(name) else {
            return Ok(());
        };
        let (found, said) = (rawzip::crc32(&self.data[entry.range.clone()]), entry.crc);
        match found == said {
            true => Ok(()),
            false => Err(Error::damaged(format!(
                "its bytes have the checksum {found:08x}, and the archive's directory says {said:08x}: it was damaged \
                 after the export; copy the file again, or export the model again"
            ))
            .in_entry(name)),
        }
    }
}

fn entry_name(raw: &[u8]) -> Result<String, Error> {
    let name = std::str::from_utf8(raw);
    let name = name.map_err(|_| Error::zip(format!("the entry name {raw:02x?} is not UTF-8")))?;
    Ok(name.to_owned())
}

/// True for the sources of a TorchScript archive, below its root folder.
fn is_code(name: &str) -> bool {
    let below = name.split_once('/').map(|(_, below)| below);
    below.is_some_and(|below| below.starts_with("code/"))
}

fn read_entry(
    archive: &ZipSliceArchive<&[u8]>,
    record: &rawzip::ZipFileHeaderRecord<'_>,
) -> Result<Entry, Error> {
    if record.compression_method() != CompressionMethod::STORE {
        return Err(Error::unsupported(
            "the entry is compressed; torch.export.save stores entries as they are, save the program again with it",
        ));
    }
    if record.flags().is_encrypted() {
        return Err(Error::unsupported("the entry is encrypted"));
    }
    let (stored, size) = (
        record.compressed_size_hint(),
        record.uncompressed_size_hint(),
    );
    if stored != size {
        return Err(Error::zip(format!(
            "a stored entry has sizes {stored} and {size}"
        )));
    }
    let entry = archive.get_entry(record.wayfinder()).map_err(Error::zip)?;
    if entry.local_header().file_path().as_bytes() != record.file_path().as_bytes() {
        return Err(Error::zip(
            "the local header has another name than the directory",
        ));
    }
    let (start, end) = entry.compressed_data_range();
    let bound =
        |offset: u64| usize::try_from(offset).map_err(|_| Error::zip("offset beyond the file"));
    Ok(Entry {
        range: bound(start)?..bound(end)?,
        crc: record.crc32(),
    })
}

fn check_overlap(entries: &IndexMap<String, Entry>) -> Result<(), Error> {
    let mut ranges: Vec<_> = entries
        .iter()
        .filter(|(_, entry)| !entry.range.is_empty())
        .collect();
    ranges.sort_by_key(|(_, entry)| entry.range.start);
    match ranges
        .windows(2)
        .find(|pair| pair[0].1.range.end > pair[1].1.range.start)
    {
        None => Ok(()),
        Some(pair) => {
            Err(Error::zip(format!("the entry overlaps entry {}", pair[0].0)).in_entry(pair[1].0))
        }
    }
}
