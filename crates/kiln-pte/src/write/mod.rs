//! The writer of programs.
//!
//! Contract: the stock runtime 1.5.1 loads the file, if it has the kernels and backends. [`read`](crate::read()) gives
//! the same program. The same program gives the same bytes. Constants, blobs and named data are written directly from
//! where they are mapped. Arranged contents are computed piece by piece.
//!
//! Layout: the flatbuffer with a 32-byte extended header, followed by segments at multiples of 128 bytes: constants
//! (each at a multiple of 16), initial data, delegate blobs, and named data (equal bytes once; those of a constant are in
//! its place). A program without data has no segments.

mod encode;
mod file;
mod segment;

use std::io::{self, Write};

use crate::frame::{EXTENDED_MAGIC, HEADER_LENGTH, IDENTIFIER, SEGMENT_ALIGNMENT};
use crate::{Fault, Program, check};

pub use file::{prepare_file, write_file};

use self::segment::Layout;

/// Why a program was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The program violates a rule of the format.
    #[error("the program is not valid: {0}")]
    Fault(#[from] Fault),
    /// Writing the output failed.
    #[error("cannot write {what}: {source}")]
    Io {
        /// What was being written.
        what: String,
        /// The cause.
        source: io::Error,
    },
}

/// Writes a whole `.pte` file, and returns its size in bytes. Writes nothing if the program violates a rule.
pub fn write(program: &Program, out: &mut impl Write) -> Result<u64, WriteError> {
    check(program)?;
    let layout = Layout::of(program);
    let flatbuffer = encode::encode(program, &layout);
    emit(&flatbuffer, &layout, out).map_err(|source| WriteError::Io {
        what: "the program".to_owned(),
        source,
    })
}

fn emit(flatbuffer: &[u8], layout: &Layout, out: &mut impl Write) -> io::Result<u64> {
    let program_size = flatbuffer.len() as u64 + u64::from(HEADER_LENGTH);
    let base = match layout.segments.is_empty() {
        true => 0,
        false => program_size.next_multiple_of(SEGMENT_ALIGNMENT),
    };
    let (root, rest) = flatbuffer
        .split_first_chunk::<4>()
        .expect("a flatbuffer starts with its root offset");
    out.write_all(&(u32::from_le_bytes(*root) + HEADER_LENGTH).to_le_bytes())?;
    out.write_all(&rest[..IDENTIFIER.len()])?;
    out.write_all(EXTENDED_MAGIC)?;
    out.write_all(&HEADER_LENGTH.to_le_bytes())?;
    for number in [program_size, base, layout.size()] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&rest[IDENTIFIER.len()..])?;
    let padded = base.max(program_size);
    zeros(out, padded - program_size)?;
    layout.emit(out)?;
    out.flush()?;
    Ok(padded + layout.size())
}

/// Writes padding, which is shorter than any alignment.
fn zeros(out: &mut impl Write, count: u64) -> io::Result<()> {
    const ZEROS: [u8; SEGMENT_ALIGNMENT as usize] = [0; SEGMENT_ALIGNMENT as usize];
    out.write_all(&ZEROS[..count as usize])
}
