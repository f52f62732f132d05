//! The manifests keep to the floors of ARCHITECTURE.md: a crate imports crates of lower floors only.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;

/// A floor of the table in tenths: `+` is above the number, `-` below it, and `3+` below `4-`.
fn height(floor: &str) -> Option<i32> {
    let number = floor.trim_end_matches(['+', '-']);
    let part = match &floor[number.len()..] {
        "" => 0,
        "+" => 3,
        "-" => -3,
        _ => return None,
    };
    Some(number.parse::<i32>().ok()? * 10 + part)
}

/// The height of each crate, by the table of ARCHITECTURE.md.
fn heights() -> BTreeMap<String, i32> {
    let text = std::fs::read_to_string(kiln_testing::repository().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, floor, name, ..] = cells.as_slice() else {
            return None;
        };
        let name = name.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), height(floor)?))
    });
    rows.collect()
}

/// The crates of Kiln that a manifest imports: not those of its tests.
fn imports(manifest: &str) -> Vec<&str> {
    let (mut is_inside, mut found) = (false, Vec::new());
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_inside = line == "[dependencies]" || line.ends_with(".dependencies]");
        } else if is_inside && line.starts_with("kiln") {
            found.extend(line.split(['.', ' ', '=']).next());
        }
    }
    found
}

#[test]
fn crates_import_lower_floors_only() {
    let heights = heights();
    let (mut crates, mut seen) = (0, 0);
    for entry in std::fs::read_dir(kiln_testing::repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let own = heights.get(&name);
        let own = own.unwrap_or_else(|| panic!("{name} has no floor in ARCHITECTURE.md"));
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for import in imports(&manifest) {
            let other = heights[import];
            assert!(other < *own, "{name} imports {import}, which is no lower");
            seen += 1;
        }
        crates += 1;
    }
    assert_eq!(crates, heights.len(), "a row of the table has no crate");
    assert!(seen >= crates, "only {seen} imports were found");
}

#[test]
fn parts_of_floors_lie_between_floors() {
    let order =
        ["1-", "1", "2-", "2", "2+", "3-", "3", "3+", "4-"].map(|floor| height(floor).unwrap());
    assert!(order.is_sorted_by(|a, b| a < b));
    assert_eq!(height("floor"), None);
}
