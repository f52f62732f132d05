//! The evaluator against the reference model: integers to the bit, floats to rounding.

mod cases;

use cases::Case;
use kiln_check::wobble::unit;
use kiln_eval::Tensor;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_testing::corpus::peer_files;
use kiln_testing::part::REFERENCE_MODEL;
use kiln_tosa::dialect::Kind;
use kiln_tosa::dialect::TosaOp;
use kiln_tosa::evaluate::{dtype_of, evaluate};
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

/// True for sums of products, whose small results are as wrong as their largest terms are.
fn is_sum(kind: Kind) -> bool {
    matches!(
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
    )
}

/// What the graph gives when its floats, those that are constant too, are changed so.
fn with_floats(case: &Case, change: fn(f64) -> f64) -> Result<Vec<Vec<f64>>, String> {
    let mut graph = case.graph.clone();
    let operators = graph.regions.iter_mut().flat_map(|r| &mut r.operators);
    for operator in operators {
        if let TosaOp::Const {
            dtype,
            shape,
            values,
        } = &mut operator.op
            && let Some(held) = dtype_of(*dtype).filter(|d| d.is_float())
        {
            let data = TensorData::new(held, shape.clone(), values.bytes().clone());
            let changed = changed(&Tensor::from(data.map_err(|e| e.to_string())?), change);
            *values = TensorData::from(&changed).content().clone();
        }
    }
    let inputs: Vec<Tensor> = case.inputs.iter().map(|t| changed(t, change)).collect();
    let outputs = evaluate(&graph, &inputs).map_err(|e| e.to_string())?;
    Ok(outputs.iter().map(numbers).collect())
}

fn changed(tensor: &Tensor, change: fn(f64) -> f64) -> Tensor {
    if !tensor.dtype().is_float() {
        return tensor.clone();
    }
    let changed = numbers(tensor)
        .into_iter()
        .map(|v| Scalar::Float(change(v)));
    let sizes = tensor.sizes().to_vec();
    Tensor::from(TensorData::from_scalars(tensor.dtype(), sizes, changed))
}

/// How far each element of each result may be off by rounding: by three units of the sum of the terms' magnitudes in its own
/// dtype (both results, and the products that the model rounds), and by one in f32 for each term that is summed. What is no sum is off by units of itself.
fn allowed(case: &Case, ours: &[Tensor]) -> Result<Vec<Vec<f64>>, String> {
    if !is_sum(case.kind) {
        let own = |t: &Tensor| -> Vec<f64> {
            let unit = ROUNDINGS * unit(t.dtype());
            numbers(t).into_iter().map(|v| unit * v.abs()).collect()
        };
        return Ok(ours.iter().map(own).collect());
    }
    let (mut magnitudes, terms) = (
        with_floats(case, f64::abs)?,
        with_floats(case, |v| f64::from(v != 0.0))?,
    );
    let terms = terms.into_iter().flatten().fold(1.0, f64::max);
    if matches!(case.kind, Kind::Fft2d | Kind::Rfft2d) {
        // Frequency 0 of magnitudes has those of all terms, for each of the parts.
        let all = magnitudes
            .iter()
            .flatten()
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        magnitudes.iter_mut().flatten().for_each(|v| *v = 2.0 * all);
    }
    let pairs = magnitudes.into_iter().zip(ours);
    let each = pairs.map(|(magnitudes, t)| {
        let units = 3.0 * unit(t.dtype()) + terms * unit(DType::F32);
        magnitudes.into_iter().map(|v| units * v).collect()
    });
    Ok(each.collect())
}

/// Two of ours and two of theirs.
const ROUNDINGS: f64 = 4.0;

fn differ(ours: &Tensor, theirs: &Tensor, allowed: &[f64]) -> Option<String> {
    let types = [ours, theirs].map(|t| (t.dtype(), t.sizes().to_vec()));
    if types[0] != types[1] {
        return Some(format!("{:?}, not {:?}", types[0], types[1]));
    }
    let (a, b) = (numbers(ours), numbers(theirs));
    let is_same = |i: usize| {
        let (a, b) = (a[i], b[i]);
        let near = if ours.dtype().is_float() {
            allowed[i]
        } else {
            0.0
        };
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= near
    };
    let wrong = (0..a.len()).find(|&i| !is_same(i));
    wrong.map(|i| format!("element {i} is {}, not {} ({})", a[i], b[i], allowed[i]))
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
            if ours.len() != theirs.len() {
                return Err(format!("{} results, not {}", ours.len(), theirs.len()));
            }
            let allowed = allowed(case, &ours)?;
            let each = ours.iter().zip(&theirs).zip(&allowed);
            let found: Vec<String> = each.filter_map(|((a, b), n)| differ(a, b, n)).collect();
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
