//! Numbers and comments as C text.

use crate::dialect::Dtype;
use std::fmt::Write as _;

/// The length of the longest line of generated C.
pub(super) const WIDTH: usize = 120;

/// An integer.
pub(super) fn integer(value: i64) -> String {
    match special(value) {
        Some(name) => name.to_owned(),
        None => value.to_string(),
    }
}

/// The text of integers that have no literal: the number without its sign has another type than the number with it.
const fn special(value: i64) -> Option<&'static str> {
    const LEAST_32: i64 = i32::MIN as i64;
    match value {
        i64::MIN => Some("INT64_MIN"),
        LEAST_32 => Some("INT32_MIN"),
        _ => None,
    }
}

/// The decimal digits of a number with its sign, at the end of the bytes, and the index of the first.
const fn decimal(value: i64) -> ([u8; 20], usize) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    (digits, at)
}

/// The text of an 8-bit number with a space in front of it and a comma behind it, and its length.
type Short = ([u8; 8], usize);

/// The texts of all 8-bit numbers, by their bits: most weights are such numbers.
static SHORT: [Short; 256] = {
    let mut all = [([b' '; 8], 1); 256];
    let mut bits = 0;
    while bits < all.len() {
        let (digits, mut at) = decimal((bits as u8 as i8) as i64);
        let (text, length) = &mut all[bits];
        while at < digits.len() {
            text[*length] = digits[at];
            *length += 1;
            at += 1;
        }
        text[*length] = b',';
        *length += 1;
        bits += 1;
    }
    all
};

/// A float, with as many digits as tell it from its neighbours. `NAN` and `INFINITY` come from `math.h`.
pub(super) fn float(value: f32) -> String {
    match value {
        _ if value.is_nan() => "NAN".to_owned(),
        f32::INFINITY => "INFINITY".to_owned(),
        f32::NEG_INFINITY => "-INFINITY".to_owned(),
        _ => format!("{value:?}f"),
    }
}

/// Writes the numbers of an array in lines of limited width, each indented by four spaces.
pub(super) fn write_numbers(into: &mut Vec<u8>, values: impl Iterator<Item = i64>) {
    let mut lines = Lines::new(into);
    values.for_each(|value| lines.integer(value));
    lines.end();
}

/// Writes the elements of a buffer, which are given as its bytes.
pub(super) fn write_elements(into: &mut Vec<u8>, dtype: Dtype, bytes: &[u8]) {
    macro_rules! integers {
        ($ty:ty) => {
            write_numbers(into, chunks(bytes).map(|c| <$ty>::from_le_bytes(c).into()))
        };
    }
    match dtype {
        Dtype::I4 | Dtype::I8 => {
            into.reserve(bytes.len() * 6);
            let mut lines = Lines::new(into);
            bytes
                .iter()
                .for_each(|&bits| lines.short(&SHORT[usize::from(bits)]));
            lines.end();
        }
        Dtype::U8 => integers!(u8),
        Dtype::F16 | Dtype::Bf16 => integers!(u16),
        Dtype::I16 => integers!(i16),
        Dtype::I32 => integers!(i32),
        Dtype::I64 => integers!(i64),
        Dtype::F32 => {
            let mut lines = Lines::new(into);
            for value in chunks(bytes).map(f32::from_le_bytes) {
                lines.number(float(value).as_bytes());
            }
            lines.end();
        }
    }
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    let chunks = bytes.chunks_exact(N);
    chunks.map(|chunk| chunk.try_into().expect("a chunk of its size"))
}

/// Writes numbers in lines.
struct Lines<'t> {
    text: &'t mut Vec<u8>,
    /// The length of the line so far; 0 before the first number.
    length: usize,
}

impl Lines<'_> {
    fn new(text: &mut Vec<u8>) -> Lines<'_> {
        Lines { text, length: 0 }
    }

    /// Writes what stands in front of a number that takes this many characters with its comma.
    fn make_room(&mut self, length: usize) {
        // A space in front of it, and the end of the line behind.
        if self.length > 0 && self.length + length + 2 <= WIDTH {
            self.text.push(b' ');
            self.length += 1 + length;
            return;
        }
        if self.length > 0 {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(b"    ");
        self.length = 4 + length;
    }

    fn number(&mut self, number: &[u8]) {
        self.make_room(number.len() + 1);
        self.text.extend_from_slice(number);
        self.text.push(b',');
    }

    fn integer(&mut self, value: i64) {
        if let Some(name) = special(value) {
            return self.number(name.as_bytes());
        }
        let (digits, first) = decimal(value);
        self.number(&digits[first..]);
    }

    /// As [`Lines::number`], for a text of known length, which takes few instructions to copy.
    fn short(&mut self, (bytes, length): &Short) {
        // The end of the line behind it.
        if self.length == 0 || self.length + length + 1 > WIDTH {
            return self.number(&bytes[1..length - 1]);
        }
        let end = self.text.len() + length;
        self.text.extend_from_slice(bytes);
        self.text.truncate(end);
        self.length += length;
    }

    /// Ends the last line, if there is one.
    fn end(self) {
        if self.length > 0 {
            self.text.push(b'\n');
        }
    }
}

/// A text of the user as it can stand in a comment: nothing in it ends the comment, begins another, or makes a compiler warn.
pub(super) fn comment(text: &str) -> String {
    let mut made = String::new();
    for c in text.chars() {
        let c = if matches!(c, ' '..='~') { c } else { '?' };
        if matches!(
            (made.chars().next_back(), c),
            (Some('*'), '/') | (Some('/'), '*') | (Some('?'), '?')
        ) {
            made.push(' ');
        }
        made.push(c);
    }
    made.trim().to_owned()
}

/// A call or an initialiser in lines: `head`, the parts, and `tail`. Parts that do not fit into a line go on in the next one,
/// which is indented by four further spaces.
pub(super) fn wrapped(indent: usize, head: &str, parts: &[String], tail: &str) -> String {
    let mut text = " ".repeat(indent) + head;
    let mut length = text.len();
    for (i, part) in parts.iter().enumerate() {
        let is_last = i + 1 == parts.len();
        let behind = if is_last { tail.len() } else { 1 };
        let space = if i == 0 { 0 } else { 1 };
        if length + space + part.len() + behind > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent + 4));
            length = indent + 4;
        } else if i > 0 {
            text.push(' ');
            length += 1;
        }
        let _ = write!(text, "{part}{}", if is_last { "" } else { "," });
        length += part.len() + 1;
    }
    text + tail
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn numbers_are_those_of_c() {
        assert_eq!(integer(-128), "-128");
        assert_eq!(integer(i64::from(i32::MIN)), "INT32_MIN");
        assert_eq!(integer(i64::MIN), "INT64_MIN");
        assert_eq!(integer(i64::MAX), "9223372036854775807");
        assert_eq!(
            [float(0.1), float(3.0), float(1e-45)],
            ["0.1f", "3.0f", "1e-45f"]
        );
        let elements = |dtype, bytes: &[u8]| {
            let mut text = Vec::new();
            write_elements(&mut text, dtype, bytes);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(elements(Dtype::I16, &[1, 0, 255, 255]), "    1, -1,\n");
        assert_eq!(elements(Dtype::I8, &[1, 128, 255]), "    1, -128, -1,\n");
        assert_eq!(elements(Dtype::I8, &[]), "");
        let all: Vec<u8> = (0..=255).collect();
        let signed = all
            .iter()
            .flat_map(|&bits| i16::from(bits as i8).to_le_bytes());
        let signed: Vec<u8> = signed.collect();
        assert_eq!(elements(Dtype::I8, &all), elements(Dtype::I16, &signed));
    }

    #[test]
    fn lines_are_filled() {
        let mut text = Vec::new();
        write_numbers(&mut text, (0..100).map(|_| -100));
        let text = String::from_utf8(text).unwrap();
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert!(
            lengths.iter().all(|&l| l <= WIDTH && l > 4),
            "{lengths:?}\n{text}"
        );
        assert!(lengths[0] > WIDTH - 6, "{text}");
        assert_eq!(text.matches("-100,").count(), 100);
        assert!(!text.contains(" \n"), "{text}");
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(
            comment("a */ b /* c ??/ \u{202e}\n"),
            "a * / b / * c ? ?/ ? ?"
        );
    }
}
