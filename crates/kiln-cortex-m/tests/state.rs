//! State between runs, and inputs that a run changes: the evaluator, the arena and the compiled C keep what the core graph says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod meaning;

use kiln_cortex_m::dialect::{Function, Parameters, Program};
use kiln_ir::Graph;
use meaning::{check, check_compiled};
use std::fmt::Write as _;

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

fn functions(program: &Program) -> Vec<Function> {
    program.calls.iter().map(|call| call.function).collect()
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
