//! The structs of the library (`Include/arm_nn_types.h`), without their pointers to buffers.

use super::value::{Ints, Misread, Parameter, Value, c_structs};

c_structs! {
    /// The sizes of a tensor. A function gives the axes their meaning: the output channels of a filter are its `n`.
    Dims "cmsis_nn_dims" {
        /// Batches, or output channels.
        n: i32,
        /// Height.
        h: i32,
        /// Width.
        w: i32,
        /// Channels.
        c: i32,
    }

    /// A width and a height.
    Tile "cmsis_nn_tile" {
        /// Width.
        w: i32,
        /// Height.
        h: i32,
    }

    /// The range of a result.
    Activation "cmsis_nn_activation" {
        /// The least.
        min: i32,
        /// The greatest.
        max: i32,
    }

    /// Factors by output channel.
    PerChannel "cmsis_nn_per_channel_quant_params" {
        /// Multipliers.
        multiplier: Ints,
        /// Shifts, to the left if positive.
        shift: Ints,
    }

    /// One factor.
    PerTensor "cmsis_nn_per_tensor_quant_params" {
        /// The multiplier.
        multiplier: i32,
        /// The shift, to the left if positive.
        shift: i32,
    }

    /// Factors by output channel, or one.
    QuantParams "cmsis_nn_quant_params" {
        /// Multipliers.
        multiplier: Ints,
        /// Shifts, to the left if positive.
        shift: Ints,
        /// 1 if there is a factor for each output channel, 0 if there is one.
        is_per_channel: i32,
    }

    /// A convolution.
    ConvParams "cmsis_nn_conv_params" {
        /// Less the zero point of the input.
        input_offset: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// From one window to the next.
        stride: Tile,
        /// In front of the input; what lies behind follows from the sizes.
        padding: Tile,
        /// From one element of a window to the next.
        dilation: Tile,
        /// The output's range.
        activation: Activation,
    }

    /// A depthwise convolution.
    DwConvParams "cmsis_nn_dw_conv_params" {
        /// Less the zero point of the input.
        input_offset: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// Output channels for each input channel.
        ch_mult: i32,
        /// From one window to the next.
        stride: Tile,
        /// In front of the input.
        padding: Tile,
        /// From one element of a window to the next.
        dilation: Tile,
        /// The output's range.
        activation: Activation,
    }

    /// A transposed convolution.
    TransposeConvParams "cmsis_nn_transpose_conv_params" {
        /// Less the zero point of the input.
        input_offset: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// From one window of the output to the next.
        stride: Tile,
        /// Cropped in front of the output.
        padding: Tile,
        /// Added behind the output; the sizes have it already.
        padding_offsets: Tile,
        /// 1 in both directions.
        dilation: Tile,
        /// The output's range.
        activation: Activation,
    }

    /// A pool.
    PoolParams "cmsis_nn_pool_params" {
        /// From one window to the next.
        stride: Tile,
        /// In front of the input.
        padding: Tile,
        /// The output's range.
        activation: Activation,
    }

    /// A fully connected layer.
    FcParams "cmsis_nn_fc_params" {
        /// Less the zero point of the input.
        input_offset: i32,
        /// Less the zero point of the filter.
        filter_offset: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// The output's range.
        activation: Activation,
    }

    /// A product of matrices.
    BmmParams "cmsis_nn_bmm_params" {
        /// Not read: the left operand has its rows contiguous.
        adj_x: bool,
        /// Not read: the right operand is transposed.
        adj_y: bool,
        /// As of a fully connected layer.
        fc_params: FcParams,
    }

    /// A transposition.
    TransposeParams "cmsis_nn_transpose_params" {
        /// How many of the dims are used, from `n` on.
        num_dims: i32,
        /// The input's axis for each axis of the output.
        permutations: Permutation,
    }

    /// A layer of singular value decompositions in time.
    SvdfParams "cmsis_nn_svdf_params" {
        /// Features for each unit.
        rank: i32,
        /// The zero point of the input.
        input_offset: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// The range of the state.
        input_activation: Activation,
        /// The output's range.
        output_activation: Activation,
    }

    /// The tables of a softmax of 16 bits: pointers only.
    SoftmaxLuts "cmsis_nn_softmax_lut_s16" {}

    /// The bias of a convolution of 16 bits.
    BiasData "cmsis_nn_bias_data" {
        /// Whether the bias has 32 bits, or 64.
        is_int32_bias: bool,
    }

    /// A gate of an LSTM.
    LstmGate "cmsis_nn_lstm_gate" {
        /// The factor of the input's products.
        input_multiplier: i32,
        /// Its shift.
        input_shift: i32,
        /// The factor of the hidden state's products.
        hidden_multiplier: i32,
        /// Its shift.
        hidden_shift: i32,
        /// What is applied to their sum.
        activation_type: ActivationType,
    }

    /// An LSTM.
    LstmParams "cmsis_nn_lstm_params" {
        /// 1 if time is the first axis, 0 if it is the batch.
        time_major: i32,
        /// Sequences.
        batch_size: i32,
        /// Steps of a sequence.
        time_steps: i32,
        /// Inputs of a step.
        input_size: i32,
        /// Outputs of a step.
        hidden_size: i32,
        /// Not read: the effective biases have it.
        input_offset: i32,
        /// The factor of the forget gate times the cell.
        forget_to_cell_multiplier: i32,
        /// Its shift.
        forget_to_cell_shift: i32,
        /// The factor of the input gate times the cell gate.
        input_to_cell_multiplier: i32,
        /// Its shift.
        input_to_cell_shift: i32,
        /// The greatest size of a cell; 0 for no limit.
        cell_clip: i32,
        /// The cell stands for itself times 2 to this power.
        cell_scale_power: i32,
        /// The factor of the output gate times the cell's tangent.
        output_multiplier: i32,
        /// Its shift.
        output_shift: i32,
        /// The zero point of the output.
        output_offset: i32,
        /// What is kept of the cell.
        forget_gate: LstmGate,
        /// What is taken of the new.
        input_gate: LstmGate,
        /// The new.
        cell_gate: LstmGate,
        /// What is shown of the cell.
        output_gate: LstmGate,
    }

    /// The memory of an LSTM: pointers only.
    LstmContext "cmsis_nn_lstm_context" {}
}

/// The axes of a transposition: unsigned in C.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation(pub Vec<i32>);

impl Parameter for Permutation {
    fn value(&self) -> Value {
        Value::Array("uint32_t", self.0.as_slice().into())
    }

    fn of(value: &Value) -> Result<Permutation, Misread> {
        Parameter::of(value).map(|ints: Ints| Permutation(ints.to_vec()))
    }
}

/// The function of a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivationType {
    /// `ARM_SIGMOID`.
    #[default]
    Sigmoid,
    /// `ARM_TANH`.
    Tanh,
}

impl Parameter for ActivationType {
    fn value(&self) -> Value {
        let name = match self {
            ActivationType::Sigmoid => "ARM_SIGMOID",
            ActivationType::Tanh => "ARM_TANH",
        };
        Value::Enumerator(name, *self as i64)
    }

    fn of(value: &Value) -> Result<ActivationType, Misread> {
        match value {
            Value::Int(0) | Value::Enumerator(_, 0) => Ok(ActivationType::Sigmoid),
            Value::Int(1) | Value::Enumerator(_, 1) => Ok(ActivationType::Tanh),
            _ => Err(Misread::new(format!("{value} is no activation"))),
        }
    }
}

impl Dims {
    /// The sizes in the order of memory.
    pub fn sizes(&self) -> [usize; 4] {
        [self.n, self.h, self.w, self.c].map(|size| usize::try_from(size).unwrap_or(0))
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.sizes().iter().product()
    }
}

impl From<[i32; 4]> for Dims {
    fn from([n, h, w, c]: [i32; 4]) -> Dims {
        Dims { n, h, w, c }
    }
}
