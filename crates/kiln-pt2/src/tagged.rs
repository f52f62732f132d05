//! The unions of the schema: objects with exactly one key, which gives the kind of the value (`{"as_int": 3}`).

use std::borrow::Cow;

use serde::de::{Error as _, IgnoredAny, MapAccess};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// A key. It is borrowed from the text unless it has escapes.
#[derive(Deserialize)]
pub(crate) struct Key<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Refuses an object that has more than one key.
pub(crate) fn end_of_union<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    match map.next_key::<Key>()? {
        None => Ok(()),
        Some(key) => Err(A::Error::custom(format!(
            "a union has a second key `{}`",
            key.0
        ))),
    }
}

/// Skips the value of an unknown key.
pub(crate) fn skip_value<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// Writes `{"key": value}`.
pub(crate) fn serialize_tagged<S: Serializer>(
    serializer: S,
    key: &str,
    value: &(impl Serialize + ?Sized),
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

/// Implements `Deserialize` for a union: `Type, "what it is", { "key" => |wire: WireType| value, ... }, |unknown_key|
/// result`.
///
/// The last closure is called for a key that no row names. It gives the value for the key, or the message with which it
/// is refused.
macro_rules! deserialize_union {
    ($ty:ty, $what:literal, { $($key:literal => |$wire:ident : $wire_ty:ty| $value:expr),* $(,)? }, |$other:ident| $unknown:expr) => {
        impl<'de> serde::Deserialize<'de> for $ty {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Union;
                impl<'de> serde::de::Visitor<'de> for Union {
                    type Value = $ty;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!($what, ", an object with one key"))
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$ty, A::Error> {
                        use serde::de::Error as _;
                        let key = map.next_key::<$crate::tagged::Key>()?;
                        let key = key.ok_or_else(|| A::Error::custom(concat!($what, " is an empty object")))?.0;
                        let value = match &*key {
                            $($key => {
                                let $wire: $wire_ty = map.next_value()?;
                                $value
                            })*
                            $other => {
                                let result: Result<$ty, String> = $unknown;
                                $crate::tagged::skip_value(&mut map)?;
                                result.map_err(A::Error::custom)?
                            }
                        };
                        $crate::tagged::end_of_union(&mut map)?;
                        Ok(value)
                    }
                }
                deserializer.deserialize_map(Union)
            }
        }
    };
}
pub(crate) use deserialize_union;
