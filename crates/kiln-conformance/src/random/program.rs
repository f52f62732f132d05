//! Programs of random graphs: compiled, run on the builtin runtime, compared with the evaluator.

use super::found::{Found, Tally};
use kiln::compiler::{CompiledMethod, compile_graph};
use kiln::model::Model;
use kiln::target::TargetName;
use kiln_check::{
    Close, Compared, Side, Situation, Sizes, Values, difference, guarded, inputs, run, shrink,
};
use kiln_eval::Tensor;
use kiln_ir::verify::verify;
use kiln_ir::{Graph, TensorData};
use kiln_target::{Artifact, AtModelBorder, Loading, Options, Role, Runs};
use std::path::Path;

/// What became of a graph's program.
enum Verdict {
    /// It does not compile, for this reason.
    Refused(String),
    /// What is wrong with it.
    Wrong(String),
    /// Nothing is wrong with it, as far as it was compared.
    Right(Compared),
}

/// Compiles a graph that has passed the pipeline, runs it, and compares with the evaluator.
///
/// # Errors
/// If the program is wrong.
pub fn check_program(graph: &Graph, target: &str, tally: &Tally) -> Result<(), Found> {
    let target: TargetName = target.parse().expect("the target is listed");
    let fault = match verdict(graph, target) {
        Verdict::Right(compared) => {
            tally.compared.program(compared);
            return Ok(());
        }
        Verdict::Refused(reason) => {
            tally.refuse(reason);
            return Ok(());
        }
        Verdict::Wrong(fault) => fault,
    };
    // A panic of the evaluator on a part is another fault.
    let fault_of = |part: &Graph| match guarded(|| verdict(part, target)) {
        Ok(Verdict::Wrong(fault)) => Some(fault),
        _ => None,
    };
    let shows = |part: &Graph| verify(part).is_ok() && fault_of(part).is_some();
    let region = shrink(graph, &[], &shows);
    let fault = fault_of(&region).unwrap_or(fault);
    let key = fault.split([':', ';']).next().unwrap_or_default();
    Err(Found {
        key: format!("program for {target} {key}"),
        text: format!("the program is wrong: {fault}"),
        region: region.into(),
        command: format!("kiln compile FILE -o OUT --target {target}"),
    })
}

/// Compiles a graph, and compares its program with the evaluator.
fn verdict(graph: &Graph, target: TargetName) -> Verdict {
    let target = target.create(&Options {
        float_io: true,
        ..Options::default()
    });
    let compiled = match guarded(|| compile_graph(graph.clone(), &*target)) {
        Err(panic) => return Verdict::Wrong(format!("the compiler panics: {panic}")),
        Ok(Err(error)) => {
            let error = format!("{error:#}");
            // What is not supported is refused with a reason; a fault of ours says so.
            return match error.contains("a bug in Kiln") {
                true => Verdict::Wrong(error),
                false => Verdict::Refused(kind_of(&error)),
            };
        }
        Ok(Ok(compiled)) => compiled,
    };
    let lowered = &compiled.methods[0];
    let artifact = &*compiled.artifact;
    let checked = match artifact.kind().extension {
        // A folder is not read back: a compiler would have to build it.
        "" => compare_program(graph, artifact, lowered, Close::FixedPoint),
        _ => {
            let folder = tempfile::tempdir().expect("there is room for a file");
            let path = folder.path().join("program");
            let program = reread(artifact, &path);
            program.and_then(|p| compare_program(graph, &*p, lowered, Close::SingleFactors))
        }
    };
    checked.map_or_else(Verdict::Wrong, Verdict::Right)
}

/// A program that was written to a file and read again.
///
/// # Errors
/// If it cannot be written or read.
fn reread(artifact: &dyn Artifact, path: &Path) -> Result<Box<dyn Artifact>, String> {
    let written = artifact.write(path);
    written.map_err(|error| format!("the program cannot be written: {error}"))?;
    match Model::open(path) {
        Ok(Model::Artifact(program)) => Ok(program),
        Ok(_) => Err("the program cannot be read: it is a model".into()),
        Err(error) => Err(format!("the program cannot be read: {error:#}")),
    }
}

/// Compares a program with its graph in several situations.
///
/// # Errors
/// If the program is wrong.
fn compare_program(
    graph: &Graph,
    program: &dyn Artifact,
    lowered: &CompiledMethod,
    close: Close,
) -> Result<Compared, String> {
    let mut compared = Compared {
        changes: 1,
        ..Compared::default()
    };
    for (sizes, values) in [
        (Sizes::Hint, Values::Noise),
        (Sizes::Least, Values::Finite),
        (Sizes::Greatest, Values::Noise),
    ] {
        let situation = Situation { sizes, values };
        let elements = compare_in(situation, graph, program, lowered, close)?;
        compared.situations += usize::from(elements > 0);
        compared.elements += elements;
    }
    Ok(compared)
}

/// A refusal without its numbers and names.
pub fn kind_of(error: &str) -> String {
    let words = error
        .split_whitespace()
        .filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
    words.take(24).collect::<Vec<_>>().join(" ")
}

/// The number of elements that were compared in a situation; 0 if no inputs give the graph a value.
///
/// # Errors
/// If the program fails or its results differ.
fn compare_in(
    situation: Situation,
    graph: &Graph,
    program: &dyn Artifact,
    lowered: &CompiledMethod,
    close: Close,
) -> Result<usize, String> {
    let Some(inputs) = inputs(graph, situation, 1) else {
        return Ok(0);
    };
    let Ok(mut expected) = run(graph, &inputs) else {
        return Ok(0);
    };
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
    let ran = guarded(|| {
        let mut loaded = program.load(&graph.name, &loading)?;
        if let Some(border) = &lowered.border {
            loaded = Box::new(AtModelBorder {
                graph: &lowered.graph,
                border,
                artifact: loaded,
            });
        }
        loaded.run(&runs, 1, None)
    });
    let found = match ran {
        Err(panic) => return Err(format!("the runtime panics: {panic}")),
        Ok(Err(error)) => {
            let error = anyhow::Error::from(error);
            return Err(format!("the program fails: {error:#}"));
        }
        Ok(Ok(found)) => found.results,
    };
    let count = expected.len();
    let tensors = (0..count).filter_map(|i| found.get(0, Role::Output, i));
    let found: Vec<_> = tensors.map(|t| Tensor::from(t.clone())).collect();
    let (old, new) = (
        Side {
            graph,
            ran: &expected,
        },
        Side {
            graph: &lowered.graph,
            ran: &found,
        },
    );
    match difference(old, new, &inputs, close) {
        None => Ok(expected.iter().map(Tensor::len).sum()),
        Some(difference) => Err(format!("wrong results; on {situation}, {difference}")),
    }
}
