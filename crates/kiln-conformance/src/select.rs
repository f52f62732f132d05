//! `conformance select`: chooses the cases of `corpus/` from a larger corpus.
//!
//! It first takes the suites that are here whole. Then it takes the cases that add the most features per packed byte, until they
//! cover every feature of the larger corpus, and then the smallest of the remaining cases, as far as the budget allows. The same
//! larger corpus always gives the same files.

use crate::features::features;
use anyhow::{Context, Result, bail};
use clap::Args;
use kiln_testing::corpus::{Case, Corpus, listed};
use kiln_testing::packed;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The suites from which cases are chosen.
const SUITES: [&str; 14] = [
    "archives",
    "cmsis_nn",
    "cortex_m",
    "dynamic",
    "minimalloc",
    "models_small",
    "ops_fp32",
    "ops_int8_dynamic",
    "ops_int8_static",
    "quantised_cm",
    "quantised_small",
    "tosa_fp",
    "tosa_int",
    "transpose_counts",
];

/// Suites that are here whole: a test replays every case, also without the larger corpus.
const WHOLE: [&str; 1] = ["cmsis_nn"];

/// The suites of files that ExecuTorch's own flow wrote, each with the extension of its files.
const PEER_SUITES: [(&str, &str); 2] = [("peer_programs", "pte"), ("peer_tosa", "tosa")];

/// The marks around the table in the README.
const MARKS: [&str; 2] = ["<!-- chosen -->", "<!-- end -->"];

/// The arguments of `conformance select`.
#[derive(Args)]
pub struct Arguments {
    /// The greatest sum of the sizes of the chosen cases, each packed alone. Packed together they are smaller. The whole suites
    /// have 1,037,204 bytes of it.
    #[arg(long, default_value_t = 15_037_204)]
    budget: usize,
    /// A folder of files that corpus/peer_files.py wrote. Without it, the files of ExecuTorch's flow stay as they are.
    #[arg(long)]
    peer: Option<PathBuf>,
    /// Print the choice and write no file.
    #[arg(long)]
    dry_run: bool,
}

/// A case that may be chosen.
struct Candidate {
    suite: &'static str,
    case: Case,
    /// The size of its files in bytes, packed alone.
    cost: usize,
    /// Its features, as indices of the list of all features.
    features: Vec<usize>,
}

/// The chosen cases.
struct Choice {
    /// Their indices among the candidates.
    cases: BTreeSet<usize>,
    /// The number of the first cases, which cover all features.
    cover_cases: usize,
    /// The size of those in bytes, each packed alone.
    cover_bytes: usize,
}

/// The features of all suites, as lines `suite: feature`.
type Universe = BTreeSet<String>;

/// Chooses the cases, and writes them and the table of the README.
///
/// # Errors
/// If there is no larger corpus, its cases cannot be read, the budget is too small for the cover, or a file cannot be
/// written.
pub fn run_select(arguments: &Arguments, corpus: &Corpus) -> Result<()> {
    let larger = corpus.larger().context("KILN_CORPUS names no corpus")?;
    let (candidates, universe) = candidates(larger)?;
    let choice = choose(&candidates, arguments.budget)?;
    let chosen = &choice.cases;
    let bytes: usize = chosen.iter().map(|&i| candidates[i].cost).sum();
    println!(
        "{} cases of {} bytes cover all {} features; with the smallest of the rest {} of {} cases are chosen, of {bytes} \
         bytes",
        choice.cover_cases,
        choice.cover_bytes,
        universe.len(),
        chosen.len(),
        candidates.len(),
    );
    let left = (0..candidates.len()).filter(|i| !chosen.contains(i));
    for left in left.map(|i| &candidates[i]) {
        println!(
            "left: {}/{}, {} bytes",
            left.suite, left.case.name, left.cost
        );
    }
    if arguments.dry_run {
        return Ok(());
    }
    let own = kiln_testing::repository().join("corpus");
    for suite in SUITES {
        let of_suite = |i: &&usize| candidates[**i].suite == suite;
        let cases = chosen.iter().filter(of_suite).map(|&i| &candidates[i].case);
        let names = names(&larger.join(suite), cases)?;
        packed::pack(
            &larger.join(suite),
            &names,
            &own.join(format!("{suite}.tar.xz")),
        )?;
    }
    for (suite, extension) in PEER_SUITES {
        if let Some(folder) = &arguments.peer {
            let names = names_with(folder, extension)?;
            packed::pack(folder, &names, &own.join(format!("{suite}.tar.xz")))?;
        }
    }
    let lines: Vec<String> = universe.into_iter().collect();
    std::fs::write(own.join("features.txt"), lines.join("\n") + "\n")?;
    let readme = own.join("README.md");
    let text = std::fs::read_to_string(&readme).with_context(|| readme.display().to_string())?;
    std::fs::write(&readme, with_table(&text, &table(&Corpus::own())?)?)?;
    Ok(())
}

/// All cases of the larger corpus with their features.
fn candidates(larger: &Path) -> Result<(Vec<Candidate>, Universe)> {
    let mut cases = Vec::new();
    for suite in SUITES {
        let of_suite = listed(&larger.join(suite)).with_context(|| suite.to_string())?;
        cases.extend(of_suite.into_values().flatten().map(|case| (suite, case)));
    }
    let measured: Result<Vec<_>> = cases
        .into_par_iter()
        .map(|(suite, case)| {
            let lines = features(suite, &case)?;
            Ok((suite, cost(&case)?, lines, case))
        })
        .collect();
    let measured = measured?;
    let universe: Universe = measured.iter().flat_map(|m| m.2.iter().cloned()).collect();
    let numbers: BTreeMap<&String, usize> = universe.iter().zip(0..).collect();
    let candidates = measured
        .into_iter()
        .map(|(suite, cost, lines, case)| Candidate {
            suite,
            case,
            cost,
            features: lines.iter().map(|line| numbers[line]).collect(),
        });
    let candidates = candidates.collect();
    Ok((candidates, universe))
}

fn cost(case: &Case) -> Result<usize> {
    Ok(packed::packed_size(&case.folder, &case.files()?)?)
}

/// The files of the cases, with the index and the licence of the suite if it has them.
fn names<'a>(folder: &Path, cases: impl Iterator<Item = &'a Case>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for case in cases {
        names.extend(case.files()?);
    }
    for name in ["index.json", "LICENSE"] {
        if folder.join(name).is_file() {
            names.push(name.into());
        }
    }
    names.sort();
    Ok(names)
}

/// The files of a folder with an extension, sorted by name.
fn names_with(folder: &Path, extension: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == extension) {
            names.extend(path.file_name().map(|n| n.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn choose(candidates: &[Candidate], budget: usize) -> Result<Choice> {
    let mut open: BTreeSet<usize> = candidates.iter().flat_map(|c| c.features.clone()).collect();
    let is_whole = |i: &usize| WHOLE.contains(&candidates[*i].suite);
    let mut chosen: BTreeSet<usize> = (0..candidates.len()).filter(is_whole).collect();
    for &whole in &chosen {
        open.retain(|feature| !candidates[whole].features.contains(feature));
    }
    while !open.is_empty() {
        let gain = |i: usize| {
            candidates[i]
                .features
                .iter()
                .filter(|&f| open.contains(f))
                .count()
        };
        // The first of equal candidates wins. Candidates are sorted by suite and name.
        let better = |best: (usize, usize), next: (usize, usize)| {
            let (old, new) = (candidates[best.1].cost, candidates[next.1].cost);
            if next.0 * old > best.0 * new {
                next
            } else {
                best
            }
        };
        let gains = (0..candidates.len()).map(|i| (gain(i), i));
        let best = gains.reduce(better).context("no cases")?;
        open.retain(|feature| !candidates[best.1].features.contains(feature));
        chosen.insert(best.1);
    }
    let cover_cases = chosen.len();
    let mut spent: usize = chosen.iter().map(|&i| candidates[i].cost).sum();
    if spent > budget {
        bail!("whole suites and a cover of all features have {spent} bytes, the budget {budget}");
    }
    let cover_bytes = spent;
    let mut rest: Vec<usize> = (0..candidates.len())
        .filter(|i| !chosen.contains(i))
        .collect();
    rest.sort_by_key(|&i| (candidates[i].cost, i));
    for i in rest {
        if spent + candidates[i].cost > budget {
            break;
        }
        spent += candidates[i].cost;
        chosen.insert(i);
    }
    Ok(Choice {
        cases: chosen,
        cover_cases,
        cover_bytes,
    })
}

/// The number of cases of each suite and of chosen ones, as a Markdown table.
fn table(own: &Corpus) -> Result<String> {
    let mut text = String::from("| suite | cases here | of | packed KiB |\n|---|---:|---:|---:|\n");
    let (mut here, mut listed, mut bytes) = (0, 0, 0);
    for name in own.own_suites()? {
        let suite = own.suite(&name)?;
        let size = own.packed(&name).metadata()?.len();
        let (cases, all) = (suite.cases.len(), suite.listed);
        writeln!(
            text,
            "| `{name}` | {cases} | {all} | {} |",
            size.div_ceil(1024)
        )?;
        (here, listed, bytes) = (here + cases, listed + all, bytes + size);
    }
    writeln!(
        text,
        "| all | {here} | {listed} | {} |",
        bytes.div_ceil(1024)
    )?;
    Ok(text)
}

/// The README with the table between its marks.
fn with_table(readme: &str, table: &str) -> Result<String> {
    let [start, end] = MARKS;
    let (before, rest) = readme.split_once(start).context("no mark of the table")?;
    let (_, after) = rest.split_once(end).context("no end of the table")?;
    Ok(format!("{before}{start}\n{table}{end}{after}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use serde_json::Value;

    fn own_file(name: &str) -> PathBuf {
        kiln_testing::repository().join("corpus").join(name)
    }

    fn candidate(cost: usize, features: &[usize]) -> Candidate {
        let case = Case {
            name: String::new(),
            folder: PathBuf::new(),
            entry: Value::Null,
        };
        Candidate {
            suite: "",
            case,
            cost,
            features: features.to_vec(),
        }
    }

    #[test]
    fn a_cover_comes_first_and_then_the_smallest() {
        let all = [
            candidate(10, &[0, 1]),
            candidate(100, &[0, 1, 2]),
            candidate(40, &[1]),
            candidate(30, &[2]),
        ];
        let chosen = |budget| choose(&all, budget).map(|choice| Vec::from_iter(choice.cases));
        assert!(chosen(39).is_err());
        assert_eq!(chosen(40).unwrap(), [0, 3]);
        assert_eq!(chosen(80).unwrap(), [0, 2, 3]);
        assert_eq!(chosen(180).unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn whole_suites_are_chosen_whole() {
        let of_whole = |cost| Candidate {
            suite: WHOLE[0],
            ..candidate(cost, &[0])
        };
        let all = [of_whole(10), candidate(5, &[0]), of_whole(100)];
        let chosen = |budget| choose(&all, budget).map(|choice| Vec::from_iter(choice.cases));
        assert!(chosen(109).is_err());
        assert_eq!(chosen(110).unwrap(), [0, 2]);
        assert_eq!(chosen(115).unwrap(), [0, 1, 2]);
        for name in WHOLE {
            let suite = Corpus::own().suite(name).unwrap();
            assert_eq!(suite.cases.len(), suite.listed, "{name}");
        }
    }

    #[test]
    fn the_corpus_has_every_feature_that_it_claims() {
        let own = Corpus::own();
        let mut found = BTreeSet::new();
        for name in SUITES {
            for case in own.suite(name).unwrap().cases {
                assert!(!case.files().unwrap().is_empty());
                found.extend(features(name, &case).unwrap());
            }
        }
        let claimed = std::fs::read_to_string(own_file("features.txt")).unwrap();
        let claimed: BTreeSet<String> = claimed.lines().map(str::to_owned).collect();
        let missing: Vec<_> = claimed.difference(&found).collect();
        assert!(missing.is_empty(), "{missing:?}");
        // Every suite of this repository is in the table: `conformance select` wrote it.
        let unclaimed: Vec<_> = found.difference(&claimed).collect();
        assert!(unclaimed.is_empty(), "{unclaimed:?}");
        assert!(claimed.len() > 2000, "{}", claimed.len());
    }

    #[test]
    fn the_readme_has_its_table_and_the_corpus_its_size() {
        let own = Corpus::own();
        let readme = std::fs::read_to_string(own_file("README.md")).unwrap();
        assert_eq!(with_table(&readme, &table(&own).unwrap()).unwrap(), readme);
        let sizes = own.own_suites().unwrap();
        let sizes = sizes
            .iter()
            .map(|name| own.packed(name).metadata().unwrap().len());
        assert!(sizes.sum::<u64>() <= 12_000_000);
    }

    /// If the larger corpus is there, its files equal those of this repository's cases.
    #[test]
    fn the_larger_corpus_is_larger() {
        let corpus = Corpus::open().unwrap();
        let Some(larger) = corpus.larger() else {
            return kiln_testing::part::LARGER_CORPUS.skip();
        };
        let own = Corpus::own();
        for suite in own.own_suites().unwrap() {
            if !larger.join(&suite).is_dir() {
                continue;
            }
            for case in own.suite(&suite).unwrap().cases {
                for name in case.files().unwrap() {
                    let [here, there] = [&case.folder, &larger.join(&suite)]
                        .map(|folder| std::fs::read(folder.join(&name)).unwrap());
                    assert!(
                        here == there,
                        "{suite}/{name} is not that of the larger corpus"
                    );
                }
            }
        }
    }
}
