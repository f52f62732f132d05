//! Only `kiln-testing` looks for parts and the corpus, so no test is skipped silently.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The beginnings of variables that only `kiln-testing` may read.
const VARIABLES: [&str; 8] = [
    "KILN_CHROMIUM",
    "KILN_CORPUS",
    "KILN_ET_RUN",
    "KILN_PEER",
    "KILN_REQUIRE",
    "KILN_SKIPS",
    "KILN_TOSA_REFERENCE",
    "KILN_VELA",
];

/// What takes a variable's name without reading it for the test: a command's environment, and `kiln-testing` itself.
const TAKES_NAMES: [&str; 3] = [".env(", ".env_remove(", "peer_files("];

/// The corpus by its path, and a phrase with which a test would report a skip by itself.
const PHRASES: [&str; 2] = ["shared/corpus", "skipped: "];

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

const TESTS: &str = "#[cfg(test)]";

/// The modules that a source declares for tests alone, in files of their own: without their extension.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap();
    let folder = match stem.to_str() {
        Some("mod" | "lib" | "main") => path.parent().unwrap().to_path_buf(),
        _ => path.with_extension(""),
    };
    let behind = text.split(TESTS).skip(1);
    let declared = behind.filter_map(|rest| {
        let item = rest
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))?;
        let (_, name) = item.strip_suffix(';')?.split_once("mod ")?;
        Some(folder.join(name))
    });
    declared.collect()
}

/// The part of a file with tests: all of one in a `tests` folder, or of a module for tests alone.
fn tests_of<'a>(path: &Path, text: &'a str, modules: &BTreeSet<PathBuf>) -> &'a str {
    let is_module = path
        .ancestors()
        .any(|p| modules.contains(&p.with_extension("")));
    if is_module || path.components().any(|part| part.as_os_str() == "tests") {
        return text;
    }
    let start = text.find(TESTS).unwrap_or(text.len());
    &text[start..]
}

/// What of the forbidden a text has.
fn forbidden(text: &str) -> Vec<String> {
    let phrases = PHRASES.into_iter().filter(|phrase| text.contains(phrase));
    let mut found: Vec<String> = phrases.map(str::to_owned).collect();
    for variable in VARIABLES {
        for (at, _) in text.match_indices(variable) {
            let Some(before) = text[..at].strip_suffix('"') else {
                continue;
            };
            let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
            if !TAKES_NAMES.iter().any(|name| statement.contains(name)) {
                found.push(variable.to_owned());
            }
        }
    }
    found
}

#[test]
fn parts_come_from_one_place() {
    let crates = kiln_testing::repository().join("crates");
    let mut paths = Vec::new();
    sources(&crates, &mut paths);
    paths.retain(|path| !path.starts_with(crates.join("kiln-testing")));
    assert!(paths.len() > 200, "{}", paths.len());
    let read = |path: PathBuf| (std::fs::read_to_string(&path).unwrap(), path);
    let texts: Vec<(String, PathBuf)> = paths.into_iter().map(read).collect();
    let modules: BTreeSet<PathBuf> = texts
        .iter()
        .flat_map(|(text, path)| test_modules(path, text))
        .collect();
    assert!(modules.len() >= 3, "{modules:?}");
    let mut found = Vec::new();
    for (text, path) in &texts {
        for name in forbidden(tests_of(path, text, &modules)) {
            found.push(format!("{}: {name}", path.display()));
        }
    }
    assert!(
        found.is_empty(),
        "use kiln_testing::part:\n{}",
        found.join("\n")
    );
}

#[test]
fn every_way_to_read_a_variable_is_found() {
    for text in [
        "let corpus = std::env::var(\"KILN_CORPUS\");",
        "let corpus = env::var_os(\n    \"KILN_CORPUS\",\n);",
        "const NAME: &str = \"KILN_CORPUS\";",
    ] {
        assert_eq!(forbidden(text), ["KILN_CORPUS"], "{text}");
    }
    assert_eq!(forbidden("eprintln!(\"skipped: it\");"), ["skipped: "]);
    let allowed = "command.env(\"KILN_VELA\", path); // KILN_VELA";
    assert_eq!(forbidden(allowed), [""; 0]);
}

#[test]
fn modules_for_tests_alone_are_tests() {
    let text = "#[cfg(test)]\n#[allow(unused, reason = \"it is\")]\nmod oracle;\n\nfn own() {}\n";
    let path = Path::new("crates/a/src/movement/mod.rs");
    let modules: BTreeSet<PathBuf> = test_modules(path, text).into_iter().collect();
    for (path, is_test) in [
        ("crates/a/src/movement/oracle.rs", true),
        ("crates/a/src/movement/oracle/part.rs", true),
        ("crates/a/src/movement/other.rs", false),
        ("crates/a/tests/other.rs", true),
    ] {
        let tests = tests_of(Path::new(path), "let x = 1;", &modules);
        assert_eq!(!tests.is_empty(), is_test, "{path}");
    }
}
