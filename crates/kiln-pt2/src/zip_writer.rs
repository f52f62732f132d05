//! Writing zip files as PyTorch does: entries stored as they are, every payload at a multiple of 64 bytes.

use std::io::Write;

use rawzip::extra_fields::ExtraFieldId;
use rawzip::path::EntryPath;
use rawzip::{CompressionMethod, Header, ZipArchiveWriter};

use crate::Error;

/// Alignment of payloads within the file.
pub(crate) const ALIGNMENT: u64 = 64;

/// Bytes of a local header before the name, and of the head of an extra field.
const LOCAL_HEADER: u64 = 30;
const EXTRA_HEADER: u64 = 4;

/// PyTorch's padding field.
const PADDING_FIELD: u16 = 0x4246;

/// Writes the entries of one root folder.
pub(crate) struct ZipFileWriter<W> {
    zip: ZipArchiveWriter<W>,
    root: String,
    digest: u64,
}

impl<W: Write> ZipFileWriter<W> {
    /// Starts a file; `root` is the folder of all entries.
    pub fn new(out: W, root: &str) -> Self {
        Self {
            zip: ZipArchiveWriter::new(out),
            root: root.to_owned(),
            digest: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// Writes one entry.
    pub fn entry(&mut self, name: &str, data: &[u8]) -> Result<(), Error> {
        let path = format!("{}/{name}", self.root);
        let unpadded = self.zip.stream_offset() + LOCAL_HEADER + path.len() as u64 + EXTRA_HEADER;
        let padding = vec![b'Z'; (unpadded.next_multiple_of(ALIGNMENT) - unpadded) as usize];
        let file = self.zip.new_file(EntryPath::verbatim(path.as_bytes()));
        let file = file.compression_method(CompressionMethod::STORE);
        let file = file.extra_field(ExtraFieldId::new(PADDING_FIELD), &padding, Header::LOCAL);
        let (mut entry, config) = file.and_then(|file| file.start()).map_err(Error::write)?;
        let mut writer = config.wrap(&mut entry);
        writer
            .write_all(data)
            .map_err(|error| Error::write(error.into()))?;
        let (_, descriptor) = writer.finish().map_err(Error::write)?;
        let checksum = descriptor.crc();
        entry.finish(descriptor).map_err(Error::write)?;
        self.digest(path.as_bytes());
        self.digest(&checksum.to_le_bytes());
        Ok(())
    }

    /// FNV-1a over names and checksums, for the serialisation id.
    fn digest(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Writes the entry that identifies the content, and the directory.
    pub fn finish(mut self) -> Result<W, Error> {
        let id = format!("{:040}", self.digest);
        self.entry(".data/serialization_id", id.as_bytes())?;
        self.zip.finish().map_err(Error::write)
    }
}
