//! Vela's result with `--output-format=raw`: a zip file of NumPy arrays.
//!
//! The command stream and the weights are taken as they are. Sizes and offsets have to fit 32 bits; unsigned ones are
//! taken as signed ones with the same bits.

use crate::npy::{self, Array};
use crate::payload::{Data, Payload, Slot};
use bytes::Bytes;
use rawzip::{CompressionMethod, ZipArchive};
use std::fmt::Display;

/// Why a file is not a result of Vela.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what Vela made cannot be read: {0}")]
pub struct NpzError(String);

/// The payload of Vela's result.
///
/// # Errors
/// If something is missing, or not as Vela 5 writes it.
pub fn read_npz(file: &Bytes) -> Result<Payload, NpzError> {
    let array = |name: &str| array(file, name);
    let bytes = |name: &str| array(name).map(|array| Data::Here(array.data));
    let scratch = integers(file, "scratch_shape")?;
    let scratch_bytes = scratch.first().and_then(|&n| u32::try_from(n).ok());
    let scratch_bytes =
        scratch_bytes.ok_or_else(|| NpzError(format!("scratch memory of {scratch:?} bytes")))?;
    let commands = array("cmd_data")?.data;
    if !(commands.starts_with(b"COP1") || commands.starts_with(b"COP2")) {
        return Err(named(
            "cmd_data",
            "it begins neither with COP1 nor with COP2",
        ));
    }
    Ok(Payload {
        commands: Data::Here(commands),
        weights: bytes("weight_data")?,
        scratch_bytes,
        inputs: within(scratch_bytes, slots(file, "input")?)?,
        outputs: within(scratch_bytes, slots(file, "output")?)?,
    })
}

/// The tensors of one side, if they lie in the scratch memory: the runtime copies them to it and from it.
fn within(scratch_bytes: u32, slots: Vec<Slot>) -> Result<Vec<Slot>, NpzError> {
    let end = |slot: &Slot| {
        let width = usize::try_from(slot.element_bytes).ok()?;
        let bytes = slot.elements()?.checked_mul(width)?;
        usize::try_from(slot.offset).ok()?.checked_add(bytes)
    };
    let lies_within = |slot: &Slot| end(slot).is_some_and(|end| end <= scratch_bytes as usize);
    match slots.iter().find(|slot| !lies_within(slot)) {
        None => Ok(slots),
        Some(slot) => Err(NpzError(format!(
            "{slot:?} outside of {scratch_bytes} bytes"
        ))),
    }
}

fn named(name: &str, error: impl Display) -> NpzError {
    NpzError(format!("{name}: {error}"))
}

/// An array of the archive.
fn array(file: &Bytes, name: &str) -> Result<Array, NpzError> {
    let wanted = format!("{name}.npy");
    let archive = ZipArchive::from_slice(file.as_ref()).map_err(|e| NpzError(e.to_string()))?;
    for record in archive.entries() {
        let record = record.map_err(|e| NpzError(e.to_string()))?;
        if record.file_path().as_bytes() != wanted.as_bytes() {
            continue;
        }
        if record.compression_method() != CompressionMethod::STORE {
            return Err(named(name, "it is compressed"));
        }
        let entry = archive.get_entry(record.wayfinder());
        let (start, end) = entry.map_err(|e| named(name, e))?.compressed_data_range();
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let range = range.filter(|&(start, end)| start <= end && end <= file.len());
        let (start, end) = range.ok_or_else(|| named(name, "it is cut off"))?;
        return npy::read(&file.slice(start..end)).map_err(|e| named(name, e));
    }
    Err(named(name, "it is not there"))
}

fn integers(file: &Bytes, name: &str) -> Result<Vec<i64>, NpzError> {
    let array = array(file, name)?;
    array.integers().map_err(|e| named(name, e))
}

/// The input tensors, or the output tensors.
fn slots(file: &Bytes, side: &str) -> Result<Vec<Slot>, NpzError> {
    let part = |part: &str| words(file, &format!("{side}_{part}"));
    let shapes = array(file, &format!("{side}_shape"))?;
    let (offsets, regions, widths) = (part("offset")?, part("region")?, part("elem_size")?);
    let count = offsets.len();
    let fits = [regions.len(), widths.len()] == [count, count] && is_table(&shapes, count);
    if !fits {
        let found = format!("{count} tensors with sizes of {:?}", shapes.shape);
        return Err(named(side, found));
    }
    let sizes = part("shape")?;
    let slot = |i: usize| {
        let mut dims = [0; 6];
        dims.copy_from_slice(&sizes[6 * i..6 * i + 6]);
        Slot {
            dims,
            element_bytes: widths[i],
            offset: offsets[i],
            region: regions[i],
        }
    };
    Ok((0..count).map(slot).collect())
}

/// True if each tensor has six sizes.
fn is_table(shapes: &Array, count: usize) -> bool {
    shapes.shape == [count, 6] || (count == 0 && shapes.data.is_empty())
}

fn words(file: &Bytes, name: &str) -> Result<Vec<i32>, NpzError> {
    let word = |n: i64| i32::try_from(n).map_err(|_| named(name, format!("{n} is beyond 32 bits")));
    integers(file, name)?.into_iter().map(word).collect()
}
