//! See `kiln_fuzz::archive`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::archive::law(data));
