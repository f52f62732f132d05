//! See `kiln_fuzz::program_json`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::program_json::law(data));
