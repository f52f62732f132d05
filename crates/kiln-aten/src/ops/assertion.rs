//! Assertions that the exporter left in the program. They import to nothing: a symbol's range is checked where the
//! symbol is bound, a type where the result is made, and the exporter has proven the rest.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::Returns;
use crate::importer::row::Row;

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(
    nothing,
    &[
        "aten._assert_tensor_metadata.default(a, size=None, stride=None, dtype=None, *, device=None, layout=None)",
        "aten._assert_scalar.default(self, assert_msg)",
        "aten._assert_async.default(self)",
        "aten._assert_async.msg(self, assert_msg)",
        "aten._functional_assert_async.msg(self, assert_msg, dep_token)",
        "aten._functional_assert_scalar.default(self, assert_msg, dep_token)",
        "aten.sym_constrain_range.default(size, *, min=None, max=None)",
        "aten.sym_constrain_range_for_size.default(size, *, min=None, max=None)",
    ],
)];

fn nothing(_: &mut Importer<'_>, _: &Args<'_>) -> Result<Returns, Problem> {
    Ok(Vec::new())
}
