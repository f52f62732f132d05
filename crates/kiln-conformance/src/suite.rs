//! A suite of the corpus: its index and the files of its cases.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A case of a suite's index.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// File stem.
    pub name: String,
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
    /// The quantisation steps by which an output may differ besides, as a number.
    pub fn steps_of(&self, output: usize) -> f64 {
        let step = self.out_scales.get(output).copied().flatten();
        self.qtol * step.unwrap_or(0.0)
    }
}

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its folder's name.
    pub name: String,
    /// Where its files are.
    pub folder: PathBuf,
    /// Its cases in order of name.
    pub cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Index {
    cases: Vec<Case>,
}

impl Suite {
    /// Reads a suite's index. A folder without one is a suite of all archives that have golden outputs, judged by
    /// `sqnr_min` 95: so are the full models that `make/models.py` makes.
    ///
    /// # Errors
    /// If the folder or index cannot be read.
    pub fn read(folder: &Path) -> Result<Suite> {
        let name = folder
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let index = folder.join("index.json");
        let mut cases = if index.is_file() {
            let text =
                std::fs::read_to_string(&index).with_context(|| index.display().to_string())?;
            serde_json::from_str::<Index>(&text)
                .with_context(|| index.display().to_string())?
                .cases
        } else {
            archives_in(folder)?
        };
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Suite {
            name,
            folder: folder.to_path_buf(),
            cases,
        })
    }

    /// The archive of a case.
    pub fn archive(&self, case: &Case) -> PathBuf {
        self.folder.join(format!("{}.pt2", case.name))
    }

    /// The golden tensors of a case.
    pub fn golden(&self, case: &Case) -> PathBuf {
        self.folder.join(format!("{}.safetensors", case.name))
    }
}

fn archives_in(folder: &Path) -> Result<Vec<Case>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("no suite at {}", folder.display()))?;
    let mut cases = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "pt2")
            && path.with_extension("safetensors").is_file()
        {
            let name = path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            cases.push(Case {
                name,
                rtol: None,
                atol: None,
                sqnr_min: Some(95.0),
                qtol: 0.0,
                out_scales: Vec::new(),
            });
        }
    }
    Ok(cases)
}
