//! What tests of every crate need.
//!
//! - [`corpus`]: the cases in `corpus/` of this repository, and the rest where a larger corpus is there.
//! - [`part`]: what some tests need and a machine may lack. A test asks for its part here and nowhere else, so that what
//!   is skipped is always said, and fails where it is required.

pub mod corpus;
pub mod packed;
pub mod part;

use std::path::{Path, PathBuf};

/// The root of this repository.
pub fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Cargo's target folder that holds this program, else `target` of this repository.
pub fn target_folder() -> PathBuf {
    let this = std::env::current_exe().unwrap_or_default();
    let marked = this.ancestors().find(|f| f.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| repository().join("target"), Path::to_path_buf)
}
