//! Special values through every kernel of [`KERNELS`]: the builtin runtime gives what the stock runtime gives.
//!
//! Programs call kernels on NaN, infinities, zeros of both signs, ties, numbers at the ends of what types hold, and indices
//! outside of their axes; on all pairs of special values where a kernel takes two operands; in every dtype that the lowering
//! takes. `agreement.rs` says how near the results must be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "special_values/agreement.rs"]
mod agreement;
#[path = "special_values/avoided.rs"]
mod avoided;
mod cases;
#[path = "special_values/chains.rs"]
mod chains;
#[path = "special_values/moves.rs"]
mod moves;
#[path = "special_values/probes.rs"]
mod probes;
#[path = "special_values/programs.rs"]
mod programs;
#[path = "special_values/values.rs"]
mod values;

use agreement::Agreement;
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::{DType, Graph};
use kiln_portable::{KERNELS, Method, Options, emit};
use kiln_testing::part::STOCK_RUNTIME;
use probes::Probe;
use programs::{Failure, on_builtin, on_stock};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The kernels that ran, and the differences.
#[derive(Default)]
struct Tally {
    kernels: BTreeMap<String, BTreeSet<DType>>,
    programs: usize,
    values: usize,
    /// Programs that both runtimes refuse to run.
    refused: usize,
    /// Programs in which a division of integers or a kernel's check would end the process.
    trapped: usize,
    /// Differences by what computes them; how many, and the first.
    differences: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn differ(&mut self, name: &str, what: impl FnOnce() -> String) {
        let entry = self.differences.entry(name.to_owned());
        entry.or_insert_with(|| (0, what())).0 += 1;
    }

    /// Runs a program. If it fails, each of its lines runs alone, so that one failure hides no other result.
    fn run(&mut self, runner: &Path, probe: &Probe) {
        let graph: Graph = probe.graph();
        let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
        let results = (
            on_stock(runner, &emitted.program, &probe.inputs, probe.names.len()),
            on_builtin(&emitted.program, &probe.inputs),
        );
        let name = probe.names.join("; ");
        match results {
            (Ok(stock), Ok(builtin)) => {
                self.count(probe, emitted.reports[0].kernel_calls.keys());
                self.compare(probe, &graph, &stock, &builtin);
            }
            _ if probe.lines.len() > 1 => {
                probe.alone().iter().for_each(|line| self.run(runner, line));
            }
            (Err(Failure::Refuses(_)), Err(Failure::Refuses(_))) => {
                self.programs += 1;
                self.refused += 1;
            }
            // The builtin runtime refuses what would end a process.
            (Err(Failure::Traps), Err(Failure::Refuses(_))) => {
                self.programs += 1;
                self.trapped += 1;
            }
            (stock, builtin) => {
                let said = [stock.err(), builtin.err()].map(|failure| match failure {
                    Some(failure) => failure.to_string(),
                    None => "gives results".into(),
                });
                self.differ(&name, || format!("stock {}, builtin {}", said[0], said[1]));
            }
        }
    }

    fn count<'a>(&mut self, probe: &Probe, kernels: impl Iterator<Item = &'a String>) {
        self.programs += 1;
        for kernel in kernels {
            let dtypes = self.kernels.entry(kernel.clone()).or_default();
            dtypes.insert(probe.dtype);
        }
    }

    fn compare(&mut self, probe: &Probe, graph: &Graph, stock: &[Tensor], builtin: &[Tensor]) {
        let values = &graph.block(graph.root()).results;
        let counts = [values.len(), stock.len(), builtin.len()];
        assert_eq!(counts, [probe.names.len(); 3], "{:?}", probe.names);
        for (i, name) in probe.names.iter().enumerate() {
            let (stock, builtin) = (&stock[i], &builtin[i]);
            let [a, b] = [stock, builtin].map(|t| (t.dtype(), t.sizes().to_vec()));
            if a != b {
                self.differ(name, || format!("{a:?} and {b:?}"));
                continue;
            }
            self.values += stock.len();
            let asked = agreement::agreement(graph, values[i]);
            for at in asked.broken([stock, builtin], &probe.inputs[0]) {
                let [a, b] = [stock, builtin].map(|tensor| tensor.scalars()[at]);
                let of = probe.at(stock.sizes(), at);
                self.differ(name, || format!("stock {a:?}, builtin {b:?}, of {of:?}"));
            }
        }
    }
}

/// Reorders elements at the border of a delegate. These programs have no delegates; `regions.rs` reaches it.
const REORDERS: &str = "dim_order_ops::_to_dim_order_copy.out";

#[test]
fn the_builtin_runtime_does_what_the_stock_runtime_does() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut tally = Tally::default();
    let probes = [probes::all(), moves::all(), chains::all()].concat();
    for probe in &probes {
        tally.run(&runner, probe);
    }
    let dtypes: usize = tally.kernels.values().map(BTreeSet::len).sum();
    println!(
        "{} programs, {} of which both refuse and {} end the stock runtime, {} kernels in {dtypes} pairs with dtypes, {} values; the lowering calls {} kernels",
        tally.programs,
        tally.refused,
        tally.trapped,
        tally.kernels.len(),
        tally.values,
        KERNELS.len()
    );
    let mut faults = Vec::new();
    let is_reached = |kernel: &str| kernel == REORDERS || tally.kernels.contains_key(kernel);
    for kernel in KERNELS.iter().filter(|k| !is_reached(k)) {
        faults.push(format!("{kernel} is not reached"));
    }
    for (name, (count, first)) in &tally.differences {
        faults.push(format!("{name}: {count} times: {first}"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_the_lowering_avoids_is_right_on_the_stock_runtime() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let probes = avoided::all();
    assert_eq!(probes.len(), 9, "no line is left out");
    for probe in probes {
        let graph = probe.graph();
        let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
        let stock = on_stock(&runner, &emitted.program, &probe.inputs, probe.names.len()).unwrap();
        let mut state = State::new(&graph);
        let meant = evaluate(&graph, &probe.inputs, &mut state, &Default::default()).unwrap();
        let counts = [stock.len(), meant.outputs.len()];
        assert_eq!(counts, [probe.names.len(); 2], "{:?}", probe.names);
        for ((name, stock), meant) in probe.names.iter().zip(&stock).zip(&meant.outputs) {
            let broken = Agreement::Equal.broken([stock, meant], &probe.inputs[0]);
            let of = broken.first().map(|&i| probe.at(stock.sizes(), i));
            assert!(of.is_none(), "{name}: {} times, of {of:?}", broken.len());
        }
    }
}
