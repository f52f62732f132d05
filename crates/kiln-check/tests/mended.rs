//! Regions on which a pass was wrong, kept in `tests/mended`. A file's first line names the pass and, behind it, what the fake
//! target lacks; the pass must apply something there, and what it gives must be what the graph gives.

use kiln_check::{FakeTarget, check_passes};
use kiln_ir::text::parse;
use kiln_transforms::passes::all_passes;
use std::fs;
use std::path::Path;

#[test]
fn passes_are_right_where_they_were_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mended");
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let (words, region) = text.split_once('\n').expect("a line and a graph");
        let mut words = words.split_whitespace();
        let name = words.next().expect("a pass");
        let pass = all_passes().iter().find(|p| p.name == name);
        let pass = pass.unwrap_or_else(|| panic!("{} names a pass", path.display()));
        let mut graph = parse(region).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let target = FakeTarget::parse(words);
        let checked = check_passes(&mut graph, &target, &[*pass], None);
        let checked = checked.unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
        let compared = checked.compared;
        let place = path.display();
        assert!(compared.changes > 0, "{place}: nothing is applied");
        assert!(!compared.is_blind(), "{place}: no inputs give it a value");
    }
}
