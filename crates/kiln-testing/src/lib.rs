//! Support for the tests of all crates.
//!
//! - [`c`]: compilers of C.
//! - [`corpus`]: the cases in `corpus/` of this repository, and those of a larger corpus if there is one.
//! - [`part`]: parts that some tests need and a machine may lack. A test may look for a part only here, so that a
//!   skipped test is always reported, and fails if the part is required.
//! - [`place`]: folders of tests that compile C.

pub mod c;
pub mod corpus;
pub mod packed;
pub mod part;
pub mod place;

use std::path::{Path, PathBuf};

/// The root folder of this repository.
pub fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Cargo's target folder that contains this executable, otherwise `target` of this repository.
pub fn target_folder() -> PathBuf {
    let this = std::env::current_exe().unwrap_or_default();
    let marked = this.ancestors().find(|f| f.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| repository().join("target"), Path::to_path_buf)
}
