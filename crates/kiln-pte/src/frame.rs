//! The constants of the file's frame, for reader and writer alike.

/// Bytes 4 to 8 of a program.
pub(crate) const IDENTIFIER: &[u8; 4] = b"ET12";
/// Bytes 8 to 12 of a program with an extended header.
pub(crate) const EXTENDED_MAGIC: &[u8; 4] = b"eh00";
/// Length of the extended header that is written. It goes between byte 8 and the rest of the flatbuffer, so it is a
/// multiple of every alignment in it.
pub(crate) const HEADER_LENGTH: u32 = 32;
/// Each segment starts at a multiple of this, in the file.
pub(crate) const SEGMENT_ALIGNMENT: u64 = 128;
/// Each constant starts at a multiple of this, in its segment.
pub(crate) const CONSTANT_ALIGNMENT: u64 = 16;
