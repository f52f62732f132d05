//! The corpus: suites of cases. A case is an archive with PyTorch's results, or other files with a common name.
//!
//! `corpus/` of this repository has a part of it: a packed file for each suite, with the index of the whole suite. A
//! larger corpus has the other cases, in folders with the same names. It is at `$KILN_CORPUS`, by default at
//! `../shared/corpus`.

use crate::packed;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The locations of the cases.
#[derive(Clone, Debug)]
pub struct Corpus {
    packed: PathBuf,
    larger: Option<PathBuf>,
}

/// A suite: its available cases, and the number of all cases.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name of the suite.
    pub name: String,
    /// The available cases, sorted by name.
    pub cases: Vec<Case>,
    /// The number of cases in the suite, including those that are not available.
    pub listed: usize,
}

/// A case: the files of a folder that have its name.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name.
    pub name: String,
    /// The folder of its files.
    pub folder: PathBuf,
    /// Its entry in the index; null in a suite without index.
    pub entry: Value,
}

/// The extensions of the files of cases.
const EXTENSIONS: [&str; 6] = ["csv", "json", "pt2", "pte", "safetensors", "tosa"];

#[derive(Deserialize)]
struct Index {
    cases: Vec<Value>,
}

impl Corpus {
    /// This repository's corpus, together with the larger one if there is one.
    ///
    /// # Errors
    /// If `$KILN_CORPUS` names no folder.
    pub fn open() -> io::Result<Corpus> {
        let beside = crate::repository().join("../shared/corpus");
        match std::env::var_os("KILN_CORPUS").map(PathBuf::from) {
            Some(named) => Corpus::own().with(named),
            None if beside.is_dir() => Corpus::own().with(beside),
            None => Ok(Corpus::own()),
        }
    }

    /// This repository's corpus only.
    pub fn own() -> Corpus {
        let packed = crate::repository().join("corpus");
        let larger = None;
        Corpus { packed, larger }
    }

    /// Adds a larger corpus.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn with(self, larger: PathBuf) -> io::Result<Corpus> {
        if !larger.is_dir() {
            let what = format!("there is no corpus at {}", larger.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        let larger = Some(larger);
        Ok(Corpus { larger, ..self })
    }

    /// The larger corpus, if there is one.
    pub fn larger(&self) -> Option<&Path> {
        self.larger.as_deref()
    }

    /// The names of this repository's suites, sorted.
    ///
    /// # Errors
    /// If `corpus/` cannot be read.
    pub fn own_suites(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.packed)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".tar.xz").map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// The path of the packed file of a suite of this repository.
    pub fn packed(&self, suite: &str) -> PathBuf {
        self.packed.join(format!("{suite}.tar.xz"))
    }

    /// A suite by its name.
    ///
    /// # Errors
    /// If there is no such suite, or it cannot be read.
    pub fn suite(&self, name: &str) -> io::Result<Suite> {
        let packed = self.packed(name);
        let own = packed.is_file().then(|| packed::unpacked(&packed));
        let larger = self.larger.as_ref().map(|root| root.join(name));
        let larger = larger.filter(|folder| folder.is_dir());
        let mut all = BTreeMap::new();
        if let Some(own) = own.transpose()? {
            all.extend(here(&own)?);
        }
        if let Some(larger) = larger {
            all.extend(listed(&larger)?);
        }
        if all.is_empty() {
            let what = format!("there is no suite {name}; KILN_CORPUS names a corpus");
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        Ok(Suite {
            name: name.to_owned(),
            listed: all.len(),
            cases: all.into_values().flatten().collect(),
        })
    }
}

impl Suite {
    /// The suite of a folder that has all of its cases. Without an index, the cases are the archives with results.
    ///
    /// # Errors
    /// If the folder or its index cannot be read.
    pub fn of_folder(folder: &Path) -> io::Result<Suite> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut cases: Vec<Case> = listed(folder)?.into_values().flatten().collect();
        let has = |case: &Case, extension| case.file(extension).is_file();
        cases.retain(|c| !c.entry.is_null() || has(c, "pt2") && has(c, "safetensors"));
        Ok(Suite {
            name: name.into_owned(),
            listed: cases.len(),
            cases,
        })
    }

    /// The files with an extension, of all available cases in order.
    pub fn files(&self, extension: &str) -> Vec<PathBuf> {
        let files = self.cases.iter().map(|case| case.file(extension));
        files.filter(|path| path.is_file()).collect()
    }

    /// The case with this name, if it is available.
    pub fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == name)
    }
}

impl Case {
    /// The names of its files, sorted: those that start with its name and a dot.
    ///
    /// # Errors
    /// If the folder cannot be read, or has no such file.
    pub fn files(&self) -> io::Result<Vec<String>> {
        let prefix = format!("{}.", self.name);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix) {
                names.push(name);
            }
        }
        names.sort();
        match names.is_empty() {
            true => Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!(
                    "{}: the case has no files",
                    self.folder.join(&self.name).display()
                ),
            )),
            false => Ok(names),
        }
    }

    /// The path of the file with this extension.
    pub fn file(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.name))
    }
}

/// The cases of a whole suite's folder, by name: those of its index, otherwise one for each stem of a file name.
///
/// # Errors
/// If the folder or its index cannot be read.
pub fn listed(folder: &Path) -> io::Result<BTreeMap<String, Option<Case>>> {
    let case = |name: String, entry| {
        let folder = folder.to_path_buf();
        let of = Case {
            name: name.clone(),
            folder,
            entry,
        };
        (name, Some(of))
    };
    let index = folder.join("index.json");
    if !index.is_file() {
        return Ok(stems(folder)?.map(|s| case(s, Value::Null)).collect());
    }
    let fault = |what: &dyn std::fmt::Display| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{}: {what}", index.display()),
        )
    };
    let read: Index = serde_json::from_slice(&std::fs::read(&index)?).map_err(|e| fault(&e))?;
    let mut cases = BTreeMap::new();
    for entry in read.cases {
        let name = entry["name"]
            .as_str()
            .ok_or_else(|| fault(&"a case without name"))?;
        cases.extend([case(name.to_owned(), entry)]);
    }
    Ok(cases)
}

/// As [`listed`], but without cases of the index that have no files.
fn here(folder: &Path) -> io::Result<BTreeMap<String, Option<Case>>> {
    let mut cases = listed(folder)?;
    let stems: Vec<String> = stems(folder)?.collect();
    for (name, case) in &mut cases {
        if stems.binary_search(name).is_err() {
            *case = None;
        }
    }
    Ok(cases)
}

/// The file names of cases without their last extension, sorted. Skips the index, licences and READMEs.
fn stems(folder: &Path) -> io::Result<impl Iterator<Item = String>> {
    let mut stems = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some((stem, extension)) = name.rsplit_once('.')
            && EXTENSIONS.contains(&extension)
            && name != "index.json"
        {
            stems.insert(stem.to_owned());
        }
    }
    Ok(stems.into_iter())
}

/// Files that ExecuTorch's own flow wrote: those in a suite of this repository, and those in the folder that an
/// environment variable names.
///
/// # Errors
/// If the suite or the folder cannot be read.
pub fn peer_files(suite: &str, extension: &str, variable: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Corpus::own().suite(suite)?.files(extension);
    if let Some(folder) = std::env::var_os(variable) {
        for entry in std::fs::read_dir(folder)? {
            paths.push(entry?.path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A packed suite of the cases `a` and `b`, of which only `a` is available.
    fn repository(root: &Path) -> Corpus {
        let folder = root.join("whole");
        write(
            &folder.join("index.json"),
            r#"{"cases": [{"name": "b"}, {"name": "a", "rtol": 1}]}"#,
        );
        write(&folder.join("a.pt2"), "own");
        let names = ["a.pt2", "index.json"].map(String::from);
        packed::pack(&folder, &names, &root.join("suite.tar.xz")).unwrap();
        Corpus {
            packed: root.to_path_buf(),
            larger: None,
        }
    }

    #[test]
    fn a_part_knows_of_how_many() {
        let root = tempfile::tempdir().unwrap();
        let corpus = repository(root.path());
        assert_eq!(corpus.own_suites().unwrap(), ["suite"]);
        let suite = corpus.suite("suite").unwrap();
        assert_eq!((suite.cases.len(), suite.listed), (1, 2));
        assert_eq!(suite.case("a").unwrap().entry["rtol"], 1);
        assert_eq!(suite.files("pt2").len(), 1);
        assert!(corpus.suite("other").is_err());
    }

    #[test]
    fn a_larger_corpus_adds_the_rest() {
        let root = tempfile::tempdir().unwrap();
        let larger = root.path().join("larger");
        write(
            &larger.join("suite/index.json"),
            r#"{"cases": [{"name": "b"}, {"name": "c"}]}"#,
        );
        write(&larger.join("puzzles/x.1.csv"), "");
        let corpus = repository(root.path()).with(larger.clone()).unwrap();
        let suite = corpus.suite("suite").unwrap();
        let names: Vec<&str> = suite.cases.iter().map(|c| c.name.as_str()).collect();
        // Cases of the larger index must have files: reading one without files fails.
        assert_eq!((names, suite.listed), (vec!["a", "b", "c"], 3));
        assert_eq!(suite.case("b").unwrap().folder, larger.join("suite"));
        assert_eq!(corpus.suite("puzzles").unwrap().files("csv").len(), 1);
        assert!(Corpus::own().with(root.path().join("nowhere")).is_err());
    }
}
