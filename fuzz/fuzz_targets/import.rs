//! See `kiln_fuzz::import`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::import::law(data));
