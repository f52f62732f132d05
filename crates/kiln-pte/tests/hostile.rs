//! Damaged files are either refused or read as valid programs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generated;

use bytes::Bytes;
use kiln_pte::{Program, check, read, write};
use proptest::prelude::*;

fn written(program: &Program) -> Vec<u8> {
    let mut file = Vec::new();
    write(program, &mut file).unwrap();
    file
}

/// Checks that a program that was read satisfies the rules, so that later stages never meet an index out of range.
fn read_soundly(file: &[u8]) -> bool {
    match read(Bytes::copy_from_slice(file)) {
        Ok(program) => {
            check(&program).unwrap();
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_cut_file_is_refused(program in generated::program()) {
        let file = written(&program);
        prop_assert!(read_soundly(&file));
        for percent in 0..100 {
            prop_assert!(!read_soundly(&file[..file.len() * percent / 100]), "cut at {percent} %");
        }
    }

    #[test]
    fn a_flipped_bit_is_harmless(program in generated::program(), bit in 0u8..8) {
        let mut file = written(&program);
        for at in 0..file.len() {
            file[at] ^= 1 << bit;
            read_soundly(&file);
            file[at] ^= 1 << bit;
        }
    }

    #[test]
    fn a_hostile_number_is_harmless(program in generated::program(), shift in 0usize..4) {
        let mut file = written(&program);
        for hostile in [u32::MAX, i32::MAX as u32, 0x8000_0000, 0x00ff_ffff, 0x1000, 0] {
            for at in (shift..file.len() - 4).step_by(4) {
                let kept: [u8; 4] = file[at..at + 4].try_into().unwrap();
                file[at..at + 4].copy_from_slice(&hostile.to_le_bytes());
                read_soundly(&file);
                file[at..at + 4].copy_from_slice(&kept);
            }
        }
    }

    #[test]
    fn noise_behind_the_identifier_is_harmless(mut noise in prop::collection::vec(any::<u8>(), 8..400)) {
        noise[4..8].copy_from_slice(b"ET12");
        read_soundly(&noise);
    }
}
