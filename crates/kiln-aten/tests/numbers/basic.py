"""Elementwise ops and promotion, creation, movement, slicing, contractions, windows, norms, indexing, folds."""

from lines import Sym, T, case, inf, nan, r, torch

DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]


def promotion():
    for a in DTYPES:
        x = T([1, 0, 3]).to(a)
        for b in DTYPES:
            case("aten.add.Tensor", self=x, other=T([2, 1, 0]).to(b))
            case("aten.mul.Tensor", self=x, other=T(2).to(b))
        for number in (True, 2, 2.5):
            case("aten.add.Tensor", self=x, other=number)
            case("aten.mul.Tensor", self=x, other=number)
            case("aten.div.Tensor", self=x, other=number)
            case("aten.eq.Scalar", self=x, other=number)
            case("aten.where.ScalarOther", condition=T([True, False, True]), self=x, other=number)
            if a != torch.bool:
                case("aten.clamp.default", self=x, min=number)
                case("aten.pow.Tensor_Scalar", self=x, exponent=number)
        case("aten.sum.default", self=x)
        case("aten.cumsum.default", self=x, dim=0)
        case("aten.prod.dim_int", self=x, dim=0)
        case("aten.sqrt.default", self=x)
        case("aten.any.default", self=x)
        case("aten.all.dim", self=x, dim=0)
    for rounding in (None, "floor", "trunc"):
        for x, y in ((T([7, -7, 7, -7]), T([2, 2, -2, -2])), (T([7.0, -7.0, 0.0, 1.0]), T([2.0, 2.0, -2.0, 0.0]))):
            if rounding is None:
                case("aten.div.Tensor", self=x, other=y)
            else:
                case("aten.div.Tensor_mode", self=x, other=y, rounding_mode=rounding)
    for op in ("remainder", "fmod"):
        for x, y in ((T([7, -7, 7, -7]), T([2, 2, -2, -2])), (T([7.5, -7.5, 0.0]), T([2.0, -2.0, 3.0]))):
            case(f"aten.{op}.Tensor", self=x, other=y)


def unary():
    x = T([-2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 1.5, 2.5, 20.0, inf, -inf, nan])
    for op in ("abs acos asin atan ceil cos cosh erf exp exp2 expm1 floor frac isfinite isinf isnan log log10 log1p log2 logical_not neg reciprocal "
               "relu round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc hardswish hardsigmoid silu mish log_sigmoid softplus celu selu "
               "elu leaky_relu hardtanh hardshrink softshrink nan_to_num deg2rad rad2deg atanh asinh acosh relu6").split():
        case(f"aten.{op}.default", self=x)
    for kind in ("none", "tanh"):
        case("aten.gelu.default", self=x[:-3], approximate=kind)
    case("aten.elu.default", self=x, alpha=0.5, scale=2, input_scale=1.5)
    case("aten.threshold.default", self=x, threshold=0.1, value=20.0)
    case("aten.logit.default", self=T([0.0, 0.2, 1.0]), eps=0.1)
    case("aten.glu.default", self=r(2, 6), dim=1)
    case("aten.prelu.default", self=r(2, 3, 2), weight=T([0.1, 0.2, 0.3]))
    case("aten.prelu.default", self=r(3), weight=T([0.1]))
    case("aten.bitwise_not.default", self=T([1, -2]))
    case("aten.bitwise_not.default", self=T([True, False]))
    case("aten.masked_fill.Scalar", self=r(2, 3), mask=T([True, False, True]), value=-inf)
    case("aten.clamp.Tensor", self=r(2, 3), min=r(3), max=r(2, 1))
    case("aten.lerp.Scalar", self=r(3), end=r(3), weight=0.25)
    case("aten.addcmul.default", self=r(3), tensor1=r(3), tensor2=r(1), value=2.0)
    case("aten.rsub.Scalar", self=r(3), other=1, alpha=2)
    case("aten.sub.Tensor", self=T([5, 6]), other=T([1, 2]), alpha=3)
    case("aten.fmax.default", self=T([nan, 1.0, 2.0]), other=T([0.0, nan, 3.0]))


def creation():
    case("aten.arange.start_step", start=1, end=8, step=3)
    case("aten.arange.start_step", start=5, end=0, step=-2)
    case("aten.arange.start_step", start=0.0, end=1.0, step=0.3)
    case("aten.arange.default", end=4, dtype=torch.float32)
    case("aten.linspace.default", start=0.0, end=1.0, steps=7)
    case("aten.linspace.default", start=3.0, end=-3.0, steps=4)
    case("aten.linspace.default", start=2.0, end=5.0, steps=1)
    case("aten.full.default", size=[2, 1], fill_value=3)
    case("aten.full.default", size=[2], fill_value=1.5)
    case("aten.eye.m", n=2, m=3)
    case("aten.zeros_like.default", self=r(2, 2), dtype=torch.int32)
    case("aten.new_full.default", self=T([1]), size=[3], fill_value=7)
    case("aten.scalar_tensor.default", s=3)


def movement():
    x = r(2, 3, 4)
    case("aten.permute.default", self=x, dims=[2, 0, -2])
    case("aten.transpose.int", self=x, dim0=0, dim1=-1)
    case("aten.view.default", self=x, size=[4, -1])
    case("aten.reshape.default", self=x, shape=[3, 8])
    case("aten.view.default", self=Sym(x, {0: "s"}), size=[-1, 12])
    case("aten.flatten.using_ints", self=x, start_dim=1)
    case("aten.flatten.using_ints", self=T(2.0))
    case("aten.unflatten.int", self=x, dim=2, sizes=[2, -1])
    case("aten.movedim.intlist", self=x, source=[0, 1], destination=[-1, 0])
    case("aten.squeeze.default", self=r(1, 3, 1))
    case("aten.squeeze.dim", self=r(1, 3, 1), dim=1)
    case("aten.squeeze.dims", self=r(1, 3, 1), dim=[0, 2])
    case("aten.unsqueeze.default", self=x, dim=-1)
    case("aten.expand.default", self=r(3, 1), size=[2, -1, 4])
    case("aten.flip.default", self=x, dims=[0, -1])
    case("aten.pixel_shuffle.default", self=r(1, 8, 1, 2), upscale_factor=2)
    case("aten.pixel_unshuffle.default", self=r(1, 2, 4, 2), downscale_factor=2)
    case("aten.channel_shuffle.default", self=r(1, 4, 1, 2), groups=2)
    case("aten.numpy_T.default", self=x)


def parts():
    x = r(4, 5)
    for start, end, step in ((None, None, 1), (1, 3, 1), (-3, -1, 1), (0, 100, 2), (-100, 4, 3), (3, 1, 1), (2, 9223372036854775807, 1)):
        case("aten.slice.Tensor", self=x, dim=0, start=start, end=end, step=step)
        case("aten.slice.Tensor", self=Sym(x, {0: "s"}), dim=0, start=start, end=end, step=step)
    case("aten.select.int", self=x, dim=-1, index=-2)
    case("aten.narrow.default", self=x, dim=1, start=-3, length=2)
    case("aten.split.Tensor", self=x, split_size=3, dim=1)
    case("aten.split_with_sizes.default", self=x, split_sizes=[1, 4], dim=-1)
    case("aten.chunk.default", self=x, chunks=3, dim=1)
    case("aten.tensor_split.sections", self=x, sections=3, dim=1)
    case("aten.tensor_split.indices", self=x, indices=[1, -1], dim=1)
    case("aten.unbind.int", self=x, dim=1)
    case("aten.select_scatter.default", self=x, src=r(5), dim=0, index=-1)
    case("aten.slice_scatter.default", self=x, src=r(4, 2), dim=1, start=1, end=5, step=2)
    case("aten.cat.default", tensors=[r(2, 2), T([], dtype=torch.float32), T([[1, 2]])], dim=0)
    case("aten.stack.default", tensors=[r(2), r(2)], dim=-1)
    case("aten.diff.default", self=x, n=2, dim=1)
    for pad in ([1, 2], [1, -2, 0, 3], [-1, -1]):
        case("aten.constant_pad_nd.default", self=x, pad=pad, value=2.0)
    for mode in ("reflect", "replicate", "circular"):
        case("aten.pad.default", self=r(1, 2, 3, 4), pad=[2, 1, 1, 0], mode=mode)


def contractions():
    for a, b in (((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 2)), ((3, 4), (4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((2, 1, 3, 4), (5, 4, 2))):
        case("aten.matmul.default", self=r(*a), other=r(*b))
    case("aten.linear.default", input=r(2, 3), weight=r(4, 3), bias=r(4))
    case("aten.linear.default", input=r(2, 3), weight=r(3))
    case("aten.addmm.default", self=r(2), mat1=r(3, 4), mat2=r(4, 2), beta=0.5, alpha=2.0)
    case("aten.addmm.default", self=T([nan]), mat1=r(3, 4), mat2=r(4, 2), beta=0)
    case("aten.baddbmm.default", self=r(1), batch1=r(2, 3, 4), batch2=r(2, 4, 2))
    case("aten.outer.default", self=r(2), vec2=r(3))
    case("aten.conv1d.default", input=r(2, 4, 7), weight=r(6, 2, 3), bias=r(6), stride=[2], padding=[1], dilation=[2], groups=2)
    case("aten.conv1d.padding", input=r(4, 7), weight=r(6, 4, 2), padding="same")
    case("aten.conv2d.default", input=r(1, 2, 4, 5), weight=r(2, 1, 3, 2), stride=[1, 2], padding=[1, 0], groups=2)
    case("aten.conv_transpose1d.default", input=r(1, 4, 3), weight=r(4, 2, 3), bias=r(4), stride=[2], padding=[1], output_padding=[1], groups=2, dilation=[1])
    case("aten.convolution.default", input=r(1, 2, 3, 3), weight=r(2, 2, 2, 2), bias=None, stride=[2, 1], padding=[0, 1], dilation=[1, 1], transposed=True,
         output_padding=[1, 0], groups=1)
    q, k, v = r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 2)
    case("aten.scaled_dot_product_attention.default", query=q, key=k, value=v)
    case("aten.scaled_dot_product_attention.default", query=q, key=k, value=v, attn_mask=r(3, 5) > 0, scale=0.3)
    case("aten.scaled_dot_product_attention.default", query=q, key=k, value=v, is_causal=True)


def windows():
    x = r(1, 2, 5, 6)
    for ceil in (False, True):
        case("aten.max_pool2d.default", self=x, kernel_size=[3, 2], stride=[2], padding=[1], ceil_mode=ceil)
        case("aten.avg_pool2d.default", self=x, kernel_size=[3], stride=[2], padding=[1], ceil_mode=ceil)
        case("aten.avg_pool2d.default", self=x, kernel_size=[3], stride=[2], padding=[1], ceil_mode=ceil, count_include_pad=False)
    case("aten.max_pool2d_with_indices.default", self=x, kernel_size=[2], dilation=[2])
    case("aten.avg_pool2d.default", self=x, kernel_size=[2], divisor_override=3)
    case("aten.adaptive_avg_pool2d.default", self=x, output_size=[3, 4])
    case("aten.adaptive_max_pool2d.default", self=x, output_size=[2, 1])
    case("aten.avg_pool1d.default", self=r(2, 5), kernel_size=[2])
    case("aten.upsample_nearest2d.vec", input=x, output_size=None, scale_factors=[2.0, 1.5])
    case("aten.upsample_bilinear2d.vec", input=x, output_size=[7, 4], align_corners=True, scale_factors=None)
    case("aten.upsample_bilinear2d.vec", input=x, output_size=None, align_corners=False, scale_factors=[1.3, 0.6])
    case("aten.upsample_bilinear2d.vec", input=Sym(x, {2: "s"}), output_size=None, align_corners=False, scale_factors=[1.3, 0.6])


def norms():
    x = r(2, 4, 3)
    case("aten.softmax.int", self=x, dim=1)
    case("aten.softmax.int", self=T([1, 2, 3]), dim=0, dtype=torch.float32)
    case("aten.log_softmax.int", self=x, dim=-1)
    case("aten.softmax.int", self=T(3.0), dim=0)
    case("aten.layer_norm.default", input=x, normalized_shape=[4, 3])
    case("aten.layer_norm.default", input=x, normalized_shape=[3], weight=None, bias=r(3))
    case("aten.native_layer_norm.default", input=x, normalized_shape=[3], weight=r(3), bias=r(3), eps=1e-5)
    case("aten.rms_norm.default", input=x, normalized_shape=[3], weight=r(3))
    case("aten.group_norm.default", input=x, num_groups=2, weight=r(4), bias=r(4))
    case("aten.native_group_norm.default", input=x, weight=None, bias=None, N=2, C=4, HxW=3, group=2, eps=1e-5)
    case("aten.instance_norm.default", input=x, weight=None, bias=None, running_mean=None, running_var=None, use_input_stats=True, momentum=0.1, eps=1e-5,
         cudnn_enabled=False)
    case("aten.batch_norm.default", input=x, weight=r(4), bias=None, running_mean=r(4), running_var=r(4).abs() + 1, training=False, momentum=0.1, eps=1e-5,
         cudnn_enabled=False)


def indices():
    x, i, j = r(3, 4, 2), T([2, 0]), T([[1], [-1]])
    case("aten.index.Tensor", self=x, indices=[i])
    case("aten.index.Tensor", self=x, indices=[j, i])
    case("aten.index.Tensor", self=x, indices=[T([True, False, True])])
    case("aten.index_put.default", self=x, indices=[i], values=T(5.0))
    case("aten.index_put.default", self=x, indices=[T([0, 0]), T([1, 1])], values=r(2, 2), accumulate=True)
    case("aten.index_put.default", self=x, indices=[x > 0], values=T(0.0))
    case("aten.index_put.default", self=x, indices=[T([True, False, True])], values=r(2, 4, 2))
    case("aten.index_select.default", self=x, dim=1, index=i)
    case("aten.embedding.default", weight=r(5, 2), indices=T([[4, 0], [1, 1]]))
    case("aten.gather.default", self=r(3, 4), dim=1, index=T([[0, 3], [2, 1]]))
    case("aten.scatter.src", self=r(3, 4), dim=0, index=T([[0, 2], [1, 1]]), src=r(3, 3))
    case("aten.scatter.value", self=r(3, 4), dim=1, index=T([[0, 2], [1, 1]]), value=7.0)
    case("aten.scatter_add.default", self=r(3), dim=0, index=T([1, 1, 2]), src=r(3))
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for own in (True, False):
            case("aten.scatter_reduce.two", self=r(3), dim=0, index=T([1, 1, 2]), src=r(3), reduce=reduce, include_self=own)
    case("aten.index_copy.default", self=r(3, 2), dim=0, index=T([2, 0]), source=r(2, 2))
    case("aten.index_add.default", self=r(3, 2), dim=0, index=T([2, 2]), source=r(2, 2), alpha=2)
    case("aten.nonzero.default", self=T([[0, 1], [2, 0]]))
    case("aten.masked_select.default", self=r(2, 3), mask=T([True, False, True]))
    case("aten.masked_scatter.default", self=r(2, 3), mask=T([True, False, True]), source=r(5))
    case("aten.take.default", self=r(2, 3), index=T([5, 0]))


def folds():
    x = T([[1.0, nan, 3.0], [4.0, 5.0, -6.0]])
    for x in (x, r(2, 3), T([[3, 1, 3], [0, 0, 0]])):
        for keep in (False, True):
            case("aten.sum.dim_IntList", self=x, dim=[1], keepdim=keep)
            case("aten.amax.default", self=x, dim=[0, -1], keepdim=keep)
            case("aten.max.dim", self=x, dim=1, keepdim=keep)
            case("aten.argmin.default", self=x, dim=None, keepdim=keep)
            case("aten.argmax.default", self=x, dim=0, keepdim=keep)
        case("aten.any.dim", self=x, dim=0)
        case("aten.all.default", self=x)
        case("aten.count_nonzero.default", self=x, dim=0)
    x = r(3, 4)
    case("aten.mean.dim", self=x, dim=[-1], keepdim=True)
    case("aten.mean.default", self=T([1, 2]), dtype=torch.float32)
    case("aten.var.correction", self=x, dim=[0], correction=0)
    case("aten.var.dim", self=x, dim=[1])
    case("aten.std.default", self=x)
    case("aten.var_mean.correction", self=Sym(x, {0: "s"}), dim=[0], correction=1)
    case("aten.var.correction", self=r(1, 4), dim=[0], correction=1)
    for order in (0.0, 1.0, 2.0, 3.0, inf, -inf):
        case("aten.linalg_vector_norm.default", self=x, ord=order, dim=[1])
    case("aten.logsumexp.default", self=T([[-inf, -inf], [1.0, 1000.0]]), dim=[1])
    case("aten.cumsum.default", self=x, dim=1)
    case("aten.sum.default", self=T([True, True]))


def quantised_embeddings():
    import executorch.exir.passes._quant_patterns_and_replacements  # noqa: F401  registers the look-ups

    bounds = {"byte": (-128, 127), "4bit": (-8, 7), "2bit": (-2, 1)}
    for kind, (low, high) in bounds.items():
        dtype = torch.int8 if kind == "byte" else torch.uint8
        table = torch.randint(0 if dtype == torch.uint8 else low, 256 if dtype == torch.uint8 else high, (5, 8), dtype=dtype)
        for scales in (r(5).abs(), r(5, 2).abs()):
            for zeros in (None, torch.randint(-2, 2, tuple(scales.shape)).float()):
                case(f"quantized_decomposed.embedding_{kind}.default", weight=table, weight_scales=scales, weight_zero_points=zeros,
                     weight_quant_min=low, weight_quant_max=high, indices=T([[4, 0], [1, 1]]))


AREAS = (promotion, unary, creation, movement, parts, contractions, windows, norms, indices, folds, quantised_embeddings)
