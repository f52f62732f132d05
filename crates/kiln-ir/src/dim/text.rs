//! Dims as text: `2*s0 + 1`, `floordiv(s0, 4)`, `mod(s0, 4)`, `min(s0, 8)`, `max(s0, s1)`.

use super::{Atom, Dim, Symbols, Term};
use std::fmt;

/// The deepest nesting that the parser accepts.
const MAX_DEPTH: usize = 64;

/// The most terms of a parsed polynomial. A product of sums doubles its terms with each factor.
const MAX_TERMS: usize = 1024;

/// The most numbers, symbols and functions of a parsed dim. The atoms of a product are repeated in all of its terms,
/// and nested products multiply.
const MAX_WEIGHT: usize = 1 << 14;

/// A dim that prints with the names of its symbols.
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
    // The constant term sorts first, but is printed last, which reads better.
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

/// Why a text is no valid dim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a dim: {message} at byte {offset}")]
pub struct ParseDimError {
    /// The offset in the text, in bytes.
    pub offset: usize,
    /// What was expected or found.
    pub message: String,
}

/// Parses a dim at the start of `text`. Returns it with the number of bytes read.
///
/// # Errors
/// On an unknown symbol, a malformed expression, nesting deeper than 64, or a dim that becomes too large when
/// multiplied out.
pub fn parse_dim(text: &str, symbols: &Symbols) -> Result<(Dim, usize), ParseDimError> {
    let mut parser = Parser {
        text,
        at: 0,
        symbols,
    };
    let Weighed { dim, .. } = parser.sum(0)?;
    Ok((dim, parser.at))
}

/// A dim with an upper bound for the numbers, symbols and functions that it prints.
struct Weighed {
    dim: Dim,
    weight: usize,
}

impl Weighed {
    fn negated_if(self, negative: bool) -> Weighed {
        let dim = if negative { -self.dim } else { self.dim };
        Weighed { dim, ..self }
    }
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

    /// The dim, or an error if it exceeds the limits.
    fn limited(&self, dim: Dim, weight: usize) -> Result<Weighed, ParseDimError> {
        if weight > MAX_WEIGHT || dim.term_count() > MAX_TERMS {
            return self.fail("the dim is too large");
        }
        Ok(Weighed { dim, weight })
    }

    fn sum(&mut self, depth: usize) -> Result<Weighed, ParseDimError> {
        let negative = self.eat(b'-');
        let mut total = self.product(depth, negative)?;
        loop {
            let start = self.at;
            let term = if self.eat(b'+') {
                self.product(depth, false)?
            } else if self.eat(b'-') {
                self.product(depth, true)?
            } else {
                // Spaces after the dim belong to the caller.
                self.at = start;
                return Ok(total);
            };
            total = self.limited(total.dim + term.dim, total.weight + term.weight)?;
        }
    }

    /// Parses a product. If `negative`, its first factor is negated, because the least i64 has no positive counterpart.
    fn product(&mut self, depth: usize, negative: bool) -> Result<Weighed, ParseDimError> {
        let mut total = match self.peek() {
            Some(c) if c.is_ascii_digit() => self.number(negative)?,
            _ => self.factor(depth)?.negated_if(negative),
        };
        loop {
            let start = self.at;
            if !self.eat(b'*') {
                self.at = start;
                return Ok(total);
            }
            let factor = self.factor(depth)?;
            let (ours, theirs) = (total.dim.term_count(), factor.dim.term_count());
            if ours * theirs > MAX_TERMS {
                return self.fail("the product has too many terms");
            }
            let weight = theirs * total.weight + ours * factor.weight;
            total = self.limited(total.dim * factor.dim, weight)?;
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Weighed, ParseDimError> {
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
            Some(c) if c.is_ascii_digit() => self.number(false),
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.name(depth),
            _ => self.fail("expected a number, a symbol or '('"),
        }
    }

    fn number(&mut self, negative: bool) -> Result<Weighed, ParseDimError> {
        let digits = self.word(|c| c.is_ascii_digit());
        let signed = digits.parse::<u64>().ok().and_then(|value| {
            if negative {
                0i64.checked_sub_unsigned(value)
            } else {
                i64::try_from(value).ok()
            }
        });
        match signed {
            Some(value) => self.limited(Dim::constant(value), 1),
            None => self.fail(format!("{digits} does not fit 64 bits")),
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

    fn name(&mut self, depth: usize) -> Result<Weighed, ParseDimError> {
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == b'_');
        if !matches!(name.as_str(), "floordiv" | "mod" | "min" | "max") || self.peek() != Some(b'(')
        {
            return match self.symbols.find(&name) {
                Some(id) => self.limited(Dim::symbol(id), 1),
                None => self.fail(format!("no symbol is called {name}")),
            };
        }
        self.at += 1;
        let (mut operands, mut weight) = (Vec::new(), 1);
        loop {
            let operand = self.sum(depth + 1)?;
            weight += operand.weight;
            operands.push(self.limited(operand.dim, weight)?.dim);
            if !self.eat(b',') {
                break;
            }
        }
        if !self.eat(b')') {
            return self.fail("expected ')'");
        }
        let dim = match (name.as_str(), operands.as_slice()) {
            ("floordiv", [a, b]) => a.floor_div(b),
            ("mod", [a, b]) => a.modulo(b),
            ("min", _) => Dim::min(operands),
            ("max", _) => Dim::max(operands),
            _ => {
                let found = operands.len();
                return self.fail(format!("{name} takes two operands, found {found}"));
            }
        };
        self.limited(dim, weight)
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
            "-9223372036854775808",
            "s0 - 9223372036854775808",
            "floordiv(-9223372036854775808, -1)",
            "floordiv(-9223372036854775808*s0, -1)",
            "mod(-9223372036854775808, -1)",
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
    fn nested_products_are_refused_before_they_explode() {
        let mut symbols = Symbols::default();
        symbols.add(Symbol {
            name: "s0".into(),
            min: 0,
            max: None,
            hint: None,
        });
        let mut text = "s0".to_string();
        for _ in 0..3 {
            let factors: Vec<String> = (2..12)
                .map(|i| format!("(floordiv({text} + 1, {i}) + 1)"))
                .collect();
            text = factors.join("*");
        }
        assert!(parse_dim(&text, &symbols).is_err());
        let sum: Vec<String> = (2..20_000).map(|i| format!("floordiv(s0, {i})")).collect();
        assert!(parse_dim(&sum.join("+"), &symbols).is_err());
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
