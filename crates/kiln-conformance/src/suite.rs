//! A suite of the corpus: its index and the files of its cases.

use anyhow::{Context, Result};
use kiln_testing::corpus::{self, Corpus};
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A case of a suite's index.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Case {
    /// File stem.
    pub name: String,
    /// Where its files are.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Relative tolerance.
    #[serde(default)]
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    #[serde(default)]
    pub atol: Option<f64>,
    /// Least SQNR in dB; judged by it instead of the tolerances.
    #[serde(default)]
    pub sqnr_min: Option<f64>,
    /// Quantisation steps of an output by which it may differ besides.
    #[serde(default)]
    pub qtol: f64,
    /// The step of each output; absent where it has none.
    #[serde(default)]
    pub out_scales: Vec<Option<f64>>,
}

impl Case {
    /// What the index says of a case, else what holds for cases without index.
    fn read(case: corpus::Case) -> Result<Case> {
        let (name, folder) = (case.name, case.folder);
        if case.entry.is_null() {
            let sqnr_min = Some(95.0);
            return Ok(Case {
                name,
                folder,
                sqnr_min,
                ..Case::default()
            });
        }
        let read: Case = serde_json::from_value(case.entry).with_context(|| name.clone())?;
        Ok(Case { folder, ..read })
    }

    /// Its archive.
    pub fn archive(&self) -> PathBuf {
        self.folder.join(format!("{}.pt2", self.name))
    }

    /// Its golden tensors.
    pub fn golden(&self) -> PathBuf {
        self.folder.join(format!("{}.safetensors", self.name))
    }

    /// The quantisation steps by which an output may differ besides, as a number.
    pub fn steps_of(&self, output: usize) -> f64 {
        let step = self.out_scales.get(output).copied().flatten();
        self.qtol * step.unwrap_or(0.0)
    }
}

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// Its cases that are here, in order of name.
    pub cases: Vec<Case>,
    /// How many cases it has, those that are not here included.
    pub listed: usize,
}

impl Suite {
    /// A suite by its name in the corpus, else by its folder. A folder without an index is a suite of all archives that
    /// have golden outputs, judged by `sqnr_min` 95: so are full models. `None` if it is neither.
    ///
    /// # Errors
    /// If the folder or index cannot be read.
    pub fn find(corpus: &Corpus, name: &str) -> Result<Option<Suite>> {
        let folder = Path::new(name);
        let of_folder = || corpus::Suite::of_folder(folder);
        let found = match corpus.suite(name) {
            _ if name.contains('/') && folder.is_dir() => of_folder(),
            Err(_) if folder.is_dir() => of_folder(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found,
        };
        let found = found.with_context(|| name.to_owned())?;
        let listed = found.listed;
        let cases: Result<Vec<Case>> = found.cases.into_iter().map(Case::read).collect();
        let cases = cases?;
        let name = found.name;
        Ok(Some(Suite {
            name,
            cases,
            listed,
        }))
    }

    /// Leaves the cases whose name contains a text.
    pub fn filter(&mut self, text: &str) {
        self.cases.retain(|case| case.name.contains(text));
    }
}
