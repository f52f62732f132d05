//! What shells and manuals know of the commands, and the version.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;

#[test]
fn shells_complete_each_command() {
    let folder = Folder::with("nothing", "");
    for shell in ["bash", "zsh", "fish"] {
        let output = folder.kiln(&["completions", shell]);
        assert!(output.status.success(), "{output:?}");
        let script = String::from_utf8(output.stdout).unwrap();
        for word in ["compile", "explain", "strict-nan"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = Folder::with("nothing", "");
    let output = folder.kiln(&["man", "pages"]);
    assert!(output.status.success(), "{output:?}");
    for (page, word) in [("kiln.1", "compile"), ("kiln-run.1", "expect")] {
        let text = std::fs::read_to_string(folder.path("pages").join(page)).unwrap();
        assert!(text.contains(word), "{page}");
    }
    let refused = folder.kiln(&["man", "nothing"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot write to nothing"));
}

#[test]
fn the_version_names_the_commit() {
    let folder = Folder::with("nothing", "");
    let output = folder.kiln(&["--version"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = format!("kiln {}", env!("CARGO_PKG_VERSION"));
    assert!(text.starts_with(&expected), "{text}");
    if let Some((_, commit)) = text.trim().split_once(" (") {
        let digits = commit.trim_end_matches(')');
        assert!(digits.chars().all(|c| c.is_ascii_hexdigit()), "{text}");
    }
}
