//! Patterns for the rules of `decompose`: ops of each family in all their forms.

mod functions;
mod narrow;
mod rows;
mod windows;

use super::{Plant, plant};
use crate::generate::{Grower, data, normalise, reduce, window};
use kiln_ir::{DType, Dim, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("decompose", "prelu", "none binary.prelu", functions::prelu),
    plant(
        "decompose",
        "activation",
        "none unary.elu unary.plain_elu unary.leaky_relu unary.softplus",
        functions::activation,
    ),
    plant(
        "decompose",
        "adaptive_pool",
        "none adaptive_pool",
        windows::adaptive_pool,
    ),
    plant(
        "decompose",
        "any_all",
        "none reduce.any reduce.all",
        rows::any_all,
    ),
    plant(
        "decompose",
        "attention",
        "none attention",
        normalise::attention,
    ),
    plant("decompose", "conv1d", "none conv.1d", windows::conv1d),
    plant("decompose", "conv3d", "none conv.3d", windows::conv3d),
    plant(
        "decompose",
        "conv_transpose3d",
        "none conv.3d",
        windows::conv_transpose3d,
    ),
    plant(
        "decompose",
        "division",
        "none binary.remainder binary.fmod binary.sub binary.bit_xor",
        functions::division,
    ),
    plant(
        "decompose",
        "cast_to_bool",
        "none cast",
        functions::cast_to_bool,
    ),
    plant(
        "decompose",
        "function",
        "none unary.silu unary.gelu unary.gelu_tanh unary.mish unary.hardswish unary.hardsigmoid unary.log_sigmoid \
         unary.square unary.reciprocal unary.rsqrt unary.expm1 unary.log1p unary.log2 unary.tan unary.sign unary.erfinv",
        functions::function,
    ),
    plant(
        "decompose",
        "grid_sample",
        "none grid_sample",
        windows::grid_sample,
    ),
    plant(
        "decompose",
        "index_put_by_scatter",
        "none index_put",
        rows::index_put,
    ),
    plant(
        "decompose",
        "inverse_function",
        "none unary.asin unary.acos unary.atan unary.sinh unary.cosh unary.asinh unary.acosh unary.atanh binary.atan2",
        functions::inverse,
    ),
    plant("decompose", "linear", "none linear", rows::linear),
    plant("decompose", "matmul", "none matmul", rows::matmul),
    plant("decompose", "distances", "none distances", rows::distances),
    plant("decompose", "normalize", "none normalize", rows::normalize),
    plant(
        "decompose",
        "pad",
        "none pad.reflect pad.replicate pad.circular",
        windows::pad,
    ),
    plant("decompose", "pool1d", "none pool.1d", windows::pool1d),
    plant("decompose", "pool3d", "none pool.3d", windows::pool3d),
    plant(
        "decompose",
        "pool_of_one",
        "none pool",
        windows::pool_of_one,
    ),
    plant("decompose", "power", "none binary.pow", functions::power),
    plant("decompose", "prod", "none reduce.prod", rows::prod),
    plant(
        "decompose",
        "arg_reduce",
        "none arg_reduce.min",
        rows::arg_reduce,
    ),
    plant("decompose", "reduce", "none reduce.mean", rows::reduction),
    plant("decompose", "resize", "none resize", window::resize),
    plant("decompose", "reverse", "none reverse", data::reverse),
    plant("decompose", "scan", "none scan", reduce::scan),
    plant(
        "decompose",
        "scatter_by_comparison",
        "none scatter",
        rows::scatter,
    ),
    plant(
        "decompose",
        "shift_in_range",
        "none binary.shl binary.shr",
        functions::shift,
    ),
    plant(
        "decompose",
        "strided_slice",
        "none slice.strided",
        windows::strided,
    ),
    plant(
        "decompose",
        "slice_update",
        "none slice_update",
        data::slice_update,
    ),
    plant("decompose", "softmax", "none softmax", rows::softmax),
    plant(
        "decompose",
        "softmax_along_last",
        "none softmax.inner",
        rows::softmax_inner,
    ),
    plant("decompose", "sort", "none sort", rows::sort),
    plant("decompose", "top_k", "none top_k", rows::top_k),
    plant(
        "decompose",
        "unbranched_function",
        "prefers unary.softplus unary.mish unary.log_sigmoid unary.atan unary.asinh unary.log1p unary.erf unary.expm1 \
         unary.floor unary.ceil unary.round unary.trunc",
        functions::unbranched,
    ),
    plant(
        "decompose",
        "widen_half",
        "none softmax.f16 unary.f16 reduce.f16 pool.f16",
        narrow::half,
    ),
    plant(
        "decompose",
        "widen_bool",
        "none sort.bool top_k.bool arg_reduce.bool",
        narrow::bools,
    ),
    plant(
        "decompose",
        "widen_bytes",
        "none binary.u8 unary.u8 reduce.u8",
        narrow::bytes,
    ),
];

impl Grower<'_> {
    /// A float value of a dtype that a target may or may not have.
    fn float_of_any_type(&mut self, sizes: &[i64]) -> ValueId {
        use DType::*;
        let dtype = *self.random.pick(&[F32, F32, F32, F32, F16, BF16, F64]);
        self.fresh_of(dtype, sizes)
    }

    fn some_sizes(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.size()).collect()
    }

    /// A size that is known when the program runs.
    pub(in super::super) fn unknown_size(&mut self) -> Dim {
        let name = format!("planted{}", self.symbols.len());
        let symbol = self.symbol(&name);
        self.symbols.push(symbol.clone());
        symbol
    }

    fn plain(&mut self) -> ValueId {
        let rank = 1 + self.random.below(3);
        let sizes = self.some_sizes(rank);
        self.float_of_any_type(&sizes)
    }

    /// An integer value, or a bool value where the op takes bools.
    fn whole(&mut self, dtypes: &[DType]) -> ValueId {
        let rank = 1 + self.random.below(2);
        let sizes = self.some_sizes(rank);
        let dtype = *self.random.pick(dtypes);
        self.fresh_of(dtype, &sizes)
    }
}
