//! The C sources of this crate, by file name. `build.rs` lists them.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
