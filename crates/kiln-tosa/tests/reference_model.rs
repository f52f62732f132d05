//! Compares the evaluator with the reference model: integers are equal, floats are as near as rounding explains.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;

use cases::Case;
use kiln_check::Random;
use kiln_check::wobble::unit;
use kiln_eval::Tensor;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_testing::corpus::peer_files;
use kiln_testing::part::REFERENCE_MODEL;
use kiln_tosa::dialect::{Kind, Operator, TensorId, TosaGraph, TosaOp};
use kiln_tosa::evaluate::{dtype_of, evaluate};
use kiln_tosa::reference::{self, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The operators that the model does not run. `CUSTOM` needs a library; the model has no implementation of the others.
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

/// True for operators that add up terms. The error of a small result is as large as that of its largest terms.
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

/// The results of the graph after `change` of all floats of its inputs and constants.
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

/// The error by rounding that each element of each result may have. A sum may be off by three units of the sum of its
/// terms' magnitudes in its own dtype (both results, and the products that the model rounds), and by a unit in f32 for each
/// term. Other results may be off by [`ROUNDINGS`] units of themselves.
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
        // Frequency 0 of the magnitudes is the sum of all terms' magnitudes, for the real and for the imaginary part.
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

/// The roundings of other results: two of Kiln's evaluator and two of the model.
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

/// True if both gave results, which agree; false if both refuse the inputs.
fn run(case: &Case, program: &Path, folder: &Path) -> Result<bool, String> {
    let verdict = reference::run(program, &case.graph, &case.inputs, folder);
    compared(case, verdict.map_err(|error| error.to_string())?)
}

fn compared(case: &Case, verdict: Verdict) -> Result<bool, String> {
    let ours = evaluate(&case.graph, &case.inputs).map_err(|error| error.to_string());
    // The model refuses a division by zero.
    if let (Err(what), Verdict::Unpredictable(_) | Verdict::Error(_)) = (&ours, &verdict)
        && what.contains("unpredictable")
    {
        return Ok(false);
    }
    let ours = ours.map_err(|what| format!("{what}, but the model says {verdict:?}"))?;
    match verdict {
        Verdict::Valid(theirs) => near(case, &ours, &theirs).map(|()| true),
        Verdict::Unpredictable(text) => Err(format!("unpredictable: {text}")),
        Verdict::Error(text) => Err(format!("error: {text}")),
    }
}

/// Compares the results. The error names each result that is farther from the model's than rounding explains.
fn near(case: &Case, ours: &[Tensor], theirs: &[Tensor]) -> Result<(), String> {
    if ours.len() != theirs.len() {
        return Err(format!("{} results, not {}", ours.len(), theirs.len()));
    }
    let allowed = allowed(case, ours)?;
    let each = ours.iter().zip(theirs).zip(&allowed);
    let found: Vec<String> = each.filter_map(|((a, b), n)| differ(a, b, n)).collect();
    match found.is_empty() {
        true => Ok(()),
        false => Err(found.join("; ")),
    }
}

/// The comparison finds missing results, and elements that moved, unless the moved tensor has the same elements.
#[test]
fn wrong_results_are_found() {
    let mut found = [0, 0];
    for case in cases::all(0) {
        let Ok(ours) = evaluate(&case.graph, &case.inputs) else {
            continue;
        };
        near(&case, &ours, &ours).unwrap();
        assert!(near(&case, &ours, &ours[1..]).is_err(), "{}", case.name);
        let turned: Vec<Tensor> = ours.iter().map(turned).collect();
        let is_other = numbers_of(&turned) != numbers_of(&ours);
        assert!(
            is_other == near(&case, &ours, &turned).is_err(),
            "{}",
            case.name
        );
        found[usize::from(is_other)] += 1;
    }
    let [same, other] = found;
    println!("{other} results are others, {same} are not");
    // A moved tensor is the same if it has one element, and often if it has bools or clamped integers.
    assert!(other > 2 * same && same > 0, "{found:?}");
}

fn numbers_of(tensors: &[Tensor]) -> Vec<u64> {
    let numbers = tensors.iter().flat_map(numbers);
    numbers.map(|v| (v + 0.0).to_bits()).collect()
}

/// The tensor with each element moved to the place before it.
fn turned(tensor: &Tensor) -> Tensor {
    let mut scalars: Vec<Scalar> = tensor.scalars();
    if !scalars.is_empty() {
        scalars.rotate_left(1);
    }
    let sizes = tensor.sizes().to_vec();
    Tensor::from(TensorData::from_scalars(tensor.dtype(), sizes, scalars))
}

#[test]
fn the_reference_model_agrees() {
    let Some(program) = REFERENCE_MODEL.find() else {
        return;
    };
    let seeds = std::env::var_os("KILN_SEEDS").map(|n| n.to_string_lossy().parse());
    let seeds: u64 = seeds.map_or(2, |n| n.expect("KILN_SEEDS is a number of seeds"));
    let folder = tempfile::tempdir().unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    let is_run = |kind: &Kind| !NOT_RUN.contains(kind);
    let mut without_results: Vec<Kind> = Kind::ALL.iter().copied().filter(is_run).collect();
    let mut refused = 0;
    for seed in 0..seeds {
        for case in cases::all(seed) {
            if !is_run(&case.kind) {
                continue;
            }
            count += 1;
            match run(&case, &program, folder.path()) {
                Ok(true) => without_results.retain(|&kind| kind != case.kind),
                Ok(false) => refused += 1,
                Err(what) => wrong.push(format!("seed {seed}, {}: {what}", case.name)),
            }
        }
    }
    println!(
        "{count} cases, {} differ, {refused} have no results",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(without_results, [], "operators whose results none compares");
    assert!(20 * refused < count, "{refused} of {count} have no results");
}

/// A file in which the results of every operator are outputs, and its inputs.
struct Opened {
    graph: TosaGraph,
    inputs: Vec<Tensor>,
}

impl Opened {
    fn read(path: &Path, random: &mut Random) -> Opened {
        let mut graph = kiln_tosa::file::read(&std::fs::read(path).unwrap().into()).unwrap();
        let main = &mut graph.regions[0];
        let inputs = main.inputs.iter().map(|&id| {
            let tensor = main.tensor(id).unwrap();
            cases::small(tensor.dtype, &tensor.shape, random)
        });
        let inputs = inputs.collect();
        let made = main.operators.iter().filter(|o| !is_constant(o));
        main.outputs = made.flat_map(|o| o.outputs.iter().copied()).collect();
        Opened { graph, inputs }
    }

    /// One case for each operator, with the constants that it reads. Its inputs are the model's results of earlier
    /// operators, and it is compared with the model's result. So the bound is that of a single operator, at any depth of a
    /// network.
    fn steps(&self, found: &[Tensor]) -> Vec<(Case, Vec<Tensor>)> {
        let main = self.graph.main();
        let known = main.inputs.iter().zip(&self.inputs);
        let known = known.chain(main.outputs.iter().zip(found));
        let known: BTreeMap<TensorId, &Tensor> = known.map(|(&id, tensor)| (id, tensor)).collect();
        let held = |ids: &[TensorId]| ids.iter().map(|id| known[id].clone()).collect();
        let steps = main.operators.iter().filter(|o| !is_constant(o));
        let step = |operator: &Operator| {
            let mut graph = self.graph.clone();
            let main = &mut graph.regions[0];
            let reads = |o: &Operator| o.outputs.iter().any(|id| operator.inputs.contains(id));
            main.operators.retain(|o| is_constant(o) && reads(o));
            main.operators.push(operator.clone());
            let inputs = operator.inputs.iter().copied();
            let inputs: BTreeSet<TensorId> = inputs.filter(|id| known.contains_key(id)).collect();
            main.inputs = inputs.into_iter().collect();
            main.outputs = operator.outputs.to_vec();
            let case = Case {
                name: format!("{:?} of {:?}", operator.op.kind(), operator.outputs),
                kind: operator.op.kind(),
                inputs: held(&main.inputs),
                graph,
            };
            (case, held(&operator.outputs))
        };
        steps.map(step).collect()
    }
}

fn is_constant(operator: &Operator) -> bool {
    operator.op.kind() == Kind::Const
}

/// Files that ExecuTorch's flow wrote. `KILN_PEER_TOSA` names a folder with more of them.
#[test]
fn the_reference_model_agrees_on_the_peers_files() {
    let Some(program) = REFERENCE_MODEL.find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let paths = peer_files("peer_tosa", "tosa", "KILN_PEER_TOSA").unwrap();
    let mut random = Random::new(5);
    let (mut count, mut wrong) = (0, Vec::new());
    for path in &paths {
        let opened = Opened::read(path, &mut random);
        let name = path.display();
        match reference::run(&program, &opened.graph, &opened.inputs, folder.path()).unwrap() {
            Verdict::Valid(found) => {
                for (step, theirs) in opened.steps(&found) {
                    count += 1;
                    if let Err(what) = compared(&step, Verdict::Valid(theirs)) {
                        wrong.push(format!("{name}, {}: {what}", step.name));
                    }
                }
            }
            other => wrong.push(format!("{name}: {other:?}")),
        }
        // The evaluator also runs the whole file.
        if let Err(error) = evaluate(&opened.graph, &opened.inputs) {
            wrong.push(format!("{name}: {error}"));
        }
    }
    println!(
        "{} files of {count} operators, {} differ",
        paths.len(),
        wrong.len()
    );
    assert!(
        count > paths.len() && wrong.is_empty(),
        "{}",
        wrong.join("\n")
    );
}
