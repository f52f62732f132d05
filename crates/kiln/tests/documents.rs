//! The documents are true as far as a machine can tell: links lead to pages and headings, the book has every page, each command that a page
//! shows is one of Kiln's with options and values that it takes, and graphs are read.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "other tests name files in the folder")]
mod folder;

use folder::Folder;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// The files of Markdown below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(below(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn book() -> PathBuf {
    root().join("docs")
}

fn summary() -> PathBuf {
    book().join("SUMMARY.md")
}

/// The documents: the book, and those beside what they describe.
fn documents() -> Vec<PathBuf> {
    let others = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "corpus/README.md",
        "crates/kiln-python/README.md",
        "tools/hunt/README.md",
    ];
    let others = others.map(|name| root().join(name));
    others.into_iter().chain(below(&book())).collect()
}

/// The text of a document, with that of files that it includes.
fn text(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let included = text.trim().strip_prefix("{{#include ");
    match included.and_then(|rest| rest.strip_suffix("}}")) {
        Some(file) => std::fs::read_to_string(path.with_file_name("").join(file)).unwrap(),
        None => text,
    }
}

/// The blocks of code, each with its language and its lines; the rest is prose.
fn parts(text: &str) -> (Vec<(String, Vec<String>)>, String) {
    let (mut blocks, mut prose, mut is_inside) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if is_inside => is_inside = false,
            Some(language) => {
                is_inside = true;
                blocks.push((language.trim().to_string(), Vec::new()));
            }
            None if is_inside => blocks.last_mut().unwrap().1.push(line.to_string()),
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    assert!(!is_inside, "a block of code has no end");
    (blocks, prose)
}

/// Where the links of prose lead, in this repository.
fn links(prose: &str) -> Vec<String> {
    let outside_of_code = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = outside_of_code.split("](").skip(1);
    let targets = targets.map(|rest| rest.split(')').next().unwrap().to_string());
    let is_local = |target: &String| !target.is_empty() && !target.contains("://");
    targets.filter(is_local).collect()
}

/// The name under which a heading is linked.
fn anchor(heading: &str) -> String {
    let of = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ => c.is_alphanumeric().then(|| c.to_ascii_lowercase()),
    };
    heading.trim().chars().filter_map(of).collect()
}

fn anchors(path: &Path) -> BTreeSet<String> {
    let (_, prose) = parts(&text(path));
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// What is wrong with a link of a document.
fn fault(document: &Path, link: &str) -> Option<&'static str> {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => document.to_path_buf(),
        _ => document.with_file_name("").join(file),
    };
    let Ok(target) = target.canonicalize() else {
        return Some("leads nowhere");
    };
    if !target.starts_with(root()) {
        return Some("leaves the repository");
    }
    if document.starts_with(book()) && !target.starts_with(book()) {
        return Some("leaves the book");
    }
    let is_lacking = !heading.is_empty() && !anchors(&target).contains(heading);
    is_lacking.then_some("has no such heading")
}

/// A command's arguments, where the words are a command of Kiln.
fn arguments(words: &[&str]) -> Option<Vec<String>> {
    let first = *words.first()?;
    let rest = match first {
        "cargo" if words.contains(&"-p") && words.contains(&"kiln") && words[1] == "run" => {
            words.split(|word| *word == "--").nth(1)?
        }
        _ if first == "kiln" || first.ends_with("/kiln") => &words[1..],
        _ => return None,
    };
    let is_redirection = |word: &&&str| !word.starts_with(['>', '<']);
    let rest = rest.iter().take_while(is_redirection);
    Some(rest.map(|word| word.trim_matches('"').into()).collect())
}

/// The commands of Kiln in a line of a shell.
fn commands(line: &str) -> Vec<Vec<String>> {
    let line = line.split(" #").next().unwrap();
    let parts = line.split([';', '|', '&']);
    let words = parts.map(|part| part.split_whitespace().collect::<Vec<_>>());
    words.filter_map(|words| arguments(&words)).collect()
}

/// The commands that a document shows: in blocks for the shell, and behind a prompt in other blocks.
fn shown(document: &Path) -> Vec<Vec<String>> {
    let (blocks, _) = parts(&text(document));
    let mut found = Vec::new();
    for (language, lines) in &blocks {
        // A line that ends in a backslash goes on in the next one.
        let (mut typed, mut goes_on) = (Vec::<String>::new(), false);
        for line in lines {
            let part = match language.as_str() {
                _ if goes_on => line,
                "sh" => line.as_str(),
                _ => match line.strip_prefix("$ ") {
                    Some(command) => command,
                    None => continue,
                },
            };
            let begun = if goes_on { typed.pop() } else { None }.unwrap_or_default();
            goes_on = part.ends_with('\\');
            typed.push(begun + part.trim_end_matches('\\'));
        }
        found.extend(typed.iter().flat_map(|line| commands(line)));
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for document in documents() {
        let (_, prose) = parts(&text(&document));
        for link in links(&prose) {
            if let Some(fault) = fault(&document, &link) {
                faults.push(format!("{}: {link} {fault}", document.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_book_once() {
    let (_, prose) = parts(&text(&summary()));
    let mut listed: Vec<_> = links(&prose).iter().map(|link| book().join(link)).collect();
    listed.sort();
    let pages: Vec<_> = below(&book())
        .into_iter()
        .filter(|page| *page != summary())
        .collect();
    let lacking: Vec<_> = pages.iter().filter(|page| !listed.contains(page)).collect();
    assert!(lacking.is_empty(), "not in SUMMARY.md: {lacking:?}");
    assert_eq!(listed.len(), pages.len(), "SUMMARY.md lists a page twice");
}

/// `--help` behind the arguments makes the parser read them all, and asks for nothing that is left out.
#[test]
fn shown_commands_are_kilns() {
    let folder = Folder::with("nothing", "");
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents() {
        for command in shown(&document) {
            // The benchmarks are another program, which reads its own arguments.
            if command.first().is_some_and(|name| name == "bench") {
                continue;
            }
            count += 1;
            let words: Vec<_> = command.iter().map(String::as_str).collect();
            let output = folder.kiln(&[&words[..], &["--help"]].concat());
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let place = document.display();
                faults.push(format!("{place}: kiln {}\n  {said}", command.join(" ")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 80, "only {count} commands were found");
}

#[test]
fn shown_graphs_are_read() {
    let mut count = 0;
    for document in documents() {
        let (blocks, _) = parts(&text(&document));
        for (language, lines) in blocks {
            if language != "kiln" {
                continue;
            }
            count += 1;
            let folder = Folder::with("shown.kiln", &(lines.join("\n") + "\n"));
            let output = folder.kiln(&["opt", "shown.kiln", "--passes", "clean", "--verify"]);
            assert!(
                output.status.success(),
                "{}: {output:?}",
                document.display()
            );
        }
    }
    assert!(count > 3, "only {count} graphs were found");
}
