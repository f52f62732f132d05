//! State between runs, and inputs that a run changes: the evaluator, the arena and the compiled C keep what the core graph says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::{Function, Parameters, Program, Role as BufferRole};
use kiln_cortex_m::evaluate::{Data, Runs as Evaluation};
use kiln_cortex_m::plan::{Machine, plan};
use kiln_cortex_m::project::Name;
use kiln_cortex_m::stream::{Wish, stream};
use kiln_cortex_m::verify::verify;
use kiln_cortex_m::{NewProject, compile, compile_project};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::{Graph, TensorData};
use kiln_target::{Artifact, Border, Loading, Role, Runs, Runtime};
use std::fmt::Write as _;

const RUNS: usize = 4;

fn host() -> &'static Core {
    Core::named("host-c").unwrap()
}

/// A graph over vectors of 4 floats: cells that begin with different numbers, inputs, nodes, outputs and updates.
fn graph(
    cells: usize,
    inputs: usize,
    nodes: &str,
    outputs: &[u32],
    updates: &[(usize, u32)],
) -> Graph {
    let mut text = String::from("graph \"g\" {\n");
    for cell in 0..cells {
        let all: Vec<String> = (0..4).map(|i| format!("{}.5", 3 * cell + i)).collect();
        let all = all.join(", ");
        writeln!(text, "  constant c{cell} \"first\" f32[4] = [{all}]").unwrap();
        writeln!(text, "  state m{cell} \"s{cell}\" f32[4] = c{cell}").unwrap();
    }
    let params: Vec<String> = (0..inputs)
        .map(|i| format!("%{i} \"x{i}\": f32[4]"))
        .collect();
    (0..inputs).for_each(|i| writeln!(text, "  input tensor \"x{i}\" [0]").unwrap());
    outputs
        .iter()
        .for_each(|_| text.push_str("  output tensor\n"));
    writeln!(text, "  block b0 ({}) {{\n{nodes}", params.join(", ")).unwrap();
    let outputs: Vec<String> = outputs.iter().map(|v| format!("%{v}")).collect();
    writeln!(text, "    return {}\n  }}", outputs.join(", ")).unwrap();
    for (cell, value) in updates {
        writeln!(text, "  update m{cell} = %{value}").unwrap();
    }
    text.push_str("}\n");
    kiln_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn compiled(graph: &Graph) -> Program {
    compile(graph, &mut Border::of(graph, true), host()).unwrap()
}

fn floats(tensor: &TensorData) -> Vec<f32> {
    let chunks = tensor.bytes().chunks_exact(4);
    chunks
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
        .collect()
}

/// The inputs of a run, which are small integers: sums of them are exact in any order.
fn inputs(graph: &Graph, run: usize) -> Vec<Vec<f32>> {
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
type Results = Vec<Vec<Vec<f32>>>;

fn expected(graph: &Graph) -> Results {
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

fn of_data(data: Vec<Data>) -> Vec<Vec<f32>> {
    let of = |data: Data| match data {
        Data::F32(x) => x,
        other => panic!("{other:?}"),
    };
    data.into_iter().map(of).collect()
}

/// All executors of the program give what the graph means, run by run.
fn check(graph: &Graph) -> Program {
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
                of_data(found),
                *expected,
                "run {run} on the evaluator\n{program}"
            );
            let mut found = machine.run(&data).unwrap();
            found.extend(updated.iter().map(|&id| machine.buffer(id)));
            assert_eq!(
                of_data(found),
                *expected,
                "run {run} in the arena\n{program}"
            );
        }
    }
    program
}

fn functions(program: &Program) -> Vec<Function> {
    program.calls.iter().map(|call| call.function).collect()
}

/// The compiled C of a project, which runs on this machine.
fn check_compiled(graph: &Graph) {
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
        assert_eq!(all.concat(), expected, "run {run}");
    }
}

/// A function of each element writes over its operand.
#[test]
fn a_cell_is_updated_in_place() {
    let nodes = "    %1: f32[4] = read_state {cell=m0}\n    %2: f32[4] = unary %1 {f=neg}\n    %3: f32[4] = binary %2, %0 {f=mul}\n";
    let graph = graph(1, 1, nodes, &[3], &[(0, 2)]);
    let program = check(&graph);
    assert_eq!(
        functions(&program),
        [Function::KilnNegF32, Function::KilnMulF32]
    );
    assert_eq!(program.buffers.len(), 3, "{program}");
    check_compiled(&graph);
}

/// A sum does not write over its operands, whose elements it may read more than once.
#[test]
fn a_sum_is_copied_to_its_cell() {
    let nodes = "    %1: f32[4] = read_state {cell=m0}\n    %2: f32[4] = binary %1, %0 {f=add}\n";
    let program = check(&graph(1, 1, nodes, &[1], &[(0, 2)]));
    let wanted = [Function::KilnAddF32, Function::KilnCopy, Function::KilnCopy];
    assert_eq!(functions(&program), wanted);
}

#[test]
fn cells_change_places() {
    let nodes = "    %1: f32[4] = read_state {cell=m0}\n    %2: f32[4] = read_state {cell=m1}\n    %3: f32[4] = binary %1, %0 {f=sub}\n";
    let graph = graph(2, 1, nodes, &[3], &[(0, 2), (1, 1)]);
    check(&graph);
    check_compiled(&graph);
}

/// The old content is read after the new one is made, but does not depend on it.
#[test]
fn a_late_read_comes_first() {
    let nodes = "    %1: f32[4] = read_state {cell=m0}\n    %2: f32[4] = binary %0, %0 {f=mul}\n    %3: f32[4] = binary %1, %0 {f=sub}\n";
    let program = check(&graph(1, 1, nodes, &[3], &[(0, 2)]));
    assert_eq!(
        functions(&program),
        [Function::KilnSubF32, Function::KilnMulF32]
    );
}

/// What is computed of both contents needs both: the new one is copied at the end.
#[test]
fn a_difference_of_both_contents_needs_a_copy() {
    let nodes = "    %1: f32[4] = read_state {cell=m0}\n    %2: f32[4] = binary %0, %0 {f=mul}\n    %3: f32[4] = binary %2, %1 {f=sub}\n";
    let program = check(&graph(1, 1, nodes, &[3], &[(0, 2)]));
    let wanted = [
        Function::KilnMulF32,
        Function::KilnSubF32,
        Function::KilnCopy,
    ];
    assert_eq!(functions(&program), wanted);
}

/// A row of a cache is written where it lies: the rest of the cache is not copied.
#[test]
fn a_part_of_a_cell_is_written_in_place() {
    let text = "graph \"g\" {
  constant c0 \"first\" f32[3, 4] = splat 0.5
  state m0 \"cache\" f32[3, 4] = c0
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[1, 4]) {
    %1: f32[3, 4] = read_state {cell=m0}
    %2: f32[3, 4] = slice_update %1, %0 {axis=0, start=1, step=1}
    %3: f32[3, 1] = reduce %2 {f=sum, axes=[1]}
    return %3
  }
  update m0 = %2
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    let program = check(&graph);
    assert_eq!(
        functions(&program),
        [Function::KilnCopy, Function::KilnSumF32]
    );
    let Parameters::Copy(copy) = &program.calls[0].parameters else {
        panic!("{program}");
    };
    assert_eq!(copy.strides.elements(), 4);
    check_compiled(&graph);
}

#[test]
fn an_input_is_changed_where_it_lies() {
    let text = "graph \"g\" {
  state m0 \"x\" f32[4] = input 0
  input tensor \"x\" [0]
  input tensor \"y\" [0]
  output tensor
  block b0 (%0 \"x\": f32[4], %1 \"y\": f32[4]) {
    %2: f32[4] = unary %1 {f=neg}
    %3: f32[4] = binary %0, %1 {f=sub}
    return %3
  }
  update m0 = %2
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    let program = check(&graph);
    assert_eq!(
        functions(&program),
        [Function::KilnSubF32, Function::KilnNegF32]
    );
    check_compiled(&graph);
}

/// Random graphs: any value may be the new content of a cell, and is read before and after.
#[test]
fn random_updates_keep_what_graphs_mean() {
    let (mut in_place, mut copies) = (0, 0);
    for seed in 1..=400u64 {
        let mut state = seed;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        let (cells, mut nodes, mut next) = (1 + below(3), String::new(), 2);
        for cell in 0..cells {
            writeln!(nodes, "    %{next}: f32[4] = read_state {{cell=m{cell}}}").unwrap();
            next += 1;
        }
        for _ in 0..1 + below(7) {
            let [a, b] = [below(next), below(next)];
            let op = match below(6) {
                0 => format!("unary %{a} {{f=neg}}"),
                1 => format!("unary %{a} {{f=abs}}"),
                f => format!(
                    "binary %{a}, %{b} {{f={}}}",
                    ["add", "sub", "max", "min"][f - 2]
                ),
            };
            writeln!(nodes, "    %{next}: f32[4] = {op}").unwrap();
            next += 1;
        }
        let updates: Vec<(usize, u32)> = (0..cells)
            .map(|cell| (cell, (2 + below(next - 2)) as u32))
            .collect();
        let outputs = [below(next) as u32, next as u32 - 1];
        let program = check(&graph(cells, 2, &nodes, &outputs, &updates));
        let is_copy = |f: &Function| *f == Function::KilnCopy;
        match functions(&program).iter().any(is_copy) {
            true => copies += 1,
            false => in_place += 1,
        }
    }
    assert!(in_place > 20 && copies > 20, "{in_place} {copies}");
}
