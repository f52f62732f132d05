//! Passes that rewrite graphs keep their results. Cleaning passes keep every bit.

mod case;
mod fake_target;

use case::{Case, Close, F32, assert_same, each, run};
use fake_target::FakeTarget;
use kiln_ir::Scalar;
use kiln_ir::text::{Data, print};
use kiln_transforms::framework::pass::{Options, StopAfter, run_pipeline};
use kiln_transforms::passes::all_passes;

#[test]
fn products_become_layers() {
    each(|case| {
        for is_moved in [false, true] {
            let mut case = Case::new(case.random());
            case.symbol("s0", 1, 9);
            let n = 1 + case.below(9) as usize;
            let x = case.input(F32, "[2, s0, 3]", &[2, n, 3]);
            let matrix = if is_moved {
                let c = case.constant(F32, &[4, 3]);
                case.node("move", &[c], "movement=(a:4 b:3 -> 1 b a)")
            } else {
                case.constant(F32, &[1, 3, 4])
            };
            let y = case.node("matmul", &[x, matrix], "");
            let size = [1, 4][case.below(2) as usize];
            let c = case.constant(F32, &[1, 1, size]);
            let z = case.node("binary", &if is_moved { [c, y] } else { [y, c] }, "f=add");
            case.result(z);
            for first in ["", "clean "] {
                case.check_gone(&format!("{first}linear_forms"), "matmul", Close::Rounding);
                let printed = case.check(
                    &format!("{first}linear_forms separate_bias clean"),
                    Close::Rounding,
                );
                assert!(
                    !printed.contains(" = move ") && !printed.contains(" = binary "),
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn canonical_forms() {
    each(|case| {
        let x = case.known(F32, &[2, 3]);
        let powers: Vec<Scalar> = (0..3)
            .map(|_| Scalar::Float([0.25, -2.0, 1024.0][case.below(3) as usize]))
            .collect();
        let powers = case.constant_of(F32, &[1, 3], &powers);
        let others = case.constant(F32, &[1, 1]);
        let a = case.node("binary", &[x, powers], "f=div");
        let b = case.node("binary", &[a, others], "f=sub");
        let c = case.node("binary", &[others, b], "f=max");
        let d = case.node("binary", &[powers, c], "f=mul");
        let e = case.node("binary", &[d, others], "f=div");
        case.result(e);
        let printed = case.check("canonical", Close::Bits);
        assert!(!printed.contains("f=sub"), "{printed}");
    });
}

/// Elementwise ops, moves, slices, joins, reductions and constants on random values.
fn random_graph(case: &mut Case) {
    case.symbol("s0", 1, 5);
    let n = 1 + case.below(5) as usize;
    let mut values = vec![
        case.input(F32, "[s0, 3]", &[n, 3]),
        case.input(F32, "[s0, 1]", &[n, 1]),
        case.known(F32, &[1, 3]),
        case.constant(F32, &[1, 3]),
    ];
    for special in [0.0, -0.0, 1.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
        values.push(case.constant_of(F32, &[1, 1], &[Scalar::Float(special)]));
    }
    for _ in 0..20 {
        let pick = |case: &mut Case| case.below(values.len() as u64) as usize;
        let (i, j, k) = (pick(case), pick(case), pick(case));
        let (a, b, c) = (values[i], values[j], values[k]);
        let made = match case.below(12) {
            0 | 1 => {
                let f = ["add", "sub", "mul", "div", "max", "min"][case.below(6) as usize];
                case.node("binary", &[a, b], &format!("f={f}"))
            }
            2 | 3 => {
                let f = [
                    "neg",
                    "abs",
                    "floor",
                    "round",
                    "sign",
                    "clamp[-1, 2]",
                    "clamp[0.5, none]",
                    "exp",
                ][case.below(8) as usize];
                case.node("unary", &[a], &format!("f={f}"))
            }
            4 => {
                let wide = ["f64", "f16", "i32"][case.below(3) as usize];
                let there = case.node("cast", &[a], &format!("to={wide}"));
                case.node("cast", &[there], "to=f32")
            }
            5 => {
                let condition = case.node("compare", &[a, b], "f=le");
                case.node("select", &[condition, b, c], "")
            }
            6 => case.node("reduce", &[a], "f=max, axes=[1]"),
            7 => case.node("reduce", &[a], "f=sum, axes=[1]"),
            8 => case.node("slice", &[a], "axis=1, start=0, len=1, step=1"),
            9 => {
                let joined = case.node("concat", &[a, a], "axis=1");
                let len = case.graph.ty(a).shape[1].as_const().expect("known");
                case.node(
                    "slice",
                    &[joined],
                    &format!("axis=1, start={}, len={len}, step=1", len - 1),
                )
            }
            10 => {
                let text = match case.graph.ty(a).shape.to_vec() {
                    s if s[0].is(1) && s[1].is(1) => "1 1 -> 1 1 1",
                    s if s[0].is(1) => "1 b:3 -> b 1 1",
                    s if s[1].is(1) => "a:{s0} 1 -> 1 1 a",
                    _ => "a:{s0} b:3 -> b 1 a",
                };
                let there = case.node("move", &[a], &format!("movement=({text})"));
                let through = case.node("unary", &[there], "f=neg");
                let back = match text {
                    "1 1 -> 1 1 1" => "1 1 1 -> 1 1",
                    "1 b:3 -> b 1 1" => "b:3 1 1 -> 1 b",
                    "a:{s0} 1 -> 1 1 a" => "1 1 a:{s0} -> a 1",
                    _ => "b:3 1 a:{s0} -> a b",
                };
                case.node("move", &[through], &format!("movement=({back})"))
            }
            _ => case.node("broadcast", &[a], "shape=[s0, 3]"),
        };
        values.push(made);
    }
    for value in &values[values.len() - 4..] {
        case.result(*value);
    }
}

#[test]
fn cleaning_keeps_every_bit_of_random_graphs() {
    for seed in 1..=200 {
        let mut case = Case::new(seed);
        random_graph(&mut case);
        let printed = case.check("clean", Close::Bits);
        let mut again = kiln_ir::text::parse(&printed).expect("it runs");
        run(&mut again, "clean");
        assert_eq!(
            print(&again, Data::Full).lines().count(),
            printed.lines().count(),
            "cleaning again\n{printed}"
        );
        case.check("canonical clean sink_moves clean", Close::Bits);
    }
}

#[test]
fn every_number_of_applications_leaves_a_sound_graph() {
    for seed in 1..=10 {
        let mut case = Case::new(seed);
        random_graph(&mut case);
        for application in 0..60 {
            let mut graph = case.graph.clone();
            let stop_after = Some(StopAfter {
                pass: "clean".into(),
                application: Some(application),
            });
            let options = Options {
                verify: true,
                stop_after,
            };
            let pass = *all_passes()
                .iter()
                .find(|p| p.name == "clean")
                .expect("it runs");
            run_pipeline(&mut graph, &FakeTarget::default(), &[pass], &options).expect("it runs");
            assert_same(&case.graph, &graph, &case.inputs, Close::Bits, "clean");
        }
    }
}
