//! NumPy's format of an array: a header, which is a Python literal, and the elements.

use bytes::Bytes;

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    /// NumPy's name of the element type, for example `<i8`.
    pub(crate) descr: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Bytes,
}

/// Reads an array.
///
/// # Errors
/// If the file is not as NumPy writes it: in words, what is wrong.
pub(crate) fn read(file: &Bytes) -> Result<Array, String> {
    let start = header_start(file)?;
    let (start, end) = (start.0, start.0.saturating_add(start.1));
    let header = file.get(start..end).ok_or("the header is cut off")?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text")?;
    let descr = text_of(header, "descr")?.to_owned();
    if literal(header, "fortran_order")?.starts_with("True") {
        return Err("the array lies by column".into());
    }
    let shape = shape_of(header)?;
    let data = file.slice(end..);
    let elements = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
    let bytes = elements
        .zip(width(&descr))
        .and_then(|(n, w)| n.checked_mul(w));
    match bytes == Some(data.len()) {
        true => Ok(Array { descr, shape, data }),
        false => Err(format!(
            "{} bytes for an array of {descr} and {shape:?}",
            data.len()
        )),
    }
}

/// The position and the length of the header.
fn header_start(file: &[u8]) -> Result<(usize, usize), String> {
    let version = file.strip_prefix(MAGIC).ok_or("it is no array of NumPy")?;
    match version {
        [1, _, a, b, ..] => Ok((MAGIC.len() + 4, u16::from_le_bytes([*a, *b]).into())),
        [2 | 3, _, a, b, c, d, ..] => {
            let length = u32::from_le_bytes([*a, *b, *c, *d]);
            Ok((MAGIC.len() + 6, length as usize))
        }
        _ => Err("its version is not known".into()),
    }
}

/// The text behind a key of the header.
fn literal<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let quoted = format!("'{key}':");
    let found = header
        .split_once(&quoted)
        .map(|(_, rest)| rest.trim_start());
    found.ok_or_else(|| format!("the header has no {key}"))
}

fn text_of<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let rest = literal(header, key)?.strip_prefix('\'');
    let text = rest.and_then(|rest| rest.split_once('\'')).map(|(t, _)| t);
    text.ok_or_else(|| format!("the header's {key} is no text"))
}

fn shape_of(header: &str) -> Result<Vec<usize>, String> {
    let rest = literal(header, "shape")?.strip_prefix('(');
    let sizes = rest.and_then(|rest| rest.split_once(')')).map(|(s, _)| s);
    let sizes = sizes.ok_or("the header's shape is none")?.split(',');
    let sizes = sizes.map(str::trim).filter(|s| !s.is_empty());
    let sizes: Result<Vec<usize>, _> = sizes.map(str::parse).collect();
    sizes.map_err(|_| "the header's shape has something that is no size".into())
}

/// The bytes of an element.
fn width(descr: &str) -> Option<usize> {
    let digits = descr.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok()
}

impl Array {
    /// The elements as integers. An unsigned one that is too large becomes the signed one with the same bits.
    ///
    /// # Errors
    /// If the elements are not little-endian integers.
    pub(crate) fn integers(&self) -> Result<Vec<i64>, String> {
        let Some(width) = width(&self.descr).filter(|w| [1, 2, 4, 8].contains(w)) else {
            return Err(format!("elements of {} are no integers", self.descr));
        };
        let is_signed = match self.descr.trim_start_matches(['<', '|']).chars().next() {
            Some('i') => true,
            Some('u') => false,
            _ if self.data.is_empty() => return Ok(Vec::new()),
            _ => return Err(format!("elements of {} are no integers", self.descr)),
        };
        let integer = |element: &[u8]| {
            let mut bytes = [0; 8];
            bytes[..width].copy_from_slice(element);
            let unused = 64 - 8 * width as u32;
            match is_signed {
                true => (i64::from_le_bytes(bytes) << unused) >> unused,
                false => i64::from_le_bytes(bytes),
            }
        };
        Ok(self.data.chunks_exact(width).map(integer).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Bytes {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file.into()
    }

    #[test]
    fn integers_are_read() {
        let header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }\n";
        let array = read(&file(header, &[1, 0, 0xfe, 0xff])).expect("an array");
        assert_eq!(array.shape, [2, 1]);
        assert_eq!(array.integers(), Ok(vec![1, -2]));
    }

    #[test]
    fn a_scalar_has_no_sizes() {
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n";
        let array = read(&file(header, &[200])).expect("an array");
        assert_eq!((array.shape.len(), array.integers()), (0, Ok(vec![200])));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }\n";
        assert!(read(&file(header, &[0; 15])).is_err());
        let huge =
            "{'descr': '<i8', 'fortran_order': False, 'shape': (18446744073709551615, 9), }\n";
        assert!(read(&file(huge, &[0; 8])).is_err());
        assert!(read(&file("{}", &[])).is_err());
        assert!(read(&Bytes::from_static(b"\x93NUMPY\x01\x00\xff\xff")).is_err());
    }
}
