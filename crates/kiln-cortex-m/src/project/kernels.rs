//! The kernels in C that a project needs: `kiln_nn/`, and the list of the files of each function (`kiln_nn/FUNCTIONS.txt`).

use crate::dialect::{Function, Program};
use crate::embedded::KILN_NN;
use std::collections::BTreeSet;

/// The files of a project's kernels, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kernels {
    /// Headers.
    pub headers: BTreeSet<&'static str>,
    /// Sources that CMSIS-NN does not replace: those of Kiln's own functions.
    pub own: BTreeSet<&'static str>,
    /// Sources that CMSIS-NN replaces: they are compiled only without it.
    pub replaced: BTreeSet<&'static str>,
}

impl Kernels {
    /// The files of the functions that a program calls.
    ///
    /// # Errors
    /// The first function that `kiln_nn` does not have.
    pub fn of(program: &Program) -> Result<Kernels, Function> {
        let functions: BTreeSet<Function> =
            program.calls.iter().map(|call| call.function).collect();
        let mut kernels = Kernels {
            // NAME.c includes them.
            headers: BTreeSet::from(["kiln_nn.h"]),
            ..Kernels::default()
        };
        for function in functions {
            let files = files(function.name()).ok_or(function)?;
            for file in files {
                let group = match (file.ends_with(".h"), is_own(function)) {
                    (true, _) => &mut kernels.headers,
                    (false, true) => &mut kernels.own,
                    (false, false) => &mut kernels.replaced,
                };
                group.insert(file);
            }
        }
        kernels.replaced.retain(|file| !kernels.own.contains(file));
        Ok(kernels)
    }

    /// The headers that declare functions.
    pub fn interfaces(&self) -> impl Iterator<Item = &'static str> + '_ {
        let public = ["kiln_nn.h", "kiln_ops.h"];
        public
            .into_iter()
            .filter(|name| self.headers.contains(name))
    }

    /// The sources.
    pub fn sources(&self) -> BTreeSet<&'static str> {
        self.own.union(&self.replaced).copied().collect()
    }

    /// All files, each with its text.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        let is_needed = |name| {
            self.headers.contains(name) || self.own.contains(name) || self.replaced.contains(name)
        };
        KILN_NN
            .iter()
            .copied()
            .filter(move |(name, _)| is_needed(*name))
    }
}

/// Whether CMSIS-NN replaces a source: no function of Kiln's own among those that are called needs it.
pub(crate) fn is_replaced(file: &str, functions: &BTreeSet<&str>) -> bool {
    let own = functions
        .iter()
        .filter(|function| function.starts_with(OWN));
    !own.filter_map(|function| files(function))
        .flatten()
        .any(|needed| needed == file)
}

/// The prefix of the names of Kiln's own functions.
const OWN: &str = "kiln_";

/// Whether CMSIS-NN has no such function.
pub(super) fn is_own(function: Function) -> bool {
    function.name().starts_with(OWN)
}

/// The files of a function.
fn files(function: &str) -> Option<impl Iterator<Item = &'static str>> {
    let (_, list) = KILN_NN.iter().find(|(name, _)| *name == "FUNCTIONS.txt")?;
    list.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(function)).then_some(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list names the files that there are, and no others.
    #[test]
    fn the_list_of_files_is_whole() {
        let listed: BTreeSet<&str> = Function::ALL
            .iter()
            .filter_map(|f| files(f.name()))
            .flatten()
            .collect();
        let there: BTreeSet<&str> = KILN_NN.iter().map(|(name, _)| *name).collect();
        assert!(listed.is_subset(&there), "{:?}", listed.difference(&there));
    }
}
