//! A row of the table: overloads that share an import.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::Returns;

/// Imports one call: inserts nodes and gives the results.
pub(crate) type Import = fn(&mut Importer<'_>, &Args<'_>) -> Result<Returns, Problem>;

/// An op with its overloads.
pub struct Row {
    /// `namespace.op.overload(arguments)`, one for each overload.
    pub schemas: &'static [&'static str],
    pub(crate) import: Import,
}

impl Row {
    pub(crate) const fn new(import: Import, schemas: &'static [&'static str]) -> Row {
        Row { schemas, import }
    }
}
