//! Pytree specs: how nested arguments and results flatten to lists of leaves.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;

/// A node of a pytree spec.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeSpec {
    /// The kind of container, or a leaf.
    pub kind: TreeKind,
    /// The children in the order of flattening; empty for a leaf.
    pub children: Vec<TreeSpec>,
}

/// The kind of a [`TreeSpec`].
#[derive(Clone, Debug, PartialEq)]
pub enum TreeKind {
    /// A tensor, number, string or `None`.
    Leaf,
    /// A tuple.
    Tuple,
    /// A list.
    List,
    /// A dict, or the `OrderedDict` or `defaultdict` that `type_name` says. It has one key per child, in order.
    Dict {
        /// `builtins.dict`, `collections.OrderedDict` or another name.
        type_name: String,
        /// The keys, in the order of flattening.
        keys: Vec<TreeKey>,
        /// What torch saved beside the keys: the module and the name of a `defaultdict`'s factory.
        factory: Option<Value>,
    },
    /// Any other type that is registered with pytree, such as named tuples and caches.
    Other {
        /// The registered name, for example `collections.namedtuple`.
        type_name: String,
        /// The context that torch saved: text, or any JSON value that the type's own serialiser gives.
        context: Value,
    },
}

/// A key of a dict.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TreeKey {
    /// A string.
    Str(String),
    /// An integer.
    Int(i64),
    /// Any other key, as JSON text.
    Other(String),
}

impl fmt::Display for TreeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Str(text) | Self::Other(text) => f.write_str(text),
            Self::Int(value) => value.fmt(f),
        }
    }
}

impl TreeSpec {
    /// Parses the text form `[1, {"type", "context", "children_spec"}]`. Refuses other versions of it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (version, wire): (u32, Wire) = serde_json::from_str(text)?;
        match version {
            1 => Self::from_wire(wire),
            other => Err(Error::unsupported(format!(
                "pytree spec version {other}; version 1 is supported"
            ))),
        }
    }

    fn from_wire(wire: Wire) -> Result<Self, Error> {
        let children: Result<Vec<_>, _> = wire
            .children_spec
            .into_iter()
            .map(Self::from_wire)
            .collect();
        let (children, context) = (children?, wire.context.unwrap_or_default());
        let kind = match wire.kind {
            None => TreeKind::Leaf,
            Some(name) => container_kind(name, context, children.len())?,
        };
        Ok(Self { kind, children })
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        match self.kind {
            TreeKind::Leaf => 1,
            _ => self.children.iter().map(Self::leaf_count).sum(),
        }
    }

    /// The path from this node to each leaf: keys and indices joined by dots, such as `0.x` and `kwargs.gain`.
    pub fn leaf_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect_paths(String::new(), &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: String, paths: &mut Vec<String>) {
        if self.kind == TreeKind::Leaf {
            return paths.push(prefix);
        }
        let dot = if prefix.is_empty() { "" } else { "." };
        for (i, child) in self.children.iter().enumerate() {
            let step = match &self.kind {
                TreeKind::Dict { keys, .. } => keys[i].to_string(),
                _ => i.to_string(),
            };
            child.collect_paths(format!("{prefix}{dot}{step}"), paths);
        }
    }
}

fn container_kind(type_name: String, context: Value, children: usize) -> Result<TreeKind, Error> {
    let (keys, factory) = match (type_name.as_str(), &context) {
        ("builtins.tuple", _) => return Ok(TreeKind::Tuple),
        ("builtins.list", _) => return Ok(TreeKind::List),
        ("builtins.dict" | "collections.OrderedDict", Value::String(text)) => {
            (serde_json::from_str(text)?, None)
        }
        ("collections.defaultdict", Value::Object(fields)) => {
            let mut fields = fields.clone();
            let keys = fields.remove(DICT_CONTEXT).unwrap_or_default();
            (serde_json::from_value(keys)?, Some(Value::Object(fields)))
        }
        _ => return Ok(TreeKind::Other { type_name, context }),
    };
    let keys = dict_keys(keys);
    if keys.len() != children {
        let found = format!(
            "a pytree dict has {} keys for {children} children",
            keys.len()
        );
        return Err(Error::unsupported(found));
    }
    Ok(TreeKind::Dict {
        type_name,
        keys,
        factory,
    })
}

/// The field of a `defaultdict`'s context with its keys (torch/utils/_pytree.py).
const DICT_CONTEXT: &str = "dict_context";

fn dict_keys(values: Vec<Value>) -> Vec<TreeKey> {
    let key = |value: Value| match value {
        Value::String(text) => TreeKey::Str(text),
        other => other
            .as_i64()
            .map_or_else(|| TreeKey::Other(other.to_string()), TreeKey::Int),
    };
    values.into_iter().map(key).collect()
}

#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(rename = "type")]
    kind: Option<String>,
    context: Option<Value>,
    children_spec: Vec<Wire>,
}

impl From<&TreeSpec> for Wire {
    fn from(spec: &TreeSpec) -> Self {
        let (kind, context) = match &spec.kind {
            TreeKind::Leaf => (None, None),
            TreeKind::Tuple => (Some("builtins.tuple".to_owned()), Some("null".into())),
            TreeKind::List => (Some("builtins.list".to_owned()), Some("null".into())),
            TreeKind::Dict {
                type_name,
                keys,
                factory,
            } => (
                Some(type_name.clone()),
                Some(dict_context(keys, factory.as_ref())),
            ),
            TreeKind::Other { type_name, context } => {
                (Some(type_name.clone()), Some(context.clone()))
            }
        };
        Self {
            kind,
            context,
            children_spec: spec.children.iter().map(Self::from).collect(),
        }
    }
}

/// What [`container_kind`] reads.
fn dict_context(keys: &[TreeKey], factory: Option<&Value>) -> Value {
    let json = |key: &TreeKey| match key {
        TreeKey::Str(text) => Value::from(text.as_str()),
        TreeKey::Int(value) => Value::from(*value),
        TreeKey::Other(text) => serde_json::from_str(text).unwrap_or_default(),
    };
    let keys: Vec<Value> = keys.iter().map(json).collect();
    match factory {
        Some(Value::Object(fields)) => {
            let mut fields = fields.clone();
            fields.insert(DICT_CONTEXT.to_owned(), keys.into());
            Value::Object(fields)
        }
        _ => Value::from(Value::from(keys).to_string()),
    }
}

/// Prints the text form that [`TreeSpec::parse`] reads.
impl fmt::Display for TreeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wire = serde_json::to_string(&Wire::from(self)).map_err(|_| fmt::Error)?;
        write!(f, "[1, {wire}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAF: &str = r#"{"type": null, "context": null, "children_spec": []}"#;

    #[test]
    fn a_nested_spec_parses_and_prints_back() {
        let text = format!(
            r#"[1, {{"type": "builtins.tuple", "context": "null", "children_spec": [{LEAF}, {{"type": "builtins.dict", "context": "[\"x\", 3]", "children_spec": [{LEAF}, {LEAF}]}}]}}]"#
        );
        let spec = TreeSpec::parse(&text).unwrap();
        assert_eq!(spec.leaf_count(), 3);
        assert_eq!(spec.leaf_paths(), ["0", "1.x", "1.3"]);
        assert_eq!(TreeSpec::parse(&spec.to_string()).unwrap(), spec);
    }

    #[test]
    fn a_defaultdict_keeps_its_keys_and_its_factory() {
        let text = format!(
            r#"[1, {{"type": "collections.defaultdict", "context": {{"default_factory_module": "builtins", "default_factory_name": "list", "dict_context": ["x", "y"]}}, "children_spec": [{LEAF}, {LEAF}]}}]"#
        );
        let spec = TreeSpec::parse(&text).unwrap();
        assert_eq!(spec.leaf_paths(), ["x", "y"]);
        assert!(
            spec.to_string()
                .contains(r#""default_factory_name":"list""#)
        );
        assert_eq!(TreeSpec::parse(&spec.to_string()).unwrap(), spec);
    }

    #[test]
    fn contexts_of_registered_types_are_any_json() {
        let text = format!(
            r#"[1, {{"type": "models.Cache", "context": [{{"layers": 2}}, null], "children_spec": [{LEAF}]}}]"#
        );
        let spec = TreeSpec::parse(&text).unwrap();
        assert_eq!(TreeSpec::parse(&spec.to_string()).unwrap(), spec);
    }

    #[test]
    fn wrong_key_counts_and_versions_are_refused() {
        let dict = format!(
            r#"[1, {{"type": "builtins.dict", "context": "[]", "children_spec": [{LEAF}]}}]"#
        );
        assert!(TreeSpec::parse(&dict).is_err());
        assert!(TreeSpec::parse(&format!("[2, {LEAF}]")).is_err());
    }
}
