"""Composite and rare ops."""

from lines import Const, Sym, T, case, inf, nan, r, torch


def recurrent():
    def params(kind, inputs, hidden, layers, both, bias, proj=0):
        gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}[kind]
        out = []
        for layer in range(layers):
            for _ in range(2 if both else 1):
                width = inputs if layer == 0 else (proj or hidden) * (2 if both else 1)
                out += [r(gates * hidden, width) / 3, r(gates * hidden, proj or hidden) / 3]
                if bias:
                    out += [r(gates * hidden), r(gates * hidden)]
                if proj:
                    out.append(r(proj, hidden))
        return out

    for kind in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        for layers, both, bias, first in ((1, False, True, False), (2, True, True, True), (1, True, False, False)):
            h = r(layers * (2 if both else 1), 2, 3)
            x = r(2, 3, 2) if first else r(3, 2, 2)
            for sequence in (x, Sym(x, {1 if first else 0: "t", 0 if first else 1: "n"})):
                n = 0 if first else 1
                hx = h if isinstance(sequence, torch.Tensor) else Sym(h, {1: "n"})
                hx2 = h / 2 if isinstance(sequence, torch.Tensor) else Sym(h / 2, {1: "n"})
                case(f"aten.{kind}.input", input=sequence, hx=[hx, hx2] if kind == "lstm" else hx,
                     params=params(kind, 2, 3, layers, both, bias), has_biases=bias, num_layers=layers,
                     dropout=0.0, train=False, bidirectional=both, batch_first=first)
    p = params("lstm", 2, 3, 2, True, True, proj=2)
    case("aten.lstm.input", input=r(3, 2, 2), hx=[r(4, 2, 2), r(4, 2, 3)], params=p, has_biases=True,
         num_layers=2, dropout=0.0, train=False, bidirectional=True, batch_first=False)
    case("aten.lstm_cell.default", input=r(2, 2), hx=[r(2, 3), r(2, 3)], w_ih=r(12, 2), w_hh=r(12, 3), b_ih=r(12), b_hh=r(12))
    case("aten.gru_cell.default", input=r(2, 2), hx=r(2, 3), w_ih=r(9, 2), w_hh=r(9, 3), b_ih=r(9), b_hh=r(9))
    case("aten.rnn_tanh_cell.default", input=r(2, 2), hx=r(2, 3), w_ih=r(3, 2), w_hh=r(3, 3))


def order():
    x = T([[3.0, 1.0, 2.0, 1.0], [nan, 5.0, -1.0, 5.0], [2.0, nan, 1.0, nan], [nan, nan, nan, nan]])
    i = T([[3, 1, 2, 1, 7], [5, 5, -1, 5, 0]])
    for v in (x, x[:, :3].contiguous(), i):
        if v.dtype.is_floating_point:
            case("aten.sort.stable", self=v, stable=True, dim=1, descending=True)
        case("aten.sort.stable", self=v, stable=True, dim=0)
        case("aten.median.dim", self=v, dim=1)
        case("aten.median.dim", self=v, dim=0, keepdim=True)
        case("aten.median.default", self=v)
        case("aten.nanmedian.dim", self=v, dim=-1, skip=(1,) if v.shape[0] == 4 else ())
        case("aten.nanmedian.default", self=v)
        case("aten.kthvalue.default", self=v, k=2, dim=1, skip=(1,))
        case("aten.cummax.default", self=v, dim=1)
        case("aten.cummin.default", self=v, dim=1)
    case("aten.median.default", self=torch.empty(0))
    case("aten.median.default", self=T(4.0))
    case("aten.median.dim", self=T(4.0), dim=0, keepdim=True)
    case("aten.cummax.default", self=T([True, False, True]), dim=0)
    case("aten.sort.default", self=T(4.0))
    case("aten.argsort.stable", self=i, stable=True, dim=1, descending=True)
    case("aten.msort.default", self=r(3, 2))
    case("aten.topk.default", self=r(2, 5), k=3)
    case("aten.topk.default", self=r(5, 2), k=2, dim=0, largest=False)
    case("aten.logcumsumexp.default", self=T([[1.0, -inf, 90.0, 3.0], [-inf, -inf, 0.0, 1.0]]), dim=1)
    case("aten.logcumsumexp.default", self=r(3, 2), dim=0)


def distances():
    x, y = r(2, 3, 4), r(2, 5, 4)
    for p in (0.0, 1.0, 2.0, 3.0, inf):
        case("aten.cdist.default", x1=x, x2=y, p=p)
        case("aten.dist.default", self=x, other=x / 2, p=p)
        case("aten.linalg_norm.default", self=r(4), ord=p)
        case("aten.linalg_vector_norm.default", self=x, ord=p, dim=[0, 2], keepdim=True)
        case("aten.norm.ScalarOpt_dim", self=x, p=p, dim=[1])
    case("aten.cdist.default", x1=r(30, 3), x2=r(2, 3))
    case("aten.linalg_vector_norm.default", self=x.half())
    case("aten.pairwise_distance.default", x1=r(3, 4), x2=r(3, 4), p=2.0, keepdim=True)
    case("aten.cosine_similarity.default", x1=r(2, 3), x2=r(2, 3))
    case("aten.cosine_similarity.default", x1=torch.zeros(2, 3), x2=r(2, 3), dim=0)
    case("aten.linalg_norm.default", self=r(2, 3))
    for o in (1.0, -1.0, inf, -inf):
        case("aten.linalg_norm.default", self=r(2, 3, 4), ord=o, dim=[0, 2])
    case("aten.logsumexp.default", self=T([[1.0, 2.0], [-inf, -inf], [inf, 1.0]]), dim=[1])


def bags():
    w = r(6, 2)
    i, o = T([1, 2, 4, 5, 4, 3, 2, 0]), T([0, 3, 3, 6])
    for mode in (0, 1, 2):
        case("aten.embedding_bag.padding_idx", weight=w, indices=i, offsets=o, scale_grad_by_freq=False, mode=mode,
             sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=4, skip=(1, 2, 3))
        case("aten.embedding_bag.padding_idx", weight=w, indices=i, offsets=T([0, 3, 3, 8]), scale_grad_by_freq=False,
             mode=mode, sparse=False, per_sample_weights=None, include_last_offset=True, padding_idx=None, skip=(1, 2, 3))
    case("aten._embedding_bag.default", weight=w, indices=i, offsets=o, per_sample_weights=r(8), skip=(1, 2, 3))
    case("aten.embedding_bag.padding_idx", weight=w, indices=i.int(), offsets=o.int(), scale_grad_by_freq=False, mode=1,
         sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1, skip=(1, 2, 3))
    case("aten.one_hot.default", self=T([[0, 2], [1, 1]]), num_classes=4)
    b = T([1.0, 3.0, 3.0, 5.0])
    for right in (False, True):
        case("aten.bucketize.Tensor", self=T([[0.0, 1.0, 3.0], [4.0, 9.0, nan]]), boundaries=b, right=right)
        case("aten.searchsorted.Tensor", sorted_sequence=T([[1, 3, 5], [2, 4, 4]]), self=T([[3, 0], [4, 9]]), right=right)
    case("aten.searchsorted.Scalar", sorted_sequence=b, self=3.0, side="right", out_int32=True)


def contractions():
    for eq, shapes in [
        ("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,jk", [(2, 3), (3, 4)]), ("bhid,bhjd->bhij", [(2, 2, 3, 4), (2, 2, 5, 4)]),
        ("ii->i", [(3, 3)]), ("ii", [(3, 3)]), ("ij->j", [(2, 3)]), ("i,j->ij", [(2,), (3,)]), ("ij,ij->", [(2, 3), (2, 3)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (4, 2)]), ("b...k,ok->b...o", [(2, 3, 4), (5, 4)]), ("a,ab,abc->abc", [(2,), (2, 3), (2, 3, 2)]),
        ("ijk->kij", [(2, 3, 4)]), ("iji,j->i", [(2, 3, 2), (3,)]), ("ik,jk->ij", [(2, 1), (3, 4)]), ("b...->...", [(2, 3, 4)]),
        ("nctv,vw->nctw", [(1, 2, 3, 4), (4, 4)]),
    ]:
        case("aten.einsum.default", equation=eq, tensors=[r(*s) for s in shapes])
    case("aten.einsum.default", equation="bi,bi->b", tensors=[Sym(r(2, 3), {0: "b"}), Sym(r(2, 3), {0: "b"})])
    case("aten.einsum.default", equation="bsh,oh->bso", tensors=[Sym(r(2, 3, 2), {0: "b", 1: "s"}), r(4, 2)])
    case("aten.tensordot.default", self=r(2, 3, 4), other=r(4, 3, 5), dims_self=[1, 2], dims_other=[1, 0])
    case("aten.tensordot.default", self=r(2, 3), other=r(2), dims_self=[], dims_other=[])
    case("aten.kron.default", self=r(2, 3), other=r(2))
    case("aten.bilinear.default", input1=r(2, 2, 3), input2=r(2, 2, 4), weight=r(5, 3, 4), bias=r(5))


def triangles():
    x = r(2, 3, 4)
    for d in (-1, 0, 2):
        for v in (x, Sym(x, {1: "a", 2: "b"})):
            case("aten.tril.default", self=v, diagonal=d)
            case("aten.triu.default", self=v, diagonal=d)
            case("aten.diagonal.default", self=v, offset=d, dim1=1, dim2=2)
            case("aten.diagonal.default", self=v, offset=d, dim1=2, dim2=0)
        case("aten.tril_indices.default", row=3, col=4, offset=d)
        case("aten.triu_indices.default", row=3, col=4, offset=d)
        case("aten.diag_embed.default", self=r(2, 3), offset=d)
        case("aten.diag_embed.default", self=r(2, 3), offset=d, dim1=0, dim2=-2)
        case("aten.diag.default", self=r(3), diagonal=d)
        case("aten.diag.default", self=r(3, 4), diagonal=d)
        case("aten.diagonal_scatter.default", self=r(3, 4), src=r([2, 3, 2][(-1, 0, 2).index(d)]), offset=d)
    case("aten.diagonal.default", self=r(2, 3), offset=7)
    case("aten.triu.default", self=T([[True, True], [True, True]]), diagonal=1)
    case("aten.trace.default", self=r(3, 4))
    case("aten.block_diag.default", tensors=[r(2, 1), r(2), r(1, 3)])


def arrangements():
    x = r(2, 3, 4)
    for v in (x, Sym(x, {1: "s"})):
        case("aten.roll.default", self=v, shifts=[1, -2], dims=[1, 2])
        case("aten.roll.default", self=v, shifts=[5])
        case("aten.repeat.default", self=v, repeats=[2, 1, 3, 1])
        case("aten.repeat.default", self=v, repeats=[1, 2, 2])
        case("aten.tile.default", self=v, dims=[3])
        case("aten.repeat_interleave.self_int", self=v, repeats=2, dim=1)
        case("aten.unfold.default", self=v, dimension=2, size=2, step=1)
    for k in (-1, 0, 1, 2):
        case("aten.rot90.default", self=x, k=k, dims=[0, 2])
    case("aten.repeat_interleave.self_int", self=x, repeats=2)
    case("aten.repeat_interleave.self_Tensor", self=x, repeats=Const(T([0, 2, 1])), dim=1)
    case("aten.meshgrid.indexing", tensors=[r(2), r(3)], indexing="xy")
    case("aten.take_along_dim.default", self=x, indices=T([[[0, 1]], [[3, 2]]]), dim=2)
    case("aten.put.default", self=r(2, 3), index=T([[0, -1]]), source=T([[7.0, 8.0]]))
    case("aten.put.default", self=r(2, 3), index=T([1, 1]), source=T([7.0, 8.0]), accumulate=True)
    case("aten.unfold.default", self=r(7), dimension=0, size=3, step=2)
    case("aten.unfold_copy.default", self=x, dimension=1, size=2, step=1)
    case("aten.as_strided.default", self=r(3, 4), size=[2, 2, 2], stride=[4, 1, 2], storage_offset=1)
    case("aten.as_strided_copy.default", self=r(3), size=[2, 3], stride=[0, 1])
    image = r(2, 3, 5, 4)
    args = dict(kernel_size=[3, 2], dilation=[1, 2], padding=[1, 0], stride=[2, 1])
    case("aten.im2col.default", self=image, **args)
    case("aten.im2col.default", self=image[0].clone(), **args)
    case("aten.im2col.default", self=Sym(image, {0: "n", 2: "h", 3: "w"}), **args)
    columns = torch.ops.aten.im2col(image, **args)
    case("aten.col2im.default", self=columns, output_size=[5, 4], **args)
    case("aten.col2im.default", self=columns[0].clone(), output_size=[5, 4], **args)


def special():
    x = T([-2.5, -1.5, -0.0, 0.0, 0.5, 1.255, 2.5, inf, -inf, nan])
    y = T([1.0, -0.0, 0.0, -3.0, nan, 2.0, inf, inf, -inf, 1.0])
    for d in (0, 1, 2, -1):
        case("aten.round.decimals", self=T([-2.55, 1.255, 0.125, 123.456, 15.0, inf, nan]), decimals=d)
    case("aten.copysign.Tensor", self=x, other=y)
    case("aten.copysign.Scalar", self=T([1, -2, 0]), other=-0.0)
    case("aten.logaddexp.default", self=x, other=y)
    case("aten.logaddexp2.default", self=x, other=y)
    case("aten.xlogy.Tensor", self=x, other=y)
    case("aten.xlogy.Scalar_Self", self=0.0, other=y)
    case("aten.special_xlog1py.default", self=x, other=y)
    case("aten.sinc.default", self=T([0.0, 0.5, 1.5, -0.25]))
    case("aten.special_entr.default", self=T([-1.0, 0.0, 0.5, nan]))
    case("aten.heaviside.default", self=x, values=y)
    case("aten.isposinf.default", self=x)
    case("aten.isneginf.default", self=x)
    case("aten.signbit.default", self=x)
    case("aten.isclose.default", self=x, other=x + 1e-6)
    case("aten.isclose.default", self=x, other=y, equal_nan=True)
    case("aten.isclose.default", self=T([1, 5]), other=T([1, 6]))
    case("aten.float_power.Tensor_Scalar", self=T([1, 2, 3]), exponent=0.5)
    case("aten.ldexp.Tensor", self=T([1.0, 3.0]), other=T([2, -1]))
    case("aten.logspace.default", start=0.0, end=2.0, steps=5)
    case("aten.angle.default", self=x)
    case("aten._weight_norm_interface.default", v=r(3, 2, 2), g=r(3, 1, 1))
    case("aten._weight_norm.default", v=r(3, 2, 2), g=r(1, 1, 2), dim=2)


def norms():
    x, c = r(3, 2, 4), dict(weight=r(2), bias=r(2))
    stats = dict(running_mean=r(2), running_var=r(2).abs() + 0.5)
    for v in (x, Sym(x, {0: "n", 2: "l"})):
        case("aten.native_batch_norm.default", input=v, **c, **stats, training=True, momentum=0.1, eps=1e-5, mutated=("running_mean", "running_var"))
        case("aten._native_batch_norm_legit_functional.default", input=v, **c, **stats, training=True, momentum=0.3, eps=1e-5)
        case("aten.instance_norm.default", input=v, **c, **stats, use_input_stats=True, momentum=0.1, eps=1e-5, cudnn_enabled=False, mutated=("running_mean", "running_var"))
    case("aten.batch_norm.default", input=x, **c, **stats, training=True, momentum=0.1, eps=1e-3, cudnn_enabled=False, mutated=("running_mean", "running_var"))
    case("aten.batch_norm.default", input=x, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-3, cudnn_enabled=False)
    case("aten.batch_norm.default", input=x, **c, **stats, training=False, momentum=0.1, eps=1e-3, cudnn_enabled=False)
    case("aten._native_batch_norm_legit.no_stats", input=x, **c, training=True, momentum=0.1, eps=1e-5)
    case("aten._native_batch_norm_legit_no_training.default", input=x, **c, **stats, momentum=0.1, eps=1e-5)
    case("aten.instance_norm.default", input=x, **c, **stats, use_input_stats=False, momentum=0.1, eps=1e-5, cudnn_enabled=False)


def images():
    x = r(1, 2, 5, 4)
    for size in ([3, 7], [10, 4]):
        case("aten._upsample_nearest_exact2d.vec", input=x, output_size=size, scale_factors=None)
        for corners in (False, True):
            for kind in ("bilinear", "bicubic"):
                case(f"aten._upsample_{kind}2d_aa.default", self=x, output_size=size, align_corners=corners)
    case("aten._upsample_nearest_exact1d.vec", input=r(1, 2, 5), output_size=None, scale_factors=[1.7])
    case("aten._upsample_nearest_exact2d.vec", input=Sym(x, {2: "h", 3: "w"}), output_size=[7, 3], scale_factors=None)
    case("aten._upsample_bilinear2d_aa.vec", input=x, output_size=None, align_corners=False, scale_factors=[0.6, 1.5])
    grid = torch.cat([r(1, 3, 3, 2) / 2, T([[[[-1.0, -1.0], [1.0, 1.0], [3.7, -5.2]]]])], 1)
    for mode in (0, 1):
        for padding in (0, 1, 2):
            for corners in (False, True):
                case("aten.grid_sampler_2d.default", input=x, grid=grid, interpolation_mode=mode, padding_mode=padding, align_corners=corners)
    case("aten.grid_sampler.default", input=Sym(x, {2: "h", 3: "w"}), grid=grid, interpolation_mode=0, padding_mode=0, align_corners=False)
    case("aten.grid_sampler_3d.default", input=r(1, 2, 3, 4, 2), grid=r(1, 2, 2, 2, 3) / 2, interpolation_mode=0, padding_mode=1, align_corners=False)
    for corners in (False, True):
        case("aten.affine_grid_generator.default", theta=r(2, 2, 3), size=[2, 1, 3, 4], align_corners=corners)
    case("aten.affine_grid_generator.default", theta=r(1, 3, 4), size=[1, 1, 2, 3, 1], align_corners=False)


def fourier():
    x = r(2, 4, 5)
    show = "+aten.view_as_real.default"
    for norm in (None, "ortho", "forward"):
        case("aten.fft_rfft.default" + show, self=x, norm=norm)
        case("aten.fft_rfft2.default" + show, self=x, norm=norm)
        case("aten.fft_fft.default" + show, self=x, dim=1, norm=norm)
        case("aten.fft_ifft2.default" + show, self=x, norm=norm)
    case("aten.fft_rfft.default" + show, self=x, n=7, dim=0)
    case("aten.fft_rfft.default" + show, self=x, n=3)
    case("aten.fft_rfftn.default" + show, self=x)
    case("aten.fft_fft.default+aten.fft_ifft.default" + show, self=x)
    case("aten.fft_rfft2.default+aten.fft_irfft2.default", self=r(3, 6))
    case("aten.fft_rfft.default+aten.fft_irfft.default", self=r(3, 5))
    case("aten._fft_r2c.default" + show, self=x, dim=[1, 2], normalization=1, onesided=True)
    for part in ("real", "imag", "abs", "angle"):
        case(f"aten.fft_rfft.default+aten.{part}.default", self=r(3, 4))
    case("aten.view_as_complex.default" + show, self=r(3, 2))
    case("aten.polar.default" + show, abs=r(3), angle=r(3))


def more():
    nans = T([[nan, 2.0, nan, 1.0], [3.0, nan, 1.0, 2.0]])
    case("aten.nanmedian.dim", self=nans, dim=1)
    case("aten.median.dim", self=nans.half(), dim=1)
    case("aten.median.dim", self=Sym(r(3, 5), {0: "n", 1: "m"}), dim=1)
    case("aten.embedding_bag.padding_idx", weight=r(6, 2).half(), indices=Sym(T([1, 2, 4]), {0: "n"}), offsets=T([0, 2]), scale_grad_by_freq=False,
         mode=1, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None, skip=(1, 2, 3))
    q = r(1, 2, 3, 4)
    case("aten._scaled_dot_product_flash_attention_for_cpu.default", query=q, key=q, value=q / 2, skip=(1,))
    case("aten._scaled_dot_product_attention_math.default", query=q, key=q, value=q / 2, is_causal=True, skip=(1,))
    case("aten.upsample_nearest2d.vec", input=r(1, 1, 3, 4), output_size=None, scale_factors=[1.7, 0.6])
    case("aten.upsample_bilinear2d.vec", input=r(1, 1, 3, 4), output_size=None, align_corners=False, scale_factors=[1.7, 0.6])
    case("aten.upsample_bilinear2d.vec", input=r(1, 1, 3, 4), output_size=[5, 6], align_corners=True, scale_factors=None)
    case("aten.upsample_bicubic2d.vec", input=r(1, 1, 3, 4), output_size=[5, 6], align_corners=False, scale_factors=None)
    case("aten.upsample_trilinear3d.vec", input=r(1, 1, 3, 4, 2), output_size=[5, 6, 3], align_corners=False, scale_factors=None)
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for own in (True, False):
            case("aten.scatter_reduce.two", self=r(3, 4), dim=1, index=T([[0, 0, 2], [1, 1, 1], [3, 0, 3]]), src=r(3, 3), reduce=reduce, include_self=own)
    case("aten.masked_scatter.default", self=r(2, 3), mask=T([[True, False, True], [False, True, True]]), source=r(5))
    case("aten.masked_select.default", self=r(2, 3), mask=T([[True, False, True]]))
    case("aten.nonzero.default", self=T([[0, 2], [3, 0]]))
    case("aten.argwhere.default", self=T([[0.0, nan], [3.0, 0.0]]))
    case("aten.take.default", self=r(2, 3), index=T([[0, -1]]))
    case("aten.index_fill.int_Scalar", self=r(2, 3), dim=1, index=T([0, 2]), value=7.0)
    case("aten.cumprod.default", self=T([[1, 2, 3]]), dim=1)
    case("aten.rrelu.default", self=r(5))
    case("aten.prelu.default", self=r(2, 3, 2), weight=r(3))
    case("aten.glu.default", self=r(2, 4), dim=1)
    case("aten.addr.default", self=r(2, 3), vec1=r(2), vec2=r(3), beta=0.5, alpha=2.0)
    case("aten.hypot.default", self=r(3), other=r(3))
    case("aten.lerp.Scalar", self=r(3), end=r(3), weight=0.7)
    case("aten.linspace.default", start=-1.0, end=2.0, steps=7)
    case("aten.frac.default", self=T([-1.5, 2.25, nan, inf]))
    for a, b in ((T([5.5, -5.5, 5.5, -5.5, 1.0, inf]), T([2.0, 2.0, -2.0, -2.0, 0.0, 2.0])), (T([7, -7, 7, -7]), T([3, 3, -3, -3]))):
        case("aten.fmod.Tensor", self=a, other=b)
        case("aten.remainder.Tensor", self=a, other=b)
    case("aten.nan_to_num.default", self=T([nan, inf, -inf, 1.0]))
    case("aten.logit.default", self=T([0.0, 0.5, 1.0, 1.5, nan]), eps=0.1)
    case("aten.erfc.default", self=T([-1.0, 0.0, 0.5, 3.0, inf, nan]))


def quantised():
    q = "quantized_decomposed."
    x = r(3, 4)
    for v in (x, x.half()):
        case(q + "quantize_per_tensor.default", input=v, scale=0.037, zero_point=3, quant_min=-128, quant_max=127, dtype=torch.int8)
    s, z = T([0.037], dtype=torch.float64), T([3])
    i = torch.randint(-128, 127, (3, 4), dtype=torch.int8)
    case(q + "quantize_per_tensor.tensor", input=x, scale=s, zero_point=z, quant_min=-128, quant_max=127, dtype=torch.int8)
    for v in (i, Const(i)):
        case(q + "dequantize_per_tensor.default", input=v, scale=0.037, zero_point=3, quant_min=-128, quant_max=127, dtype=torch.int8)
        case(q + "dequantize_per_tensor.tensor", input=v, scale=s, zero_point=z, quant_min=-128, quant_max=127, dtype=torch.int8)
        for wrap in (Const, lambda t: t):
            case(q + "dequantize_per_channel.default", input=v, scales=wrap(T([0.1, 0.2, 0.3])), zero_points=wrap(T([0, 1, -2])), axis=0,
                 quant_min=-128, quant_max=127, dtype=torch.int8)
            case(q + "dequantize_per_channel_group.default", input=v, scales=wrap(r(3, 2).abs() + 0.1), zero_points=wrap(torch.zeros(3, 2, dtype=torch.int32)),
                 quant_min=-128, quant_max=127, dtype=torch.int8, group_size=2, output_dtype=torch.float32)
            case("torchao.dequantize_affine.default", input=v, block_size=[1, 2], scale=wrap(r(3, 2).abs() + 0.1),
                 zero_point=wrap(torch.zeros(3, 2, dtype=torch.int32)), input_dtype=torch.int8)
            case("torchao.dequantize_affine.default", input=v, block_size=[1, 4], scale=wrap(r(3).abs() + 0.1),
                 zero_point=None, input_dtype=torch.int8)
    for wrap in (Const, lambda t: t):
        case(q + "quantize_per_channel.default", input=x, scales=wrap(T([0.1, 0.2, 0.3])), zero_points=wrap(T([0, 1, -2])), axis=0,
             quant_min=-127, quant_max=127, dtype=torch.int8)
    case("torchao.quantize_affine.default", input=x, block_size=[1, 2], scale=r(3, 2).abs() + 0.1, zero_point=T([[0, 1], [2, 3], [4, 5]]),
         output_dtype=torch.int8, quant_min=-8, quant_max=7)
    case(q + "choose_qparams.tensor", input=x, quant_min=-128, quant_max=127, eps=0.000244140625, dtype=torch.int8)
    case(q + "choose_qparams.tensor", input=x.abs(), quant_min=0, quant_max=255, eps=0.000244140625, dtype=torch.uint8)
    case(q + "choose_qparams_symmetric.tensor", input=x, quant_min=-127, quant_max=127, eps=0.000244140625, dtype=torch.int8)
    case(q + "choose_qparams_per_token_asymmetric.default", input=x, dtype=torch.int8)
    case(q + "choose_qparams_per_token.default", input=x, dtype=torch.int8)
    st, zt = torch.ops.quantized_decomposed.choose_qparams_per_token_asymmetric(x, torch.int8)
    case(q + "quantize_per_token.default", input=x, scales=st, zero_points=zt, quant_min=-128, quant_max=127, dtype=torch.int8)
    case(q + "dequantize_per_token.default", input=i, scales=st, zero_points=zt, quant_min=-128, quant_max=127, dtype=torch.int8, output_dtype=torch.float32)
    for mapping in ("ASYMMETRIC", "SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR"):
        for keep in (False, True):
            case("torchao.choose_qparams_affine.default", input=x, mapping_type=mapping, block_size=[1, 2], target_dtype=torch.int8, keepdim=keep)
    case("torchao.choose_qparams_affine.default", input=x, mapping_type="ASYMMETRIC", block_size=[1, 4], target_dtype=torch.int8,
         quant_min=-128, quant_max=127, zero_point_dtype=torch.int8)


def losses():
    x, y = r(2, 3), r(2, 3)
    for reduction in (0, 1, 2):
        case("aten.mse_loss.default", self=x, target=y, reduction=reduction)
        case("aten.smooth_l1_loss.default", self=x, target=y, reduction=reduction, beta=0.5)
        case("aten.huber_loss.default", self=x, target=y, reduction=reduction, delta=0.75)
    case("aten.l1_loss.default", self=x, target=r(3))
    case("aten.smooth_l1_loss.default", self=x, target=y, beta=0.0)
    p, q = T([[0.0, 0.25, 1.0]]), T([[1.0, 0.5, 0.0]])
    case("aten.kl_div.default", self=x, target=q)
    case("aten.kl_div.default", self=x, target=y, log_target=True)
    for weight in (None, T([0.5, 2.0, 1.0])):
        case("aten.binary_cross_entropy.default", self=p, target=q, weight=weight, reduction=0)
        case("aten.binary_cross_entropy_with_logits.default", self=r(1, 3), target=p, weight=weight, pos_weight=T([1.0, 3.0, 2.0]))
        case("aten.cross_entropy_loss.default", self=x, target=T([2, 0]), weight=weight)
        case("aten.nll_loss_nd.default", self=x, target=T([2, -100]), weight=weight, reduction=1)
    case("aten.cross_entropy_loss.default", self=r(3), target=T(1))
    case("aten.cross_entropy_loss.default", self=r(2, 3, 2), target=T([[2, 0], [1, 1]]), reduction=0)


def complexes():
    show = "+aten.view_as_real.default"
    for op in ("t", "neg", "exp", "conj_physical", "clone", "resolve_conj"):
        case(f"aten.view_as_complex.default+aten.{op}.default{show}", self=r(3, 2, 2))
    for size, window, length in ((8, None, None), (8, r(8), None), (8, r(5), 5), (7, r(7), 7)):
        for normalized in (False, True):
            for onesided in (False, True):
                case("aten.stft.default" + show, self=r(2, 19), n_fft=size, hop_length=3, win_length=length, window=window,
                     normalized=normalized, onesided=onesided, return_complex=True)
    case("aten.stft.default", self=r(16), n_fft=4, hop_length=None, win_length=None, window=r(4), normalized=False, onesided=None, return_complex=False)


def hunted():
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        for length in (0, 1, 7):
            case(f"aten.{name}_window.default", window_length=length)
            case(f"aten.{name}_window.periodic", window_length=length, periodic=False)
    case("aten.hamming_window.periodic_alpha_beta", window_length=5, periodic=True, alpha=0.6, beta=0.3)
    case("aten.kaiser_window.beta", window_length=6, periodic=False, beta=4.5)
    x = T([[3.0, -1.0, 2.0, 0.5], [nan, 5.0, -1.0, 5.0], [2.0, nan, 1.0, nan]])
    for op in ("quantile", "nanquantile"):
        for how in ("linear", "lower", "higher", "midpoint", "nearest"):
            case(f"aten.{op}.scalar", self=x, q=0.4, dim=1, keepdim=True, interpolation=how)
        case(f"aten.{op}.default", self=x, q=T([0.0, 0.3, 1.0]), dim=0)
        case(f"aten.{op}.default", self=x, q=T(0.7), dim=-1, keepdim=True)
        case(f"aten.{op}.default", self=Sym(x, {1: "n"}), q=T([0.25, 0.5]), dim=1, keepdim=True)
        case(f"aten.{op}.scalar", self=r(2, 3), q=0.5)
        case(f"aten.{op}.default", self=r(2, 3), q=T([0.9]), keepdim=True)
    case("aten.histc.default", self=T([0.0, 0.5, 1.0, 2.0, 2.5, nan, -1.0, 4.0]), bins=4, min=0, max=4)
    case("aten.histc.default", self=r(3, 5), bins=5)
    case("aten.histc.default", self=T([2.0, 2.0]), bins=3)
    f, s, z = r(3, 4) * 4, T([0.25, 0.5, 0.1]), T([0, 3, -2], dtype=torch.int32)
    case("aten.fake_quantize_per_tensor_affine.default", self=f, scale=0.1, zero_point=3, quant_min=-20, quant_max=20)
    case("aten.fake_quantize_per_tensor_affine.tensor_qparams", self=f, scale=T([0.3]), zero_point=T([1], dtype=torch.int32),
         quant_min=0, quant_max=15)
    case("aten.fake_quantize_per_tensor_affine_cachemask.default", self=f, scale=0.25, zero_point=0, quant_min=-8, quant_max=7)
    case("aten.fake_quantize_per_channel_affine_cachemask.default", self=f, scale=s, zero_point=z, axis=0, quant_min=-8, quant_max=7)
    for enabled in (0, 1):
        case("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default", self=f, scale=T([0.25]),
             zero_point=T([0], dtype=torch.int32), fake_quant_enabled=T([enabled]), quant_min=-8, quant_max=7)
    m = r(2, 3, 4)
    for order in (1, -1, inf, -inf):
        case("aten.linalg_matrix_norm.default", self=m, ord=float(order), dim=[-2, -1])
        case("aten.linalg_matrix_norm.default", self=m, ord=float(order), dim=[2, 0], keepdim=True)
    case("aten.linalg_matrix_norm.default", self=m, ord=1.0)
    case("aten.linalg_matrix_norm.str_ord", self=m)
    case("aten.linalg_norm.ord_str", self=m[0], ord="fro")
    case("aten.nonzero_numpy.default", self=T([[0.0, 2.0], [nan, 0.0]]))
    case("aten.nonzero_numpy.default", self=T([0, 3, 4]))
    case("aten.sum_to_size.default", self=m, size=[3, 1])
    case("aten.sum_to_size.default", self=m, size=[2, 3, 4])
    case("aten.sum_to_size.default", self=T([[True, False], [True, True]]), size=[2])
    case("aten.hypot.default", self=T([1e30, 0.0, -3e38]), other=T([1e30, 0.0, 1.0]))
    case("aten.mode.default", self=T([[3, 1, 3, 1, 2], [0, 0, 5, 5, 5]]), dim=1)
    case("aten.mode.default", self=T([[3.0, 1.0], [3.0, 0.5]]), dim=0, keepdim=True)
    case("aten.repeat_interleave.Tensor", repeats=Const(T([2, 0, 3])))
    for again in (False, True):
        case("aten.combinations.default", self=r(4), r=2, with_replacement=again)
        case("aten.combinations.default", self=r(4), r=3, with_replacement=again)
    case("aten.combinations.default", self=r(2), r=3)
    case("aten.cartesian_prod.default", tensors=[r(2), r(3), r(2)])
    case("aten.hypot.default", self=T([nan, inf, 3.0, -inf, nan]), other=T([inf, nan, 4.0, 1.0, 1.0]))
    case("aten.transpose_.default", self=m, dim0=0, dim1=2)


def series():
    x = T([0.0, -0.0, 1.0, 2.0, 0.25, 1e-30, 3.5, 9.999, 10.0, 33.0, 170.0, 1e6, 1e30, inf, nan])
    low = T([-0.1, -0.5, -1.0, -2.5, -3.0, -7.25, -55.3, -1e-20, -inf])
    for op in ("lgamma", "special_gammaln", "digamma", "special_psi"):
        case(f"aten.{op}.default", self=x)
        case(f"aten.{op}.default", self=low)
        case(f"aten.{op}.default", self=T([1, 2, 7]))
        case(f"aten.{op}.default", self=x[:8].double())
        case(f"aten.{op}.default", self=x[2:9].half())
    case("aten.mvlgamma.default", self=T([[2.0, 3.5], [10.0, 40.0]]), p=3)
    case("aten.mvlgamma.default", self=T(1.5), p=1)
    near = T([0.0, -0.0, 0.5, -1.0, 3.0, -7.5, 11.999, 12.0, -12.5, 30.0, 88.0, -89.5, 1e30, inf, -inf, nan])
    for op in ("i0", "special_i0", "special_i0e", "special_i1", "special_i1e"):
        case(f"aten.{op}.default", self=near)
        case(f"aten.{op}.default", self=T([0, 1, -3]))
        case(f"aten.{op}.default", self=T([0.1, 15.0, -23.5, 24.0, 100.0], dtype=torch.float64))
    a = T([0, 0, 12, -12, 17, 1836311903, -48, 7])
    b = T([0, 5, -18, 18, 51, 1134903170, 180, 0])
    for op in ("gcd", "lcm"):
        case(f"aten.{op}.default", self=a, other=b)
        case(f"aten.{op}.default", self=a.int() // 2, other=b[2:3].int())
        case(f"aten.{op}.default", self=T([[6], [35]]), other=Sym(T([4, 10, 21]), {0: "n"}))
    case("aten.gcd.default", self=T([12, 250, 7], dtype=torch.uint8), other=T([18, 100, 21], dtype=torch.uint8))
    for size, hop, window, length in ((8, 2, None, None), (8, 3, r(8).abs() + 1, None), (8, None, r(5).abs() + 1, 5), (7, 2, None, None)):
        for normalized, onesided, center, cut in ((False, True, True, None), (True, True, False, None), (False, False, True, 11), (True, None, True, 40)):
            same = dict(n_fft=size, hop_length=hop, win_length=length, window=window, normalized=normalized, onesided=onesided)
            case("aten.stft.default+aten.istft.default", self=r(2, 23), **same, return_complex=True, then=dict(**same, center=center or length is not None, length=cut if length is None else None))
    case("aten.stft.default+aten.istft.default", self=r(16), n_fft=4, return_complex=True, then=dict(n_fft=4))



def sampled_and_counted():
    x, grid = r(1, 2, 4, 5), r(1, 3, 3, 2) * 1.2
    odd = grid.clone()
    odd[0, 0, 0, 0], odd[0, 1, 1, 1], odd[0, 2, 2, 0], odd[0, 2, 0] = nan, inf, -inf, 1e20
    line = x.clone()
    line[0, 0, 0], line[0, 1, :, 4] = inf, nan
    for padding in (0, 1, 2):
        for corners in (False, True):
            same = dict(padding_mode=padding, align_corners=corners)
            case("aten.grid_sampler_2d.default", input=x, grid=grid, interpolation_mode=2, **same)
            for mode in (0, 1, 2):
                case("aten.grid_sampler_2d.default", input=x, grid=odd, interpolation_mode=mode, **same)
                case("aten.grid_sampler_2d.default", input=line, grid=grid, interpolation_mode=mode, **same)
    case("aten.grid_sampler_2d.default", input=r(1, 1, 1, 1), grid=grid, interpolation_mode=0, padding_mode=2, align_corners=True)
    for p in (0.0, 1.0, 2.0, 3.0, inf):
        case("aten.pdist.default", self=r(5, 3), p=p)
    for mode in ("reflect", "constant", "replicate", "circular"):
        case("aten.stft.center+aten.view_as_real.default", self=r(2, 12), n_fft=6, window=r(6), center=True, pad_mode=mode,
             return_complex=True)
    case("aten.stft.center+aten.view_as_real.default", self=r(9), n_fft=4, center=False, return_complex=True)
    numbers = T([3, 0, 3, 5, 1])
    for least in (0, 4, 9):
        case("aten.bincount.default", self=numbers, minlength=least)
    case("aten.bincount.default", self=numbers, weights=r(5))
    case("aten.bincount.default", self=numbers, weights=numbers)
    case("aten.roll.default", self=Sym(r(4, 3), {0: "n"}), shifts=[5, -1], dims=[0, 1])


AREAS = (recurrent, order, distances, bags, contractions, triangles, arrangements, special, norms, images, fourier, more, quantised, losses, complexes, hunted, series, sampled_and_counted)
