//! See `kiln_fuzz::aten`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    // The kinds of arguments are learned ahead, since the time of an input is limited.
    init: kiln_fuzz::aten::law(&[]),
    |data: &[u8]| kiln_fuzz::aten::law(data)
);
