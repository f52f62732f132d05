//! How many products of data a call adds up or gives: the usual measure of its work.

use super::float_parameters::{FloatConv, FloatMatmul};
use super::parameters::{BatchMatmul, Lstm, Parameters, Svdf};
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
    /// The multiplications of data by weights or by data. Elements of a window that lie in padding count, as in published figures;
    /// factors of quantisation do not.
    pub fn multiplications(&self) -> u64 {
        match &self.parameters {
            Parameters::Conv(of) => {
                let filter = &of.filter_dims;
                elements(&of.output_dims).saturating_mul(product(&[filter.h, filter.w, filter.c]))
            }
            Parameters::Depthwise(of) => {
                let filter = &of.filter_dims;
                elements(&of.output_dims).saturating_mul(product(&[filter.h, filter.w]))
            }
            Parameters::TransposeConv(of) => {
                let filter = &of.filter_dims;
                elements(&of.input_dims).saturating_mul(product(&[filter.n, filter.h, filter.w]))
            }
            Parameters::FullyConnected(of) => {
                product(&[of.output_dims.n, of.filter_dims.n, of.filter_dims.c])
            }
            Parameters::BatchMatmul(of) => of_matrices(of),
            Parameters::Mul(of) => product(&[of.block_size]),
            Parameters::Broadcast(of) if self.is_product() => of.strides.elements() as u64,
            Parameters::Resize(of) => {
                let taps = product(&[of.row_taps, of.column_taps.saturating_add(1)]);
                elements(&of.output_dims).saturating_mul(taps)
            }
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

fn of_matrices(of: &BatchMatmul) -> u64 {
    elements(&of.output_dims).saturating_mul(product(&[of.input_lhs_dims.c]))
}

fn of_float_matrices(of: &FloatMatmul) -> u64 {
    let m = &of.matrices;
    let one = product(&[m.rows, m.depth, m.columns]);
    one.saturating_mul(of.batches.elements() as u64)
}

/// A window of a transposed convolution meets an input in one of `upscale` places.
fn of_float_windows(of: &FloatConv, function: Function) -> u64 {
    let (filter, upscale) = (&of.filter_dims, &of.convolution.upscale);
    let depth = match function {
        Function::KilnDepthwiseConvF32 => 1,
        _ => filter.c,
    };
    let all = elements(&of.output_dims).saturating_mul(product(&[filter.h, filter.w, depth]));
    all / product(&[upscale.h, upscale.w]).max(1)
}

/// Four gates of input and hidden state, and three products of the cell.
fn of_gates(of: &Lstm) -> u64 {
    let params = &of.params;
    let cells = product(&[params.time_steps, params.batch_size, params.hidden_size]);
    let row = 4 * product(&[params.input_size.saturating_add(params.hidden_size)]) + 3;
    cells.saturating_mul(row)
}

/// Features of the input, and of the steps that are kept.
fn of_features(of: &Svdf) -> u64 {
    let row = of.input_dims.h.saturating_add(of.weights_time_dims.h);
    product(&[of.input_dims.n, of.weights_feature_dims.n, row])
}
