//! Numbers and comments as C has them.

use crate::dialect::Dtype;
use std::fmt::Write as _;

/// The longest line of the C that is written.
pub(super) const WIDTH: usize = 120;

/// An integer.
pub(super) fn integer(value: i64) -> String {
    let mut text = String::new();
    push(&mut text, value);
    text
}

/// The least integers have no literal: that of the number without its sign is of another type.
fn push(out: &mut String, value: i64) {
    const LEAST_32: i64 = i32::MIN as i64;
    match value {
        i64::MIN => out.push_str("INT64_MIN"),
        LEAST_32 => out.push_str("INT32_MIN"),
        _ => push_decimal(out, value),
    }
}

/// Weights are many: this is several times as fast as `write!`.
fn push_decimal(out: &mut String, value: i64) {
    let mut digits = [0u8; 20];
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
        out.push('-');
    }
    out.push_str(std::str::from_utf8(&digits[at..]).expect("digits"));
}

/// A float, with as many digits as tell it from its neighbours. `NAN` and `INFINITY` are of `math.h`.
pub(super) fn float(value: f32) -> String {
    match value {
        _ if value.is_nan() => "NAN".to_owned(),
        f32::INFINITY => "INFINITY".to_owned(),
        f32::NEG_INFINITY => "-INFINITY".to_owned(),
        _ => format!("{value:?}f"),
    }
}

/// The numbers of an array, in lines of four spaces and a limited width.
pub(super) fn numbers(values: impl Iterator<Item = i64>) -> String {
    lines(values, push)
}

/// The elements of a buffer, from its bytes.
pub(super) fn elements(dtype: Dtype, bytes: &[u8]) -> String {
    macro_rules! integers {
        ($ty:ty) => {
            numbers(chunks(bytes).map(|chunk| <$ty>::from_le_bytes(chunk).into()))
        };
    }
    match dtype {
        Dtype::I4 | Dtype::I8 => integers!(i8),
        Dtype::U8 => integers!(u8),
        Dtype::F16 | Dtype::Bf16 => integers!(u16),
        Dtype::I16 => integers!(i16),
        Dtype::I32 => integers!(i32),
        Dtype::I64 => integers!(i64),
        Dtype::F32 => lines(chunks(bytes).map(f32::from_le_bytes), |out, value| {
            out.push_str(&float(value));
        }),
    }
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    let chunks = bytes.chunks_exact(N);
    chunks.map(|chunk| chunk.try_into().expect("a chunk of its size"))
}

fn lines<T>(values: impl Iterator<Item = T>, push: impl Fn(&mut String, T)) -> String {
    let mut text = String::new();
    let mut start = 0;
    for (i, value) in values.enumerate() {
        if i == 0 {
            text.push_str("    ");
        }
        let before = text.len();
        push(&mut text, value);
        text.push(',');
        if text.len() + 1 - start > WIDTH && i > 0 {
            text.insert_str(before, "\n    ");
            // The space in front of the number would stay at the end of its line.
            text.remove(before - 1);
            start = before;
        }
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// A text of the user within a comment: nothing that ends it, begins another, or that a compiler warns of.
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

/// A call or an initialiser in lines: `head`, the parts, and `tail`. Parts that do not fit in the line go on in the next, which is
/// indented by four spaces more.
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
        assert_eq!(elements(Dtype::I16, &[1, 0, 255, 255]), "    1, -1,\n");
    }

    #[test]
    fn lines_are_filled() {
        let text = numbers((0..100).map(|_| -100));
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
