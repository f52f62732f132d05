//! Movements as text: `a:2 (b:3 c:4) -> (a c) b`.
//!
//! The text lists the axes of the source with factors and sizes, an arrow, and the axes of the result. An axis of one
//! factor has no parentheses, an axis of several has them, and a unit axis is `1`. A unit axis that corresponds to one
//! of the other side has a name and the size 1 (`a:1 b:3 -> b a`). A symbolic size is in braces: `a:{2*s0 + 1}`. The
//! text of a movement parses to an equal movement with the same tracking.

use super::{AxisFactors, Movement, MovementError};
use crate::dim::{Dim, DimNames, ParseDimError, Symbols, parse_dim};
use rustc_hash::FxHashMap;
use std::fmt;

/// A movement that prints with the names of its symbols.
pub struct MovementNames<'a>(pub &'a Movement, pub &'a Symbols);

impl fmt::Display for MovementNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MovementNames(movement, symbols) = self;
        write_movement(f, movement, &|f, size| {
            write!(f, "{}", DimNames(size, symbols))
        })
    }
}

impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_movement(f, self, &|f, size| write!(f, "{size}"))
    }
}

impl fmt::Debug for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

type WriteSize<'a> = &'a dyn Fn(&mut fmt::Formatter<'_>, &Dim) -> fmt::Result;

fn write_movement(f: &mut fmt::Formatter<'_>, m: &Movement, size: WriteSize<'_>) -> fmt::Result {
    let tracked: FxHashMap<u32, usize> = m.units.iter().map(|u| u.1).zip(0..).collect();
    let mut units = m.units.iter().zip(0..).peekable();
    let unit_name = |unit: usize| name(m.sizes.len() + unit);
    for (axis, factors) in m.source.iter().enumerate() {
        let unit = units.next_if(|((from, _), _)| *from as usize == axis);
        match unit {
            Some((_, unit)) => write!(f, "{}:1", unit_name(unit))?,
            None => write_axis(f, factors, &|f, index| {
                write!(f, "{}:", name(index))?;
                write_size(f, &m.sizes[index], size)
            })?,
        }
        f.write_str(" ")?;
    }
    f.write_str("->")?;
    for (axis, factors) in m.result.iter().enumerate() {
        f.write_str(" ")?;
        match tracked.get(&(axis as u32)) {
            Some(&unit) => f.write_str(&unit_name(unit))?,
            None => write_axis(f, factors, &|f, index| f.write_str(&name(index)))?,
        }
    }
    Ok(())
}

fn write_size(f: &mut fmt::Formatter<'_>, size: &Dim, write: WriteSize<'_>) -> fmt::Result {
    if size.as_const().is_some_and(|c| c >= 0) {
        return write(f, size);
    }
    f.write_str("{")?;
    write(f, size)?;
    f.write_str("}")
}

type WriteFactor<'a> = &'a dyn Fn(&mut fmt::Formatter<'_>, usize) -> fmt::Result;

fn write_axis(
    f: &mut fmt::Formatter<'_>,
    factors: &AxisFactors,
    write: WriteFactor<'_>,
) -> fmt::Result {
    match factors.as_slice() {
        [] => f.write_str("1"),
        [only] => write(f, only.index()),
        [first, rest @ ..] => {
            f.write_str("(")?;
            write(f, first.index())?;
            for factor in rest {
                f.write_str(" ")?;
                write(f, factor.index())?;
            }
            f.write_str(")")
        }
    }
}

/// `a` to `z`, then `aa`, `ab` and so on.
fn name(index: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = index + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.into_iter().rev().collect()
}

/// Why a text is no valid movement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseMovementError {
    /// The text is malformed.
    #[error("not a movement: {message} at byte {offset}")]
    Syntax {
        /// The offset in the text, in bytes.
        offset: usize,
        /// What was expected or found.
        message: String,
    },
    /// A size in braces is malformed. Offsets count from the start of the movement.
    #[error("not a movement: {0}")]
    Size(ParseDimError),
    /// The factors make no valid movement. They are counted in the order of the source.
    #[error("not a movement: {0}")]
    Movement(#[from] MovementError),
}

/// Parses a movement at the start of `text`. Returns it with the number of bytes read, without spaces after it. The
/// movement ends where no axis follows.
///
/// # Errors
/// On malformed text, a factor that does not occur once on both sides, or a size that is negative or too large.
///
/// ```
/// use kiln_ir::{dim::Symbols, movement::parse_movement};
/// let (movement, used) = parse_movement("(a:4 b:6) 1 -> b a, x", &Symbols::default())?;
/// assert_eq!((movement.to_string(), used), ("(a:4 b:6) 1 -> b a".to_string(), 18));
/// # Ok::<(), kiln_ir::movement::ParseMovementError>(())
/// ```
pub fn parse_movement(
    text: &str,
    symbols: &Symbols,
) -> Result<(Movement, usize), ParseMovementError> {
    let mut parser = Parser {
        text,
        at: 0,
        symbols,
        names: FxHashMap::default(),
        sizes: Vec::new(),
    };
    let source = parser.axes(Parser::source_factor)?;
    if !parser.eat("->") {
        return parser.fail("expected an axis or '->'");
    }
    let result = parser.axes(Parser::result_factor)?;
    let movement = Movement::from_parts(parser.sizes, source, result)?;
    Ok((movement, parser.at))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    symbols: &'a Symbols,
    names: FxHashMap<&'a str, usize>,
    sizes: Vec<Dim>,
}

type ReadFactor<'a> = fn(&mut Parser<'a>) -> Result<usize, ParseMovementError>;

impl<'a> Parser<'a> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ParseMovementError> {
        Err(ParseMovementError::Syntax {
            offset: self.at,
            message: message.into(),
        })
    }

    /// The text from the next byte on that is no space.
    fn rest(&self) -> &'a str {
        self.text[self.at..].trim_start_matches(' ')
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest();
        let found = rest.starts_with(token);
        if found {
            self.at = self.text.len() - rest.len() + token.len();
        }
        found
    }

    /// Reads the next word of `member` characters. If there is none, it is empty and nothing is read.
    fn word(&mut self, member: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !member(c)).unwrap_or(rest.len())];
        if !word.is_empty() {
            self.at = self.text.len() - rest.len() + word.len();
        }
        word
    }

    fn axes(&mut self, factor: ReadFactor<'a>) -> Result<Vec<Vec<usize>>, ParseMovementError> {
        let mut axes = Vec::new();
        loop {
            match self.rest().chars().next() {
                Some('1') => {
                    let size = self.word(|c| c.is_ascii_alphanumeric());
                    if size != "1" {
                        return self.fail(format!("a bare axis is '1', found '{size}'"));
                    }
                    axes.push(Vec::new());
                }
                Some('(') => {
                    self.eat("(");
                    let mut group = Vec::new();
                    while !self.eat(")") {
                        group.push(factor(self)?);
                    }
                    axes.push(group);
                }
                Some(c) if c.is_ascii_lowercase() => axes.push(vec![factor(self)?]),
                _ => return Ok(axes),
            }
        }
    }

    fn factor_name(&mut self) -> Result<&'a str, ParseMovementError> {
        match self.word(|c| c.is_ascii_lowercase()) {
            "" => self.fail("expected the name of a factor"),
            name => Ok(name),
        }
    }

    fn source_factor(&mut self) -> Result<usize, ParseMovementError> {
        let name = self.factor_name()?;
        if !self.eat(":") {
            return self.fail(format!("expected ':' and the size of factor {name}"));
        }
        let size = self.size()?;
        let factor = self.sizes.len();
        if self.names.insert(name, factor).is_some() {
            return self.fail(format!("factor {name} is twice in the source"));
        }
        self.sizes.push(size);
        Ok(factor)
    }

    fn result_factor(&mut self) -> Result<usize, ParseMovementError> {
        let name = self.factor_name()?;
        match self.names.get(name) {
            Some(&factor) => Ok(factor),
            None => self.fail(format!("no factor {name} in the source")),
        }
    }

    fn size(&mut self) -> Result<Dim, ParseMovementError> {
        if !self.eat("{") {
            let digits = self.word(|c| c.is_ascii_digit());
            return match digits.parse() {
                Ok(size) => Ok(Dim::constant(size)),
                Err(_) => self.fail("expected a size of at most 64 bits, or '{'"),
            };
        }
        let start = self.at;
        let (size, used) = parse_dim(&self.text[start..], self.symbols).map_err(|error| {
            ParseMovementError::Size(ParseDimError {
                offset: start + error.offset,
                ..error
            })
        })?;
        self.at += used;
        if self.eat("}") {
            Ok(size)
        } else {
            self.fail("expected '}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parses_to_what_was_printed(d in any_sizes().prop_flat_map(drawn)) {
            let (movement, symbols) = (d.movement(), symbols());
            let text = MovementNames(&movement, &symbols).to_string();
            let (parsed, used) = parse_movement(&text, &symbols).unwrap();
            prop_assert_eq!(used, text.len());
            prop_assert_eq!(&parsed, &movement);
            prop_assert_eq!(&parsed.units, &movement.units);
        }

        #[test]
        fn hostile_text_is_an_error_or_a_movement(text in "[ab1-3:(){}> s0é-]{0,24}") {
            let _ = parse_movement(&text, &symbols());
        }
    }

    #[test]
    fn reads_by_eye() {
        let symbols = symbols();
        for text in [
            "a:2 (b:3 c:4) -> (a c) b",
            "a:{2*s0 + 1} 1 b:0 -> b a 1 1",
            "b:1 a:3 -> a b",
            "->",
            "-> 1",
            "1 ->",
        ] {
            let (movement, used) = parse_movement(text, &symbols).unwrap();
            assert_eq!(used, text.len());
            assert_eq!(MovementNames(&movement, &symbols).to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_no_movement() {
        for text in [
            "",
            "a:2",
            "a:2 ->",
            "a -> a",
            "a:2 -> a a",
            "a:2 -> b",
            "a:2 a:2 -> a",
            "a:{s9} -> a",
            "a:{2 -> a",
            "a:{-2} -> a",
            "(a:2 -> a",
            "((a:2)) -> a",
            "12 -> a",
            "a:99999999999999999999 -> a",
            "(a:9999999999 b:9999999999) -> (a b)",
        ] {
            assert!(parse_movement(text, &symbols()).is_err(), "{text}");
        }
    }

    #[test]
    fn names_go_on_after_z() {
        assert_eq!(
            [0, 25, 26, 27, 702].map(name),
            ["a", "z", "aa", "ab", "aaa"]
        );
    }
}
