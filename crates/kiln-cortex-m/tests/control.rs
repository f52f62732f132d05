//! Branches and loops: the evaluator, the arena and the compiled C do what the core graph says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod meaning;

use kiln_cortex_m::dialect::Flow;
use meaning::{check, check_compiled};
use std::fmt::Write as _;

/// Random blocks over vectors of 4 floats.
struct Blocks {
    random: u64,
    /// Those that are finished.
    text: String,
    blocks: usize,
    values: usize,
}

impl Blocks {
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = self.random.wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % end
    }

    fn value(&mut self) -> usize {
        self.values += 1;
        self.values - 1
    }

    fn one(&mut self, of: &[usize]) -> usize {
        of[self.below(of.len())]
    }

    /// Whether the greatest element is above a constant, as a bool.
    fn condition(&mut self, nodes: &mut String, x: usize) -> usize {
        let [greatest, bound, holds] = [(); 3].map(|()| self.value());
        let constant = self.below(2);
        writeln!(
            nodes,
            "    %{greatest}: f32[1] = reduce %{x} {{f=max, axes=[0]}}"
        )
        .unwrap();
        writeln!(
            nodes,
            "    %{bound}: f32[1] = constant {{value=c{constant}}}"
        )
        .unwrap();
        writeln!(
            nodes,
            "    %{holds}: bool[1] = compare %{greatest}, %{bound} {{f=gt}}"
        )
        .unwrap();
        holds
    }

    /// Some nodes, behind which more values are known.
    fn nodes(&mut self, known: &mut Vec<usize>, depth: usize) -> String {
        let mut nodes = String::new();
        for _ in 0..1 + self.below(4) {
            let (a, b) = (self.one(known), self.one(known));
            match self.below(8) {
                6 if depth > 0 => self.branch(&mut nodes, known, depth),
                7 if depth > 0 => self.repeat(&mut nodes, known, depth),
                kind => {
                    let op = match kind {
                        0 => format!("unary %{a} {{f=neg}}"),
                        1 => format!("unary %{a} {{f=abs}}"),
                        2 => format!("reverse %{a} {{axes=[0]}}"),
                        3 => format!("binary %{a}, %{b} {{f=min}}"),
                        4 => format!("binary %{a}, %{b} {{f=max}}"),
                        _ => format!("binary %{a}, %{b} {{f=add}}"),
                    };
                    let y = self.value();
                    writeln!(nodes, "    %{y}: f32[4] = {op}").unwrap();
                    known.push(y);
                }
            }
        }
        nodes
    }

    fn branch(&mut self, nodes: &mut String, known: &mut Vec<usize>, depth: usize) {
        let decides = self.one(known);
        let holds = self.condition(nodes, decides);
        let (a, b) = (self.one(known), self.one(known));
        let sides = [(); 2].map(|()| {
            let mut own = vec![self.value(), self.value()];
            let params = format!("%{}: f32[4], %{}: f32[4]", own[0], own[1]);
            let nodes = self.nodes(&mut own, depth - 1);
            let results = format!("%{}, %{}", self.one(&own), self.one(&own));
            self.finished(&params, &nodes, &results)
        });
        let [y, z] = [self.value(), self.value()];
        let [then, otherwise] = sides;
        writeln!(nodes, "    %{y}: f32[4], %{z}: f32[4] = if %{holds}, %{a}, %{b} {{then=b{then}, otherwise=b{otherwise}}}").unwrap();
        known.extend([y, z]);
    }

    /// A loop that carries two vectors, counts to 0, and reads a third vector.
    fn repeat(&mut self, nodes: &mut String, known: &mut Vec<usize>, depth: usize) {
        let [count, x, a, b] = [(); 4].map(|()| self.value());
        let params = format!("%{count}: f32[1], %{x}: f32[4], %{a}: f32[4], %{b}: f32[4]");
        let (mut own, mut text) = (vec![x, a, b], String::new());
        text.push_str(&self.nodes(&mut own, 0));
        let [zero, holds] = [self.value(), self.value()];
        writeln!(text, "    %{zero}: f32[1] = constant {{value=c0}}").unwrap();
        writeln!(
            text,
            "    %{holds}: bool[1] = compare %{count}, %{zero} {{f=gt}}"
        )
        .unwrap();
        let test = self.finished(&params, &text, &format!("%{holds}"));
        let [count, x, a, b] = [(); 4].map(|()| self.value());
        let params = format!("%{count}: f32[1], %{x}: f32[4], %{a}: f32[4], %{b}: f32[4]");
        let mut own = vec![x, a, b];
        let mut text = self.nodes(&mut own, depth - 1);
        let [one, less] = [self.value(), self.value()];
        writeln!(text, "    %{one}: f32[1] = constant {{value=c1}}").unwrap();
        writeln!(
            text,
            "    %{less}: f32[1] = binary %{count}, %{one} {{f=sub}}"
        )
        .unwrap();
        let results = format!("%{less}, %{}, %{}", self.one(&own), self.one(&own));
        let body = self.finished(&params, &text, &results);
        let first = self.value();
        let rounds = 2 + self.below(3);
        writeln!(nodes, "    %{first}: f32[1] = constant {{value=c{rounds}}}").unwrap();
        let operands = [(); 3].map(|()| self.one(known));
        let [left, y, z] = [(); 3].map(|()| self.value());
        let operands = operands.map(|operand| format!("%{operand}")).join(", ");
        writeln!(
            nodes,
            "    %{left}: f32[1], %{y}: f32[4], %{z}: f32[4] = while %{first}, {operands} \
             {{condition=b{test}, body=b{body}, carried=3}}"
        )
        .unwrap();
        known.extend([y, z]);
    }

    fn finished(&mut self, params: &str, nodes: &str, results: &str) -> usize {
        self.blocks += 1;
        let number = self.blocks;
        writeln!(
            self.text,
            "  block b{number} ({params}) {{\n{nodes}    return {results}\n  }}"
        )
        .unwrap();
        number
    }
}

/// A random graph of two inputs and a cell, which every block may reach by its arguments.
fn random(seed: u64) -> String {
    let mut blocks = Blocks {
        random: seed,
        text: String::new(),
        blocks: 0,
        values: 2,
    };
    let state = blocks.value();
    let mut known = vec![0, 1, state];
    let mut nodes = format!("    %{state}: f32[4] = read_state {{cell=m0}}\n");
    for _ in 0..2 {
        nodes.push_str(&blocks.nodes(&mut known, 2));
    }
    let [y, z, next] = [(); 3].map(|()| blocks.one(&known));
    let constants = [0.0, 1.0, 0.0, 1.0, 3.0].into_iter().enumerate();
    let mut text = String::from("graph \"g\" {\n");
    for (i, constant) in constants {
        writeln!(text, "  constant c{i} \"c\" f32[1] = [{constant:?}]").unwrap();
    }
    text.push_str(
        "  constant c5 \"first\" f32[4] = [0.5, -1.5, 2.5, 0.0]\n  state m0 \"s\" f32[4] = c5\n",
    );
    text.push_str(
        "  input tensor \"x\" [0]\n  input tensor \"y\" [0]\n  output tensor\n  output tensor\n",
    );
    text.push_str(&blocks.text);
    let last = known.last().unwrap();
    writeln!(
        text,
        "  block b0 (%0 \"x\": f32[4], %1 \"y\": f32[4]) {{\n{nodes}    return %{y}, %{last}\n  }}"
    )
    .unwrap();
    writeln!(text, "  update m0 = %{}\n}}", [z, next][seed as usize % 2]).unwrap();
    in_order(&text)
}

/// The text with its values numbered in the order in which they stand: inner blocks come first.
fn in_order(text: &str) -> String {
    let mut parts = text.split('%');
    let mut made = parts.next().unwrap().to_owned();
    let mut known: Vec<&str> = Vec::new();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit());
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        let number = known.iter().position(|&k| k == name);
        let number = number.unwrap_or_else(|| {
            known.push(name);
            known.len() - 1
        });
        write!(made, "%{number}{rest}").unwrap();
    }
    made
}

#[test]
fn random_branches_and_loops_do_what_graphs_mean() {
    let (mut branches, mut loops, mut inner) = (0, 0, 0);
    for seed in 1..=400 {
        let text = random(seed);
        let graph = kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let program = check(&graph);
        for (i, flow) in program.flows.iter().enumerate() {
            match flow {
                Flow::If { .. } => branches += 1,
                Flow::While { .. } => loops += 1,
            }
            let holds = |outer: &Flow| {
                outer.calls().start <= flow.calls().start && flow.calls().end <= outer.calls().end
            };
            inner += usize::from(program.flows[i + 1..].iter().any(holds));
        }
    }
    assert!(
        branches > 100 && loops > 100 && inner > 50,
        "{branches} {loops} {inner}"
    );
}

#[test]
fn the_compiled_c_branches_and_loops() {
    let mut compiled = 0;
    for seed in 1.. {
        let graph = kiln_ir::text::parse(&random(seed)).unwrap();
        if check(&graph).flows.len() >= 3 {
            check_compiled(&graph);
            compiled += 1;
        }
        if compiled == 6 {
            break;
        }
    }
}

#[test]
fn a_clamp_behind_a_loop_has_an_order_of_its_own() {
    let text = "graph \"g\" {
  constant c0 \"k\" f32[] = [0.0]
  constant c1 \"k\" f32[] = [3.0]
  constant c2 \"k\" f32[] = [1.0]
  input tensor \"x\" [0, 1, 2, 3]
  output tensor
  output tensor
  block b1 (%0: f32[], %1: f32[2, 3, 4, 5]) {
    %2: f32[] = constant {value=c1}
    %3: bool[] = compare %0, %2 {f=lt}
    return %3
  }
  block b2 (%4: f32[], %5: f32[2, 3, 4, 5]) {
    %6: f32[] = constant {value=c2}
    %7: f32[] = binary %4, %6 {f=add}
    %8: f32[2, 3, 4, 5] = unary %5 {f=tanh}
    return %7, %8
  }
  block b0 (%9: f32[2, 3, 4, 5]) {
    %10: f32[] = constant {value=c0}
    %11: f32[], %12: f32[2, 3, 4, 5] = while %10, %9 {condition=b1, body=b2, carried=2}
    %13: f32[2, 3, 4, 5] = unary %12 {f=clamp[-0.5, 0.5]}
    return %11, %13
  }
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    assert_eq!(check(&graph).flows.len(), 1);
}
