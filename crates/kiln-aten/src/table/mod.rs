//! The op table: every op of ATen that can be imported, with its schemas and its import.
//!
//! The rows are in the files of `ops`, by area. A row lists the overloads that share an import. Targets that ATen
//! derives by name are derived here too: `op_` writes its result to the first argument, and `op_copy` is the view op
//! `op` whose result has storage of its own.

pub mod kernel;
mod kernel_table;

use crate::call::Arg;
use crate::call::error::Problem;
use crate::call::schema::Schema;
use crate::importer::row::Import;
use crate::ops;
use std::collections::HashMap;
use std::sync::OnceLock;

pub use crate::importer::row::Row;

/// The name that every in-place op gives to its first argument, whatever the row's schema calls it.
const TARGET: &str = "self";

/// How the name of a target relates to the name in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The target is in the row.
    Plain,
    /// The target is `op_`: its first argument takes the first result.
    InPlace,
    /// The target is `op_copy`: its results have storage of their own.
    Copy,
}

/// The entry of a target.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The parameters of the overload.
    pub schema: &'static Schema,
    /// How the target's name relates to the name in the row.
    pub variant: Variant,
    pub(crate) import: Import,
}

impl Entry {
    /// The argument to which the op writes.
    pub fn mutates(&self) -> Option<&'static str> {
        match self.variant {
            Variant::InPlace => Some(TARGET),
            Variant::Plain | Variant::Copy => None,
        }
    }

    /// The arguments of a call in the order of the parameters; see [`Schema::bind`].
    ///
    /// # Errors
    /// If an argument is missing, is not in the schema, or is given twice.
    pub fn bind(&self, args: &[(String, Arg)]) -> Result<Vec<Arg>, Problem> {
        let first = self.schema.parameters.first().map_or(TARGET, |p| p.name);
        if self.variant != Variant::InPlace || first == TARGET {
            return self.schema.bind(args);
        }
        let renamed = args.iter().map(|(name, arg)| match name.as_str() {
            TARGET => (first.to_string(), arg.clone()),
            _ => (name.clone(), arg.clone()),
        });
        self.schema.bind(&renamed.collect::<Vec<_>>())
    }
}

/// All rows, by area.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    ops::AREAS.iter().flat_map(|area| area.iter())
}

/// Every target that is in a row, in the order of the table.
pub fn targets() -> impl Iterator<Item = &'static str> {
    rows()
        .flat_map(|row| row.schemas)
        .filter_map(|text| text.split('(').next())
}

/// The entry of a target such as `aten.add_.Tensor`, if the table has its op.
pub fn lookup(target: &str) -> Option<Entry> {
    let target = target.strip_prefix("torch.ops.").unwrap_or(target);
    if let Some(found) = index().get(target) {
        return found.with(Variant::Plain);
    }
    let (stem, overload) = target.rsplit_once('.')?;
    let derived = |stem: String, variant| {
        index()
            .get(format!("{stem}.{overload}").as_str())
            .and_then(|found| found.with(variant))
    };
    if let Some(word) = stem
        .strip_suffix("__")
        .and_then(|s| s.strip_prefix("aten.__i"))
    {
        return derived(format!("aten.__{word}__"), Variant::InPlace);
    }
    if let Some(stem) = stem.strip_suffix("_copy") {
        return derived(stem.into(), Variant::Copy);
    }
    derived(stem.strip_suffix('_')?.into(), Variant::InPlace)
}

struct Indexed {
    text: &'static str,
    /// Parsed when it is asked for: a model has few of all ops.
    schema: OnceLock<Option<Schema>>,
    import: Import,
}

impl Indexed {
    fn with(&'static self, variant: Variant) -> Option<Entry> {
        let schema = self.schema.get_or_init(|| Schema::parse(self.text));
        Some(Entry {
            schema: schema.as_ref()?,
            variant,
            import: self.import,
        })
    }
}

fn index() -> &'static HashMap<&'static str, Indexed> {
    static INDEX: OnceLock<HashMap<&'static str, Indexed>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let named = rows().flat_map(|row| {
            row.schemas.iter().filter_map(|text| {
                let (target, _) = text.split_once('(')?;
                let indexed = Indexed {
                    text,
                    schema: OnceLock::new(),
                    import: row.import,
                };
                Some((target, indexed))
            })
        });
        named.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_parses_and_stands_once() {
        let all: Vec<_> = rows().flat_map(|r| r.schemas).collect();
        for text in &all {
            assert!(Schema::parse(text).is_some(), "{text}");
        }
        for target in targets() {
            let count = targets().filter(|t| *t == target).count();
            assert_eq!(count, 1, "{target} stands {count} times");
        }
        assert_eq!(index().len(), all.len());
    }

    #[test]
    fn names_derive_variants() {
        assert_eq!(lookup("aten.add_.Tensor").unwrap().mutates(), Some("self"));
        assert_eq!(
            lookup("aten.view_copy.default").unwrap().variant,
            Variant::Copy
        );
        assert!(lookup("aten.no_such_op.default").is_none());
    }
}
