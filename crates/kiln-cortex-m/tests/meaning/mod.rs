//! What a graph means, run by run, and what all that runs its program gives: the evaluator, the arena, and the compiled C.

#![allow(dead_code, reason = "each file of tests uses a part")]

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::{Program, Role as BufferRole};
use kiln_cortex_m::evaluate::{Data, Runs as Evaluation};
use kiln_cortex_m::plan::{Machine, plan};
use kiln_cortex_m::project::Name;
use kiln_cortex_m::stream::{Wish, stream};
use kiln_cortex_m::verify::verify;
use kiln_cortex_m::{NewProject, compile, compile_project};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::{Graph, TensorData};
use kiln_target::{Artifact, Border, Loading, Role, Runs, Runtime};

pub const RUNS: usize = 4;

pub fn host() -> &'static Core {
    Core::named("host-c").unwrap()
}

pub fn compiled(graph: &Graph) -> Program {
    compile(graph, &mut Border::of(graph, true), host()).unwrap()
}

pub fn floats(tensor: &TensorData) -> Vec<f32> {
    let chunks = tensor.bytes().chunks_exact(4);
    chunks
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
        .collect()
}

/// The inputs of a run, which are small integers: sums of them are exact in any order.
pub fn inputs(graph: &Graph, run: usize) -> Vec<Vec<f32>> {
    let params = graph.block(graph.root()).params.iter();
    let of = |(i, &value): (usize, &kiln_ir::ValueId)| {
        let shape = &graph.ty(value).shape;
        let sizes = shape.iter().map(|dim| dim.as_const().unwrap() as usize);
        let elements: usize = sizes.product();
        let all = (0..elements).map(|e| ((e * 5 + i * 3 + run * 7) % 11) as f32 - 4.0);
        all.collect()
    };
    params.enumerate().map(of).collect()
}

/// The outputs of each run, and behind them the inputs that the run changes.
pub type Results = Vec<Vec<Vec<f32>>>;

pub fn expected(graph: &Graph) -> Results {
    let mut state = State::new(graph);
    let params = graph.block(graph.root()).params.clone();
    let of_run = |run: usize| {
        let tensors = inputs(graph, run).into_iter().zip(&params);
        let tensors: Vec<Tensor> = tensors
            .map(|(all, &value)| {
                let shape = graph.ty(value).shape.iter();
                let sizes = shape.map(|dim| dim.as_const().unwrap() as usize).collect();
                let bytes: Vec<u8> = all.iter().flat_map(|x| x.to_le_bytes()).collect();
                let dtype = kiln_ir::DType::F32;
                Tensor::from(TensorData::new(dtype, sizes, bytes.into()).unwrap())
            })
            .collect();
        let found = evaluate(graph, &tensors, &mut state, &Options::default()).unwrap();
        let mut updated = found.updated_inputs;
        updated.sort_by_key(|(position, _)| *position);
        let updated = updated.into_iter().map(|(_, tensor)| tensor);
        let all = found.outputs.into_iter().chain(updated);
        all.map(|tensor| floats(&TensorData::from(tensor)))
            .collect()
    };
    (0..RUNS).map(of_run).collect()
}

pub fn of_data(data: Vec<Data>) -> Vec<Vec<f32>> {
    let of = |data: Data| match data {
        Data::F32(x) => x,
        other => panic!("{other:?}"),
    };
    data.into_iter().map(of).collect()
}

/// All executors of the program give what the graph means, run by run.
pub fn check(graph: &Graph) -> Program {
    let program = compiled(graph);
    let expected = expected(graph);
    let streamed = stream(&program, host().build, Wish::default()).unwrap();
    for program in [&program, &streamed.program] {
        let verified = verify(program, host().build).unwrap();
        let plan = plan(&verified).unwrap();
        let mut machine = Machine::new(verified, &plan);
        let mut evaluation = Evaluation::new(&verified);
        let updated = program.having(|role| *role == BufferRole::Updated);
        for (run, expected) in expected.iter().enumerate() {
            let data: Vec<Data> = inputs(graph, run).into_iter().map(Data::F32).collect();
            let mut found = evaluation.run(&data).unwrap();
            found.extend(updated.iter().map(|&id| evaluation.buffer(id).clone()));
            assert_eq!(
                shown(&of_data(found)),
                shown(expected),
                "run {run} on the evaluator\n{program}"
            );
            let mut found = machine.run(&data).unwrap();
            found.extend(updated.iter().map(|&id| machine.buffer(id)));
            assert_eq!(
                shown(&of_data(found)),
                shown(expected),
                "run {run} in the arena\n{program}"
            );
        }
    }
    program
}

/// The compiled C of a project, which runs on this machine.
pub fn check_compiled(graph: &Graph) {
    let found = compile_project(
        graph,
        Name::new("net").unwrap(),
        host(),
        &kiln_target::Options::default(),
    );
    let project = NewProject::new(found.unwrap().project);
    let mut runs = Runs::default();
    for run in 0..RUNS {
        for (i, all) in inputs(graph, run).into_iter().enumerate() {
            let bytes: Vec<u8> = all.iter().flat_map(|x| x.to_le_bytes()).collect();
            let signature = project.signature("").unwrap();
            let sizes = signature.inputs[i].sizes.iter().map(|size| match size {
                kiln_target::Size::Exactly(n) => *n,
                other => panic!("{other:?}"),
            });
            let data = TensorData::new(kiln_ir::DType::F32, sizes.collect(), bytes.into());
            runs.insert(run, Role::Input, i, data.unwrap());
        }
    }
    let loading = Loading {
        runtime: Runtime::Host,
        poison: true,
        ..Loading::default()
    };
    let results = project.load("", &loading).unwrap().run(&runs, RUNS, None);
    let results = results.unwrap().results;
    for (run, expected) in expected(graph).into_iter().enumerate() {
        let all = [Role::Output, Role::InputAfter].map(|role| {
            let positions = results.positions(run, role);
            positions
                .map(|i| floats(results.get(run, role, i).unwrap()))
                .collect::<Vec<_>>()
        });
        assert_eq!(shown(&all.concat()), shown(&expected), "run {run}");
    }
}

/// As text, in which a NaN is like another.
fn shown(all: &[Vec<f32>]) -> String {
    format!("{all:?}")
}
