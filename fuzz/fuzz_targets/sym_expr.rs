//! See `kiln_fuzz::sym_expr`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::sym_expr::law(data));
