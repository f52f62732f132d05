//! See `kiln_fuzz::ethos_u`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::ethos_u::law(data));
