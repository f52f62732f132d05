//! Sizes, numbers and flags that may be symbolic, and references to such values in a graph.

use serde::{Deserialize, Serialize, Serializer};

use crate::json_number::JsonFloat;
use crate::sym_expr::SymExpr;
use crate::tagged::{deserialize_union, serialize_tagged};

/// A known or symbolic integer: a size, a stride, or an offset.
#[derive(Clone, Debug, PartialEq)]
pub enum SymInt {
    /// Known at export.
    Int(i64),
    /// An expression over symbols.
    Expr {
        /// The expression.
        expr: Box<SymExpr>,
        /// Its value for the sample inputs; `None` if it depends on data.
        hint: Option<i64>,
    },
}

/// A known or symbolic float.
#[derive(Clone, Debug, PartialEq)]
pub enum SymFloat {
    /// Known at export.
    Float(f64),
    /// An expression over symbols.
    Expr {
        /// The expression.
        expr: Box<SymExpr>,
        /// Its value for the sample inputs; `None` if it depends on data.
        hint: Option<f64>,
    },
}

/// A known or symbolic flag.
#[derive(Clone, Debug, PartialEq)]
pub enum SymBool {
    /// Known at export.
    Bool(bool),
    /// A condition over symbols.
    Expr {
        /// The condition.
        expr: Box<SymExpr>,
        /// Its value for the sample inputs; `None` if it depends on data.
        hint: Option<bool>,
    },
}

/// An integer operand: a literal, or a key of `Graph::sym_int_values`.
#[derive(Clone, Debug, PartialEq)]
pub enum SymIntArg {
    /// A value of the graph.
    Name(String),
    /// A literal.
    Int(i64),
}

/// A float operand: a literal, or a key of `Graph::sym_float_values`.
#[derive(Clone, Debug, PartialEq)]
pub enum SymFloatArg {
    /// A value of the graph.
    Name(String),
    /// A literal.
    Float(f64),
}

/// A flag operand: a literal, or a key of `Graph::sym_bool_values`.
#[derive(Clone, Debug, PartialEq)]
pub enum SymBoolArg {
    /// A value of the graph.
    Name(String),
    /// A literal.
    Bool(bool),
}

impl SymInt {
    /// The value, if it is known at export.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Expr { .. } => None,
        }
    }

    /// The value for the sample inputs.
    pub fn hint(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Expr { hint, .. } => *hint,
        }
    }
}

/// `{"expr_str", "hint"}` as read from the JSON.
#[derive(Deserialize)]
struct WireExpr {
    expr_str: Box<SymExpr>,
    #[serde(default)]
    hint: Option<Hint>,
}

#[derive(Clone, Copy)]
enum Hint {
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl Hint {
    fn int(self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Float(_) | Self::Bool(_) => None,
        }
    }

    fn float(self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(value as f64),
            Self::Float(value) => Some(value),
            Self::Bool(_) => None,
        }
    }

    fn bool(self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(value),
            Self::Int(_) | Self::Float(_) => None,
        }
    }
}

deserialize_union!(Hint, "a hint", {
    "as_int" => |v: i64| Hint::Int(v),
    "as_float" => |v: JsonFloat| Hint::Float(v.0),
    "as_bool" => |v: bool| Hint::Bool(v),
}, |key| Err(format!("unknown kind of hint `{key}`")));

deserialize_union!(SymInt, "a symbolic integer", {
    "as_int" => |v: i64| SymInt::Int(v),
    "as_expr" => |v: WireExpr| SymInt::Expr { expr: v.expr_str, hint: v.hint.and_then(Hint::int) },
}, |key| Err(format!("unknown kind of symbolic integer `{key}`")));

deserialize_union!(SymFloat, "a symbolic float", {
    "as_float" => |v: JsonFloat| SymFloat::Float(v.0),
    "as_expr" => |v: WireExpr| SymFloat::Expr { expr: v.expr_str, hint: v.hint.and_then(Hint::float) },
}, |key| Err(format!("unknown kind of symbolic float `{key}`")));

deserialize_union!(SymBool, "a symbolic flag", {
    "as_bool" => |v: bool| SymBool::Bool(v),
    "as_expr" => |v: WireExpr| SymBool::Expr { expr: v.expr_str, hint: v.hint.and_then(Hint::bool) },
}, |key| Err(format!("unknown kind of symbolic flag `{key}`")));

deserialize_union!(SymIntArg, "an integer operand", {
    "as_name" => |v: String| SymIntArg::Name(v),
    "as_int" => |v: i64| SymIntArg::Int(v),
}, |key| Err(format!("unknown kind of integer operand `{key}`")));

deserialize_union!(SymFloatArg, "a float operand", {
    "as_name" => |v: String| SymFloatArg::Name(v),
    "as_float" => |v: JsonFloat| SymFloatArg::Float(v.0),
}, |key| Err(format!("unknown kind of float operand `{key}`")));

deserialize_union!(SymBoolArg, "a flag operand", {
    "as_name" => |v: String| SymBoolArg::Name(v),
    "as_bool" => |v: bool| SymBoolArg::Bool(v),
}, |key| Err(format!("unknown kind of flag operand `{key}`")));

/// `{"expr_str", "hint"}` as written to the JSON.
#[derive(Serialize)]
struct WireExprRef<'a> {
    expr_str: &'a SymExpr,
    hint: Option<Hint>,
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => serialize_tagged(serializer, "as_int", value),
            Self::Float(value) => serialize_tagged(serializer, "as_float", &JsonFloat(*value)),
            Self::Bool(value) => serialize_tagged(serializer, "as_bool", value),
        }
    }
}

impl Serialize for SymInt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => serialize_tagged(serializer, "as_int", value),
            Self::Expr { expr, hint } => {
                let wire = WireExprRef {
                    expr_str: expr,
                    hint: hint.map(Hint::Int),
                };
                serialize_tagged(serializer, "as_expr", &wire)
            }
        }
    }
}

impl Serialize for SymFloat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Float(value) => serialize_tagged(serializer, "as_float", &JsonFloat(*value)),
            Self::Expr { expr, hint } => {
                let wire = WireExprRef {
                    expr_str: expr,
                    hint: hint.map(Hint::Float),
                };
                serialize_tagged(serializer, "as_expr", &wire)
            }
        }
    }
}

impl Serialize for SymBool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serialize_tagged(serializer, "as_bool", value),
            Self::Expr { expr, hint } => {
                let wire = WireExprRef {
                    expr_str: expr,
                    hint: hint.map(Hint::Bool),
                };
                serialize_tagged(serializer, "as_expr", &wire)
            }
        }
    }
}

impl Serialize for SymIntArg {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serialize_tagged(serializer, "as_name", name),
            Self::Int(value) => serialize_tagged(serializer, "as_int", value),
        }
    }
}

impl Serialize for SymFloatArg {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serialize_tagged(serializer, "as_name", name),
            Self::Float(value) => serialize_tagged(serializer, "as_float", &JsonFloat(*value)),
        }
    }
}

impl Serialize for SymBoolArg {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serialize_tagged(serializer, "as_name", name),
            Self::Bool(value) => serialize_tagged(serializer, "as_bool", value),
        }
    }
}
