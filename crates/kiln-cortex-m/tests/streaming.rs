//! Streamed programs: their arenas, and that they give the bits of the programs that they come from.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod models;

use kiln_cortex_m::bands::bands;
use kiln_cortex_m::dialect::*;
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::plan::{Machine, plan};
use kiln_cortex_m::stream::roll::{Part, roll, step};
use kiln_cortex_m::stream::{Chain, Streamed, Wish, stream};
use kiln_cortex_m::verify::verify;
use models::*;

fn inputs(program: &Program, random: &mut Random) -> Vec<Data> {
    let of = |id: BufferId| {
        let buffer = &program.buffers[id.index()];
        let bytes = random
            .bytes(buffer.bytes())
            .iter()
            .map(|&x| x as u8)
            .collect::<Vec<_>>();
        Data::of_bytes(buffer.dtype, buffer.elements, &bytes)
    };
    program.inputs().into_iter().map(of).collect()
}

/// The streamed program and the one that it comes from give the same bits, each with memory of its own for each buffer, and in the arena.
fn same_bits(program: &Program, streamed: &Streamed, build: Build) {
    let verified = verify(program, build).unwrap();
    let after = verify(&streamed.program, build).unwrap();
    let mut random = Random(7);
    let mut machine = Machine::new(after, &streamed.plan);
    for _ in 0..2 {
        let inputs = inputs(program, &mut random);
        let expected = evaluate(&verified, &inputs).unwrap();
        assert!(
            evaluate(&after, &inputs).unwrap() == expected,
            "the evaluator gives other bits"
        );
        assert!(
            machine.run(&inputs).unwrap() == expected,
            "the arena gives other bits"
        );
    }
}

/// What a network needs: the arena as it is and streamed, and the calls and parts (calls and loops) of the streamed program.
type Figures = (u64, u64, usize, usize);

fn figures(model: fn(Build) -> Program, build: Build) -> Figures {
    let program = model(build);
    let before = plan(&verify(&program, build).unwrap()).unwrap();
    assert!(before.is_least());
    let streamed = stream(&program, build, Wish::default()).unwrap();
    same_bits(&program, &streamed, build);
    assert_eq!(
        program.multiplications(),
        streamed.program.multiplications()
    );
    let parts = roll(&streamed.program).len();
    (
        before.arena_bytes,
        streamed.plan.arena_bytes,
        streamed.program.calls.len(),
        parts,
    )
}

/// The arenas of the networks that are published, on Cortex-M4 and Cortex-M55.
#[test]
fn published_networks() {
    let check = |model: fn(Build) -> Program, m4: Figures, m55: Figures| {
        assert_eq!(
            [figures(model, Build::Dsp), figures(model, Build::Mve)],
            [m4, m55]
        );
    };
    check(ds_cnn, (16_000, 8_640, 156, 24), (20_464, 14_080, 41, 23));
    check(
        resnet8,
        (49_728, 19_568, 249, 28),
        (49_728, 19_584, 249, 28),
    );
    check(
        mobilenet_v1,
        (55_296, 28_144, 55, 43),
        (55_296, 30_336, 75, 41),
    );
    check(
        mobilenet_v2,
        (138_240, 28_144, 203, 87),
        (142_704, 30_432, 206, 83),
    );
    check(autoencoder, (768, 768, 10, 10), (768, 768, 10, 10));
}

/// Random chains, streamed as far as they can be.
#[test]
fn random_chains() {
    let mut streamed_of = [0, 0];
    let mut calls = 0;
    let mut saved = 0;
    for seed in 0..200 {
        let build = Build::ALL[seed as usize % 3];
        let program = random_chain(build, seed);
        let Ok(verified) = verify(&program, build) else {
            continue;
        };
        let before = plan(&verified).unwrap();
        let streamed = stream(&program, build, Wish { max_arena: Some(1) }).unwrap();
        same_bits(&program, &streamed, build);
        let is_wide = program.buffers.iter().any(|b| b.dtype == Dtype::I16);
        streamed_of[usize::from(is_wide)] += usize::from(!streamed.chains.is_empty());
        calls += streamed.program.calls.len();
        saved += before.arena_bytes - streamed.plan.arena_bytes;
        assert!(streamed.plan.arena_bytes < before.arena_bytes || streamed.chains.is_empty());
        assert!(streamed.program.multiplications() <= program.multiplications());
    }
    assert_eq!((streamed_of, calls, saved), ([129, 46], 2818, 33_312));
}

/// A program is streamed only as far as the arena asks.
#[test]
fn as_far_as_asked() {
    let program = resnet8(Build::Dsp);
    let of = |max_arena| {
        stream(
            &program,
            Build::Dsp,
            Wish {
                max_arena: Some(max_arena),
            },
        )
        .unwrap()
    };
    let whole = of(49_728);
    assert!(whole.chains.is_empty());
    assert_eq!(whole.program, program);
    let some = of(40_000);
    assert!(some.plan.arena_bytes <= 40_000, "{}", some.plan.arena_bytes);
    let more = of(20_000);
    assert!(more.plan.arena_bytes <= 20_000, "{}", more.plan.arena_bytes);
    assert!(some.program.calls.len() < more.program.calls.len());
}

/// Calls and loops, written out, are the calls of the program.
#[test]
fn loops_stand_for_calls() {
    let streamed = stream(&mobilenet_v2(Build::Mve), Build::Mve, Wish::default()).unwrap();
    let program = &streamed.program;
    let mut calls: Vec<Call> = Vec::new();
    for part in roll(program) {
        match part {
            Part::Call(at) => calls.push(program.calls[at].clone()),
            Part::Loop {
                first,
                calls: length,
                rounds,
            } => {
                for round in 0..rounds as i64 {
                    for at in first..first + length {
                        let mut call = program.calls[at].clone();
                        for (place, view) in call.views.iter_mut().enumerate() {
                            let Some(view) = view else { continue };
                            let moved = step(program, at, length, place) * round;
                            view.first = (view.first as i64 + moved) as usize;
                        }
                        calls.push(call);
                    }
                }
            }
        }
    }
    assert_eq!(calls, program.calls);
}

/// The machine finds plans that are wrong: by a call that writes what it reads, or by other bits.
#[test]
fn wrong_plans_are_found() {
    let program = resnet8(Build::Dsp);
    let streamed = stream(&program, Build::Dsp, Wish::default()).unwrap();
    let verified = verify(&streamed.program, Build::Dsp).unwrap();
    let inputs = inputs(&program, &mut Random(7));
    let expected = evaluate(&verified, &inputs).unwrap();
    let moved = (0..streamed.plan.offsets.len())
        .filter(|&at| streamed.plan.offsets[at].is_some_and(|at| at >= 512));
    let mut wrong = 0;
    let mut all = 0;
    for at in moved {
        let mut plan = streamed.plan.clone();
        plan.offsets[at] = plan.offsets[at].map(|offset| offset - 512);
        let is_right = Machine::new(verified, &plan)
            .run(&inputs)
            .is_ok_and(|found| found == expected);
        all += 1;
        wrong += usize::from(!is_right);
    }
    assert_eq!((wrong, all), (10, 10));
}

const ONE: Tile = Tile { w: 1, h: 1 };

/// A buffer of a map, or a constant.
fn buffer(
    net: &mut Net,
    name: &str,
    dtype: Dtype,
    elements: usize,
    role: Role,
) -> Option<BufferId> {
    Some(net.program.add(Buffer::new(name, dtype, elements, role)))
}

/// Windows of floats: a convolution, averages, greatest elements.
fn windows_of_floats(net: &mut Net, maps: [Option<BufferId>; 4], [h, w, c]: [i32; 3]) {
    let dims = || Dims::from([1, h, w, c]);
    let windows = || Windows {
        stride: ONE,
        padding: ONE,
        dilation: ONE,
    };
    let weights: Vec<u8> = (0..81)
        .flat_map(|i| (i as f32 - 40.0).to_le_bytes())
        .collect();
    let weights = buffer(
        net,
        "weights",
        Dtype::F32,
        81,
        Role::Constant(weights.into()),
    );
    let conv = FloatConv {
        convolution: Convolution {
            stride: ONE,
            padding: ONE,
            dilation: ONE,
            upscale: ONE,
            ..Convolution::default()
        },
        input_dims: dims(),
        filter_dims: [c, 3, 3, c].into(),
        output_dims: dims(),
    };
    let average = FloatAvgPool {
        windows: windows(),
        divisor: 0,
        padding_counts: false,
        input_dims: dims(),
        filter_dims: [1, 3, 3, 1].into(),
        output_dims: dims(),
    };
    let greatest = FloatMaxPool {
        windows: windows(),
        input_dims: dims(),
        filter_dims: [1, 3, 3, 1].into(),
        output_dims: dims(),
    };
    let [x, a, b, y] = maps;
    net.program
        .call(Function::KilnConvolveF32, conv, &[x, weights, None, a]);
    net.program.call(Function::KilnAvgPoolF32, average, &[a, b]);
    net.program
        .call(Function::KilnMaxPoolF32, greatest, &[b, y]);
}

/// Pools of Kiln's own over windows of 3x3, with results of their operand's size: averages, and greatest elements.
fn own_pools([h, w, c]: [i32; 3], activation: Activation) -> (CountedPool, DilatedPool) {
    let params = PoolParams {
        stride: ONE,
        padding: ONE,
        activation,
    };
    let average = CountedPool {
        params: params.clone(),
        average: Average {
            zero_point: 3,
            divisor: 0,
            padding_counts: false,
            scale: 0.25,
            inverse: 4.0,
        },
        input_dims: [1, h, w, c].into(),
        filter_dims: [1, 3, 3, 1].into(),
        output_dims: [1, h, w, c].into(),
    };
    let greatest = DilatedPool {
        params,
        dilation: ONE,
        input_dims: [1, h, w, c].into(),
        filter_dims: [1, 3, 3, 1].into(),
        output_dims: [1, h, w, c].into(),
    };
    (average, greatest)
}

/// Windows of floats, their quantisation, and pools of Kiln's own.
fn own_kernels([h, w, c]: [i32; 3]) -> Program {
    let mut net = Net::new(Build::Dsp, 9);
    let elements = (h * w * c) as usize;
    let maps = ["x", "a", "b", "c"].map(|name| {
        let role = if name == "x" {
            Role::Input
        } else {
            Role::Temporary
        };
        buffer(&mut net, name, Dtype::F32, elements, role)
    });
    windows_of_floats(&mut net, maps, [h, w, c]);
    let scale = Role::Constant(0.01f32.to_le_bytes().to_vec().into());
    let scale = buffer(&mut net, "scale", Dtype::F32, 1, scale);
    let zero_point = Role::Constant(3i32.to_le_bytes().to_vec().into());
    let zero_point = buffer(&mut net, "zero_point", Dtype::I32, 1, zero_point);
    let q = buffer(&mut net, "q", Dtype::I8, elements, Role::Temporary);
    let r = buffer(&mut net, "r", Dtype::I8, elements, Role::Temporary);
    let y = buffer(&mut net, "y", Dtype::I8, elements, Role::Output);
    let activation = Activation {
        min: -128,
        max: 127,
    };
    let quantise = Quantise {
        outer: 1,
        n: 1,
        inner: h * w * c,
        activation: activation.clone(),
    };
    let (average, greatest) = own_pools([h, w, c], activation);
    let program = &mut net.program;
    program.call(
        Function::KilnQuantizeS8,
        quantise,
        &[maps[3], scale, zero_point, q],
    );
    program.call(Function::KilnAvgPoolS8, average, &[q, r]);
    program.call(Function::KilnMaxPoolS8, greatest, &[r, y]);
    net.program
}

/// Kiln's own kernels are streamed as those of the library.
#[test]
fn kilns_own_kernels() {
    let [h, w, c] = [20, 4, 3];
    let program = own_kernels([h, w, c]);
    let verified = verify(&program, Build::Dsp).unwrap();
    let streamed = stream(&program, Build::Dsp, Wish { max_arena: Some(1) }).unwrap();
    let after = verify(&streamed.program, Build::Dsp).unwrap();
    let inputs = [Data::F32(
        (0..h * w * c)
            .map(|i| (i * 37 % 101) as f32 * 0.37 - 17.0)
            .collect(),
    )];
    let expected = evaluate(&verified, &inputs).unwrap();
    assert_eq!(evaluate(&after, &inputs).unwrap(), expected);
    assert_eq!(
        Machine::new(after, &streamed.plan).run(&inputs).unwrap(),
        expected
    );
    let whole: usize = streamed.chains.iter().map(|chain| chain.before.len()).sum();
    let before = plan(&verified).unwrap();
    assert_eq!(
        (whole, before.arena_bytes, streamed.plan.arena_bytes),
        (4, 1920, 1056)
    );
}

/// Bands are told from layers: there are as many layers as the program had calls before.
#[test]
fn bands_are_counted_apart() {
    for build in Build::ALL {
        for model in [ds_cnn as fn(Build) -> Program, resnet8] {
            let program = model(build);
            let streamed = stream(&program, build, Wish::default()).unwrap();
            let before = bands(&program);
            assert_eq!(before.text(), None);
            assert_eq!(before.layers, program.calls.len());
            let after = bands(&streamed.program);
            assert!(!streamed.chains.is_empty());
            let changed =
                |range: fn(&Chain) -> usize| streamed.chains.iter().map(range).sum::<usize>();
            assert_eq!(after.layers, program.calls.len());
            assert!(after.by_rows <= changed(|chain| chain.before.len()));
            let whole = after.layers - after.by_rows;
            assert_eq!(
                whole + after.bands + after.moves,
                streamed.program.calls.len()
            );
            assert!(
                after
                    .text()
                    .unwrap()
                    .starts_with(&format!("{} of layers, ", program.calls.len()))
            );
        }
    }
}
