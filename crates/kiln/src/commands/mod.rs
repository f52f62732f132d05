//! The commands, one file each. Data goes to stdout, words for people to stderr.

pub mod compile;
pub mod inspect;
pub mod opt;
pub mod plan;
pub mod run;
