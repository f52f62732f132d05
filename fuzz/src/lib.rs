//! What must hold of each reader, whatever bytes it is given.
//!
//! A module per reader, each with a `law` that panics where the reader breaks its promise. `scripts/fuzz` searches for
//! such bytes; those found are kept in `regressions/<reader>`, and `kiln-conformance` replays them in the stable tests.
//!
//! Invariants
//! - A law passes on every input that the reader refuses, provided that the refusal says something.
//! - What is read can be written, and read again as the same.
//! - A law bounds its own work: what it does with what was read takes time in proportion to the input.

pub mod archive;
pub mod aten;
pub mod calls;
pub mod dim;
pub mod ethos_u;
pub mod import;
pub mod kernel_calls;
pub mod movement;
pub mod payload;
pub mod pickle;
pub mod plan_csv;
pub mod program_json;
pub mod pte;
pub mod sym_expr;
pub mod text;
pub mod tosa;

/// A law by the name of its reader, which is also the name of its folder of regressions.
pub type Law = (&'static str, fn(&[u8]));

/// Every law. Each has a file in `fuzz_targets` and an entry in `Cargo.toml`, which the stable tests compare.
pub const LAWS: [Law; 15] = [
    ("archive", archive::law),
    ("aten", aten::law),
    ("dim", dim::law),
    ("ethos_u", ethos_u::law),
    ("import", import::law),
    ("kernel_calls", kernel_calls::law),
    ("movement", movement::law),
    ("payload", payload::law),
    ("pickle", pickle::law),
    ("plan_csv", plan_csv::law),
    ("program_json", program_json::law),
    ("pte", pte::law),
    ("sym_expr", sym_expr::law),
    ("text", text::law),
    ("tosa", tosa::law),
];

/// The symbols that the texts of dims and movements may name.
fn symbols() -> kiln_ir::Symbols {
    let mut symbols = kiln_ir::Symbols::default();
    for (name, min, max) in [
        ("s0", 2, Some(64)),
        ("s1", 0, None),
        ("u0", -3, Some(i64::MAX)),
    ] {
        symbols.add(kiln_ir::Symbol {
            name: name.to_owned(),
            min,
            max,
            hint: None,
        });
    }
    symbols
}

/// The refusal, which must say something.
fn refused(error: impl std::fmt::Display) {
    assert!(!error.to_string().is_empty(), "a refusal without a reason");
}
