//! Parameters as trees of values, for all who need not know what they mean: printers, and readers of files.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Integers that all copies of a value share.
pub type Ints = Arc<[i32]>;

/// A value that a C argument or a member of a struct has.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: the function has no such argument.
    Null,
    /// An integer.
    Int(i64),
    /// An enumerator: its name in C, and its number.
    Enumerator(&'static str, i64),
    /// A `bool`.
    Bool(bool),
    /// A `float`.
    Real(f32),
    /// The numbers of an array that is a member of its struct, as many as are used.
    List(Ints),
    /// A pointer to constant integers of the C type.
    Array(&'static str, Ints),
    /// A struct: its C type, and its members in order. Members that point to buffers are not among them: a row's slots name those.
    Struct(&'static str, Vec<(Cow<'static, str>, Value)>),
}

/// A tree of values that are not those of the type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Misread {
    /// The member.
    pub place: String,
    /// What was found, and what is expected.
    pub what: String,
}

impl Misread {
    pub(crate) fn new(what: impl Into<String>) -> Misread {
        Misread {
            place: String::new(),
            what: what.into(),
        }
    }

    pub(crate) fn within(mut self, member: &str) -> Misread {
        let dot = if self.place.is_empty() { "" } else { "." };
        self.place = format!("{member}{dot}{}", self.place);
        self
    }
}

/// What may be a parameter of a C function.
pub trait Parameter: Sized {
    /// As a tree.
    fn value(&self) -> Value;

    /// Out of a tree. Members that the type does not have are passed over.
    ///
    /// # Errors
    /// If a member is missing, or is of another kind.
    fn of(value: &Value) -> Result<Self, Misread>;

    /// What is meant where the tree has no such member.
    fn absent() -> Option<Self> {
        None
    }
}

impl Value {
    /// The member at a path: `a.b`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(self, |value, name| match value {
            Value::Struct(_, members) => {
                let found = members.iter().find(|(member, _)| member == name);
                found.map(|(_, value)| value)
            }
            _ => None,
        })
    }

    /// The member of a struct, as a type.
    ///
    /// # Errors
    /// If there is none, or it is of another kind.
    pub fn member<T: Parameter>(&self, name: &str) -> Result<T, Misread> {
        let found = match self.at(name) {
            Some(value) => T::of(value),
            None => T::absent().ok_or_else(|| Misread::new("missing")),
        };
        found.map_err(|misread| misread.within(name))
    }
}

impl Parameter for i32 {
    fn value(&self) -> Value {
        Value::Int((*self).into())
    }

    fn of(value: &Value) -> Result<i32, Misread> {
        match value {
            Value::Int(int) => {
                i32::try_from(*int).map_err(|_| Misread::new(format!("{int} is no int32_t")))
            }
            _ => Err(Misread::new(format!("{value} is no integer"))),
        }
    }
}

impl Parameter for bool {
    fn value(&self) -> Value {
        Value::Bool(*self)
    }

    fn of(value: &Value) -> Result<bool, Misread> {
        match value {
            Value::Bool(bool) => Ok(*bool),
            Value::Int(int) => Ok(*int != 0),
            _ => Err(Misread::new(format!("{value} is no bool"))),
        }
    }
}

impl Parameter for Ints {
    fn value(&self) -> Value {
        Value::Array("int32_t", Ints::clone(self))
    }

    fn of(value: &Value) -> Result<Ints, Misread> {
        match value {
            Value::Array(_, ints) => Ok(Ints::clone(ints)),
            _ => Err(Misread::new(format!("{value} is no array"))),
        }
    }
}

impl<T: Parameter> Parameter for Option<T> {
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::value)
    }

    fn of(value: &Value) -> Result<Option<T>, Misread> {
        match value {
            Value::Null => Ok(None),
            value => T::of(value).map(Some),
        }
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How many integers of an array are shown.
        const SHOWN: usize = 4;
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Int(int) => write!(f, "{int}"),
            Value::Enumerator(name, _) => f.write_str(name),
            Value::Bool(bool) => write!(f, "{bool}"),
            Value::Real(real) => write!(f, "{real}"),
            Value::List(ints) | Value::Array(_, ints) => {
                let shown: Vec<String> = ints.iter().take(SHOWN).map(ToString::to_string).collect();
                let rest = if ints.len() > SHOWN {
                    format!(", .. {}", ints.len())
                } else {
                    String::new()
                };
                write!(f, "[{}{rest}]", shown.join(", "))
            }
            Value::Struct(_, members) => {
                let shown: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}"))
                    .collect();
                write!(f, "{{{}}}", shown.join(", "))
            }
        }
    }
}

/// The name of a member without what Rust needs in front of its own words.
pub(super) fn plain(member: &'static str) -> &'static str {
    member.strip_prefix("r#").unwrap_or(member)
}

/// Declares structs of the library: the name of each here, its C type, and its members in the order of the library.
macro_rules! c_structs {
    ($($(#[$doc:meta])* $name:ident $c:literal { $($(#[$member_doc:meta])* $member:ident: $ty:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$member_doc])* pub $member: $ty,)*
        }

        impl $crate::dialect::Parameter for $name {
            fn value(&self) -> $crate::dialect::Value {
                $crate::dialect::Value::Struct($c, vec![
                    $(($crate::dialect::value::plain(stringify!($member)).into(), $crate::dialect::Parameter::value(&self.$member)),)*
                ])
            }

            #[allow(unused_variables, reason = "a struct may have pointers only")]
            fn of(value: &$crate::dialect::Value) -> Result<$name, $crate::dialect::Misread> {
                Ok($name {
                    $($member: value.member($crate::dialect::value::plain(stringify!($member)))?,)*
                })
            }
        }
    )*};
}
pub(super) use c_structs;
