//! Embeds the C sources that projects get (`kiln_nn/`) and those that run them (`board/`, `runner/`).

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let mut text = String::new();
    for folder in ["kiln_nn", "board", "runner"] {
        let path = Path::new(&root).join(folder);
        println!("cargo::rerun-if-changed={}", path.display());
        let entries = fs::read_dir(&path).expect("a folder of this crate");
        let files = entries.map(|entry| entry.expect("a file of this crate").path());
        let is_source = |path: &std::path::PathBuf| {
            let extension = path.extension().and_then(|e| e.to_str());
            matches!(extension, Some("c" | "h" | "ld" | "txt"))
        };
        let mut files: Vec<_> = files.filter(is_source).collect();
        files.sort();
        let constant = folder.to_uppercase();
        writeln!(text, "pub(crate) static {constant}: &[(&str, &str)] = &[").expect("a string");
        for file in files {
            let name = file.file_name().and_then(|n| n.to_str()).expect("a name");
            writeln!(text, "    ({name:?}, include_str!({file:?})),").expect("a string");
        }
        text.push_str("];\n");
    }
    let place = Path::new(&out).join("embedded.rs");
    fs::write(place, text).expect("the output folder is writable");
}
