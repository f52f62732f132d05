//! See `kiln_fuzz::kernel_calls`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::kernel_calls::law(data));
