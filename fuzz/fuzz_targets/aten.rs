//! See `kiln_fuzz::aten`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::aten::law(data));
