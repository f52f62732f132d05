//! The evaluator against the reference model: integers to the bit, floats to rounding.

mod cases;

use cases::Case;
use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};
use kiln_testing::corpus::peer_files;
use kiln_testing::part::REFERENCE_MODEL;
use kiln_tosa::dialect::Kind;
use kiln_tosa::evaluate::evaluate;
use kiln_tosa::reference::{self, Verdict};
use std::path::Path;

/// The model wants a library for the one, and has not implemented the others.
const NOT_RUN: [Kind; 4] = [
    Kind::Custom,
    Kind::Variable,
    Kind::VariableRead,
    Kind::VariableWrite,
];

fn numbers(tensor: &Tensor) -> Vec<f64> {
    TensorData::from(tensor)
        .scalars()
        .map(|s| s.as_f64())
        .collect()
}

/// Relative rounding of a few steps.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        _ => 2e-5,
    }
}

fn differ(ours: &Tensor, theirs: &Tensor, kind: Kind) -> Option<String> {
    let (a, b) = (numbers(ours), numbers(theirs));
    if !ours.dtype().is_float() {
        let wrong = a.iter().zip(&b).position(|(a, b)| a != b);
        return wrong.map(|i| format!("element {i} is {}, not {}", a[i], b[i]));
    }
    let largest = b
        .iter()
        .filter(|x| x.is_finite())
        .fold(0f64, |m, x| m.max(x.abs()));
    // Sums cancel, so a small one is as wrong as its largest terms are.
    let is_sum = matches!(
        kind,
        Kind::Conv2d
            | Kind::Conv3d
            | Kind::DepthwiseConv2d
            | Kind::TransposeConv2d
            | Kind::MatMul
            | Kind::ReduceSum
            | Kind::Fft2d
            | Kind::Rfft2d
            | Kind::AvgPool2d
            | Kind::Resize
    );
    let wrong = a.iter().zip(&b).position(|(&a, &b)| {
        let scale = if is_sum {
            largest.max(1.0)
        } else {
            b.abs().max(1e-3)
        };
        let is_close = (a - b).abs() <= tolerance(ours.dtype()) * scale;
        !(is_close || a == b || a.is_nan() && b.is_nan())
    });
    wrong.map(|i| format!("element {i} is {}, not {}", a[i], b[i]))
}

fn compared(case: &Case, program: &Path, folder: &Path) -> Result<(), String> {
    let ours = evaluate(&case.graph, &case.inputs).map_err(|error| error.to_string());
    let verdict = reference::run(program, &case.graph, &case.inputs, folder);
    let verdict = verdict.map_err(|error| error.to_string())?;
    // The model calls a division by zero an error.
    if let (Err(what), Verdict::Unpredictable(_) | Verdict::Error(_)) = (&ours, &verdict)
        && what.contains("unpredictable")
    {
        return Ok(());
    }
    let ours = ours.map_err(|what| format!("{what}, but the model says {verdict:?}"))?;
    match verdict {
        Verdict::Valid(theirs) => {
            let pairs = ours.iter().zip(&theirs);
            let found: Vec<String> = pairs.filter_map(|(a, b)| differ(a, b, case.kind)).collect();
            if found.is_empty() {
                Ok(())
            } else {
                Err(found.join("; "))
            }
        }
        Verdict::Unpredictable(text) => Err(format!("unpredictable: {text}")),
        Verdict::Error(text) => Err(format!("error: {text}")),
    }
}

#[test]
fn the_reference_model_agrees() {
    let Some(program) = REFERENCE_MODEL.find() else {
        return;
    };
    let seeds = std::env::var("KILN_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok());
    let folder = tempfile::tempdir().unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for seed in 0..seeds.unwrap_or(2) {
        for case in cases::all(seed) {
            if NOT_RUN.contains(&case.kind) {
                continue;
            }
            count += 1;
            if let Err(what) = compared(&case, &program, folder.path()) {
                wrong.push(format!("seed {seed}, {}: {what}", case.name));
            }
        }
    }
    println!("{count} cases, {} differ", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files of the peer; `KILN_PEER_TOSA` names a folder of more.
#[test]
fn the_reference_model_agrees_on_the_peers_files() {
    let Some(program) = REFERENCE_MODEL.find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let paths = peer_files("peer_tosa", "tosa", "KILN_PEER_TOSA").unwrap();
    let mut random = kiln_check::Random::new(5);
    let mut wrong = Vec::new();
    for path in &paths {
        let graph = kiln_tosa::file::read(&std::fs::read(path).unwrap().into()).unwrap();
        let main = graph.main();
        let inputs = main.inputs.iter().map(|&id| {
            let tensor = main.tensor(id).unwrap();
            cases::small(tensor.dtype, &tensor.shape, &mut random)
        });
        let case = Case {
            name: path.display().to_string(),
            kind: Kind::Conv2d,
            inputs: inputs.collect(),
            graph: graph.clone(),
        };
        if let Err(what) = compared(&case, &program, folder.path()) {
            wrong.push(format!("{}: {what}", case.name));
        }
    }
    println!("{} files, {} differ", paths.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
