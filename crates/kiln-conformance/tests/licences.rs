//! Every package of the lock file has a licence that `deny.toml` allows, and comes from this workspace or from the default
//! registry.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<String> {
    let rules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml"));
    let text = std::fs::read_to_string(rules).unwrap();
    let list = text.split_once("allow = [").unwrap().1;
    let items = list
        .split_once(']')
        .unwrap()
        .0
        .split('"')
        .skip(1)
        .step_by(2);
    items.map(str::to_owned).collect()
}

/// True if the licences satisfy an expression in SPDX's grammar. Older packages write `/` for `OR`.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut depth = 0;
    let mut split = |word: &str| -> Option<(String, String)> {
        let words: Vec<&str> = expression.split_inclusive(['(', ')', ' ']).collect();
        let mut at = 0;
        for part in words {
            depth += part.matches('(').count() as i32 - part.matches(')').count() as i32;
            if depth == 0 && part.trim() == word {
                let (left, right) = (&expression[..at], &expression[at + part.len()..]);
                return Some((left.trim().to_owned(), right.trim().to_owned()));
            }
            at += part.len();
        }
        None
    };
    if let Some((left, right)) = split("OR") {
        return is_met(&left, allowed) || is_met(&right, allowed);
    }
    if let Some((left, right)) = split("AND") {
        return is_met(&left, allowed) && is_met(&right, allowed);
    }
    let bare = expression.trim();
    match bare.strip_prefix('(').and_then(|e| e.strip_suffix(')')) {
        Some(inner) => is_met(inner, allowed),
        None => allowed.iter().any(|a| a == bare),
    }
}

#[test]
fn expressions_are_read_as_spdx_has_them() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("Unlicense/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR GPL-3.0) AND Zlib", true),
        ("(MIT OR Zlib) AND GPL-3.0", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}

#[test]
fn every_package_may_be_linked() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}(`cargo fetch --locked` gets what is missing)",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let allowed = allowed();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_met(licence, &allowed), "{name} is under {licence:?}");
        let source = package["source"].as_str();
        assert!(
            source.is_none_or(|s| s == "registry+https://github.com/rust-lang/crates.io-index"),
            "{name} comes from {source:?}"
        );
    }
}
