//! Programs of random graphs: compiled, run on the builtin runtime, compared with the evaluator.

use super::found::{Found, Tally, count};
use kiln::compiler::compile_graph;
use kiln::model::Model;
use kiln::target::TargetName;
use kiln_check::{Close, Side, Situation, Sizes, Values, difference, guarded, inputs, run, shrink};
use kiln_ir::verify::verify;
use kiln_ir::{Graph, TensorData};
use kiln_target::{Artifact, Loading, Options, Role, Runs};

/// Compiles a graph that has passed the pipeline, runs it, and compares with the evaluator.
///
/// # Errors
/// If the program is wrong.
pub fn check_program(graph: &Graph, tally: &Tally) -> Result<(), Found> {
    let fault = match program_fault(graph) {
        Ok(None) => {
            count(&tally.compiled);
            return Ok(());
        }
        Err(reason) => {
            tally.refuse(reason);
            return Ok(());
        }
        Ok(Some(fault)) => fault,
    };
    let shows = |part: &Graph| verify(part).is_ok() && matches!(program_fault(part), Ok(Some(_)));
    let region = shrink(graph, &[], &shows);
    let fault = program_fault(&region).ok().flatten().unwrap_or(fault);
    let key = fault.split([':', ';']).next().unwrap_or_default();
    Err(Found {
        key: format!("program {key}"),
        text: format!("the program is wrong: {fault}"),
        region: region.into(),
        command: "kiln compile FILE -o OUT.pte".into(),
    })
}

/// What is wrong with the graph's program; nothing if it is right.
///
/// # Errors
/// If the graph does not compile.
fn program_fault(graph: &Graph) -> Result<Option<String>, String> {
    let target = TargetName::default().create(&Options::default());
    let compiled = match guarded(|| compile_graph(graph.clone(), &*target)) {
        Err(panic) => return Ok(Some(format!("the compiler panics: {panic}"))),
        Ok(Err(error)) => {
            let error = format!("{error:#}");
            // What is not supported is refused with a reason; a fault of ours says so.
            return match error.contains("a bug in Kiln") {
                true => Ok(Some(error)),
                false => Err(kind_of(&error)),
            };
        }
        Ok(Ok(compiled)) => compiled,
    };
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let path = folder.path().join("program");
    if let Err(error) = compiled.artifact.write(&path) {
        return Ok(Some(format!("the program cannot be written: {error}")));
    }
    let program = match Model::open(&path) {
        Ok(Model::Artifact(program)) => program,
        Ok(_) => return Ok(Some("the program cannot be read: it is a model".into())),
        Err(error) => return Ok(Some(format!("the program cannot be read: {error:#}"))),
    };
    for (sizes, values) in [
        (Sizes::Hint, Values::Noise),
        (Sizes::Least, Values::Finite),
        (Sizes::Greatest, Values::Noise),
    ] {
        let situation = Situation { sizes, values };
        if let Some(fault) = runs_apart(graph, &*program, &compiled.methods[0].graph, situation) {
            return Ok(Some(fault));
        }
    }
    Ok(None)
}

/// A refusal without its numbers and names.
fn kind_of(error: &str) -> String {
    let words = error
        .split_whitespace()
        .filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
    words.take(24).collect::<Vec<_>>().join(" ")
}

fn runs_apart(
    graph: &Graph,
    program: &dyn Artifact,
    lowered: &Graph,
    situation: Situation,
) -> Option<String> {
    let inputs = inputs(graph, situation, 1)?;
    let mut expected = run(graph, &inputs).ok()?;
    // What the first call gives: state is compared by what later outputs show.
    expected.truncate(graph.block(graph.root()).results.len());
    let mut runs = Runs::default();
    for (i, tensor) in inputs.iter().enumerate() {
        runs.insert(0, Role::Input, i, TensorData::from(tensor.clone()));
    }
    let loading = Loading {
        poison: true,
        ..Loading::default()
    };
    let ran = guarded(|| program.load(&graph.name, &loading)?.run(&runs, 1, None));
    let found = match ran {
        Err(panic) => return Some(format!("the runtime panics: {panic}")),
        Ok(Err(error)) => {
            let error = anyhow::Error::from(error);
            return Some(format!("the program fails: {error:#}"));
        }
        Ok(Ok(found)) => found.results,
    };
    let count = expected.len();
    let tensors = (0..count).filter_map(|i| found.get(0, Role::Output, i));
    let found: Vec<_> = tensors
        .map(|t| kiln_eval::Tensor::from(t.clone()))
        .collect();
    let (old, new) = (
        Side {
            graph,
            ran: &expected,
        },
        Side {
            graph: lowered,
            ran: &found,
        },
    );
    let difference = difference(old, new, &inputs, Close::Rounding)?;
    Some(format!("wrong results; on {situation}, {difference}"))
}
