//! The import table: every row and every kernel on arguments of all kinds. A call gives a graph that the verifier takes
//! and the text form prints, or a refusal; and it makes no more than its arguments and the importer's limits allow.

use super::calls::{self, Choices, Kinds, names_of};
use kiln_aten::{kernel, table};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A call may make so many bytes of constants out of operands that are small.
const MAX_BYTES: usize = 1 << 28;

/// And so many nodes.
const MAX_NODES: usize = 1 << 20;

fn kinds() -> &'static BTreeMap<&'static str, Kinds> {
    static KINDS: OnceLock<BTreeMap<&'static str, Kinds>> = OnceLock::new();
    KINDS.get_or_init(calls::kinds_of_all)
}

/// Imports the call that the bytes choose: of a row, of what a row's name gives, or of a kernel.
pub fn law(data: &[u8]) {
    let mut choices = Choices::new(data);
    let kinds = kinds();
    let outcome = match choices.below(8) {
        0 => {
            let kernel = kernel::kernels()[choices.below(kernel::kernels().len())];
            calls::kernel(&kernel, kinds, &mut choices)
        }
        route => {
            let count = kinds.len();
            let (&target, kinds) = kinds
                .iter()
                .nth(choices.below(count))
                .expect("below the count");
            let (op, overload) = target.rsplit_once('.').unwrap_or((target, ""));
            let name = match route {
                1 => format!("{op}_.{overload}"),
                2 => format!("{op}_copy.{overload}"),
                _ => target.to_string(),
            };
            debug_assert!(table::lookup(target).is_some());
            calls::call(&name, &names_of(target), kinds, &mut choices)
        }
    };
    let (nodes, bytes) = (outcome.nodes, outcome.constant_bytes);
    assert!(
        nodes <= MAX_NODES && bytes <= MAX_BYTES,
        "{:?} makes {nodes} nodes and {bytes} bytes of constants",
        outcome.call
    );
    if let Err(error) = outcome.result {
        super::refused(error.problem);
    }
}
