//! Where the corpus is.

use std::path::{Path, PathBuf};

/// The corpus, or `None` with a note if there is none here.
pub fn corpus_root() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let root = std::env::var_os("KILN_CORPUS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: no corpus at {}", root.display());
    None
}

/// The archives of a suite, sorted.
pub fn archives_of(root: &Path, suite: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join(suite))
        .into_iter()
        .flatten()
        .flatten();
    let mut paths: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "pt2"))
        .collect();
    paths.sort();
    paths
}
