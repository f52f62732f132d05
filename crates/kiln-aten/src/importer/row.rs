//! A row of the op table: the overloads of an op that share an import function.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::Returns;

/// An import function: appends the nodes of one call and gives its results.
pub(crate) type Import = fn(&mut Importer<'_>, &Args<'_>) -> Result<Returns, Problem>;

/// The overloads of an op, with their import function.
pub struct Row {
    /// The schemas `namespace.op.overload(arguments)`, one for each overload.
    pub schemas: &'static [&'static str],
    pub(crate) import: Import,
}

impl Row {
    pub(crate) const fn new(import: Import, schemas: &'static [&'static str]) -> Row {
        Row { schemas, import }
    }
}
