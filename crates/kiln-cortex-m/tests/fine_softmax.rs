//! Softmaxes whose results have finer steps than the kernels of integers give.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::{Function, Program};
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::verify::verify;
use kiln_cortex_m::{CortexM, compile, pipeline};
use kiln_target::Border;
use kiln_transforms::framework::pass::run_pipeline;

/// The elements along the axis, and those behind it.
const SIZES: [usize; 2] = [300, 3];

/// The greatest distance of results from the exact ones, in steps of the result, and the program. The softmax is along axis 0 or 1
/// of all elements, or of the transposed ones.
fn distance(dtype: &str, range: [i32; 2], axis: usize, scale: f64) -> (f64, Program) {
    let sizes = match axis {
        0 => SIZES,
        _ => [SIZES[1], SIZES[0]],
    };
    let quant = |scale: f64, zero: i32| {
        let [min, max] = range;
        format!("per_tensor {scale:?} {zero} in [{min}, {max}]")
    };
    let (input, output) = (quant(0.01, 0), quant(scale, range[0]));
    let text = format!(
        "graph \"g\" {{\n\
        input tensor \"x\" [0, 1]\n\
        output tensor\n\
        block b0 (%0 \"x\": f32{sizes:?}) {{\n\
        %1: {dtype}{sizes:?} as ({input}) = quantize %0 {{quant={input}, dtype={dtype}}}\n\
        %2: f32{sizes:?} = dequantize %1 {{dtype=f32}}\n\
        %3: f32{sizes:?} = softmax %2 {{axis={axis}, log=false}}\n\
        %4: {dtype}{sizes:?} as ({output}) = quantize %3 {{quant={output}, dtype={dtype}}}\n\
        %5: f32{sizes:?} = dequantize %4 {{dtype=f32}}\n\
        return %5\n\
        }}\n\
        }}\n"
    );
    let mut graph = kiln_ir::text::parse(&text).unwrap();
    let core = Core::named("host-c").unwrap();
    run_pipeline(
        &mut graph,
        &CortexM { core },
        pipeline(),
        &Default::default(),
    )
    .unwrap();
    let program = compile(&graph, &mut Border::of(&graph, false), core).unwrap();
    // Integers times the step, so that nothing is rounded when they are quantised.
    let x: Vec<i32> = (0..SIZES[0] * SIZES[1])
        .map(|i| (i * 89 % 251) as i32 - 125)
        .collect();
    let given = Data::F32(x.iter().map(|&x| x as f32 * 0.01).collect());
    let found = evaluate(&verify(&program, core.build).unwrap(), &[given]).unwrap();
    let [Data::F32(found)] = &found[..] else {
        panic!("floats: {found:?}")
    };
    let place = |row: usize, k: usize| match axis {
        0 => k * SIZES[1] + row,
        _ => row * SIZES[0] + k,
    };
    let steps = f64::from(range[1]) - f64::from(range[0]);
    let mut most: f64 = 0.0;
    for row in 0..SIZES[1] {
        let e = |k: usize| (f64::from(x[place(row, k)]) * 0.01).exp();
        let sum: f64 = (0..SIZES[0]).map(e).sum();
        for k in 0..SIZES[0] {
            let exact = (e(k) / sum / scale).min(steps);
            most = most.max((f64::from(found[place(row, k)]) / scale - exact).abs());
        }
    }
    (most, program)
}

const BYTES: (&str, [i32; 2]) = ("i8", [-128, 127]);
const WORDS: (&str, [i32; 2]) = ("i16", [-32_768, 32_767]);

/// Results are off by their rounding and one step at most, whatever their step.
#[test]
fn results_are_within_a_step() {
    let of_words = [1.0, 0.7, 0.4, 0.1, 0.02].map(|most| most / 65_535.0);
    for axis in [0, 1] {
        for ((dtype, range), scales) in [
            (WORDS, &of_words[..]),
            (BYTES, &[1.0 / 256.0, 1e-3, 4e-5, 2e-5, 1e-5][..]),
        ] {
            for &scale in scales {
                let (found, program) = distance(dtype, range, axis, scale);
                assert!(
                    found <= 1.5,
                    "{dtype}, axis {axis}, {scale}: {found} steps\n{program}"
                );
            }
        }
    }
}

/// Usual steps are computed in integers.
#[test]
fn usual_steps_are_integers() {
    let calls = |(dtype, range), axis, scale| {
        let (_, program) = distance(dtype, range, axis, scale);
        let calls = program.calls.iter().map(|call| call.function);
        calls.collect::<Vec<_>>()
    };
    for axis in [0, 1] {
        assert!(calls(WORDS, axis, 1.0 / 32_768.0).contains(&Function::KilnSoftmaxS16));
        assert!(calls(WORDS, axis, 0.6 / 32_767.0).contains(&Function::KilnSoftmaxS16));
    }
    assert!(calls(BYTES, 0, 4e-5).contains(&Function::KilnSoftmaxS16));
    assert!(calls(BYTES, 1, 4e-5).contains(&Function::SoftmaxS8S16));
}
