//! Only `kiln-testing` looks for parts and the corpus, so no test is skipped silently.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};

/// The names that only `kiln-testing` may use, and the phrases with which a test would report its own skip.
const FORBIDDEN: [&str; 8] = [
    "var_os(\"KILN_CORPUS",
    "var_os(\"KILN_ET_RUN",
    "var_os(\"KILN_PEER",
    "var_os(\"KILN_REQUIRE",
    "var_os(\"KILN_TOSA_REFERENCE",
    "var_os(\"KILN_VELA",
    "shared/corpus",
    "skipped: ",
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The part of a file with tests: the whole file in a `tests` folder.
fn tests_of<'a>(path: &Path, text: &'a str) -> &'a str {
    if path.components().any(|part| part.as_os_str() == "tests") {
        return text;
    }
    let start = text.find("#[cfg(test)]").unwrap_or(text.len());
    &text[start..]
}

#[test]
fn parts_come_from_one_place() {
    let crates = kiln_testing::repository().join("crates");
    let mut paths = Vec::new();
    sources(&crates, &mut paths);
    paths.retain(|path| !path.starts_with(crates.join("kiln-testing")));
    assert!(paths.len() > 200, "{}", paths.len());
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        for forbidden in FORBIDDEN {
            if tests_of(&path, &text).contains(forbidden) {
                found.push(format!("{}: {forbidden}", path.display()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "use kiln_testing::part:\n{}",
        found.join("\n")
    );
}
