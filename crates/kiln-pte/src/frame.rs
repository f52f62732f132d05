//! The constants of the file's frame, for reader and writer.

/// Bytes 4 to 8 of a program.
pub(crate) const IDENTIFIER: &[u8; 4] = b"ET12";
/// Bytes 8 to 12 of a program with an extended header.
pub(crate) const EXTENDED_MAGIC: &[u8; 4] = b"eh00";
/// The length of the extended header that is written. It is inserted at byte 8 of the flatbuffer, so it is a multiple
/// of every alignment in the flatbuffer.
pub(crate) const HEADER_LENGTH: u32 = 32;
/// The alignment of segments in the file.
pub(crate) const SEGMENT_ALIGNMENT: u64 = 128;
/// The alignment of constants in their segment.
pub(crate) const CONSTANT_ALIGNMENT: u64 = 16;
