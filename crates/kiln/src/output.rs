//! Output: files that appear whole or not at all, data on stdout, and messages on stderr.

use anstyle::AnsiColor;
use anyhow::{Context, Result, bail};
use kiln_files::Pending;
pub use kiln_files::STDOUT;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path`, whole or not at all.
///
/// # Errors
/// The file cannot be written. Nothing is left of it then.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = kiln_files::write(path, bytes);
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Moves a pending file or folder to its place.
///
/// # Errors
/// It cannot be moved there.
pub fn persist(pending: Pending, path: &Path) -> Result<()> {
    let moved = pending.persist();
    moved.with_context(|| format!("cannot write {}", path.display()))
}

/// Refuses to write one file twice, or over a file that is read. Pipes and devices may be named several times.
///
/// # Errors
/// The error names the path and the options that name it.
pub fn check_paths(written: &[(&str, &Path)], read: &[&Path]) -> Result<()> {
    for (i, (option, path)) in written.iter().enumerate() {
        if let Some((other, _)) = written[..i].iter().find(|(_, p)| is_one_file(p, path)) {
            bail!(
                "{other} and {option} are both {}; give each a file of its own",
                path.display()
            );
        }
        if read.iter().any(|p| is_one_file(p, path)) {
            bail!(
                "{option} would replace {}, which is read; give it another path",
                path.display()
            );
        }
    }
    Ok(())
}

fn is_one_file(a: &Path, b: &Path) -> bool {
    // Two texts on stdout cannot be told apart; a device like /dev/null takes any number.
    if a == b && a == Path::new(STDOUT) {
        return true;
    }
    let is_special = |p: &Path| std::fs::metadata(p).is_ok_and(|found| !found.is_file());
    !is_special(a) && resolved(a).is_some_and(|a| Some(a) == resolved(b))
}

/// The path with symbolic links resolved. The file may not exist yet.
fn resolved(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().or_else(|| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// Writes lines for people to stderr, with colour on a terminal that has it, unless `NO_COLOR` is set. A stderr that is closed, or takes no
/// more, is no error: nobody wants to read it.
pub fn say(lines: impl std::fmt::Display) {
    let text = coloured(&lines.to_string());
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// How lines of each kind begin, and in which colour.
const KINDS: [(&str, AnsiColor); 3] = [
    ("error:", AnsiColor::Red),
    ("warning:", AnsiColor::Yellow),
    ("note:", AnsiColor::Cyan),
];

/// The text with the kind of each line in colour.
fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let kind = KINDS.iter().find(|(kind, _)| line.starts_with(kind));
        kind.map_or(line.to_owned(), |(kind, colour)| {
            let style = colour.on_default().bold();
            format!("{style}{kind}{style:#}{}", &line[kind.len()..])
        })
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// Writes data to stdout. A reader that closed the pipe has seen enough: that is no error.
///
/// # Errors
/// Stdout cannot be written for another reason.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to stdout")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn a_file_is_written_by_one_option_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("model"), "").unwrap();
        let (model, out, same) = (path("model"), path("out"), path("./out"));
        let message = |written: &[(&str, &Path)]| {
            let checked = check_paths(written, &[&model]);
            checked.err().map(|e| e.to_string()).unwrap_or_default()
        };
        assert_eq!(message(&[("-o", &out), ("--report", &path("r"))]), "");
        assert!(message(&[("-o", &out), ("--report", &same)]).contains("-o and --report"));
        assert!(message(&[("-o", &model)]).contains("which is read"));
        let null = Path::new("/dev/null");
        assert_eq!(message(&[("-o", null), ("--report", null)]), "");
    }

    #[test]
    fn a_terminal_shows_the_kinds_of_lines_in_colour() {
        let text = "m.pte: 12 bytes\nwarning: a warning: of floats\nerror: none";
        let shown = coloured(text);
        let yellow = "\u{1b}[1m\u{1b}[33mwarning:\u{1b}[0m a warning: of floats";
        assert_eq!(shown.lines().nth(1), Some(yellow));
        assert_eq!(shown.lines().next(), text.lines().next());
        // A file takes the text alone.
        let mut file = anstream::AutoStream::new(Vec::new(), anstream::ColorChoice::Auto);
        write!(file, "{shown}").unwrap();
        assert_eq!(file.into_inner(), text.as_bytes());
    }

    #[test]
    fn an_error_names_the_file_that_the_user_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing").join("out.pte");
        let error = format!("{:#}", write_file(&missing, b"").unwrap_err());
        assert!(error.contains(&missing.display().to_string()), "{error}");
        assert!(!error.contains(".kiln-"), "{error}");
        assert!(error.contains("there is no directory"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_rights_stay_as_they_are() {
        use std::os::unix::fs::{MetadataExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("plain"), "old").unwrap();
        symlink(path("plain"), path("link")).unwrap();
        write_file(&path("link"), b"new").unwrap();
        assert!(path("link").is_symlink());
        assert_eq!(std::fs::read(path("plain")).unwrap(), b"new");
        let mode = |name: &str| std::fs::metadata(path(name)).unwrap().mode();
        std::fs::write(path("other"), "").unwrap();
        write_file(&path("fresh"), b"").unwrap();
        assert_eq!(mode("fresh"), mode("other"));
        write_file(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
}
