//! Runs every reader on the files that fuzzing found, and on truncated and damaged files of the corpus. A reader must accept or
//! refuse a file within seconds, and must never panic. `scripts/fuzz` tests the same laws.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../../fuzz/src/lib.rs"]
mod laws;

use kiln_testing::corpus::{Corpus, Suite, peer_files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The greatest time for one input, without optimisation and on a busy machine.
const LONGEST: Duration = Duration::from_secs(10);

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn corpus(suite: &str) -> Suite {
    Corpus::open().unwrap().suite(suite).unwrap()
}

/// The files of a folder, sorted by name; none if there is no such folder.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

fn obeys(law: fn(&[u8]), data: &[u8], what: &str) {
    let start = Instant::now();
    law(data);
    let took = start.elapsed();
    assert!(took < LONGEST, "{what} took {took:?}");
}

/// Checks the law on the input cut at every percent of its length, and with one byte changed near every percent.
fn obeys_when_damaged(law: fn(&[u8]), whole: &[u8], what: &str) {
    for percent in 0..100 {
        let at = whole.len() * percent / 100;
        obeys(law, &whole[..at], &format!("{what} cut at {percent} %"));
        for byte in [0x00, 0x7f, 0xff] {
            let mut changed = whole.to_vec();
            changed[at] = byte;
            obeys(law, &changed, &format!("{what} with {byte:#x} at {at}"));
        }
    }
}

#[test]
fn what_fuzzing_found_is_mended() {
    for (name, law) in laws::LAWS {
        for path in files_in(&workspace().join("fuzz/regressions").join(name)) {
            obeys(
                law,
                &std::fs::read(&path).unwrap(),
                &path.display().to_string(),
            );
        }
    }
}

#[test]
fn seeds_obey_whole_and_damaged() {
    for (name, law) in laws::LAWS {
        for path in files_in(&workspace().join("fuzz/seeds").join(name)) {
            let whole = std::fs::read(&path).unwrap();
            obeys(law, &whole, &path.display().to_string());
            obeys_when_damaged(law, &whole, &path.display().to_string());
        }
    }
}

/// `scripts/fuzz` takes the files, cargo the entries of the manifest.
#[test]
fn every_law_is_a_target_of_fuzzing() {
    let names = |found: BTreeSet<String>, what: &str| {
        let laws: BTreeSet<String> = laws::LAWS.iter().map(|(name, _)| (*name).into()).collect();
        assert_eq!(found, laws, "{what} and fuzz/src/lib.rs have other laws");
    };
    let files = files_in(&workspace().join("fuzz/fuzz_targets"));
    let stem = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    names(files.iter().map(stem).collect(), "fuzz/fuzz_targets");
    let manifest = std::fs::read_to_string(workspace().join("fuzz/Cargo.toml")).unwrap();
    let paths = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
    let listed = paths.map(|path| path.trim_end_matches(".rs\"").to_owned());
    names(listed.collect(), "fuzz/Cargo.toml");
}

#[test]
fn every_regression_belongs_to_a_law() {
    for folder in ["fuzz/regressions", "fuzz/seeds"] {
        for entry in std::fs::read_dir(workspace().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(
                laws::LAWS.iter().any(|(law, _)| *law == name),
                "{folder}/{name} is replayed by nothing"
            );
        }
    }
}

#[test]
fn damaged_archives_obey() {
    let mut archives = Vec::new();
    for (suite, every) in [
        ("archives", 6),
        ("dynamic", 12),
        ("ops_fp32", 200),
        ("tosa_int", 60),
    ] {
        archives.extend(corpus(suite).files("pt2").into_iter().step_by(every));
    }
    for path in archives {
        let whole = std::fs::read(&path).unwrap();
        obeys_when_damaged(laws::archive::law, &whole, &path.display().to_string());
    }
}

#[test]
fn damaged_archives_are_imported_or_refused() {
    for (suite, every) in [("archives", 11), ("dynamic", 25), ("ops_fp32", 160)] {
        for path in corpus(suite).files("pt2").iter().step_by(every) {
            let whole = std::fs::read(path).unwrap();
            obeys_when_damaged(laws::import::law, &whole, &path.display().to_string());
        }
    }
}

#[test]
fn damaged_problems_obey() {
    for path in corpus("minimalloc").files("csv").iter().step_by(5) {
        let whole = std::fs::read(path).unwrap();
        obeys_when_damaged(laws::plan_csv::law, &whole, &path.display().to_string());
    }
}

#[test]
fn damaged_programs_and_payloads_obey() {
    let programs = peer_files("peer_programs", "pte", "KILN_PEER_PTE").unwrap();
    for path in programs.iter().step_by(20) {
        let whole = std::fs::read(path).unwrap();
        obeys_when_damaged(laws::pte::law, &whole, &path.display().to_string());
        obeys_when_damaged(laws::kernel_calls::law, &whole, &path.display().to_string());
        let program = kiln_pte::read(whole.into()).unwrap();
        for (_, blob) in program
            .methods
            .iter()
            .flat_map(|method| method.delegates_with_blobs(&program))
        {
            if let Some(blob) = blob {
                obeys_when_damaged(laws::payload::law, blob, &path.display().to_string());
            }
        }
    }
}
