//! Symbolic expressions over dynamic dims, as saved.
//!
//! Nothing is simplified: the tree is that of the file. Its depth is at most [`MAX_DEPTH`], so recursion is safe.
//! `Display` writes sympy's `srepr`, and [`SymExpr::parse`] reads it back to an equal tree.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;
use crate::sym_parser;

/// The deepest accepted nesting.
pub const MAX_DEPTH: usize = 100;

/// An expression tree.
#[derive(Clone, Debug, PartialEq)]
pub enum SymExpr {
    /// A symbol: `s77` (the size of an input), `u0` (depends on data), `zuf0` (a float that depends on data).
    Symbol(String),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// An exact fraction: numerator and denominator.
    Rational(i64, i64),
    /// `true` or `false`.
    Bool(bool),
    /// A function and its operands. `Add`, `Mul`, `Max`, `Min`, `And` and `Or` take any number of operands.
    Op(SymOp, Vec<SymExpr>),
}

/// The function of a [`SymExpr::Op`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(
    missing_docs,
    reason = "the rest are sympy's and torch.utils._sympy.functions' own names"
)]
pub enum SymOp {
    Add,
    Mul,
    Pow,
    Max,
    Min,
    /// The remainder of non-negative operands.
    Mod,
    /// Python's `%`: has the sign of the divisor.
    PythonMod,
    FloorDiv,
    /// A division that is known to be exact.
    CleanDiv,
    CeilDiv,
    /// The quotient of two integers as a float.
    IntTrueDiv,
    FloatTrueDiv,
    /// `(a // b) % c`.
    ModularIndexing,
    LShift,
    RShift,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    ToFloat,
    TruncToInt,
    TruncToFloat,
    FloorToInt,
    CeilToInt,
    RoundToInt,
    RoundDecimal,
    FloatPow,
    PowByNatural,
    /// `Where(condition, then, otherwise)`.
    Where,
    Identity,
    Floor,
    Ceiling,
    Abs,
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
    And,
    Or,
    Not,
    /// `OpaqueUnaryFn_<name>`: a function of one float, for example `sqrt`.
    OpaqueUnary(String),
    /// A function that this reader does not know, by its name in the file.
    Unknown(String),
}

/// The names of the functions in `srepr`. If a function has several names, the first one is written.
const NAMES: [(SymOp, &str); 52] = [
    (SymOp::Add, "Add"),
    (SymOp::Mul, "Mul"),
    (SymOp::Pow, "Pow"),
    (SymOp::Max, "Max"),
    (SymOp::Min, "Min"),
    (SymOp::Mod, "Mod"),
    (SymOp::PythonMod, "PythonMod"),
    (SymOp::FloorDiv, "FloorDiv"),
    (SymOp::CleanDiv, "CleanDiv"),
    (SymOp::CeilDiv, "CeilDiv"),
    (SymOp::IntTrueDiv, "IntTrueDiv"),
    (SymOp::FloatTrueDiv, "FloatTrueDiv"),
    (SymOp::ModularIndexing, "ModularIndexing"),
    (SymOp::LShift, "LShift"),
    (SymOp::RShift, "RShift"),
    (SymOp::BitwiseAnd, "BitwiseFn_bitwise_and"),
    (SymOp::BitwiseOr, "BitwiseFn_bitwise_or"),
    (SymOp::BitwiseXor, "BitwiseFn_bitwise_xor"),
    (SymOp::ToFloat, "ToFloat"),
    (SymOp::TruncToInt, "TruncToInt"),
    (SymOp::TruncToFloat, "TruncToFloat"),
    (SymOp::FloorToInt, "FloorToInt"),
    (SymOp::CeilToInt, "CeilToInt"),
    (SymOp::RoundToInt, "RoundToInt"),
    (SymOp::RoundDecimal, "RoundDecimal"),
    (SymOp::FloatPow, "FloatPow"),
    (SymOp::PowByNatural, "PowByNatural"),
    (SymOp::Where, "Where"),
    (SymOp::Identity, "Identity"),
    (SymOp::Floor, "floor"),
    (SymOp::Ceiling, "ceiling"),
    (SymOp::Abs, "Abs"),
    (SymOp::Eq, "Equality"),
    (SymOp::Eq, "Eq"),
    (SymOp::Ne, "Unequality"),
    (SymOp::Ne, "Ne"),
    (SymOp::Gt, "StrictGreaterThan"),
    (SymOp::Gt, "Gt"),
    (SymOp::Ge, "GreaterThan"),
    (SymOp::Ge, "Ge"),
    (SymOp::Lt, "StrictLessThan"),
    (SymOp::Lt, "Lt"),
    (SymOp::Le, "LessThan"),
    (SymOp::Le, "Le"),
    (SymOp::And, "And"),
    (SymOp::Or, "Or"),
    (SymOp::Not, "Not"),
    // Torch versions differ in upper and lower case for these.
    (SymOp::Abs, "abs"),
    (SymOp::Max, "max"),
    (SymOp::Min, "min"),
    (SymOp::Floor, "Floor"),
    (SymOp::Ceiling, "Ceiling"),
];

const OPAQUE_PREFIX: &str = "OpaqueUnaryFn_";

impl SymOp {
    /// The function for a name in `srepr` or infix text.
    pub fn from_name(name: &str) -> Self {
        if let Some(row) = NAMES.iter().find(|row| row.1 == name) {
            return row.0.clone();
        }
        match name.strip_prefix(OPAQUE_PREFIX) {
            Some(function) => Self::OpaqueUnary(function.to_owned()),
            None => Self::Unknown(name.to_owned()),
        }
    }
}

impl fmt::Display for SymOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpaqueUnary(function) => write!(f, "{OPAQUE_PREFIX}{function}"),
            Self::Unknown(name) => f.write_str(name),
            known => {
                let row = NAMES.iter().find(|row| row.0 == *known);
                f.write_str(row.expect("every other function has a row").1)
            }
        }
    }
}

impl SymExpr {
    /// Parses `srepr` text (torch 2.6 on) or infix text (torch 2.5).
    ///
    /// Refuses text that does not parse, integers beyond 64 bits, and nesting beyond [`MAX_DEPTH`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        sym_parser::parse(text)
    }

    /// The symbols, in order of first occurrence.
    pub fn symbols(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.visit_symbols(&mut found);
        found
    }

    fn visit_symbols<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Symbol(name) if !found.contains(&name.as_str()) => found.push(name),
            Self::Op(_, operands) => operands
                .iter()
                .for_each(|operand| operand.visit_symbols(found)),
            _ => {}
        }
    }
}

impl FromStr for SymExpr {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

/// True for `u0` and similar: integers that depend on data.
fn is_unbacked(name: &str) -> bool {
    name.strip_prefix('u')
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Prints sympy's `srepr`.
impl fmt::Display for SymExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Sizes are positive integers. The other two kinds of symbols have torch's prefixes.
            Self::Symbol(name) if name.starts_with("zuf") => write!(f, "Symbol('{name}')"),
            Self::Symbol(name) if is_unbacked(name) => {
                write!(f, "Symbol('{name}', integer=True)")
            }
            Self::Symbol(name) => write!(f, "Symbol('{name}', positive=True, integer=True)"),
            Self::Int(value) => write!(f, "Integer({value})"),
            Self::Float(value) => write!(f, "Float('{value:?}', precision=53)"),
            Self::Rational(p, q) => write!(f, "Rational({p}, {q})"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Op(op, operands) => {
                write!(f, "{op}(")?;
                for (i, operand) in operands.iter().enumerate() {
                    write!(f, "{}{operand}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}

impl<'de> Deserialize<'de> for SymExpr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = crate::tagged::Key::deserialize(deserializer)?;
        Self::parse(&key.0).map_err(serde::de::Error::custom)
    }
}

impl Serialize for SymExpr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
