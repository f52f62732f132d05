//! What the judge takes for the same and what not: pairs of graphs in `tests/judge`, the one before and the one after a
//! rewrite. A file's first line says `same` or the difference that is found
//! (`KILN_BLESS=1` writes what was found).

use kiln_check::{Baseline, Close};
use kiln_ir::Graph;
use kiln_ir::text::parse;
use std::fs;
use std::path::Path;

fn graph(text: &str) -> Graph {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn pairs_are_judged_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge");
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let (expected, pair) = text.split_once('\n').expect("a line and a pair");
        let (before, after) = pair.split_once("---\n").expect("two graphs");
        let (before, after) = (graph(before), graph(after));
        let baselines = Baseline::all(&before);
        let fault = baselines
            .iter()
            .find_map(|b| b.compare(&before, &after, Close::Rounding).err());
        let found = fault.map_or("same".into(), |f| f.to_string());
        if found != expected && std::env::var_os("KILN_BLESS").is_some() {
            fs::write(&path, format!("{found}\n{pair}")).expect("written");
            continue;
        }
        assert_eq!(found, expected, "{}", path.display());
    }
}
