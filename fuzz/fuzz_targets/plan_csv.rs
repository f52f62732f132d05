//! See `kiln_fuzz::plan_csv`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_fuzz::plan_csv::law(data));
