//! What the stock kernels compute otherwise than PyTorch's ops: the builtin runtime does as they do, so that it predicts the
//! device.
//!
//! Each function here repeats the arithmetic of one kernel of ExecuTorch 1.5.1 (`kernels/portable/cpu`, and
//! `kernels/optimized/cpu` where that has the kernel): the order of its steps, and the type that each step rounds to. The wheel's
//! libraries for x86 fuse no multiplication with an addition; a compiler for another machine may, which changes last bits.

mod arguments;
mod convolution;
mod distance;
mod elementwise;
mod fold;
mod index;
mod norm;
mod pool;
mod quantise;
mod resize;
mod rounding;
mod sample;

pub(super) use arguments::Arguments;
pub(super) use quantise::operands;

use super::error::Fault;
use kiln_eval::Tensor;

/// The results of the stock kernel; `None` where ATen's op gives the same.
pub(super) fn results(key: &str, call: &Arguments<'_, '_>) -> Result<Option<Vec<Tensor>>, Fault> {
    match key {
        "aten::abs.out" => elementwise::abs(call),
        "aten::leaky_relu.out" => elementwise::leaky_relu(call),
        "aten::pow.Tensor_Scalar_out" => elementwise::power(call),
        "aten::div.out_mode" | "aten::div.Scalar_mode_out" => elementwise::divide(call),
        "aten::div.Scalar_out" => elementwise::divide_by_number(call),
        "aten::fmod.Tensor_out" | "aten::fmod.Scalar_out" => elementwise::fmod(call),
        "aten::remainder.Tensor_out" | "aten::remainder.Scalar_out" => elementwise::remainder(call),
        "aten::sum.IntList_out" => fold::sum(call),
        "aten::mean.out" => fold::mean(call),
        "aten::prod.int_out" => fold::product(call),
        "aten::cumsum.out" => fold::running_sum(call),
        "aten::native_layer_norm.out" => norm::layer(call),
        "aten::_native_batch_norm_legit_no_training.out" => norm::batch(call),
        "aten::native_group_norm.out" => norm::group(call),
        "aten::max_pool2d_with_indices.out" => pool::greatest(call),
        "aten::avg_pool2d.out" => pool::average(call),
        "aten::_adaptive_avg_pool2d.out" => pool::adaptive_average(call),
        "aten::convolution.out" => convolution::convolution(call),
        "aten::_cdist_forward.out" => distance::distances(call),
        "aten::grid_sampler_2d.out" => sample::samples(call),
        "aten::upsample_bilinear2d.vec_out" => resize::bilinear(call),
        "aten::gather.out" | "aten::scatter.src_out" | "aten::scatter_add.out" => {
            index::check_along_axis(call).map(|()| None)
        }
        "aten::index_put_" => index::check_list(call).map(|()| None),
        _ => Ok(None),
    }
}
