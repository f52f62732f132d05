//! All archives of the corpus can be read, and everything to which their programs refer exists.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod corpus_files;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use corpus_files::archives_of;
use kiln_pt2::{
    Archive, Argument, Dialect, ExportedProgram, Graph, InputSpec, SampleValue, ScalarType, SymInt,
    TensorMeta,
};

const SUITES: [&str; 12] = [
    "archives",
    "dynamic",
    "ops_fp32",
    "models_small",
    "tosa_fp",
    "tosa_int",
    "quantised_small",
    "quantised_cm",
    "cortex_m",
    "ops_int8_static",
    "ops_int8_dynamic",
    "transpose_counts",
];

#[test]
fn every_archive_is_read() {
    let mut faults = Vec::new();
    let mut slowest = (Duration::ZERO, String::new());
    let mut counts = BTreeMap::new();
    for suite in SUITES {
        for path in archives_of(suite) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let start = Instant::now();
            let read = Archive::open(&path).and_then(|archive| Ok((archive.program()?, archive)));
            slowest = slowest.max((start.elapsed(), name.clone()));
            *counts.entry(suite).or_insert(0) += 1;
            match read {
                Ok((program, archive)) => faults.extend(
                    check(&archive, &program)
                        .err()
                        .map(|e| format!("{name}: {e}")),
                ),
                Err(error) => faults.push(error.to_string()),
            }
        }
    }
    println!("read {counts:?}; slowest open and parse {slowest:?}");
    assert_eq!(counts.len(), SUITES.len());
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

fn check(archive: &Archive, program: &ExportedProgram) -> Result<(), String> {
    check_signature(archive, program)?;
    check_graph(&program.graph)?;
    check_sample_inputs(archive, program)?;
    let dialect = program.dialect();
    let known = matches!(dialect, Dialect::Training | Dialect::Aten);
    known.then_some(()).ok_or(format!("dialect {dialect:?}"))
}

fn check_signature(archive: &Archive, program: &ExportedProgram) -> Result<(), String> {
    let (graph, signature) = (&program.graph, &program.signature);
    equal("inputs", graph.inputs.len(), signature.input_specs.len())?;
    equal("outputs", graph.outputs.len(), signature.output_specs.len())?;
    for spec in &signature.input_specs {
        if let InputSpec::Parameter { name, fqn }
        | InputSpec::Buffer { name, fqn, .. }
        | InputSpec::TensorConstant { name, fqn } = spec
        {
            let tensor = archive.tensor(fqn).map_err(|error| error.to_string())?;
            let meta = graph
                .tensor_values
                .get(name)
                .ok_or(format!("no type of {name}"))?;
            equal("sizes", static_sizes(meta)?, tensor.sizes().to_vec())?;
            equal("dtype", meta.dtype, tensor.dtype())?;
            let expected = tensor.element_count() * tensor.dtype().size().unwrap();
            equal("bytes", tensor.to_contiguous().len(), expected)?;
        }
    }
    Ok(())
}

fn static_sizes(meta: &TensorMeta) -> Result<Vec<usize>, String> {
    let size = |size: &SymInt| size.as_int().and_then(|size| usize::try_from(size).ok());
    meta.sizes
        .iter()
        .map(size)
        .collect::<Option<_>>()
        .ok_or("a dynamic weight".to_owned())
}

/// Checks that every tensor operand has a type, and that nothing is unknown to the reader.
fn check_graph(graph: &Graph) -> Result<(), String> {
    let operands = graph.nodes.iter().flat_map(|node| {
        node.inputs
            .iter()
            .map(|input| &input.arg)
            .chain(&node.outputs)
    });
    for argument in operands.chain(&graph.inputs).chain(&graph.outputs) {
        check_argument(graph, argument)?;
    }
    let unknown = graph
        .tensor_values
        .values()
        .any(|meta| matches!(meta.dtype, ScalarType::Unknown(_)));
    (!unknown)
        .then_some(())
        .ok_or("an unknown dtype".to_owned())
}

fn check_argument(graph: &Graph, argument: &Argument) -> Result<(), String> {
    let typed = |name: &String| {
        graph
            .tensor_values
            .contains_key(name)
            .then_some(())
            .ok_or(format!("no type of {name}"))
    };
    match argument {
        Argument::Tensor(name) => typed(name),
        Argument::Tensors(names) => names.iter().try_for_each(typed),
        Argument::Graph(nested) => check_graph(&nested.graph),
        Argument::Unknown { kind } => Err(format!("unknown argument {kind}")),
        _ => Ok(()),
    }
}

/// Checks that the sample inputs correspond to the user inputs of the signature.
fn check_sample_inputs(archive: &Archive, program: &ExportedProgram) -> Result<(), String> {
    let call = program.call.as_ref().ok_or("no call spec")?;
    let specs = program.signature.input_specs.len();
    equal("input specs", specs, program.graph.inputs.len())?;
    let user = program
        .signature
        .input_specs
        .iter()
        .zip(&program.graph.inputs);
    let user = user.filter(|(spec, _)| {
        matches!(
            spec,
            InputSpec::UserInput { .. } | InputSpec::ConstantInput { .. }
        )
    });
    let inputs: Vec<_> = user.map(|(_, input)| input).collect();
    equal(
        "leaves of the input spec",
        call.in_spec.leaf_count(),
        inputs.len(),
    )?;
    let Some(samples) = archive.sample_inputs().map_err(|error| error.to_string())? else {
        return Ok(());
    };
    equal("sample inputs", samples.len(), inputs.len())?;
    for (sample, input) in samples.iter().zip(inputs) {
        match (sample, input) {
            (SampleValue::Tensor(tensor), Argument::Tensor(name)) => {
                let meta = graph_type(program, name)?;
                equal("dtype of a sample", tensor.dtype(), meta.dtype)?;
                equal("rank of a sample", tensor.sizes().len(), meta.sizes.len())?;
            }
            (SampleValue::Tensor(_), _) | (_, Argument::Tensor(_)) => {
                return Err(format!("{sample:?} for {input:?}"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn graph_type<'a>(program: &'a ExportedProgram, name: &str) -> Result<&'a TensorMeta, String> {
    program
        .graph
        .tensor_values
        .get(name)
        .ok_or(format!("no type of {name}"))
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, left: T, right: T) -> Result<(), String> {
    (left == right)
        .then_some(())
        .ok_or(format!("{what}: {left:?} against {right:?}"))
}

#[test]
fn tied_weights_share_their_storage() {
    let tied: Vec<_> = archives_of("archives")
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("/tied_"))
        .collect();
    assert!(!tied.is_empty());
    for path in tied {
        let archive = Archive::open(&path).unwrap();
        let (e, o) = (
            archive.tensor("e.weight").unwrap(),
            archive.tensor("o.weight").unwrap(),
        );
        assert_eq!(
            e.storage().as_ptr(),
            o.storage().as_ptr(),
            "{}",
            path.display()
        );
    }
}
