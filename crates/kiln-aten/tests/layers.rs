//! Imports between the files of this crate go downwards only: `dispatch` on `table` on `ops` on `importer` on `call`,
//! and no file imports itself through other files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The folders, from the lowest to the highest.
const FLOORS: [&str; 5] = ["call", "importer", "ops", "table", "dispatch"];

/// The text of each file, by its module (such as `ops::unary`).
fn files() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut open, mut found) = (vec![root.clone()], BTreeMap::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry of it").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let inside = path.strip_prefix(&root).expect("lies inside");
            let name = inside.with_extension("").to_string_lossy().into_owned();
            let module = name.trim_end_matches("/mod").replace('/', "::");
            let text = std::fs::read_to_string(&path).expect("a source is text");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            found.insert(module, text.to_string());
        }
    }
    found
}

/// The paths that begin with `start`, without it. A group `{a, b::C}` gives one path for each member.
fn paths(text: &str, start: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    for (at, _) in text.match_indices(start) {
        if text[..at].ends_with(is_name) {
            continue;
        }
        let rest = &text[at + start.len()..];
        let path: String = rest.chars().take_while(|&c| is_name(c)).collect();
        let behind = &rest[path.len()..];
        let group = behind.strip_prefix('{').and_then(|g| g.split('}').next());
        let members = group.map_or(vec![""], |g| g.split(',').map(str::trim).collect());
        found.extend(members.into_iter().map(|member| format!("{path}{member}")));
    }
    found
}

/// The module of a path: the longest prefix that is a module.
fn module_of<'m>(path: &str, modules: &'m BTreeMap<String, String>) -> Option<&'m str> {
    let mut part = path.trim_end_matches(':');
    loop {
        if let Some((module, _)) = modules.get_key_value(part) {
            return Some(module);
        }
        part = part.rsplit_once("::")?.0;
    }
}

/// The modules that each file imports: by `crate::`, by `super::`, and the module of a folder by the names of its files.
fn imports(modules: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all = BTreeMap::new();
    for (name, text) in modules {
        let parent = name.rsplit_once("::").map_or("", |(parent, _)| parent);
        let mut named: Vec<String> = paths(text, "crate::");
        let beside = paths(text, "super::").into_iter();
        named.extend(beside.map(|path| format!("{parent}::{path}")));
        let children = modules.keys().filter(|m| {
            let own = m.rsplit_once("::").filter(|(folder, _)| folder == name);
            own.is_some_and(|(_, child)| !paths(text, &format!("{child}::")).is_empty())
        });
        named.extend(children.cloned());
        let found = named.iter().filter_map(|path| module_of(path, modules));
        all.insert(name.as_str(), found.filter(|m| m != name).collect());
    }
    all
}

fn floor(module: &str) -> usize {
    let folder = module.split("::").next().unwrap_or_default();
    let found = FLOORS.iter().position(|f| *f == folder);
    found.unwrap_or(FLOORS.len())
}

#[test]
fn folders_import_downwards() {
    let modules = files();
    for (name, imports) in imports(&modules) {
        assert!(
            floor(name) < FLOORS.len() || name == "lib",
            "{name} has no floor"
        );
        for import in imports {
            assert!(
                floor(import) <= floor(name),
                "{name} imports {import}, which lies above it"
            );
        }
    }
}

#[test]
fn no_file_imports_itself_by_others() {
    let modules = files();
    let mut open = imports(&modules);
    assert!(open.values().map(BTreeSet::len).sum::<usize>() > 4 * open.len());
    loop {
        let free: BTreeSet<&str> = open
            .iter()
            .filter(|(_, imports)| imports.is_empty())
            .map(|(name, _)| *name)
            .collect();
        if free.is_empty() {
            break;
        }
        open.retain(|name, _| !free.contains(name));
        for imports in open.values_mut() {
            imports.retain(|import| !free.contains(import));
        }
    }
    assert!(open.is_empty(), "these files import each other: {open:?}");
}
