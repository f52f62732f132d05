//! See `kiln_fuzz::tosa`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::tosa::law(data));
