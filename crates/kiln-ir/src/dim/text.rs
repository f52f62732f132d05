//! Dims as text: `2*s0 + 1`, `floordiv(s0, 4)`, `mod(s0, 4)`, `min(s0, 8)`, `max(s0, s1)`.

use super::{Atom, Dim, Symbols, Term};
use std::fmt;

/// Nesting beyond which a text is refused.
const MAX_DEPTH: usize = 64;

/// Terms of a polynomial beyond which a text is refused: a product of sums doubles them with each factor.
const MAX_TERMS: usize = 1024;

/// A dim that prints with its symbols' names.
pub struct DimNames<'a>(pub &'a Dim, pub &'a Symbols);

impl fmt::Display for DimNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DimNames(dim, symbols) = self;
        write_dim(f, dim, &|f, id| {
            if symbols.contains(id) {
                f.write_str(&symbols.get(id).name)
            } else {
                write!(f, "{id}")
            }
        })
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_dim(f, self, &|f, id| write!(f, "{id}"))
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

type WriteSymbol<'a> = &'a dyn Fn(&mut fmt::Formatter<'_>, crate::arena::SymbolId) -> fmt::Result;

fn write_dim(f: &mut fmt::Formatter<'_>, dim: &Dim, symbol: WriteSymbol<'_>) -> fmt::Result {
    if let Some(c) = dim.as_const() {
        return write!(f, "{c}");
    }
    // The constant term sorts first but reads better last.
    let (constant, open): (Vec<&Term>, Vec<&Term>) =
        dim.terms().iter().partition(|t| t.factors.is_empty());
    for (i, term) in open.into_iter().chain(constant).enumerate() {
        let negative = term.coefficient < 0;
        match (i, negative) {
            (0, true) => f.write_str("-")?,
            (0, false) => {}
            (_, true) => f.write_str(" - ")?,
            (_, false) => f.write_str(" + ")?,
        }
        write_term(f, term, symbol)?;
    }
    Ok(())
}

fn write_term(f: &mut fmt::Formatter<'_>, term: &Term, symbol: WriteSymbol<'_>) -> fmt::Result {
    let size = term.coefficient.unsigned_abs();
    let mut first = true;
    if size != 1 || term.factors.is_empty() {
        write!(f, "{size}")?;
        first = false;
    }
    for (atom, power) in &term.factors {
        for _ in 0..*power {
            if !first {
                f.write_str("*")?;
            }
            first = false;
            write_atom(f, atom, symbol)?;
        }
    }
    Ok(())
}

fn write_atom(f: &mut fmt::Formatter<'_>, atom: &Atom, symbol: WriteSymbol<'_>) -> fmt::Result {
    let name = match atom {
        Atom::Symbol(id) => return symbol(f, *id),
        Atom::FloorDiv(..) => "floordiv",
        Atom::Mod(..) => "mod",
        Atom::Min(_) => "min",
        Atom::Max(_) => "max",
    };
    write!(f, "{name}(")?;
    for (i, operand) in atom.operands().into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write_dim(f, operand, symbol)?;
    }
    f.write_str(")")
}

/// Why a text is no dim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a dim: {message} at byte {offset}")]
pub struct ParseDimError {
    /// Where in the text.
    pub offset: usize,
    /// What was expected or found.
    pub message: String,
}

/// Reads a dim from the start of `text`; returns it with the number of bytes read.
///
/// # Errors
/// On an unknown symbol, a malformed expression or nesting deeper than 64.
pub fn parse_dim(text: &str, symbols: &Symbols) -> Result<(Dim, usize), ParseDimError> {
    let mut parser = Parser {
        text,
        at: 0,
        symbols,
    };
    let dim = parser.sum(0)?;
    Ok((dim, parser.at))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    symbols: &'a Symbols,
}

impl Parser<'_> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ParseDimError> {
        Err(ParseDimError {
            offset: self.at,
            message: message.into(),
        })
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.as_bytes().get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self, depth: usize) -> Result<Dim, ParseDimError> {
        let mut total = if self.eat(b'-') {
            -self.product(depth)?
        } else {
            self.product(depth)?
        };
        loop {
            let start = self.at;
            if self.eat(b'+') {
                total = total + self.product(depth)?;
            } else if self.eat(b'-') {
                total = total - self.product(depth)?;
            } else {
                // Spaces after the dim are the caller's.
                self.at = start;
                return Ok(total);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Result<Dim, ParseDimError> {
        let mut total = self.factor(depth)?;
        loop {
            let start = self.at;
            if !self.eat(b'*') {
                self.at = start;
                return Ok(total);
            }
            let factor = self.factor(depth)?;
            if total.term_count() * factor.term_count() > MAX_TERMS {
                return self.fail("the product has too many terms");
            }
            total = total * factor;
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Dim, ParseDimError> {
        if depth > MAX_DEPTH {
            return self.fail("nested too deeply");
        }
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                if self.eat(b')') {
                    Ok(inner)
                } else {
                    self.fail("expected ')'")
                }
            }
            Some(c) if c.is_ascii_digit() => {
                let digits = self.word(|c| c.is_ascii_digit());
                match digits.parse() {
                    Ok(value) => Ok(Dim::constant(value)),
                    Err(_) => self.fail(format!("{digits} does not fit 64 bits")),
                }
            }
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.name(depth),
            _ => self.fail("expected a number, a symbol or '('"),
        }
    }

    fn word(&mut self, member: fn(u8) -> bool) -> String {
        let start = self.at;
        while self
            .text
            .as_bytes()
            .get(self.at)
            .is_some_and(|&c| member(c))
        {
            self.at += 1;
        }
        self.text[start..self.at].to_string()
    }

    fn name(&mut self, depth: usize) -> Result<Dim, ParseDimError> {
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == b'_');
        if !matches!(name.as_str(), "floordiv" | "mod" | "min" | "max") || self.peek() != Some(b'(')
        {
            return match self.symbols.find(&name) {
                Some(id) => Ok(Dim::symbol(id)),
                None => self.fail(format!("no symbol is called {name}")),
            };
        }
        self.at += 1;
        let mut operands = vec![self.sum(depth + 1)?];
        while self.eat(b',') {
            operands.push(self.sum(depth + 1)?);
        }
        if !self.eat(b')') {
            return self.fail("expected ')'");
        }
        match (name.as_str(), operands.as_slice()) {
            ("floordiv", [a, b]) => Ok(a.floor_div(b)),
            ("mod", [a, b]) => Ok(a.modulo(b)),
            ("min", _) => Ok(Dim::min(operands)),
            ("max", _) => Ok(Dim::max(operands)),
            _ => self.fail(format!(
                "{name} takes two operands, found {}",
                operands.len()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Symbol;

    #[test]
    fn prints_and_parses_back() {
        let mut symbols = Symbols::default();
        for name in ["s0", "s1"] {
            symbols.add(Symbol {
                name: name.into(),
                min: 0,
                max: None,
                hint: None,
            });
        }
        for text in [
            "7",
            "-3",
            "s0",
            "2*s0 + 1",
            "s0*s0*s1 - 4",
            "floordiv(s0 + 3, 4)",
            "3*mod(s0, 4)",
            "max(s0, min(4, s1))",
        ] {
            let (dim, used) = parse_dim(text, &symbols).unwrap();
            assert_eq!(used, text.len());
            let printed = DimNames(&dim, &symbols).to_string();
            assert_eq!(
                parse_dim(&printed, &symbols).unwrap().0,
                dim,
                "{text} printed as {printed}"
            );
        }
    }

    #[test]
    fn a_product_of_many_sums_is_refused_at_once() {
        let mut symbols = Symbols::default();
        symbols.add(Symbol {
            name: "s0".into(),
            min: 0,
            max: None,
            hint: None,
        });
        let factors: Vec<String> = (2..60)
            .map(|i| format!("(floordiv(s0, {i}) + 1)"))
            .collect();
        assert!(parse_dim(&factors.join("*"), &symbols).is_err());
    }

    #[test]
    fn refuses_what_is_no_dim() {
        let symbols = Symbols::default();
        for text in [
            "",
            "s9",
            "2*",
            "(1",
            "floordiv(1)",
            "99999999999999999999",
            &"(".repeat(1000),
        ] {
            assert!(parse_dim(text, &symbols).is_err(), "{text}");
        }
    }
}
