//! Text graphs before and after a pass: the files of `tests/filetests`, and the `kiln` blocks at the
//! top of the sources.
//!
//! A case has a line that names the passes and the ops that the fake target lacks (`clean`,
//! `decompose none unary.silu`), a graph, `---`, and the expected graph. If the line begins with `report`,
//! the rules that were applied and declined, with the reasons, stand in front of the expected graph.
//! Each pass must also keep the results of the graph (`evaluated`).
//! `KILN_BLESS=1` replaces the expected text by the text that was found.

mod evaluated;
mod fake_target;

use evaluated::Tally;
use fake_target::FakeTarget;
use kiln_ir::text::{Data, parse, print};
use kiln_ir::verify::verify;
use kiln_transforms::framework::pass::{Options, Pass, PassRun, run_pipeline};
use kiln_transforms::passes::all_passes;
use std::fs;
use std::path::{Path, PathBuf};

/// The least number of cases of each kind that passes change and whose results are compared.
const LEAST: usize = 70;

const LISTS: [&str; 5] = ["kernel", "none", "prefers", "copies", "narrow"];

/// The parts of a case as text.
struct Case<'t> {
    is_report: bool,
    passes: Vec<Pass>,
    target: FakeTarget,
    input: &'t str,
}

impl Case<'_> {
    fn read<'t>(header: &str, input: &'t str) -> Result<Case<'t>, String> {
        let mut words: Vec<&str> = header.split_whitespace().collect();
        let is_report = words.first() == Some(&"report");
        words.drain(..usize::from(is_report));
        let split = words
            .iter()
            .position(|w| LISTS.contains(w))
            .unwrap_or(words.len());
        let named = |name: &&str| {
            all_passes()
                .iter()
                .find(|p| p.name == *name)
                .copied()
                .ok_or(format!("no pass {name}"))
        };
        Ok(Case {
            is_report,
            passes: words[..split].iter().map(named).collect::<Result<_, _>>()?,
            target: FakeTarget::parse(words[split..].iter().copied()),
            input,
        })
    }

    /// Runs the passes, checks that they keep the results, and returns the text of the graph behind them.
    fn run(&self, tally: &mut Tally) -> Result<String, String> {
        let mut graph = parse(self.input).map_err(|e| format!("{e}"))?;
        verify(&graph).map_err(|faults| format!("before: {faults:?}"))?;
        tally.compare(&graph, &self.target, &self.passes)?;
        let options = Options {
            verify: true,
            ..Options::default()
        };
        let runs = run_pipeline(&mut graph, &self.target, &self.passes, &options)
            .map_err(|e| e.to_string())?;
        let mut text = String::new();
        if self.is_report {
            runs.iter().for_each(|run| text += &reported(run));
        }
        Ok(text + &print(&graph, Data::Full))
    }
}

fn reported(run: &PassRun) -> String {
    let mut text = String::new();
    for applied in &run.report.applied {
        text += &format!("{} applied {}\n", run.pass, applied.rule);
    }
    for declined in &run.report.declined {
        text += &format!(
            "{} declined {}: {}\n",
            run.pass, declined.rule, declined.reason
        );
    }
    if text.is_empty() {
        text = format!("{} nothing\n", run.pass);
    }
    text
}

/// Splits a case into header, input and expected text.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (header, rest) = text.split_once('\n')?;
    let (input, expected) = rest
        .split_once("---\n")
        .or_else(|| Some((rest.strip_suffix("---")?, "")))?;
    Some((header, input, expected))
}

fn files(dir: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

/// The outcomes of all cases.
#[derive(Default)]
struct Found {
    faults: Vec<String>,
    tally: Tally,
}

impl Found {
    fn finish(&self, least: usize) {
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
        self.tally.finish(least);
    }
}

/// Checks one case. Returns its new text if it is to be blessed.
fn check(place: &str, text: &str, found: &mut Found) -> Option<String> {
    let Found { faults, tally } = found;
    let Some((header, input, expected)) = parts(text) else {
        faults.push(format!("{place}: no header, graph and ---"));
        return None;
    };
    match Case::read(header, input).and_then(|case| case.run(tally)) {
        Err(fault) => faults.push(format!("{place}: {fault}")),
        Ok(found) if found == expected => {}
        Ok(found) if std::env::var_os("KILN_BLESS").is_some() => {
            return Some(format!("{header}\n{input}---\n{found}"));
        }
        Ok(found) => faults.push(format!("{place}: expected\n{expected}found\n{found}")),
    }
    None
}

#[test]
fn files_say_what_passes_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut paths, mut found) = (Vec::new(), Found::default());
    files(&root.join("tests/filetests"), "kiln", &mut paths);
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        if let Some(blessed) = check(&path.display().to_string(), &text, &mut found) {
            fs::write(&path, blessed).expect("written");
        }
    }
    found.finish(LEAST);
}

#[test]
fn sources_say_what_their_rules_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut paths, mut found) = (Vec::new(), Found::default());
    files(&root.join("src"), "rs", &mut paths);
    for path in paths {
        let source = fs::read_to_string(&path).expect("a text");
        let blessed = check_source(&path.display().to_string(), &source, &mut found);
        if blessed != source {
            fs::write(&path, blessed).expect("written");
        }
    }
    found.finish(LEAST);
}

/// Checks the `kiln` blocks of a source. Returns the source with the new text of blocks that are to be blessed.
fn check_source(place: &str, source: &str, found: &mut Found) -> String {
    let mut out = String::new();
    let mut block: Option<String> = None;
    for line in source.lines() {
        let comment = line
            .strip_prefix("//!")
            .map(|l| l.strip_prefix(' ').unwrap_or(l));
        match (&mut block, comment) {
            (None, Some("```kiln")) => block = Some(String::new()),
            (Some(text), Some("```")) => {
                let blessed = check(place, text, found).unwrap_or_else(|| text.clone());
                for inner in blessed.lines() {
                    out.push_str(format!("//! {inner}").trim_end());
                    out.push('\n');
                }
                block = None;
            }
            (Some(text), Some(inner)) => {
                text.push_str(inner);
                text.push('\n');
                continue;
            }
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// How often a pass is applied in a file's case.
fn applications(pass: &Pass, path: &Path) -> u64 {
    let text = fs::read_to_string(path).expect("a text");
    let (header, input, _) = parts(&text).expect("a case");
    let case = Case::read(header, input).expect("passes");
    let mut graph = parse(case.input).expect("a graph");
    let runs = run_pipeline(&mut graph, &case.target, &case.passes, &Options::default());
    let runs = runs.expect("the graph is sound");
    let of_pass = runs.iter().filter(|run| run.pass == pass.name);
    of_pass.map(|run| run.applications).sum()
}

/// Each pass has a case that shows what it does, and one, whose name begins with `kept`, that shows what it leaves.
#[test]
fn every_pass_has_cases_of_both_kinds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let (mut missing, mut changed) = (Vec::new(), Vec::new());
    for pass in all_passes() {
        let mut paths = Vec::new();
        if root.join(pass.name).is_dir() {
            files(&root.join(pass.name), "kiln", &mut paths);
        }
        let name = |p: &Path| {
            p.file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned()
        };
        let is_kept = |p: &&PathBuf| name(p).starts_with("kept");
        let (kept, shown): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(is_kept);
        changed.extend(
            kept.iter()
                .filter(|p| applications(pass, p) > 0)
                .map(|p| name(p)),
        );
        if kept.is_empty() || !shown.iter().any(|p| applications(pass, p) > 0) {
            missing.push(pass.name);
        }
    }
    assert_eq!(missing, [""; 0], "passes without both");
    assert_eq!(changed, [""; 0], "kept, but a pass is applied");
}
