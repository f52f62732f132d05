//! The crates' imports go downwards only, by the floors that ARCHITECTURE.md gives them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of targets.
const TARGETS: [&str; 5] = [
    "kiln-portable",
    "kiln-xnnpack",
    "kiln-tosa",
    "kiln-ethos",
    "kiln-cortex-m",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The floor of each crate, in quarters: `4-` lies a quarter below 4.
fn floors() -> BTreeMap<String, i32> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let (floor, name) = (cells.next()?, cells.next()?);
        let name = name.strip_prefix('`')?.strip_suffix('`')?;
        let whole: i32 = floor.trim_end_matches(['+', '-']).parse().ok()?;
        let beside = i32::from(floor.ends_with('+')) - i32::from(floor.ends_with('-'));
        Some((name.to_string(), 4 * whole + beside))
    };
    text.lines().filter_map(row).collect()
}

/// Kiln's crates, each with the crates that it imports and those that its tests import.
fn imports() -> BTreeMap<String, [Vec<String>; 2]> {
    let found = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(found.status.success());
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let mut crates = BTreeMap::new();
    for package in found["packages"].as_array().unwrap() {
        let mut of = [Vec::new(), Vec::new()];
        for import in package["dependencies"].as_array().unwrap() {
            let name = text(&import["name"]);
            if name.starts_with("kiln") {
                of[usize::from(import["kind"] == "dev")].push(name);
            }
        }
        crates.insert(text(&package["name"]), of);
    }
    crates
}

#[test]
fn every_crate_has_a_floor() {
    let (floors, crates) = (floors(), imports());
    let missing = |name: &&String| !floors.contains_key(*name);
    let without: Vec<_> = crates.keys().filter(missing).collect();
    assert!(without.is_empty(), "not in ARCHITECTURE.md: {without:?}");
    let gone: Vec<_> = floors.keys().filter(|n| !crates.contains_key(*n)).collect();
    assert!(gone.is_empty(), "no crates: {gone:?}");
}

#[test]
fn imports_go_downwards() {
    let floors = floors();
    for (name, [imports, _]) in imports() {
        for import in imports {
            let falls = floors[&import] < floors[&name];
            assert!(falls, "{name} imports {import}, which lies no lower");
        }
    }
}

#[test]
fn what_lies_below_the_targets_knows_none() {
    let floors = floors();
    let lowest = TARGETS.map(|target| floors[target]).into_iter().min();
    for (name, [imports, of_tests]) in imports() {
        let below = Some(floors[&name]) < lowest;
        let knows = imports.iter().chain(&of_tests);
        let known: Vec<_> = knows.filter(|n| TARGETS.contains(&n.as_str())).collect();
        assert!(!below || known.is_empty(), "{name} knows {known:?}");
    }
}

#[test]
fn formats_of_files_and_the_planner_know_no_graph() {
    let crates = imports();
    for name in ["kiln-pt2", "kiln-plan"] {
        assert_eq!(crates[name][0], Vec::<String>::new(), "{name}");
    }
}
