// Registers ExecuTorch's cortex_m kernels with the stock runtime on this machine. build.sh makes a library of this file, of ExecuTorch's
// backends/cortex_m/ops and of CMSIS-NN; LD_PRELOAD gives it to et_run.
#include "cortex_m_ops_common.h"
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>

namespace cortex_m {
namespace native {
using C = KernelRuntimeContext;
using I = Int64ArrayRef;
using O = std::optional<Tensor>;
using T = const Tensor &;
Tensor& quantize_per_tensor_out(C&, T, double, int64_t, int64_t, int64_t, ScalarType, Tensor&);
Tensor& dequantize_per_tensor_out(C&, T, double, int64_t, int64_t, int64_t, ScalarType, Tensor&);
Tensor& quantized_add_out(C&, T, const int64_t, const int64_t, const int64_t, T, const int64_t, const int64_t, const int64_t, const int64_t, const int64_t, const int64_t, const int64_t, const int64_t, Tensor&);
Tensor& quantized_mul_out(C&, T, const int64_t, T, const int64_t, const int64_t, const int64_t, const int64_t, Tensor&);
Tensor& quantized_div_out(C&, T, const int64_t, T, const int64_t, const int64_t, const double, Tensor&);
Tensor& quantized_activation_out(C&, T, T, Tensor&);
Tensor& minimum_out(C&, T, T, Tensor&);
Tensor& maximum_out(C&, T, T, Tensor&);
Tensor& quantized_linear_out(C&, T, T, const O&, const O&, const int64_t, const int64_t, const int64_t, const I, const I, const int64_t, const int64_t, Tensor&);
Tensor& softmax_out(C&, T, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, Tensor&);
Tensor& transpose_out(C&, T, const I, Tensor&);
Tensor& pad_out(C&, T, const I, const I, int64_t, Tensor&);
Tensor& quantized_conv2d_out(C&, T, T, const O&, const I, const I, const I, const int64_t, const int64_t, T, T, const int64_t, const int64_t, T, Tensor&);
Tensor& quantized_depthwise_conv2d_out(C&, T, T, const O&, const I, const I, const I, const int64_t, const int64_t, const int64_t, T, T, const int64_t, const int64_t, T, Tensor&);
Tensor& quantized_transpose_conv2d_out(C&, T, T, const O&, const I, const I, const I, const I, const int64_t, const int64_t, T, T, const int64_t, const int64_t, T, T, Tensor&);
Tensor& quantized_avg_pool2d_out(C&, T, const I, const I, const I, const bool, const int64_t, const int64_t, const int64_t, T, Tensor&);
Tensor& quantized_max_pool2d_out(C&, T, const I, const I, const I, const I, const bool, const int64_t, const int64_t, const int64_t, const int64_t, Tensor&);
Tensor& quantized_batch_matmul_out(C&, T, int64_t, T, int64_t, int64_t, int64_t, int64_t, T, Tensor&);
} // namespace native
} // namespace cortex_m

using namespace cortex_m::native;

// The sources overload these two without a context.
namespace {
Tensor& q_out(KernelRuntimeContext& c, const Tensor& x, double s, int64_t z, int64_t a, int64_t b, ScalarType t, Tensor& o) { return quantize_per_tensor_out(c, x, s, z, a, b, t, o); }
Tensor& dq_out(KernelRuntimeContext& c, const Tensor& x, double s, int64_t z, int64_t a, int64_t b, ScalarType t, Tensor& o) { return dequantize_per_tensor_out(c, x, s, z, a, b, t, o); }
}
EXECUTORCH_LIBRARY(cortex_m, "quantize_per_tensor.out", q_out);
EXECUTORCH_LIBRARY(cortex_m, "dequantize_per_tensor.out", dq_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_add.out", quantized_add_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_mul.out", quantized_mul_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_div.out", quantized_div_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_activation.out", quantized_activation_out);
EXECUTORCH_LIBRARY(cortex_m, "minimum.out", minimum_out);
EXECUTORCH_LIBRARY(cortex_m, "maximum.out", maximum_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_linear.out", quantized_linear_out);
EXECUTORCH_LIBRARY(cortex_m, "softmax.out", softmax_out);
EXECUTORCH_LIBRARY(cortex_m, "transpose.out", transpose_out);
EXECUTORCH_LIBRARY(cortex_m, "pad.out", pad_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_conv2d.out", quantized_conv2d_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_depthwise_conv2d.out", quantized_depthwise_conv2d_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_transpose_conv2d.out", quantized_transpose_conv2d_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_avg_pool2d.out", quantized_avg_pool2d_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_max_pool2d.out", quantized_max_pool2d_out);
EXECUTORCH_LIBRARY(cortex_m, "quantized_batch_matmul.out", quantized_batch_matmul_out);
