//! The archives of the corpus.

use kiln_testing::corpus::Corpus;
use std::path::PathBuf;

/// The available archives of a suite, sorted.
///
/// # Panics
/// If there are none.
pub fn archives_of(suite: &str) -> Vec<PathBuf> {
    let archives = Corpus::open().unwrap().suite(suite).unwrap().files("pt2");
    assert!(!archives.is_empty(), "{suite}");
    archives
}
