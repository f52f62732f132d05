//! Suites of the corpus: their cases, with the tolerances of the index and the files.

use anyhow::{Context, Result};
use kiln_testing::corpus::{self, Corpus};
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A case of a suite, as the suite's index describes it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Case {
    /// The name, which is the stem of its files.
    pub name: String,
    /// The folder of its files.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The relative tolerance of floats.
    #[serde(default)]
    pub rtol: Option<f64>,
    /// The absolute tolerance of floats.
    #[serde(default)]
    pub atol: Option<f64>,
    /// The least SQNR in dB. If given, outputs are judged by it instead of by the tolerances.
    #[serde(default)]
    pub sqnr_min: Option<f64>,
    /// The number of quantisation steps by which an output may differ in addition.
    #[serde(default)]
    pub qtol: f64,
    /// The quantisation step of each output; absent for outputs without one.
    #[serde(default)]
    pub out_scales: Vec<Option<f64>>,
    /// The quantisation of each output that is quantised, where the index has it in this form.
    #[serde(default)]
    pub out_q: Vec<Option<Step>>,
    /// For a deep network: by how many steps CMSIS-NN's own results differ from eager PyTorch's. Steps of layers add up to so many.
    #[serde(default)]
    pub cmsis_vs_qdq_max_steps: Vec<f64>,
    /// The outputs that the executor's kernels add up in f16. They may also be right as a whole.
    #[serde(skip)]
    pub sums_of_f16: Vec<usize>,
    /// The SQNR of ExecuTorch's program of an op, in dB.
    #[serde(default)]
    pub sqnr_peer: Option<f64>,
    /// The figures of ExecuTorch's program.
    #[serde(default)]
    pub peer: Option<Peer>,
}

/// What the index has about ExecuTorch's program of a model.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Peer {
    /// The SQNR of its results, in dB.
    #[serde(default, alias = "sqnr")]
    pub sqnr_db: Option<f64>,
}

/// How the integers of an output stand for its reals.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Step {
    /// The distance of neighbouring reals.
    pub scale: f64,
    /// The integer of 0.
    pub zp: i64,
}

impl Case {
    /// Reads the entry of a case. A case without an entry is judged by an SQNR of 95 dB.
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

    /// The path of its archive.
    pub fn archive(&self) -> PathBuf {
        self.folder.join(format!("{}.pt2", self.name))
    }

    /// The path of its golden tensors.
    pub fn golden(&self) -> PathBuf {
        self.folder.join(format!("{}.safetensors", self.name))
    }

    /// The same case for arithmetic on integers, which may be a step beside that of floats between quantisations, and in a deep network as
    /// many as those of other integers. The reals of two neighbouring integers are a step apart before they are rounded to f32.
    pub fn within_a_step(&self) -> Case {
        let scales = self.out_q.iter().map(|step| Some((*step)?.scale));
        match self.out_scales.is_empty() && !self.out_q.is_empty() {
            true => Case {
                rtol: Some(self.rtol.unwrap_or(0.0).max(f32::EPSILON.into())),
                qtol: self
                    .cmsis_vs_qdq_max_steps
                    .iter()
                    .copied()
                    .fold(1.0, f64::max),
                out_scales: scales.collect(),
                ..self.clone()
            },
            false => self.clone(),
        }
    }

    /// The SQNR of the results of ExecuTorch's program, in dB, if the index has it.
    pub fn sqnr_of_peer(&self) -> Option<f64> {
        self.sqnr_peer.or(self.peer.and_then(|peer| peer.sqnr_db))
    }

    /// The allowed quantisation steps of an output, times the size of a step.
    pub fn steps_of(&self, output: usize) -> f64 {
        let step = self.out_scales.get(output).copied().flatten();
        self.qtol * step.unwrap_or(0.0)
    }
}

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name of the suite.
    pub name: String,
    /// The cases that this machine has, sorted by name.
    pub cases: Vec<Case>,
    /// The number of cases of the suite, including those that this machine lacks.
    pub listed: usize,
}

impl Suite {
    /// Finds a suite by its name in the corpus, or by the path of its folder. In a folder without an index, such as that of the
    /// full models, every archive with golden outputs is a case. `None` if there is neither a suite nor a folder.
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

    /// Keeps only the cases whose name contains a text.
    pub fn filter(&mut self, text: &str) {
        self.cases.retain(|case| case.name.contains(text));
    }
}
