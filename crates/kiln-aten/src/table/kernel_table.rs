//! The kernels of the stock runtime (ExecuTorch 1.5.1: the portable, optimised and quantised libraries), and the ops
//! that they compute. The keys and argument names are those of the operator schemas that the runtime registers.

/// A kernel and the op that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The runtime's key: `aten::add.out`.
    pub key: &'static str,
    /// The functional op: `aten.add.Tensor`.
    pub target: &'static str,
    /// The names of the input arguments in order, separated by blanks. The arguments that take results are not among
    /// them.
    inputs: &'static str,
    /// The number of arguments behind the inputs that take results.
    pub outs: usize,
}

impl Kernel {
    pub(crate) const fn new(
        key: &'static str,
        target: &'static str,
        inputs: &'static str,
        outs: usize,
    ) -> Kernel {
        Kernel {
            key,
            target,
            inputs,
            outs,
        }
    }

    /// The names of the input arguments, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &'static str> {
        self.inputs.split_whitespace()
    }

    /// True if the kernel writes its result to its first argument (`aten::copy_`).
    pub fn writes_first(&self) -> bool {
        let name = self.key.split("::").nth(1).unwrap_or(self.key);
        name.split('.').next().is_some_and(|n| n.ends_with('_'))
    }
}

/// Expands lines of `key op "inputs" outs` to rows, one for each kernel.
macro_rules! kernels {
    ($($key:literal $target:literal $inputs:literal $outs:literal)*) => {
        &[$(Kernel::new($key, $target, $inputs, $outs)),*]
    };
}

/// The rows, sorted by key.
pub(crate) const KERNELS: &[Kernel] = kernels! {
    "aten::_adaptive_avg_pool2d.out" "aten._adaptive_avg_pool2d.default" "self output_size" 1
    "aten::_cdist_forward.out" "aten._cdist_forward.default" "x1 x2 p compute_mode" 1
    "aten::_conj_physical.out" "aten.conj.default" "self" 1
    "aten::_local_scalar_dense" "aten._local_scalar_dense.default" "self" 0
    "aten::_log_softmax.out" "aten._log_softmax.default" "self dim half_to_float" 1
    "aten::_native_batch_norm_legit.no_stats_out" "aten._native_batch_norm_legit.no_stats" "input weight bias training momentum eps" 3
    "aten::_native_batch_norm_legit.out" "aten._native_batch_norm_legit.default" "input weight bias running_mean running_var training momentum eps" 3
    "aten::_native_batch_norm_legit_no_training.out" "aten._native_batch_norm_legit_no_training.default" "input weight bias running_mean running_var momentum eps" 3
    "aten::_pdist_forward.out" "aten._pdist_forward.default" "self p" 1
    "aten::_softmax.out" "aten._softmax.default" "self dim half_to_float" 1
    "aten::_to_copy.out" "aten._to_copy.default" "self non_blocking memory_format" 1
    "aten::_upsample_bilinear2d_aa.out" "aten._upsample_bilinear2d_aa.default" "self output_size align_corners scales_h scales_w" 1
    "aten::abs.out" "aten.abs.default" "self" 1
    "aten::acos.out" "aten.acos.default" "self" 1
    "aten::acosh.out" "aten.acosh.default" "self" 1
    "aten::add.Scalar_out" "aten.add.Scalar" "self other alpha" 1
    "aten::add.out" "aten.add.Tensor" "self other alpha" 1
    "aten::addmm.out" "aten.addmm.default" "self mat1 mat2 beta alpha" 1
    "aten::alias_copy.out" "aten.alias.default" "self" 1
    "aten::amax.out" "aten.amax.default" "self dim keepdim" 1
    "aten::amin.out" "aten.amin.default" "self dim keepdim" 1
    "aten::any.all_out" "aten.any.default" "self" 1
    "aten::any.dims_out" "aten.any.dims" "self dim keepdim" 1
    "aten::any.out" "aten.any.dim" "self dim keepdim" 1
    "aten::arange.out" "aten.arange.default" "end" 1
    "aten::arange.start_out" "aten.arange.start_step" "start end step" 1
    "aten::argmax.out" "aten.argmax.default" "self dim keepdim" 1
    "aten::argmin.out" "aten.argmin.default" "self dim keepdim" 1
    "aten::as_strided_copy.out" "aten.as_strided.default" "self size stride storage_offset" 1
    "aten::asin.out" "aten.asin.default" "self" 1
    "aten::asinh.out" "aten.asinh.default" "self" 1
    "aten::atan.out" "aten.atan.default" "self" 1
    "aten::atan2.out" "aten.atan2.default" "self other" 1
    "aten::atanh.out" "aten.atanh.default" "self" 1
    "aten::avg_pool2d.out" "aten.avg_pool2d.default" "self kernel_size stride padding ceil_mode count_include_pad divisor_override" 1
    "aten::bitwise_and.Scalar_out" "aten.bitwise_and.Scalar" "self other" 1
    "aten::bitwise_and.Tensor_out" "aten.bitwise_and.Tensor" "self other" 1
    "aten::bitwise_left_shift.Tensor_Scalar_out" "aten.bitwise_left_shift.Tensor_Scalar" "self other" 1
    "aten::bitwise_left_shift.Tensor_out" "aten.bitwise_left_shift.Tensor" "self other" 1
    "aten::bitwise_not.out" "aten.bitwise_not.default" "self" 1
    "aten::bitwise_or.Scalar_out" "aten.bitwise_or.Scalar" "self other" 1
    "aten::bitwise_or.Tensor_out" "aten.bitwise_or.Tensor" "self other" 1
    "aten::bitwise_right_shift.Tensor_Scalar_out" "aten.bitwise_right_shift.Tensor_Scalar" "self other" 1
    "aten::bitwise_right_shift.Tensor_out" "aten.bitwise_right_shift.Tensor" "self other" 1
    "aten::bitwise_xor.Scalar_out" "aten.bitwise_xor.Scalar" "self other" 1
    "aten::bitwise_xor.Tensor_out" "aten.bitwise_xor.Tensor" "self other" 1
    "aten::bmm.out" "aten.bmm.default" "self mat2" 1
    "aten::cat.out" "aten.cat.default" "tensors dim" 1
    "aten::ceil.out" "aten.ceil.default" "self" 1
    "aten::clamp.Tensor_out" "aten.clamp.Tensor" "self min max" 1
    "aten::clamp.out" "aten.clamp.default" "self min max" 1
    "aten::clone.out" "aten.clone.default" "self memory_format" 1
    "aten::constant_pad_nd.out" "aten.constant_pad_nd.default" "self pad value" 1
    "aten::convolution.out" "aten.convolution.default" "input weight bias stride padding dilation transposed output_padding groups" 1
    "aten::copy.out" "aten.copy.default" "self src non_blocking" 1
    "aten::copy_" "aten.copy.default" "self src non_blocking" 0
    "aten::cos.out" "aten.cos.default" "self" 1
    "aten::cosh.out" "aten.cosh.default" "self" 1
    "aten::cumsum.out" "aten.cumsum.default" "self dim dtype" 1
    "aten::detach_copy.out" "aten.detach.default" "self" 1
    "aten::diagonal_copy.out" "aten.diagonal.default" "self offset dim1 dim2" 1
    "aten::div.Scalar_mode_out" "aten.div.Scalar_mode" "self other rounding_mode" 1
    "aten::div.Scalar_out" "aten.div.Scalar" "self other" 1
    "aten::div.out" "aten.div.Tensor" "self other" 1
    "aten::div.out_mode" "aten.div.Tensor_mode" "self other rounding_mode" 1
    "aten::elu.out" "aten.elu.default" "self alpha scale input_scale" 1
    "aten::embedding.out" "aten.embedding.default" "weight indices padding_idx scale_grad_by_freq sparse" 1
    "aten::empty.out" "aten.empty.memory_format" "size memory_format" 1
    "aten::eq.Scalar_out" "aten.eq.Scalar" "self other" 1
    "aten::eq.Tensor_out" "aten.eq.Tensor" "self other" 1
    "aten::erf.out" "aten.erf.default" "self" 1
    "aten::exp.out" "aten.exp.default" "self" 1
    "aten::expand_copy.out" "aten.expand.default" "self size implicit" 1
    "aten::expm1.out" "aten.expm1.default" "self" 1
    "aten::fill.Scalar_out" "aten.fill.Scalar" "self value" 1
    "aten::fill.Tensor_out" "aten.fill.Tensor" "self value" 1
    "aten::flip.out" "aten.flip.default" "self dims" 1
    "aten::floor.out" "aten.floor.default" "self" 1
    "aten::floor_divide.out" "aten.floor_divide.default" "self other" 1
    "aten::fmod.Scalar_out" "aten.fmod.Scalar" "self other" 1
    "aten::fmod.Tensor_out" "aten.fmod.Tensor" "self other" 1
    "aten::full.out" "aten.full.default" "size fill_value" 1
    "aten::full_like.out" "aten.full_like.default" "self fill_value memory_format" 1
    "aten::gather.out" "aten.gather.default" "self dim index sparse_grad" 1
    "aten::ge.Scalar_out" "aten.ge.Scalar" "self other" 1
    "aten::ge.Tensor_out" "aten.ge.Tensor" "self other" 1
    "aten::gelu.out" "aten.gelu.default" "self approximate" 1
    "aten::glu.out" "aten.glu.default" "self dim" 1
    "aten::grid_sampler_2d.out" "aten.grid_sampler_2d.default" "input grid interpolation_mode padding_mode align_corners" 1
    "aten::gt.Scalar_out" "aten.gt.Scalar" "self other" 1
    "aten::gt.Tensor_out" "aten.gt.Tensor" "self other" 1
    "aten::hardtanh.out" "aten.hardtanh.default" "self min_val max_val" 1
    "aten::index.Tensor_out" "aten.index.Tensor" "self indices" 1
    "aten::index_put.out" "aten.index_put.default" "self indices values accumulate" 1
    "aten::index_put_" "aten.index_put.default" "self indices values accumulate" 0
    "aten::index_select.out" "aten.index_select.default" "self dim index" 1
    "aten::isinf.out" "aten.isinf.default" "self" 1
    "aten::isnan.out" "aten.isnan.default" "self" 1
    "aten::le.Scalar_out" "aten.le.Scalar" "self other" 1
    "aten::le.Tensor_out" "aten.le.Tensor" "self other" 1
    "aten::leaky_relu.out" "aten.leaky_relu.default" "self negative_slope" 1
    "aten::lift_fresh_copy.out" "aten.lift_fresh.default" "self" 1
    "aten::linear.out" "aten.linear.default" "input weight bias" 1
    "aten::log.out" "aten.log.default" "self" 1
    "aten::log10.out" "aten.log10.default" "self" 1
    "aten::log1p.out" "aten.log1p.default" "self" 1
    "aten::log2.out" "aten.log2.default" "self" 1
    "aten::logical_and.out" "aten.logical_and.default" "self other" 1
    "aten::logical_not.out" "aten.logical_not.default" "self" 1
    "aten::logical_or.out" "aten.logical_or.default" "self other" 1
    "aten::logical_xor.out" "aten.logical_xor.default" "self other" 1
    "aten::logit.out" "aten.logit.default" "self eps" 1
    "aten::lt.Scalar_out" "aten.lt.Scalar" "self other" 1
    "aten::lt.Tensor_out" "aten.lt.Tensor" "self other" 1
    "aten::masked_fill.Scalar_out" "aten.masked_fill.Scalar" "self mask value" 1
    "aten::masked_scatter.out" "aten.masked_scatter.default" "self mask source" 1
    "aten::masked_select.out" "aten.masked_select.default" "self mask" 1
    "aten::max.dim_max" "aten.max.dim" "self dim keepdim" 2
    "aten::max.unary_out" "aten.max.default" "self" 1
    "aten::max_pool2d_with_indices.out" "aten.max_pool2d_with_indices.default" "self kernel_size stride padding dilation ceil_mode" 2
    "aten::maximum.out" "aten.maximum.default" "self other" 1
    "aten::mean.dtype_out" "aten.mean.default" "self dtype" 1
    "aten::mean.out" "aten.mean.dim" "self dim keepdim dtype" 1
    "aten::min.dim_min" "aten.min.dim" "self dim keepdim" 2
    "aten::min.unary_out" "aten.min.default" "self" 1
    "aten::minimum.out" "aten.minimum.default" "self other" 1
    "aten::mm.out" "aten.mm.default" "self mat2" 1
    "aten::mul.Scalar_out" "aten.mul.Scalar" "self other" 1
    "aten::mul.out" "aten.mul.Tensor" "self other" 1
    "aten::narrow_copy.out" "aten.narrow.default" "self dim start length" 1
    "aten::native_dropout.out" "aten.native_dropout.default" "input p train" 2
    "aten::native_group_norm.out" "aten.native_group_norm.default" "input weight bias N C HxW group eps" 3
    "aten::native_layer_norm.out" "aten.native_layer_norm.default" "input normalized_shape weight bias eps" 3
    "aten::ne.Scalar_out" "aten.ne.Scalar" "self other" 1
    "aten::ne.Tensor_out" "aten.ne.Tensor" "self other" 1
    "aten::neg.out" "aten.neg.default" "self" 1
    "aten::nonzero.out" "aten.nonzero.default" "self" 1
    "aten::ones.out" "aten.ones.default" "size" 1
    "aten::permute_copy.out" "aten.permute.default" "self dims" 1
    "aten::pixel_shuffle.out" "aten.pixel_shuffle.default" "self upscale_factor" 1
    "aten::pixel_unshuffle.out" "aten.pixel_unshuffle.default" "self downscale_factor" 1
    "aten::pow.Scalar_out" "aten.pow.Scalar" "self exponent" 1
    "aten::pow.Tensor_Scalar_out" "aten.pow.Tensor_Scalar" "self exponent" 1
    "aten::pow.Tensor_Tensor_out" "aten.pow.Tensor_Tensor" "self exponent" 1
    "aten::prod.int_out" "aten.prod.dim_int" "self dim keepdim dtype" 1
    "aten::prod.out" "aten.prod.default" "self dtype" 1
    "aten::rand.out" "aten.rand.default" "size" 1
    "aten::randn.out" "aten.randn.default" "size" 1
    "aten::reciprocal.out" "aten.reciprocal.default" "self" 1
    "aten::reflection_pad1d.out" "aten.reflection_pad1d.default" "self padding" 1
    "aten::reflection_pad2d.out" "aten.reflection_pad2d.default" "self padding" 1
    "aten::reflection_pad3d.out" "aten.reflection_pad3d.default" "self padding" 1
    "aten::relu.out" "aten.relu.default" "self" 1
    "aten::remainder.Scalar_out" "aten.remainder.Scalar" "self other" 1
    "aten::remainder.Tensor_out" "aten.remainder.Tensor" "self other" 1
    "aten::repeat.out" "aten.repeat.default" "self repeats" 1
    "aten::repeat_interleave.Tensor_out" "aten.repeat_interleave.Tensor" "repeats output_size" 1
    "aten::replication_pad1d.out" "aten.replication_pad1d.default" "self padding" 1
    "aten::replication_pad2d.out" "aten.replication_pad2d.default" "self padding" 1
    "aten::replication_pad3d.out" "aten.replication_pad3d.default" "self padding" 1
    "aten::roll.out" "aten.roll.default" "self shifts dims" 1
    "aten::round.out" "aten.round.default" "self" 1
    "aten::rsqrt.out" "aten.rsqrt.default" "self" 1
    "aten::rsub.Scalar_out" "aten.rsub.Scalar" "self other alpha" 1
    "aten::scalar_tensor.out" "aten.scalar_tensor.default" "s" 1
    "aten::scatter.src_out" "aten.scatter.src" "self dim index src" 1
    "aten::scatter.value_out" "aten.scatter.value" "self dim index value" 1
    "aten::scatter_add.out" "aten.scatter_add.default" "self dim index src" 1
    "aten::select_copy.int_out" "aten.select.int" "self dim index" 1
    "aten::select_scatter.out" "aten.select_scatter.default" "self src dim index" 1
    "aten::sigmoid.out" "aten.sigmoid.default" "self" 1
    "aten::sign.out" "aten.sign.default" "self" 1
    "aten::sin.out" "aten.sin.default" "self" 1
    "aten::sinh.out" "aten.sinh.default" "self" 1
    "aten::slice_copy.Tensor_out" "aten.slice.Tensor" "self dim start end step" 1
    "aten::slice_scatter.out" "aten.slice_scatter.default" "self src dim start end step" 1
    "aten::split_copy.Tensor_out" "aten.split.Tensor" "self split_size dim" 1
    "aten::split_with_sizes_copy.out" "aten.split_with_sizes.default" "self split_sizes dim" 1
    "aten::sqrt.out" "aten.sqrt.default" "self" 1
    "aten::squeeze_copy.dim_out" "aten.squeeze.dim" "self dim" 1
    "aten::squeeze_copy.dims_out" "aten.squeeze.dims" "self dim" 1
    "aten::stack.out" "aten.stack.default" "tensors dim" 1
    "aten::sub.Scalar_out" "aten.sub.Scalar" "self other alpha" 1
    "aten::sub.out" "aten.sub.Tensor" "self other alpha" 1
    "aten::sum.IntList_out" "aten.sum.dim_IntList" "self dim keepdim dtype" 1
    "aten::sym_numel" "aten.sym_numel.default" "self" 0
    "aten::sym_size.int" "aten.sym_size.int" "self dim" 0
    "aten::t_copy.out" "aten.t.default" "self" 1
    "aten::tan.out" "aten.tan.default" "self" 1
    "aten::tanh.out" "aten.tanh.default" "self" 1
    "aten::topk.values" "aten.topk.default" "self k dim largest sorted" 2
    "aten::transpose_copy.int_out" "aten.transpose.int" "self dim0 dim1" 1
    "aten::tril.out" "aten.tril.default" "self diagonal" 1
    "aten::trunc.out" "aten.trunc.default" "self" 1
    "aten::unbind_copy.int_out" "aten.unbind.int" "self dim" 1
    "aten::unfold_copy.out" "aten.unfold.default" "self dimension size step" 1
    "aten::unsqueeze_copy.out" "aten.unsqueeze.default" "self dim" 1
    "aten::upsample_bilinear2d.vec_out" "aten.upsample_bilinear2d.vec" "input output_size align_corners scale_factors" 1
    "aten::upsample_nearest2d.vec_out" "aten.upsample_nearest2d.vec" "input output_size scale_factors" 1
    "aten::var.correction_out" "aten.var.correction" "self dim correction keepdim" 1
    "aten::var.out" "aten.var.dim" "self dim unbiased keepdim" 1
    "aten::var_mean.correction_out" "aten.var_mean.correction" "self dim correction keepdim" 2
    "aten::view_copy.out" "aten.view.default" "self size" 1
    "aten::where.self_out" "aten.where.self" "condition self other" 1
    "aten::zeros.out" "aten.zeros.default" "size" 1
    "dim_order_ops::_clone_dim_order.out" "dim_order_ops._clone_dim_order.default" "self non_blocking dim_order" 1
    "dim_order_ops::_empty_dim_order.out" "dim_order_ops._empty_dim_order.default" "size dim_order" 1
    "dim_order_ops::_to_dim_order_copy.out" "dim_order_ops._to_dim_order_copy.default" "self non_blocking dim_order" 1
    "et_copy::_d2h_copy.out" "aten.clone.default" "self" 1
    "et_copy::_h2d_copy.out" "aten.clone.default" "self" 1
    "quantized_decomposed::add.out" "quantized_decomposed.add.default" "a a_scale a_zero_point a_quant_min a_quant_max b b_scale b_zero_point b_quant_min b_quant_max out_scale out_zero_point out_quant_min out_quant_max" 1
    "quantized_decomposed::choose_qparams.Tensor_out" "quantized_decomposed.choose_qparams.tensor" "input quant_min quant_max eps dtype" 2
    "quantized_decomposed::choose_qparams_per_token_asymmetric.out" "quantized_decomposed.choose_qparams_per_token_asymmetric.default" "input dtype" 2
    "quantized_decomposed::dequantize_per_channel.out" "quantized_decomposed.dequantize_per_channel.default" "input scales zero_points axis quant_min quant_max dtype out_dtype" 1
    "quantized_decomposed::dequantize_per_tensor.Tensor_out" "quantized_decomposed.dequantize_per_tensor.tensor" "input scale zero_point quant_min quant_max dtype out_dtype" 1
    "quantized_decomposed::dequantize_per_tensor.out" "quantized_decomposed.dequantize_per_tensor.default" "input scale zero_point quant_min quant_max dtype out_dtype" 1
    "quantized_decomposed::dequantize_per_token.out" "quantized_decomposed.dequantize_per_token.default" "input scales zero_points quant_min quant_max dtype output_dtype" 1
    "quantized_decomposed::embedding_2bit.dtype_out" "quantized_decomposed.embedding_2bit.dtype" "weight weight_scales weight_zero_points weight_quant_min weight_quant_max indices dtype" 1
    "quantized_decomposed::embedding_2bit.out" "quantized_decomposed.embedding_2bit.default" "weight weight_scales weight_zero_points weight_quant_min weight_quant_max indices" 1
    "quantized_decomposed::embedding_4bit.dtype_out" "quantized_decomposed.embedding_4bit.dtype" "weight weight_scales weight_zero_points weight_quant_min weight_quant_max indices dtype" 1
    "quantized_decomposed::embedding_4bit.out" "quantized_decomposed.embedding_4bit.default" "weight weight_scales weight_zero_points weight_quant_min weight_quant_max indices" 1
    "quantized_decomposed::embedding_byte.dtype_out" "quantized_decomposed.embedding_byte.dtype" "weight weight_scales weight_zero_points weight_quant_min weight_quant_max indices dtype" 1
    "quantized_decomposed::embedding_byte.out" "quantized_decomposed.embedding_byte.default" "weight weight_scales weight_zero_points weight_quant_min weight_quant_max indices" 1
    "quantized_decomposed::mixed_linear.out" "quantized_decomposed.mixed_linear.default" "input weight weight_scales weight_zero_points dtype" 1
    "quantized_decomposed::mixed_mm.out" "quantized_decomposed.mixed_mm.default" "input weight weight_scales weight_zero_points" 1
    "quantized_decomposed::quantize_per_channel.out" "quantized_decomposed.quantize_per_channel.default" "input scales zero_points axis quant_min quant_max dtype" 1
    "quantized_decomposed::quantize_per_tensor.Tensor_out" "quantized_decomposed.quantize_per_tensor.tensor" "input scale zero_point quant_min quant_max dtype" 1
    "quantized_decomposed::quantize_per_tensor.out" "quantized_decomposed.quantize_per_tensor.default" "input scale zero_point quant_min quant_max dtype" 1
    "quantized_decomposed::quantize_per_token.out" "quantized_decomposed.quantize_per_token.default" "input scales zero_points quant_min quant_max dtype" 1
};
