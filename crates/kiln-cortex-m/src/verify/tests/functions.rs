//! Programs that break a rule of layers, of moves, of softmaxes and of pools.

use super::{RANGE, fails, faults, passes, program, tile};
use crate::dialect::*;

#[test]
fn kernel_sums_are_those_of_the_weights() {
    let layer = FullyConnected {
        fc_params: FcParams {
            input_offset: 3,
            activation: RANGE,
            ..FcParams::default()
        },
        quant_params: FcQuant::Tensor(PerTensor {
            multiplier: 1 << 30,
            shift: -3,
        }),
        input_dims: [1, 1, 1, 5].into(),
        filter_dims: [5, 1, 1, 2].into(),
        output_dims: [1, 1, 1, 2].into(),
        ..FullyConnected::default()
    };
    let mut program = program(Function::FullyConnectedS8, layer);
    passes(&program, Build::Dsp);
    fails(
        &program,
        Build::Mve,
        "MVE reads kernel sums, and ctx.buf is a null pointer",
    );
    let mut with_sums = |sums: [i32; 2]| {
        let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        let name = format!("{sums:?}");
        let id = program.add(Buffer::new(
            name,
            Dtype::I32,
            2,
            Role::Constant(bytes.into()),
        ));
        program.calls[0].buffers[4] = Some(id);
        program.clone()
    };
    passes(&with_sums([15, 15]), Build::Mve);
    fails(
        &with_sums([15, 16]),
        Build::Mve,
        "ctx.buf has not the kernel sums of the weights, the input's offset and the bias",
    );
}

#[test]
fn functions_that_move_elements() {
    let transpose = |order: [i32; 4]| {
        let sizes = [2, 3, 4, 5];
        program(
            Function::TransposeS8,
            Transpose {
                input_dims: sizes.into(),
                output_dims: order.map(|axis| sizes[axis as usize]).into(),
                transpose_params: TransposeParams {
                    num_dims: 4,
                    permutations: Permutation(order.to_vec()),
                },
            },
        )
    };
    passes(&transpose([0, 2, 3, 1]), Build::Mve);
    passes(&transpose([0, 1, 3, 2]), Build::Mve);
    passes(&transpose([0, 1, 2, 3]), Build::Dsp);
    fails(
        &transpose([0, 1, 2, 3]),
        Build::Mve,
        "an order of [0, 1, 2, 3]: the last two axes are exchanged",
    );
    fails(
        &transpose([0, 1, 1, 3]),
        Build::Dsp,
        "[0, 1, 1, 3] is no order of 4 axes",
    );
    let concat = Concat {
        input_x: 2,
        input_y: 2,
        input_z: 1,
        input_w: 1,
        output_size: Some(3),
        offset: 2,
    };
    fails(
        &program(Function::ConcatenationS8X, concat),
        Build::Dsp,
        "it ends at 4, behind the result's 3",
    );
    let dims = MinMax {
        input_1_dims: [1, 3, 1, 1].into(),
        input_2_dims: [1, 3, 2, 4].into(),
        output_dims: [1, 3, 2, 4].into(),
    };
    fails(
        &program(Function::MaximumS8, dims),
        Build::Dsp,
        "[1, 3, 1, 1] with [1, 3, 2, 4]: the library skips every other row",
    );
}

#[test]
fn rows_of_a_softmax_and_windows_of_a_pool() {
    let softmax = |row_size, diff_min| Softmax {
        num_rows: 1,
        row_size,
        mult: 1 << 30,
        shift: 20,
        diff_min,
    };
    passes(&program(Function::SoftmaxS8, softmax(4095, 1)), Build::Dsp);
    fails(
        &program(Function::SoftmaxS8, softmax(4096, 0)),
        Build::Dsp,
        "rows of 4096; they have 1 to 4095 elements",
    );
    fails(
        &program(Function::SoftmaxU8, softmax(4, 1)),
        Build::Dsp,
        "diff_min is 1; without an exponential there is no sum",
    );
    let pool = |output| Pool {
        pool_params: PoolParams {
            stride: tile(2, 2),
            padding: tile(1, 1),
            activation: RANGE,
        },
        input_dims: [1, 4, 4, 3].into(),
        filter_dims: [1, 2, 2, 3].into(),
        output_dims: [1, 3, output, 3].into(),
    };
    passes(&program(Function::AvgpoolS8, pool(3)), Build::Dsp);
    assert!(
        faults(&program(Function::AvgpoolS8, pool(4)), Build::Dsp)[0]
            .starts_with("along the width a window of 2 lies outside")
    );
    let whole = |side: i32| Pool {
        pool_params: PoolParams {
            stride: tile(1, 1),
            padding: tile(0, 0),
            activation: RANGE,
        },
        input_dims: [1, side, side, 1].into(),
        filter_dims: [1, side, side, 1].into(),
        output_dims: [1, 1, 1, 1].into(),
    };
    passes(&program(Function::AvgpoolS16, whole(181)), Build::Dsp);
    fails(
        &program(Function::AvgpoolS16, whole(182)),
        Build::Dsp,
        "a sum of 33124 elements exceeds 32 bits",
    );
}
