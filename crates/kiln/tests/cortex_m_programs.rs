//! ExecuTorch programs for Cortex-M beside those of ExecuTorch's own flow.
//!
//! The corpus has the kernels that ExecuTorch 1.5.1 calls for each case: what its `CortexMPassManager` leaves, counted by
//! `make/cortex_m_lib.py` of the corpus (`peer` in the index).

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::model::Model;
use kiln_cortex_m::cores::Core;
use kiln_cortex_m::{Firmware, pipeline, regions};
use kiln_portable::{Method, emit};
use kiln_testing::corpus::{Case, Corpus, Suite};
use kiln_transforms::framework::pass::{Options, run_pipeline};
use std::collections::BTreeMap;

/// Calls by kernel.
type Calls = BTreeMap<String, u64>;

/// A target, and the name of its core in the index.
const CORES: [(&str, &str); 2] = [("cortex-m4", "M4"), ("cortex-m55", "M55")];

fn suites() -> Vec<Suite> {
    let corpus = Corpus::open().unwrap();
    let names = ["cortex_m", "quantised_cm"];
    names.map(|name| corpus.suite(name).unwrap()).to_vec()
}

fn calls(case: &Case, core: &str) -> Calls {
    let firmware = Firmware {
        core: Core::named(core).unwrap(),
    };
    let path = case.file("pt2");
    let mut graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    run_pipeline(&mut graph, &firmware, pipeline(), &Options::default()).unwrap();
    let method = Method {
        regions: regions(&graph, &firmware).unwrap(),
        ..Method::new(&graph)
    };
    let emitted = emit(&[method], &Default::default()).unwrap();
    let calls = emitted.reports[0].kernel_calls.iter();
    let named = |(name, &count): (&String, &usize)| {
        let name = name.strip_suffix(".out").unwrap_or(name);
        (name.to_owned(), count as u64)
    };
    calls.map(named).collect()
}

/// The peer's calls, without what costs nothing in Kiln's programs. `None` if it does not compile the case.
fn peer(case: &Case, core: &str) -> Option<Calls> {
    let ops = case.entry["peer"][core]["ops"].as_object()?;
    let is_call = |name: &str| !["alloc", "getitem", "aten::view_copy"].contains(&name);
    let calls = ops.iter().filter(|(name, _)| is_call(name));
    Some(
        calls
            .map(|(name, count)| (name.clone(), count.as_u64().unwrap()))
            .collect(),
    )
}

fn total(calls: &Calls) -> u64 {
    calls.values().sum()
}

/// True if all of the program is in the kernels for Cortex-M.
fn is_all_integer(calls: &Calls) -> bool {
    calls.keys().all(|name| name.starts_with("cortex_m::"))
}

/// What Kiln lowers to another kernel than the peer does: a layer of several rows is a convolution that computes rows together, as is
/// a depthwise convolution of one channel, and a function of one integer is a table.
fn as_the_peer_names_it(name: &str) -> &str {
    match name {
        "cortex_m::quantized_linear" | "cortex_m::quantized_depthwise_conv2d" => {
            "cortex_m::quantized_conv2d"
        }
        "cortex_m::quantized_add" | "cortex_m::quantized_mul" => "cortex_m::quantized_activation",
        other => other,
    }
}

fn renamed(calls: &Calls) -> Calls {
    let mut all = Calls::new();
    for (name, count) in calls {
        *all.entry(as_the_peer_names_it(name).to_owned())
            .or_default() += count;
    }
    all
}

#[test]
fn programs_call_the_kernels_that_the_peer_calls_or_fewer() {
    let (mut equal, mut fewer, mut other, mut more) = (0, 0, 0, Vec::new());
    let suites = suites();
    for case in suites.iter().flat_map(|suite| &suite.cases) {
        for (target, core) in CORES {
            let Some(peer) = peer(case, core) else {
                continue;
            };
            let own = calls(case, target);
            if own == peer {
                equal += 1;
            } else if total(&own) < total(&peer) {
                fewer += 1;
            } else if renamed(&own) == renamed(&peer) || !is_all_integer(&peer) {
                other += 1;
            } else {
                more.push((&case.name, target, own));
            }
        }
    }
    let all = equal + fewer + other + more.len();
    println!(
        "{equal} equal, {fewer} with fewer calls, {other} by other kernels, {} with more",
        more.len()
    );
    assert!(all >= 300, "{all} programs are compared");
    assert!(equal * 100 >= all * 65, "{equal} of {all} are equal");
    // Activations that the peer's quantiser fuses by another scale, 1x1 transposed convolutions with gaps, and factors of summands.
    assert!(more.len() * 100 <= all * 5, "{more:#?}");
}

#[test]
fn whole_models_call_no_stock_kernels() {
    let corpus = Corpus::open().unwrap();
    for case in &corpus.suite("quantised_cm").unwrap().cases {
        for (target, core) in CORES {
            let own = calls(case, target);
            assert!(is_all_integer(&own), "{} on {core}: {own:?}", case.name);
        }
    }
}
