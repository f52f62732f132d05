//! Numbers as Python's `json` writes them. Non-finite floats are strings; up to torch 2.6 they are bare words, which
//! [`quote_bare_words`] turns into strings.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A float. Parses integers, floats, `"Infinity"`, `"-Infinity"` and `"NaN"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JsonFloat(pub f64);

impl<'de> Deserialize<'de> for JsonFloat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Float;
        impl Visitor<'_> for Float {
            type Value = JsonFloat;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a float, \"Infinity\", \"-Infinity\" or \"NaN\"")
            }

            fn visit_f64<E>(self, value: f64) -> Result<JsonFloat, E> {
                Ok(JsonFloat(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<JsonFloat, E> {
                Ok(JsonFloat(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<JsonFloat, E> {
                Ok(JsonFloat(value as f64))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<JsonFloat, E> {
                match text {
                    "Infinity" => Ok(JsonFloat(f64::INFINITY)),
                    "-Infinity" => Ok(JsonFloat(f64::NEG_INFINITY)),
                    "NaN" => Ok(JsonFloat(f64::NAN)),
                    other => Err(E::custom(format!("`{other}` is not a float"))),
                }
            }
        }
        deserializer.deserialize_any(Float)
    }
}

impl Serialize for JsonFloat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("NaN"),
            f64::INFINITY => serializer.serialize_str("Infinity"),
            f64::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            value => serializer.serialize_f64(value),
        }
    }
}

/// An end of a symbol's range: an integer, or null or infinity for "no bound".
pub(crate) fn deserialize_bound<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Bound {
        Int(i64),
        Float(JsonFloat),
    }
    match Option::<Bound>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Bound::Int(value)) => Ok(Some(value)),
        Some(Bound::Float(JsonFloat(value))) if value.is_infinite() => Ok(None),
        Some(Bound::Float(JsonFloat(value))) => Err(D::Error::custom(format!(
            "the bound {value} is not an integer"
        ))),
    }
}

/// The text with `Infinity`, `-Infinity` and `NaN` put in quotes, if they are outside of strings.
pub(crate) fn quote_bare_words(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'I' | b'N' => match WORDS
                .iter()
                .find(|word| bytes[at..].starts_with(word.as_bytes()))
            {
                Some(word) => {
                    out.push_str(&text[copied..at]);
                    out.extend(["\"", word, "\""]);
                    at += word.len();
                    copied = at;
                }
                None => at += 1,
            },
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The index after the string literal that starts at `open`, or the end of the text.
fn end_of_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_words_are_quoted_only_outside_strings() {
        let text = r#"{"a": Infinity, "b": [-Infinity, NaN, -1], "c": "NaN \" Infinity"}"#;
        let expected =
            r#"{"a": "Infinity", "b": ["-Infinity", "NaN", -1], "c": "NaN \" Infinity"}"#;
        assert_eq!(quote_bare_words(text), expected);
        assert!(matches!(quote_bare_words(expected), Cow::Borrowed(_)));
    }

    #[test]
    fn floats_keep_their_last_bit() {
        for text in ["0.09229777008295059", "-3.4028234663852886e+38", "5e-324"] {
            let read: JsonFloat = serde_json::from_str(text).unwrap();
            assert_eq!(
                read.0.to_bits(),
                text.parse::<f64>().unwrap().to_bits(),
                "{text}"
            );
        }
    }

    #[test]
    fn an_unfinished_string_ends_the_text() {
        assert_eq!(quote_bare_words("\"abc\\"), "\"abc\\");
    }
}
