//! What the comparison with the meaning finds: programs that are wrong by a few steps.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::case::{Case, Choice};
use kiln_cortex_m::cores::CORES;
use kiln_cortex_m::{CortexM, pipeline};
use kiln_ir::Graph;
use kiln_transforms::framework::pass::run_pipeline;

/// A layer with a function behind it, as text.
#[derive(Clone)]
struct Layer {
    /// By output channel.
    scales: [f64; 3],
    weights: [[i8; 4]; 3],
    bias: [f64; 3],
    function: &'static str,
}

const X: &str = "per_tensor 0.025 3 in [-128, 127]";
const Y: &str = "per_tensor 0.03 -10 in [-128, 127]";
const Z: &str = "per_tensor 0.01 0 in [-128, 127]";

impl Layer {
    fn right() -> Layer {
        Layer {
            scales: [0.011, 0.007, 0.013],
            weights: [[100, -50, 77, 20], [-33, 90, -127, 61], [45, 110, 5, -94]],
            bias: [0.4, -0.75, 1.1],
            function: "tanh",
        }
    }

    fn text(&self) -> String {
        let weights: Vec<i8> = self.weights.concat();
        let scheme = format!("per_channel 0 {:?} [0, 0, 0] in [-128, 127]", self.scales);
        let there_and_back = |from: u32, to: u32, quant: &str, sizes: &str| {
            let next = to + 1;
            format!(
                "    %{to}: i8{sizes} as ({quant}) = quantize %{from} {{quant={quant}, dtype=i8}}\n    %{next}: f32{sizes} = dequantize %{to} {{dtype=f32}}\n"
            )
        };
        format!(
            "graph \"g\" {{\n  constant c0 \"w\" i8[3, 4] as ({scheme}) = {weights:?}\n  constant c1 \"b\" f32[3] = {:?}\n  \
             input tensor \"x\" [0, 1]\n  output tensor\n  output tensor\n  block b0 (%0 \"x\": f32[40, 4]) {{\n{}    \
             %3: i8[3, 4] as ({scheme}) = constant {{value=c0}}\n    %4: f32[3, 4] = dequantize %3 {{dtype=f32}}\n    \
             %5: f32[3] = constant {{value=c1}}\n    %6: f32[40, 3] = linear %2, %4, %5 {{}}\n{}    \
             %9: f32[40, 3] = unary %8 {{f={}}}\n{}    return %8, %11\n  }}\n}}\n",
            self.bias,
            there_and_back(0, 1, X, "[40, 4]"),
            there_and_back(6, 7, Y, "[40, 3]"),
            self.function,
            there_and_back(9, 10, Z, "[40, 3]"),
        )
    }

    /// Behind the pipeline.
    fn graph(&self, choice: &Choice) -> Graph {
        let text = self.text();
        let mut graph = kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let target = CortexM { core: choice.core };
        run_pipeline(&mut graph, &target, pipeline(), &Default::default()).unwrap();
        graph
    }

    /// What is said where this layer is computed in place of the right one.
    fn judged(&self) -> Result<(), String> {
        let choice = Choice::of(1, &CORES.iter().collect::<Vec<_>>());
        let Ok(mut case) = Case::of_graph(self.graph(&choice), &choice) else {
            panic!("it compiles")
        };
        assert!(case.is_quantised());
        case.graph = Layer::right().graph(&choice);
        let found = case.beyond_bound()?;
        assert_eq!(found.elements, 3 * 2 * 120);
        Ok(())
    }
}

#[test]
fn the_library_is_within_the_bound() {
    assert_eq!(Layer::right().judged(), Ok(()));
}

#[test]
fn wrong_programs_are_beyond_it() {
    let right = Layer::right();
    let wrong = |change: fn(&mut Layer)| {
        let mut layer = right.clone();
        change(&mut layer);
        layer.judged()
    };
    // A wrong multiplier, by a step in 80; a bias off by two thirds of a step; a weight; channels that are swapped; another function, which
    // is nearly the same.
    assert!(wrong(|layer| layer.scales[1] *= 1.0125).is_err());
    assert!(wrong(|layer| layer.bias[2] += 0.02).is_err());
    assert!(wrong(|layer| layer.weights[0][3] += 1).is_err());
    assert!(wrong(|layer| layer.weights.swap(0, 1)).is_err());
    assert!(wrong(|layer| layer.function = "erf").is_err());
}
