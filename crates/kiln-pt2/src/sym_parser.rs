//! The parser of symbolic expressions.
//!
//! One grammar covers both forms. `srepr` has function calls over `Symbol('s0')`, `Integer(2)` and so on. The infix
//! form of torch 2.5 has bare names and numbers with Python's operators. The parser climbs precedences, with Python's
//! levels.

use crate::Error;
use crate::sym_expr::{MAX_DEPTH, SymExpr, SymOp};

/// Parses the whole text.
pub(crate) fn parse(text: &str) -> Result<SymExpr, Error> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        height: 0,
    };
    let expr = parser.expression(0)?;
    parser.skip_space();
    match parser.at == text.len() {
        true => Ok(expr),
        false => Err(parser.fault("the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The number of expressions that enclose the current position.
    depth: usize,
    /// The depth of the expression that was read last, or one more: a chain of operators nests without parentheses.
    height: usize,
}

/// The operators by token, longest first, with level (higher binds tighter) and meaning.
const OPERATORS: [(&str, u8, Infix); 18] = [
    ("**", 8, Infix::Call(SymOp::Pow)),
    ("//", 6, Infix::Call(SymOp::FloorDiv)),
    ("<<", 4, Infix::Call(SymOp::LShift)),
    (">>", 4, Infix::Call(SymOp::RShift)),
    ("==", 1, Infix::Call(SymOp::Eq)),
    ("!=", 1, Infix::Call(SymOp::Ne)),
    (">=", 1, Infix::Call(SymOp::Ge)),
    ("<=", 1, Infix::Call(SymOp::Le)),
    (">", 1, Infix::Call(SymOp::Gt)),
    ("<", 1, Infix::Call(SymOp::Lt)),
    ("+", 5, Infix::Call(SymOp::Add)),
    ("-", 5, Infix::Subtract),
    ("*", 6, Infix::Call(SymOp::Mul)),
    ("/", 6, Infix::Divide),
    ("%", 6, Infix::Call(SymOp::PythonMod)),
    ("&", 3, Infix::Call(SymOp::And)),
    ("^", 2, Infix::Call(SymOp::BitwiseXor)),
    ("|", 2, Infix::Call(SymOp::Or)),
];

const POWER_LEVEL: u8 = 8;
const UNARY_LEVEL: u8 = 7;

enum Infix {
    Call(SymOp),
    Subtract,
    Divide,
}

impl Infix {
    /// True if the result is `left` with an additional operand.
    fn extends(&self, left: &SymExpr) -> bool {
        let own = match self {
            Self::Subtract => &SymOp::Add,
            Self::Call(op @ (SymOp::Add | SymOp::Mul | SymOp::And | SymOp::Or)) => op,
            Self::Call(_) | Self::Divide => return false,
        };
        matches!(left, SymExpr::Op(op, _) if op == own)
    }

    fn apply(&self, left: SymExpr, right: SymExpr) -> SymExpr {
        match (self, left, right) {
            (Self::Divide, SymExpr::Int(p), SymExpr::Int(q)) if q != 0 => SymExpr::Rational(p, q),
            (Self::Divide, left, right) => SymExpr::Op(SymOp::IntTrueDiv, vec![left, right]),
            (Self::Subtract, left, right) => flat(SymOp::Add, left, negate(right)),
            (Self::Call(op @ (SymOp::Add | SymOp::Mul | SymOp::And | SymOp::Or)), left, right) => {
                flat(op.clone(), left, right)
            }
            (Self::Call(op), left, right) => SymExpr::Op(op.clone(), vec![left, right]),
        }
    }
}

/// `left op right`. If `left` has the same associative operation, it gets an additional operand.
fn flat(op: SymOp, left: SymExpr, right: SymExpr) -> SymExpr {
    match left {
        SymExpr::Op(same, mut operands) if same == op => {
            operands.push(right);
            SymExpr::Op(op, operands)
        }
        left => SymExpr::Op(op, vec![left, right]),
    }
}

fn negate(expr: SymExpr) -> SymExpr {
    match expr {
        SymExpr::Int(value) if value != i64::MIN => SymExpr::Int(-value),
        SymExpr::Float(value) => SymExpr::Float(-value),
        SymExpr::Rational(p, q) if p != i64::MIN => SymExpr::Rational(-p, q),
        other => SymExpr::Op(SymOp::Mul, vec![SymExpr::Int(-1), other]),
    }
}

impl<'a> Parser<'a> {
    fn expression(&mut self, min_level: u8) -> Result<SymExpr, Error> {
        self.enter()?;
        let mut left = self.unary()?;
        let mut height = self.height;
        while let Some((token, level, infix)) = self.operator(min_level) {
            self.at += token.len();
            // A power is right-associative, and its exponent may have a sign.
            let right_level = if *level == POWER_LEVEL {
                level - 1
            } else {
                level + 1
            };
            let right = self.expression(right_level)?;
            let extends = infix.extends(&left);
            left = infix.apply(left, right);
            // A subtrahend becomes a product with -1.
            let below = self.height + usize::from(matches!(infix, Infix::Subtract));
            height = match extends {
                true => height.max(below + 1),
                false => height.max(below) + 1,
            };
            self.bound(height)?;
        }
        self.height = height;
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&mut self, min_level: u8) -> Option<&'static (&'static str, u8, Infix)> {
        self.skip_space();
        let found = OPERATORS
            .iter()
            .find(|row| self.rest().starts_with(row.0))?;
        (found.1 >= min_level).then_some(found)
    }

    fn unary(&mut self) -> Result<SymExpr, Error> {
        if self.eat("-") {
            // Python reads `-9223372036854775808` as one number.
            self.height = 1;
            if let Some(number) = self.number("-")? {
                return self.power_of_negative(number);
            }
            let operand = self.expression(UNARY_LEVEL)?;
            self.height += 1;
            self.bound(self.height)?;
            return Ok(negate(operand));
        }
        if self.eat("~") {
            let operand = self.expression(UNARY_LEVEL)?;
            self.height += 1;
            self.bound(self.height)?;
            return Ok(SymExpr::Op(SymOp::Not, vec![operand]));
        }
        self.primary()
    }

    /// `-2**n` is `-(2**n)`, so the sign that was read with the number belongs outside.
    fn power_of_negative(&mut self, number: SymExpr) -> Result<SymExpr, Error> {
        self.skip_space();
        if !self.rest().starts_with("**") {
            return Ok(number);
        }
        self.at += 2;
        let exponent = self.expression(UNARY_LEVEL)?;
        self.height += 2;
        self.bound(self.height)?;
        Ok(negate(SymExpr::Op(
            SymOp::Pow,
            vec![negate(number), exponent],
        )))
    }

    fn primary(&mut self) -> Result<SymExpr, Error> {
        if self.eat("(") {
            let expr = self.expression(0)?;
            self.expect(")")?;
            return Ok(expr);
        }
        self.height = 1;
        if let Some(number) = self.number("")? {
            return Ok(number);
        }
        let name = self.name().ok_or_else(|| self.fault("an operand"))?;
        if self.eat("(") {
            return self.call(name);
        }
        Ok(match name {
            "true" | "True" => SymExpr::Bool(true),
            "false" | "False" => SymExpr::Bool(false),
            symbol => SymExpr::Symbol(symbol.to_owned()),
        })
    }

    fn call(&mut self, name: &str) -> Result<SymExpr, Error> {
        match name {
            "Symbol" | "Dummy" => self.symbol(),
            "Float" => self.float(),
            "Integer" => {
                let value = self.integer()?;
                self.expect(")")?;
                Ok(SymExpr::Int(value))
            }
            "Rational" => self.rational(),
            function => {
                let operands = self.operands()?;
                Ok(SymExpr::Op(SymOp::from_name(function), operands))
            }
        }
    }

    /// Reads the quoted name after `Symbol(`. The assumptions that follow do not matter, because equal names are one
    /// symbol.
    fn symbol(&mut self) -> Result<SymExpr, Error> {
        let name = self.quoted()?.to_owned();
        while self.eat(",") {
            self.assumption()?;
        }
        self.expect(")")?;
        Ok(SymExpr::Symbol(name))
    }

    fn float(&mut self) -> Result<SymExpr, Error> {
        let digits = self.quoted()?;
        let value = digits.parse().map_err(|_| self.fault("a float"))?;
        while self.eat(",") {
            self.assumption()?;
        }
        self.expect(")")?;
        Ok(SymExpr::Float(value))
    }

    fn rational(&mut self) -> Result<SymExpr, Error> {
        let p = self.integer()?;
        self.expect(",")?;
        let q = self.integer()?;
        self.expect(")")?;
        match q {
            0 => Err(self.fault("a denominator other than 0")),
            q => Ok(SymExpr::Rational(p, q)),
        }
    }

    /// Reads an assumption such as `positive=True` or `precision=53`.
    fn assumption(&mut self) -> Result<(), Error> {
        self.name()
            .ok_or_else(|| self.fault("the name of an assumption"))?;
        self.expect("=")?;
        let value = self.rest().find([',', ')']).filter(|&length| length > 0);
        self.at += value.ok_or_else(|| self.fault("the value of an assumption"))?;
        Ok(())
    }

    fn operands(&mut self) -> Result<Vec<SymExpr>, Error> {
        let (mut operands, mut height) = (Vec::new(), 0);
        if self.eat(")") {
            return Ok(operands);
        }
        loop {
            operands.push(self.expression(0)?);
            height = height.max(self.height);
            if !self.eat(",") {
                self.expect(")")?;
                self.height = height + 1;
                self.bound(self.height)?;
                return Ok(operands);
            }
        }
    }

    fn integer(&mut self) -> Result<i64, Error> {
        let sign = if self.eat("-") { "-" } else { "" };
        match self.number(sign)? {
            Some(SymExpr::Int(value)) => Ok(value),
            _ => Err(self.fault("an integer")),
        }
    }

    /// Reads a literal if there is one. `sign` was read before it.
    fn number(&mut self, sign: &str) -> Result<Option<SymExpr>, Error> {
        self.skip_space();
        let length = number_length(self.rest().as_bytes());
        if length == 0 {
            return Ok(None);
        }
        let literal = format!("{sign}{}", &self.rest()[..length]);
        let integral = literal.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let value = match integral {
            true => literal.parse().ok().map(SymExpr::Int),
            false => literal.parse().ok().map(SymExpr::Float),
        };
        let value = value.ok_or_else(|| self.fault("a number of at most 64 bits"))?;
        self.at += length;
        Ok(Some(value))
    }

    fn quoted(&mut self) -> Result<&'a str, Error> {
        self.expect("'")?;
        let length = self
            .rest()
            .find('\'')
            .ok_or_else(|| self.fault("a closing quote"))?;
        let inner = &self.rest()[..length];
        self.at += length + 1;
        Ok(inner)
    }

    fn name(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = self.rest();
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Error> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.fault(&format!("`{token}`"))),
        }
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        self.bound(self.depth)
    }

    fn bound(&self, levels: usize) -> Result<(), Error> {
        match levels > MAX_DEPTH {
            true => Err(Error::expression(format!(
                "a symbolic expression nests deeper than {MAX_DEPTH}"
            ))),
            false => Ok(()),
        }
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn fault(&self, wanted: &str) -> Error {
        let shown: String = self.text.chars().take(120).collect();
        Error::expression(format!(
            "symbolic expression `{shown}`: {wanted} was expected at byte {}",
            self.at
        ))
    }
}

/// The length of the unsigned number literal at the start: digits, fraction, exponent.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        let fraction = digits(length + 1);
        if length + fraction == 0 {
            return 0;
        }
        length += 1 + fraction;
    }
    if length > 0 && matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = if length + 1 + sign <= bytes.len() {
            digits(length + 1 + sign)
        } else {
            0
        };
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, srepr: &str) {
        let strip = |text: String| text.replace(", positive=True, integer=True", "");
        let expr = SymExpr::parse(text).unwrap();
        assert_eq!(strip(expr.to_string()), srepr);
        assert_eq!(SymExpr::parse(&expr.to_string()).unwrap(), expr);
    }

    #[test]
    fn srepr_keeps_its_structure() {
        check(
            "Symbol('s77', positive=True, integer=True)",
            "Symbol('s77')",
        );
        check(
            "Mul(Integer(-1), Symbol('s0'))",
            "Mul(Integer(-1), Symbol('s0'))",
        );
        check(
            "FloatPow(ToFloat(Symbol('s0')), Float('0.5', precision=53))",
            "FloatPow(ToFloat(Symbol('s0')), Float('0.5', precision=53))",
        );
        check(
            "And(Equality(Symbol('s0'), Integer(1)), true)",
            "And(Equality(Symbol('s0'), Integer(1)), true)",
        );
        check("Rational(-1, 2)", "Rational(-1, 2)");
        check(
            "OpaqueUnaryFn_sqrt(Symbol('s0'))",
            "OpaqueUnaryFn_sqrt(Symbol('s0'))",
        );
        check("Novel(Symbol('s0'))", "Novel(Symbol('s0'))");
    }

    #[test]
    fn infix_has_pythons_precedence() {
        check("2*s0 + 1", "Add(Mul(Integer(2), Symbol('s0')), Integer(1))");
        check(
            "(s0 + 7)//2",
            "FloorDiv(Add(Symbol('s0'), Integer(7)), Integer(2))",
        );
        check("Mod(s0, 4)", "Mod(Symbol('s0'), Integer(4))");
        check(
            "s0 - s1 - 1",
            "Add(Symbol('s0'), Mul(Integer(-1), Symbol('s1')), Integer(-1))",
        );
        check("-s0**2", "Mul(Integer(-1), Pow(Symbol('s0'), Integer(2)))");
        check("-2**s0", "Mul(Integer(-1), Pow(Integer(2), Symbol('s0')))");
        check("2**-1", "Pow(Integer(2), Integer(-1))");
        check(
            "2**s0**s1",
            "Pow(Integer(2), Pow(Symbol('s0'), Symbol('s1')))",
        );
        check(
            "(s0 > 3) & (s1 <= 4)",
            "And(StrictGreaterThan(Symbol('s0'), Integer(3)), LessThan(Symbol('s1'), Integer(4)))",
        );
        check(
            "Max(1, s0 - 2)",
            "Max(Integer(1), Add(Symbol('s0'), Integer(-2)))",
        );
        check(
            "0.5*ToFloat(s0)",
            "Mul(Float('0.5', precision=53), ToFloat(Symbol('s0')))",
        );
        check("s0/2", "IntTrueDiv(Symbol('s0'), Integer(2))");
        check("-9223372036854775808", "Integer(-9223372036854775808)");
        check("1.5e-3", "Float('0.0015', precision=53)");
    }

    #[test]
    fn malformed_text_is_refused() {
        for text in [
            "",
            "s0 +",
            "(s0",
            "Symbol('s0'",
            "Symbol(s0)",
            "Rational(1, 0)",
            "99999999999999999999",
            "s0 s1",
            "é",
            ".",
            "1e",
        ] {
            assert!(SymExpr::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(SymExpr::parse(&"(".repeat(100_000)).is_err());
        assert!(SymExpr::parse(&"-".repeat(100_000)).is_err());
        assert!(SymExpr::parse(&"Add(".repeat(100_000)).is_err());
        assert!(SymExpr::parse(&format!("{}s0", "2**".repeat(100_000))).is_err());
        assert!(SymExpr::parse(&format!("{}s0", "s0 < ".repeat(100_000))).is_err());
        assert!(SymExpr::parse(&format!("{}s0", "s0 / s1 + ".repeat(100_000))).is_ok());
        let deepest = format!("{}s0", "s0 < ".repeat(MAX_DEPTH - 1));
        let printed = SymExpr::parse(&deepest).unwrap().to_string();
        assert_eq!(SymExpr::parse(&printed).unwrap().to_string(), printed);
    }
}
