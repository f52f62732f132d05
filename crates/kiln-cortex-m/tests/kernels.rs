//! Kiln's own kernels by their definitions, and against the library's functions where they do the same.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use kiln_cortex_m::dialect::*;
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::verify::verify;
use kiln_quantised::cmsis::requantize_once;
use kiln_quantised::multiplier::Multiplier;

const RANGE: Activation = Activation {
    min: -128,
    max: 127,
};

/// What a call gives for operands that are inputs, with an output of this type and size.
fn run(
    function: Function,
    parameters: impl Into<Parameters>,
    operands: &[Data],
    output: (Dtype, usize),
) -> Result<Data, String> {
    let mut program = Program::default();
    let mut inputs = operands.iter();
    let slots = function.row().slots.iter().map(|slot| {
        let ((dtype, elements), role) = match slot.access {
            Access::Read => {
                let input = inputs.next().unwrap();
                ((input.dtype(), input.len()), Role::Input)
            }
            _ => (output, Role::Output),
        };
        Some(program.add(Buffer::new(slot.name, dtype, elements, role)))
    });
    let buffers: Vec<_> = slots.collect();
    program.call(function, parameters, &buffers);
    let verified = verify(&program, Build::Dsp).map_err(|faults| faults[0].rule.clone())?;
    Ok(evaluate(&verified, operands).unwrap().remove(0))
}

/// Integers of 8 bits that repeat only after 251.
fn bytes(count: usize) -> Vec<i8> {
    (0..count).map(|i| (i * 89 % 251) as u8 as i8).collect()
}

/// Factors of 1, with a left shift that is taken back.
fn operands() -> Operands {
    Operands {
        multiplier_1: 1 << 30,
        shift_1: 1,
        multiplier_2: 1 << 30,
        shift_2: 1,
        left_shift: 4,
        multiplier: 1 << 30,
        shift: -3,
        activation: RANGE,
        ..Operands::default()
    }
}

/// A matrix of 3 rows of 4 with a row of 4.
fn rows() -> Strides {
    Strides::new(&[3, 4], &[4, 1], &[0, 1])
}

#[test]
fn two_operands_by_strides() {
    let (mut x, y) = (bytes(12), [5i8, -7, 1, 100]);
    // Both operands are 0 behind their offsets.
    x[6] = -3;
    let of = |function, operands, f: fn(i32, i32) -> f64| {
        let parameters = Broadcast {
            operands,
            strides: rows(),
        };
        let found = run(
            function,
            parameters,
            &[Data::I8(x.clone()), Data::I8(y.to_vec())],
            (Dtype::I8, 12),
        );
        let expected = x.iter().enumerate().map(|(i, &x)| {
            let exact = f(i32::from(x) + 3, i32::from(y[i % 4]) - 1) + 2.0;
            exact.round_ties_even().clamp(-128.0, 127.0) as i8
        });
        assert_eq!(found.unwrap(), Data::I8(expected.collect()), "{function:?}");
    };
    let moved = Operands {
        offset_1: 3,
        offset_2: -1,
        output_offset: 2,
        ..operands()
    };
    of(Function::KilnAddS8, moved.clone(), |x, y| f64::from(x + y));
    of(Function::KilnSubS8, moved.clone(), |x, y| f64::from(x - y));
    // Products and quotients are not shifted first. Halves go to even in both: none of the products here is one.
    let one = Operands { shift: 1, ..moved };
    of(Function::KilnMulS8, one.clone(), |x, y| f64::from(x * y));
    of(
        Function::KilnDivS8,
        Operands { shift: 5, ..one },
        |x, y| match (x, y) {
            // A NaN is the integer 0.
            (0, 0) => -2.0,
            (x, 0) => f64::from(x) * f64::INFINITY,
            (x, y) => 16.0 * f64::from(x) / f64::from(y),
        },
    );
    for (function, f) in [
        (Function::KilnMaximumS8, i8::max as fn(i8, i8) -> i8),
        (Function::KilnMinimumS8, i8::min),
    ] {
        let strides = BroadcastMinMax { strides: rows() };
        let found = run(
            function,
            strides,
            &[Data::I8(x.clone()), Data::I8(y.to_vec())],
            (Dtype::I8, 12),
        );
        let expected = x.iter().enumerate().map(|(i, &x)| f(x, y[i % 4]));
        assert_eq!(found, Ok(Data::I8(expected.collect())));
    }
}

#[test]
fn quotients_are_rounded_once_to_even() {
    let quotient = |x: i16, y: i16, shift| {
        let operands = Operands {
            multiplier: 1 << 30,
            shift,
            activation: Activation {
                min: -32_768,
                max: 32_767,
            },
            ..Operands::default()
        };
        let parameters = Broadcast {
            operands,
            strides: Strides::new(&[1], &[0], &[0]),
        };
        let found = run(
            Function::KilnDivS16,
            parameters,
            &[Data::I16(vec![x]), Data::I16(vec![y])],
            (Dtype::I16, 1),
        );
        let Data::I16(found) = found.unwrap() else {
            panic!("16 bits")
        };
        found[0]
    };
    assert_eq!(
        [
            quotient(5, 2, 1),
            quotient(7, 2, 1),
            quotient(-5, 2, 1),
            quotient(7, -2, 1)
        ],
        [2, 4, -2, -4]
    );
    // A third of 3 is 1, whatever lies behind the half: 2 * 3 / 4 is 1.5.
    assert_eq!(
        [
            quotient(3, 4, 2),
            quotient(5, 4, 2),
            quotient(1, 3, 1),
            quotient(2, 3, 1)
        ],
        [2, 2, 0, 1]
    );
    assert_eq!(
        [quotient(9, 0, 1), quotient(-9, 0, 1), quotient(0, 0, 1)],
        [32_767, -32_768, 0]
    );
}

#[test]
fn integers_change_their_step_and_type() {
    let scaling = Scaling {
        input_offset: -10,
        multiplier: 1 << 30,
        shift: 0,
        output_offset: 1,
        activation: RANGE,
    };
    let parameters = Requantise {
        scaling: scaling.clone(),
        size: 5,
    };
    let x = Data::I32(vec![10, 14, 110, 1000, -1000]);
    assert_eq!(
        run(
            Function::KilnRequantizeS32S8,
            parameters,
            &[x],
            (Dtype::I8, 5)
        ),
        Ok(Data::I8(vec![1, 3, 51, 127, -128]))
    );
    let wide = Scaling {
        activation: Activation {
            min: 0,
            max: 32_767,
        },
        ..scaling
    };
    let parameters = Requantise {
        scaling: wide,
        size: 2,
    };
    let x = Data::I8(vec![127, -128]);
    assert_eq!(
        run(
            Function::KilnRequantizeS8S16,
            parameters,
            &[x],
            (Dtype::I16, 2)
        ),
        Ok(Data::I16(vec![60, 0]))
    );
}

#[test]
fn tables_have_an_entry_for_each_integer() {
    let squares: Vec<i16> = (-128i16..128).map(|x| x * x).collect();
    let x = vec![-128i8, -1, 0, 127];
    let found = run(
        Function::KilnTableS8S16,
        Table { size: 4 },
        &[Data::I16(squares), Data::I8(x)],
        (Dtype::I16, 4),
    );
    assert_eq!(found, Ok(Data::I16(vec![16_384, 1, 0, 16_129])));
    let negated: Vec<i8> = (-128i8..=127).map(|x| x.saturating_neg()).collect();
    let found = run(
        Function::KilnTableS8,
        Table { size: 2 },
        &[Data::I8(negated), Data::I8(vec![-128, 5])],
        (Dtype::I8, 2),
    );
    assert_eq!(found, Ok(Data::I8(vec![127, -5])));
    // A line of half the slope, with what lies between entries interpolated, halves up.
    let halves: Vec<i16> = (0..513).map(|i| (64 * i - 16_384) as i16).collect();
    let x = vec![-32_768i16, -5, 0, 7, 32_767];
    let found = run(
        Function::KilnTableInterpolatedS16,
        Table { size: 5 },
        &[Data::I16(halves), Data::I16(x)],
        (Dtype::I16, 5),
    );
    assert_eq!(found, Ok(Data::I16(vec![-16_384, -2, 0, 4, 16_384])));
}

/// An element of `bytes(24)` as a tensor `[2][3][4]`, whose middle axis is worked on.
fn at(outer: usize, k: usize, inner: usize) -> i32 {
    i32::from(bytes(24)[(outer * 3 + k) * 4 + inner])
}

/// The places of the rows along that axis.
fn places() -> impl Iterator<Item = (usize, usize)> {
    (0..2).flat_map(|outer| (0..4).map(move |inner| (outer, inner)))
}

/// A mean is a third of the sum, rounded once.
#[test]
fn means_along_an_axis() {
    let scaling = Scaling {
        multiplier: ((1i64 << 32) / 3) as i32,
        shift: -1,
        activation: RANGE,
        ..Scaling::default()
    };
    let sum = AxisSum {
        scaling,
        outer: 2,
        n: 3,
        inner: 4,
    };
    let found = run(
        Function::KilnSumS8,
        sum,
        &[Data::I8(bytes(24))],
        (Dtype::I8, 8),
    );
    let third = Multiplier {
        multiplier: ((1i64 << 32) / 3) as i32,
        shift: -1,
    };
    let means = places()
        .map(|(o, i)| requantize_once(at(o, 0, i) + at(o, 1, i) + at(o, 2, i), third) as i8);
    assert_eq!(found, Ok(Data::I8(means.collect())));
}

#[test]
fn places_of_the_greatest_along_an_axis() {
    let argmax = AxisArgmax {
        outer: 2,
        n: 3,
        inner: 4,
    };
    let found = run(
        Function::KilnArgmaxS8,
        argmax,
        &[Data::I8(bytes(24))],
        (Dtype::I32, 8),
    );
    let greatest = places().map(|(o, i)| {
        let most = (0..3).map(|k| at(o, k, i)).max().unwrap();
        (0..3).position(|k| at(o, k, i) == most).unwrap() as i32
    });
    assert_eq!(found, Ok(Data::I32(greatest.collect())));
}

/// A softmax along the axis is the library's of the transposed tensor.
#[test]
fn softmaxes_along_an_axis() {
    let (multiplier, shift, diff_min) = (1_717_986_918, 22, -248);
    let softmax = AxisSoftmax {
        outer: 2,
        n: 3,
        inner: 4,
        multiplier,
        shift,
        diff_min,
    };
    let found = run(
        Function::KilnSoftmaxS8,
        softmax.clone(),
        &[Data::I8(bytes(24))],
        (Dtype::I8, 24),
    );
    let turned = places()
        .flat_map(|(o, i)| (0..3).map(move |k| (o, k, i)))
        .map(|(o, k, i)| at(o, k, i) as i8);
    let rows = Softmax {
        num_rows: 8,
        ..softmax.row()
    };
    let expected = run(
        Function::SoftmaxS8,
        rows,
        &[Data::I8(turned.collect())],
        (Dtype::I8, 24),
    );
    let (Ok(Data::I8(found)), Ok(Data::I8(expected))) = (found, expected) else {
        panic!("8 bits")
    };
    for (row, (o, i)) in places().enumerate() {
        let along: Vec<i8> = (0..3).map(|k| found[(o * 3 + k) * 4 + i]).collect();
        assert_eq!(along, expected[row * 3..][..3]);
    }
}

/// A softmax of 16 bits is within a step of the exact one: for rows of one element, of equal ones, and with one that outweighs all.
#[test]
fn a_softmax_of_16_bits_is_within_a_step() {
    let scale = 1.0 / 4096.0;
    let factor = Multiplier::of(scale * f64::from(1 << 26)).unwrap();
    let rows: [Vec<i16>; 5] = [
        vec![5],
        vec![-7; 1000],
        vec![32_767, -32_768, -32_768],
        (0..300)
            .map(|i| (i * 7919 % 65_536 - 32_768) as i16)
            .collect(),
        (0..500).map(|i| (i * 31 % 4096) as i16).collect(),
    ];
    for row in rows {
        let n = row.len();
        let softmax = AxisSoftmax {
            outer: 1,
            n: n as i32,
            inner: 1,
            multiplier: factor.multiplier,
            shift: factor.shift,
            diff_min: -((31 * (1 << 26)) >> factor.shift),
        };
        let function = Function::KilnSoftmaxS16;
        let found = run(
            function,
            softmax,
            &[Data::I16(row.clone())],
            (Dtype::I16, n),
        );
        let Ok(Data::I16(found)) = found else {
            panic!("16 bits: {found:?}")
        };
        let max = f64::from(*row.iter().max().unwrap());
        let exponentials = row.iter().map(|&x| ((f64::from(x) - max) * scale).exp());
        let exponentials: Vec<f64> = exponentials.collect();
        let sum: f64 = exponentials.iter().sum();
        for (found, e) in found.into_iter().zip(exponentials) {
            let exact = e / sum * 32_768.0;
            assert!(
                (f64::from(found) - exact).abs() <= 1.0,
                "{found} for {exact} of {n}"
            );
        }
    }
}

fn pool_params(padding: i32) -> PoolParams {
    PoolParams {
        stride: Tile { w: 2, h: 1 },
        padding: Tile {
            w: padding,
            h: padding,
        },
        activation: RANGE,
    }
}

#[test]
fn pools_agree_with_the_librarys() {
    let (input, filter, output) = (
        Dims::from([1, 5, 6, 3]),
        Dims::from([1, 3, 2, 3]),
        Dims::from([1, 5, 4, 3]),
    );
    let x = [Data::I8(bytes(90))];
    let library = Pool {
        pool_params: pool_params(1),
        input_dims: input.clone(),
        filter_dims: filter.clone(),
        output_dims: output.clone(),
    };
    let dilated = DilatedPool {
        params: pool_params(1),
        dilation: Tile { w: 1, h: 1 },
        input_dims: input.clone(),
        filter_dims: filter.clone(),
        output_dims: output.clone(),
    };
    let to = (Dtype::I8, 60);
    assert_eq!(
        run(Function::KilnMaxPoolS8, dilated, &x, to),
        run(Function::MaxPoolS8, library.clone(), &x, to)
    );
    // Averages differ in halves only.
    let counted = |average| CountedPool {
        params: pool_params(1),
        average,
        input_dims: input.clone(),
        filter_dims: filter.clone(),
        output_dims: output.clone(),
    };
    let own = run(Function::KilnAvgPoolS8, counted(Average::default()), &x, to);
    let library = run(Function::AvgpoolS8, library, &x, to);
    let (Ok(Data::I8(own)), Ok(Data::I8(library))) = (own, library) else {
        panic!("8 bits")
    };
    assert!(own.iter().zip(&library).all(|(a, b)| a.abs_diff(*b) <= 1) && own != library);
    // Of a corner with padding two rows and one column are inside, three of two in all.
    let all = Average {
        zero_point: 4,
        divisor: 0,
        padding_counts: true,
        scale: 1.0,
        inverse: 1.0,
    };
    let Ok(Data::I8(found)) = run(Function::KilnAvgPoolS8, counted(all), &x, to) else {
        panic!("8 bits")
    };
    let Data::I8(x) = &x[0] else { panic!("8 bits") };
    let corner = (f64::from(i32::from(x[0]) + i32::from(x[18]) - 8) / 6.0).round_ties_even() + 4.0;
    assert_eq!(f64::from(found[0]), corner);
}

#[test]
fn a_dilated_window_skips() {
    let pool = DilatedPool {
        params: PoolParams {
            stride: Tile { w: 1, h: 1 },
            ..pool_params(0)
        },
        dilation: Tile { w: 2, h: 1 },
        input_dims: [1, 1, 5, 1].into(),
        filter_dims: [1, 1, 2, 1].into(),
        output_dims: [1, 1, 3, 1].into(),
    };
    let x = Data::I16(vec![3, 100, 1, 50, 2]);
    let range = Activation {
        min: -32_768,
        max: 99,
    };
    let pool = DilatedPool {
        params: PoolParams {
            activation: range,
            ..pool.params
        },
        ..pool
    };
    assert_eq!(
        run(Function::KilnMaxPoolS16, pool, &[x], (Dtype::I16, 3)),
        Ok(Data::I16(vec![3, 99, 2]))
    );
}

#[test]
fn copies_by_strides() {
    let x = bytes(24);
    let copy = |strides, input_first| Copy {
        strides,
        element_size: 1,
        input_first,
        output_first: 0,
    };
    // A transposition is the library's.
    let turned = copy(Strides::new(&[4, 2, 3], &[1, 12, 4], &[6, 3, 1]), 0);
    let transpose = Transpose {
        input_dims: [2, 3, 4, 0].into(),
        output_dims: [4, 2, 3, 0].into(),
        transpose_params: TransposeParams {
            num_dims: 3,
            permutations: Permutation(vec![2, 0, 1]),
        },
    };
    let to = (Dtype::I8, 24);
    let input = [Data::I8(x.clone())];
    assert_eq!(
        run(Function::KilnCopy, turned, &input, to),
        run(Function::TransposeS8, transpose, &input, to)
    );
    // A slice of every second element, turned round.
    let slice = copy(Strides::new(&[3], &[-2], &[1]), 20);
    assert_eq!(
        run(Function::KilnCopy, slice, &input, (Dtype::I8, 3)),
        Ok(Data::I8(vec![x[20], x[18], x[16]]))
    );
    let beyond = copy(Strides::new(&[3], &[-2], &[1]), 3);
    assert_eq!(
        run(Function::KilnCopy, beyond, &input, (Dtype::I8, 3)),
        Err("input is visited from -1 to 3; it has 24 elements".to_owned())
    );
    let repeated = copy(Strides::new(&[3], &[1], &[0]), 0);
    assert!(run(Function::KilnCopy, repeated, &input, (Dtype::I8, 1)).is_err());
}

/// State goes on from one run to the next: the library's own step, twice.
#[test]
fn state_is_kept_between_runs() {
    let mut program = Program::default();
    let step = Svdf {
        svdf_params: SvdfParams {
            rank: 1,
            input_activation: RANGE,
            output_activation: RANGE,
            ..SvdfParams::default()
        },
        input_quant_params: PerTensor {
            multiplier: 1 << 30,
            shift: 1,
        },
        output_quant_params: PerTensor {
            multiplier: 1 << 30,
            shift: 1,
        },
        input_dims: [1, 1, 1, 1].into(),
        weights_feature_dims: [1, 1, 1, 1].into(),
        weights_time_dims: [1, 2, 1, 1].into(),
        ..Svdf::default()
    };
    let constant = |name, values: &'static [u8]| {
        Buffer::new(
            name,
            Dtype::I8,
            values.len(),
            Role::Constant(Bytes::from_static(values)),
        )
    };
    let x = program.add(Buffer::new("x", Dtype::I8, 1, Role::Input));
    let state = program.add(Buffer::new(
        "state",
        Dtype::I8,
        2,
        Role::State(Bytes::from_static(&[0, 0])),
    ));
    let feature = program.add(constant("feature", &[1]));
    let time = program.add(constant("time", &[10, 1]));
    let y = program.add(Buffer::new("y", Dtype::I8, 1, Role::Output));
    program.call(
        Function::SvdfS8,
        step,
        &[
            Some(x),
            Some(state),
            Some(feature),
            Some(time),
            None,
            Some(y),
            None,
        ],
    );
    let verified = verify(&program, Build::Dsp).unwrap();
    let mut runs = kiln_cortex_m::evaluate::Runs::new(&verified);
    let outputs = [3, 4, 5].map(|x| runs.run(&[Data::I8(vec![x])]).unwrap().remove(0));
    assert_eq!(outputs, [3, 34, 45].map(|y| Data::I8(vec![y])));
    assert!(runs.run(&[]).is_err() && runs.run(&[Data::I16(vec![1])]).is_err());
}
