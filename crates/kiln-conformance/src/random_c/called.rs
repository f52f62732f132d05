//! How often each function of the dialect was called, and which the lowering never calls.

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::{Function, Program};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The networks from which on each function has to be called.
const ENOUGH: u64 = 5000;

/// Functions that no program of the lowering calls, with the reason.
pub const NEVER: &[(&[Function], &str)] = {
    use Function::*;
    &[
        (
            &[
                ConvolveWrapperS8,
                ConvolveWrapperS4,
                ConvolveWrapperS16,
                DepthwiseConvWrapperS8,
                DepthwiseConvWrapperS4,
                DepthwiseConvWrapperS16,
                FullyConnectedWrapperS8,
            ],
            "a wrapper chooses a function while running; the lowering calls the function",
        ),
        (
            &[TransposeConvS8],
            "its wrapper takes all that it takes, in fewer multiplications",
        ),
        (&[Convolve1XNS4], "arm_convolve_s4 takes all that it takes"),
        (
            &[FullyConnectedS16],
            "rows of 16 bits are a 1x1 convolution, which has a factor for each channel",
        ),
        (
            &[
                LstmUnidirectionalS8,
                LstmUnidirectionalS16,
                SvdfS8,
                SvdfStateS16S8,
                NnActivationS16,
            ],
            "the export unrolls recurrent layers to their parts",
        ),
        (
            &[ReluQ7, ReluQ15, Relu6S8],
            "a limit is part of the function in front of it, or a table",
        ),
        (
            &[SoftmaxS16],
            "it is off by two steps; kiln_softmax_s16 is not",
        ),
        (&[SoftmaxU8], "values of u8 are computed in floats"),
        (
            &[VectorSumS8, VectorSumS8S64],
            "sums of weights are constants",
        ),
        (
            &[ConcatenationS8Y, ConcatenationS8Z, ConcatenationS8W],
            "a join along another axis than the innermost is a copy to a part of the result",
        ),
        (
            &[KilnProdS32, KilnProdS64],
            "products of integers are decomposed",
        ),
    ]
};

/// Calls by function.
pub struct Called(Vec<AtomicU64>);

impl Default for Called {
    fn default() -> Called {
        Called(Function::ALL.iter().map(|_| AtomicU64::new(0)).collect())
    }
}

impl Called {
    /// Counts the calls of a program.
    pub fn add(&self, program: &Program) {
        for call in &program.calls {
            self.0[call.function as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn count(&self, function: Function) -> u64 {
        self.0[function as usize].load(Ordering::Relaxed)
    }

    /// What was called too seldom in a run of so many graphs, or although [`NEVER`] lists it, as messages.
    pub fn gaps(&self, graphs: u64, cores: &[&Core]) -> Vec<String> {
        let mut gaps = Vec::new();
        if Function::ALL.iter().all(|&f| self.count(f) == 0) {
            gaps.push("nothing was called".to_owned());
        }
        for &function in Function::ALL {
            let (name, calls) = (function.name(), self.count(function));
            match (never(function), calls) {
                (None, 0) if graphs >= ENOUGH && is_possible(function, cores) => {
                    gaps.push(format!("{name}: never called"));
                }
                (Some(why), 1..) => {
                    gaps.push(format!(
                        "{name}: called {calls} times, but listed as never ({why})"
                    ));
                }
                _ => {}
            }
        }
        gaps
    }
}

/// Whether a run of projects for these cores may call a function.
fn is_possible(function: Function, cores: &[&Core]) -> bool {
    let builds = function.row().builds;
    cores.iter().any(|core| builds.has(core.build))
}

fn never(function: Function) -> Option<&'static str> {
    let list = NEVER.iter().find(|(list, _)| list.contains(&function));
    list.map(|(_, why)| *why)
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells: Vec<String> = Function::ALL
            .iter()
            .map(|&function| {
                let calls = match (self.count(function), never(function)) {
                    (0, Some(_)) => "never".to_owned(),
                    (calls, _) => calls.to_string(),
                };
                format!("{:<34}{calls:>8}", function.name())
            })
            .collect();
        for row in cells.chunks(3) {
            writeln!(f, "{}", row.join("   "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_cortex_m::cores::CORES;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// The words of the sources in a folder.
    fn words(folder: &Path, found: &mut BTreeSet<String>) {
        let entries = std::fs::read_dir(folder).expect("a folder of the lowering");
        let paths = entries.map(|entry| entry.expect("a file of it").path());
        for path in paths.collect::<Vec<PathBuf>>() {
            if path.is_dir() {
                words(&path, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            let parts = text.split(|c: char| !c.is_alphanumeric());
            found.extend(parts.map(str::to_owned));
        }
    }

    /// The lowering and the streaming name each function that is not listed, and none that is.
    #[test]
    fn the_lowering_emits_all_functions_but_those_listed() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kiln-cortex-m/src");
        let mut named = BTreeSet::new();
        words(&sources.join("lower"), &mut named);
        words(&sources.join("stream"), &mut named);
        for &function in Function::ALL {
            let is_named = named.contains(&format!("{function:?}"));
            assert_eq!(is_named, never(function).is_none(), "{function:?}");
        }
    }

    #[test]
    fn a_run_that_calls_nothing_has_gaps() {
        let gaps = Called::default().gaps(ENOUGH, &CORES.iter().collect::<Vec<_>>());
        let emitted = Function::ALL.iter().filter(|&&f| never(f).is_none());
        assert_eq!(gaps.len(), 1 + emitted.count());
    }
}
