//! Checks that passes keep the results of a graph, on the inputs of `kiln-check`.

use kiln_check::{Baseline, FakeTarget, check_passes_from};
use kiln_ir::Graph;
use kiln_ir::text::{Data, parse, print};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;

/// The graphs of which no value is compared, with the reasons.
const NOT_COMPARED: [(&str, &str); 1] = [(
    "branches_of_nothing",
    "it is about results without elements: their types alone are compared",
)];

/// The number of compared cases.
#[derive(Default)]
pub struct Tally {
    /// Cases that a pass changed, with equal results.
    compared: usize,
    /// Cases that no pass changed.
    unchanged: usize,
    /// Cases that [`NOT_COMPARED`] lists.
    listed: usize,
}

impl Tally {
    /// Runs passes, and compares the graph behind each with the graph before it.
    pub fn compare(
        &mut self,
        graph: &Graph,
        target: &dyn Target,
        passes: &[Pass],
    ) -> Result<(), String> {
        let baselines = Baseline::all(graph);
        let known = Some(baselines.as_slice());
        let mut behind = graph.clone();
        let runs = check_passes_from(&mut behind, target, passes, None, known)
            .map_err(|failure| failure.to_string())?
            .runs;
        // What is not counted as an application is not compared either.
        let is_unchanged = runs.iter().all(|run| run.applications == 0);
        if is_unchanged && print(graph, Data::Full) != print(&behind, Data::Full) {
            return Err("a pass changed it and counts no application".into());
        }
        let has_values = baselines.iter().any(|b| b.elements() > 0);
        let listed = NOT_COMPARED.iter().find(|(name, _)| *name == graph.name);
        match (has_values, listed) {
            (true, Some((_, why))) => {
                return Err(format!("values are compared, unlike listed: {why}"));
            }
            (false, Some(_)) => self.listed += 1,
            (_, None) if is_unchanged => self.unchanged += 1,
            (true, None) => self.compared += 1,
            (false, None) => return Err("no inputs give it a value to compare".into()),
        }
        Ok(())
    }

    /// Prints the numbers of cases. Fails if fewer than `least` were compared.
    pub fn finish(&self, least: usize) {
        let Tally {
            compared,
            unchanged,
            listed,
        } = self;
        println!("{compared} compared, {unchanged} unchanged, {listed} not compared");
        assert!(*compared >= least, "only {compared} cases were compared");
    }
}

/// A pass that is wrong: it returns the first parameter as every result.
const WRONG: Pass = Pass {
    name: "wrong",
    rules: &[],
    guards: &[],
    keeps_bits: false,
    run: |rewriter, _, _| {
        let root = rewriter.graph().root();
        let first = rewriter.graph().block(root).params[0];
        if rewriter.may_apply() {
            rewriter.set_results(root, vec![first]);
        }
    },
};

#[test]
fn a_wrong_pass_is_found() {
    let text = "graph \"g\" {\n  input tensor \"x\" [0]\n  output tensor\n  \
                block b0 (%0 \"x\": f32[3]) {\n    %1: f32[3] = unary %0 {f=exp}\n    return %1\n  }\n}\n";
    let graph = parse(text).expect("a graph");
    let found = Tally::default().compare(&graph, &FakeTarget::default(), &[WRONG]);
    let fault = found.expect_err("the results differ");
    assert!(fault.contains("output 0, element 0"), "{fault}");
}

#[test]
#[should_panic(expected = "only 0 cases were compared")]
fn nothing_compared_is_a_failure() {
    Tally::default().finish(1);
}
