//! The names of all kernels that the lowering can emit.

use std::collections::BTreeSet;
use std::path::Path;

/// The names of kernels in the sources of the lowering.
pub fn emitted_kernels() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut open, mut found) = (vec![folder], BTreeSet::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for literal in source.split('"').skip(1).step_by(2) {
            let spaces = ["aten::", "dim_order_ops::", "quantized_decomposed::"];
            let is_name = !literal.contains([' ', '{', '*']) && literal.contains('.')
                || literal.ends_with('_');
            if is_name && spaces.iter().any(|s| literal.starts_with(s)) {
                found.insert(literal.to_owned());
            }
        }
    }
    found
}
