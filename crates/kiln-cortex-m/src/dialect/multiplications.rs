//! How many multiplications of data a call makes: the usual measure of its work.

use super::float_parameters::{FloatConv, FloatMatmul};
use super::parameters::{
    BatchMatmul, FullyConnected, Lstm, Parameters, Resize, Svdf, TransposeConv,
};
use super::program::{Call, Program};
use super::structs::Dims;
use super::table::Function;

fn product(sizes: &[i32]) -> u64 {
    let sizes = sizes.iter().map(|&size| u64::try_from(size).unwrap_or(0));
    sizes.fold(1, u64::saturating_mul)
}

fn elements(dims: &Dims) -> u64 {
    product(&[dims.n, dims.h, dims.w, dims.c])
}

impl Call {
    /// The multiplications of data by weights or by data. As in published figures, elements of a window that lie in padding
    /// count. Requantisation does not.
    pub fn multiplications(&self) -> u64 {
        match &self.parameters {
            Parameters::Conv(of) => of_windows(&of.output_dims, &of.filter_dims, of.filter_dims.c),
            Parameters::Depthwise(of) => of_windows(&of.output_dims, &of.filter_dims, 1),
            Parameters::TransposeConv(of) => of_spread(of),
            Parameters::FullyConnected(of) => of_layer(of),
            Parameters::BatchMatmul(of) => of_matrices(of),
            Parameters::Mul(of) => product(&[of.block_size]),
            Parameters::Broadcast(of) if self.is_product() => of.strides.elements() as u64,
            Parameters::Resize(of) => of_neighbours(of),
            Parameters::Lstm(of) => of_gates(of),
            Parameters::Svdf(of) => of_features(of),
            Parameters::Pairs(of) if self.is_product() => of.strides.elements() as u64,
            Parameters::FloatMatmul(of) => of_float_matrices(of),
            Parameters::FloatConv(of) => of_float_windows(of, self.function),
            Parameters::VectorSum(_)
            | Parameters::Add(_)
            | Parameters::MinMax(_)
            | Parameters::Pool(_)
            | Parameters::Softmax(_)
            | Parameters::SoftmaxTable(_)
            | Parameters::Relu(_)
            | Parameters::Gate(_)
            | Parameters::Pad(_)
            | Parameters::Transpose(_)
            | Parameters::Concat(_)
            | Parameters::Reshape(_)
            | Parameters::Requantise(_)
            | Parameters::Table(_)
            | Parameters::Broadcast(_)
            | Parameters::BroadcastMinMax(_)
            | Parameters::AxisSum(_)
            | Parameters::AxisMean(_)
            | Parameters::AxisArgmax(_)
            | Parameters::AxisSoftmax(_)
            | Parameters::CountedPool(_)
            | Parameters::DilatedPool(_)
            | Parameters::Copy(_)
            | Parameters::Border(_)
            | Parameters::Gather(_)
            | Parameters::GatherElements(_)
            | Parameters::Map(_)
            | Parameters::Clamp(_)
            | Parameters::LeakyRelu(_)
            | Parameters::Elu(_)
            | Parameters::Softplus(_)
            | Parameters::Pairs(_)
            | Parameters::Compare(_)
            | Parameters::Select(_)
            | Parameters::Integers(_)
            | Parameters::Scatter(_)
            | Parameters::Cast(_)
            | Parameters::Quantise(_)
            | Parameters::Dequantise(_)
            | Parameters::FloatMaxPool(_)
            | Parameters::FloatAvgPool(_)
            | Parameters::AxisReduce(_)
            | Parameters::Norm(_)
            | Parameters::TopK(_) => 0,
        }
    }

    fn is_product(&self) -> bool {
        matches!(
            self.function,
            Function::KilnMulS8 | Function::KilnMulS16 | Function::KilnMulF32
        )
    }
}

impl Program {
    /// The multiplications of all calls.
    pub fn multiplications(&self) -> u64 {
        let calls = self.calls.iter().map(Call::multiplications);
        calls.fold(0, u64::saturating_add)
    }
}

/// A window for each element, with products along this depth.
fn of_windows(places: &Dims, filter: &Dims, depth: i32) -> u64 {
    elements(places).saturating_mul(product(&[filter.h, filter.w, depth]))
}

/// Each element of the input meets one window of each output channel.
fn of_spread(of: &TransposeConv) -> u64 {
    of_windows(&of.input_dims, &of.filter_dims, of.filter_dims.n)
}

fn of_layer(of: &FullyConnected) -> u64 {
    product(&[of.output_dims.n, of.filter_dims.n, of.filter_dims.c])
}

/// Each neighbour is multiplied by its weight along the width, and each row of them by its weight along the height.
fn of_neighbours(of: &Resize) -> u64 {
    let taps = product(&[of.row_taps, of.column_taps.saturating_add(1)]);
    elements(&of.output_dims).saturating_mul(taps)
}

fn of_matrices(of: &BatchMatmul) -> u64 {
    elements(&of.output_dims).saturating_mul(product(&[of.input_lhs_dims.c]))
}

fn of_float_matrices(of: &FloatMatmul) -> u64 {
    let m = &of.matrices;
    let one = product(&[m.rows, m.depth, m.columns]);
    one.saturating_mul(of.batches.elements() as u64)
}

/// Of `upscale` places of a transposed convolution's window, one meets an element of the input.
fn of_float_windows(of: &FloatConv, function: Function) -> u64 {
    let (filter, upscale) = (&of.filter_dims, &of.convolution.upscale);
    let depth = match function {
        Function::KilnDepthwiseConvF32 => 1,
        _ => filter.c,
    };
    of_windows(&of.output_dims, filter, depth) / product(&[upscale.h, upscale.w]).max(1)
}

/// Four gates with the input and the hidden state, and three products of the cell.
fn of_gates(of: &Lstm) -> u64 {
    let params = &of.params;
    let cells = product(&[params.time_steps, params.batch_size, params.hidden_size]);
    let row = 4 * product(&[params.input_size.saturating_add(params.hidden_size)]) + 3;
    cells.saturating_mul(row)
}

/// The features of the input, and those of the kept time steps.
fn of_features(of: &Svdf) -> u64 {
    let row = of.input_dims.h.saturating_add(of.weights_time_dims.h);
    product(&[of.input_dims.n, of.weights_feature_dims.n, row])
}
