//! See `kiln_fuzz::text`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::text::law(data));
