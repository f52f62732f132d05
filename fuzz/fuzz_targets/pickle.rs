//! See `kiln_fuzz::pickle`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::pickle::law(data));
