"""Operators with argument variants that users write: one line each, the expression and its inputs."""
import math

import torch
import torch.nn.functional as F
from case import Case, Fn
from torch import nn
from weights import settle

G = torch.Generator().manual_seed(11)
NAN, INF = math.nan, math.inf
DT = dict(f16=torch.float16, bf16=torch.bfloat16, f32=torch.float32, f64=torch.float64, i8=torch.int8, u8=torch.uint8,
          i16=torch.int16, i32=torch.int32, i64=torch.int64, bool=torch.bool)


def r(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=G).to(dtype)


def i(*shape, lo=0, hi=5, dtype=torch.int64):
    return torch.randint(lo, hi, shape, generator=G).to(dtype)


def b(*shape):
    return torch.rand(*shape, generator=G) > 0.5


SPECIAL = torch.tensor([NAN, INF, -INF, -0.0, 0.0, 1.0, -1.0, 1e30, -1e30, 1e-30, 0.5, -0.5, 2.5, 3.4e38, 100.0, -100.0])
SPECIAL64 = SPECIAL.repeat(4)[torch.randperm(64, generator=G)].reshape(1, 4, 4, 4)
CASES = []


def op(name, function, *inputs, **more):
    CASES.append(Case(name, function if isinstance(function, nn.Module) else Fn(function), [inputs], **more))


def mod(name, module, *inputs, **more):
    CASES.append(Case(name, settle(module), [inputs], **more))


# ---- unary functions on special values and dtypes
UNARY = "abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid ceil floor round trunc frac sign sgn reciprocal square isnan isinf isfinite isposinf isneginf logical_not signbit positive deg2rad rad2deg erfinv lgamma digamma relu nan_to_num angle".split()
FUNCTIONAL = "silu gelu mish hardswish hardsigmoid hardtanh relu6 elu selu celu leaky_relu softplus softsign logsigmoid tanhshrink hardshrink softshrink threshold rrelu".split()
for name in UNARY:
    f = getattr(torch, name)
    op(f"unary_{name}_special", f, SPECIAL.clone())
    for d in ("f16", "bf16", "f64"):
        op(f"unary_{name}_{d}", f, r(3, 5).abs().clamp(0.1, 0.9).to(DT[d]))
    for d in ("i32", "u8", "i64", "bool"):
        op(f"unary_{name}_{d}", f, i(3, 5, lo=0, hi=2 if d == "bool" else 6, dtype=DT[d]))
for name in FUNCTIONAL:
    f = getattr(F, name)
    if name == "threshold":
        f = lambda x: F.threshold(x, 0.3, -2.0)
    op(f"act_{name}_special", f, SPECIAL.clone())
    for d in ("f16", "bf16", "f64"):
        op(f"act_{name}_{d}", f, r(3, 5).to(DT[d]))
op("gelu_tanh_special", lambda x: F.gelu(x, approximate="tanh"), SPECIAL.clone())
op("celu_alpha", lambda x: F.celu(x, 2.5), r(4, 4))
op("elu_alpha", lambda x: F.elu(x, 0.3), r(4, 4))
op("elu_inplace", lambda x: F.elu(x * 1, 0.3, inplace=True), r(4, 4))
op("softplus_args", lambda x: F.softplus(x, beta=2.0, threshold=1.5), r(4, 4))
op("hardtanh_args", lambda x: F.hardtanh(x, -0.2, 0.7), r(4, 4))
op("hardtanh_int", lambda x: F.hardtanh(x, -2, 3), i(4, 4, lo=-6, hi=6))
op("clamp_int_float", lambda x: x.clamp(-1.5, 2.5), i(4, 4, lo=-6, hi=6))
op("clamp_min_int", lambda x: x.clamp_min(2), i(4, 4, lo=-6, hi=6))
op("clamp_tensor", lambda x, a, c: torch.clamp(x, a, c), r(4, 4), -r(4).abs(), r(4, 1).abs())
op("clamp_tensor_none", lambda x, a: torch.clamp(x, max=a), r(4, 4), r(4))
op("clamp_nan_bound", lambda x: x.clamp(min=NAN), r(4))
op("clamp_crossed", lambda x: x.clamp(2.0, -1.0), r(6))
op("clamp_i64_big", lambda x: x.clamp(-2**40, 2**40), i(6, lo=-2**50, hi=2**50))
op("nan_to_num_args", lambda x: torch.nan_to_num(x, nan=1.5, posinf=9.0, neginf=-7.0), SPECIAL.clone())
op("round_decimals_neg", lambda x: torch.round(x, decimals=-1), r(8) * 100)
op("logit_eps", lambda x: torch.logit(x, 1e-3), torch.rand(8, generator=G))
op("glu_dim0", lambda x: F.glu(x, 0), r(4, 6))
op("glu_last", lambda x: F.glu(x), r(3, 4, 6))
op("glu_neg", lambda x: F.glu(x, -2), r(3, 4, 6))
op("prelu_many", nn.PReLU(5, 0.3), r(2, 5))
op("prelu_3d", nn.PReLU(5, 0.3), r(2, 5, 7))
op("prelu_1", nn.PReLU(1, 0.3), r(2, 5, 7, 3))

# ---- binary: promotion, scalars, broadcasting
for name in "add sub mul div floor_divide remainder fmod pow maximum minimum atan2 hypot copysign logaddexp logaddexp2 eq ne lt le gt ge xlogy".split():
    f = getattr(torch, name)
    op(f"bin_{name}_bcast", f, r(3, 1, 5), r(4, 1).abs() + 0.1)
    op(f"bin_{name}_0d", f, r(3, 4), torch.tensor(2.0))
    op(f"bin_{name}_special", f, SPECIAL[:, None].contiguous(), SPECIAL.clone())
    op(f"bin_{name}_f16", f, r(3, 4).half().abs() + 0.1, r(3, 4).half().abs() + 0.1)
    op(f"bin_{name}_bf16_f32", f, r(3, 4).bfloat16().abs() + 0.1, r(3, 4).abs() + 0.1)
    op(f"bin_{name}_f64", f, r(3, 4, dtype=torch.float64), r(3, 4, dtype=torch.float64).abs())
    op(f"bin_{name}_i64_f32", f, i(3, 4, lo=1), r(3, 4).abs() + 0.1)
    op(f"bin_{name}_i32_i64", f, i(3, 4, lo=1, hi=9, dtype=torch.int32), i(3, 4, lo=1, hi=4))
    op(f"bin_{name}_u8_i8", f, i(3, 4, lo=1, hi=9, dtype=torch.uint8), i(3, 4, lo=1, hi=4, dtype=torch.int8))
    if name not in ("atan2", "hypot", "copysign", "logaddexp", "logaddexp2", "maximum", "minimum"):
        op(f"bin_{name}_scalar", lambda x, f=f: f(x, 2.5), r(3, 4).abs())
        op(f"bin_{name}_int_scalar", lambda x, f=f: f(x, 3), i(3, 4, lo=-7, hi=9))
        op(f"bin_{name}_int_fscalar", lambda x, f=f: f(x, 2.5), i(3, 4, lo=0, hi=9))
        op(f"bin_{name}_empty", f, r(0, 4), r(1, 4))
    if name in ("floor_divide", "remainder", "fmod", "div"):
        op(f"bin_{name}_neg_i64", f, i(40, lo=-9, hi=9), torch.tensor([-4, -3, -2, -1, 1, 2, 3, 4] * 5))
        op(f"bin_{name}_neg_f32", f, r(40) * 5, torch.tensor([-4.0, -3, -2, -1, 1, 2, 0, -0.0] * 5))
for name in "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor".split():
    f = getattr(torch, name)
    op(f"bin_{name}_bool", f, b(3, 4), b(4))
    for d in ("i32", "u8", "i64"):
        op(f"bin_{name}_{d}", f, i(3, 4, hi=9, dtype=DT[d]), i(3, 4, hi=9, dtype=DT[d]))
op("logical_and_f32", torch.logical_and, r(4).round(), r(4))
op("bool_arith", lambda a, c: (a + c, a * c, a | c, ~a, a ^ c, a & c), b(5), b(5))
op("shift_i64", lambda a, c: (a << c, a >> c), i(8, lo=-99, hi=99), i(8, hi=10))
op("shift_scalar", lambda a: (a << 2, a >> 1, 1 << a), i(8, lo=0, hi=9, dtype=torch.int32))
op("int_wrap_i8", lambda a: a * 100 + a, i(8, lo=-99, hi=99, dtype=torch.int8))
op("int_wrap_u8", lambda a: a * 7 - 9, i(8, lo=0, hi=255, dtype=torch.uint8))
op("int_wrap_i32", lambda a: a * a, i(8, lo=-2**30, hi=2**30, dtype=torch.int32))
op("add_alpha", lambda a, c: torch.add(a, c, alpha=-2.5), r(3, 4), r(4))
op("add_alpha_int", lambda a, c: torch.add(a, c, alpha=3), i(3, 4), i(4))
op("sub_alpha", lambda a, c: torch.sub(a, c, alpha=2), r(3, 4), i(4))
op("rsub", lambda a: (torch.rsub(a, 2.0, alpha=3), 5 - a), r(3, 4))
op("div_trunc", lambda a, c: torch.div(a, c, rounding_mode="trunc"), r(20) * 9, r(20))
op("div_floor_i", lambda a, c: torch.div(a, c, rounding_mode="floor"), i(20, lo=-9, hi=9), i(20, lo=1, hi=4))
op("div_trunc_i", lambda a, c: torch.div(a, c, rounding_mode="trunc"), i(20, lo=-9, hi=9), i(20, lo=1, hi=4))
op("div_ints", lambda a, c: a / c, i(20, lo=-9, hi=9), i(20, lo=0, hi=4))
op("pow_ii", lambda a: (a**2, a**3, a**0), i(8, lo=-5, hi=5))
op("pow_sf", lambda a: (2**a, 2.5**a), r(8))
op("pow_neg", lambda a: (a**-1, a**-0.5, a**-2), r(8).abs() + 0.1)
op("pow_frac_neg_base", lambda a: (a**0.5, a**1.5, a**3.0), r(8))
op("pow_si", lambda a: 2**a, i(8, hi=9))
op("addcmul", lambda a, c, d: torch.addcmul(a, c, d, value=0.3), r(3, 4), r(4), r(3, 1))
op("addcdiv", lambda a, c, d: torch.addcdiv(a, c, d, value=0.3), r(3, 4), r(4), r(3, 1).abs() + 1)
op("lerp", lambda a, c: torch.lerp(a, c, 0.7), r(3, 4), r(3, 4))
op("lerp_t", torch.lerp, r(3, 4), r(3, 4), r(4))
op("where_promote", lambda c, a, d: torch.where(c, a, d), b(3, 4), i(3, 4), r(4))
op("where_scalar", lambda c, a: (torch.where(c, a, 0.0), torch.where(c, 1, a), torch.where(c, a, -INF)), b(3, 4), r(4))
op("where_1arg", lambda c: torch.where(c.sum() > 2, 1.0, 0.0), b(3, 4))
op("masked_fill_inf", lambda a, c: (a.masked_fill(c, -INF), a.masked_fill(c, float(torch.finfo(torch.float32).min))), r(3, 4), b(1, 4))
op("masked_fill_t", lambda a, c, v: a.masked_fill(c, v), r(3, 4), b(4), torch.tensor(7.0))
op("masked_fill_int", lambda a, c: a.masked_fill(c, -3), i(3, 4), b(4))
op("masked_select_sum", lambda a, c: torch.masked_select(a, c), r(3, 4), b(3, 4))
op("masked_scatter", lambda a, c, s: a.masked_scatter(c, s), r(3, 4), b(3, 4), r(12))
op("isclose", lambda a, c: torch.isclose(a, c, rtol=0.1, equal_nan=True), SPECIAL.clone(), SPECIAL.roll(1) + 0.01)
op("allclose_like", lambda a, c: (a - c).abs().max() < 0.1, r(4), r(4))
op("bitwise_not", torch.bitwise_not, i(5, lo=-9, hi=9, dtype=torch.int16))
op("heaviside", lambda a, c: torch.heaviside(a, c), SPECIAL.clone(), SPECIAL.clone())
op("ldexp_frexp", lambda a: torch.ldexp(a, torch.tensor(3)), r(5))
op("cross", lambda a, c: torch.cross(a, c, dim=1), r(2, 3, 4), r(2, 3, 4))
op("linalg_cross", lambda a, c: torch.linalg.cross(a, c), r(4, 3), r(4, 3))
op("diff", lambda a: (torch.diff(a), torch.diff(a, n=2, dim=0)), r(4, 5))
op("trapezoid", lambda a: torch.trapezoid(a, dx=0.5), r(3, 5))
op("dist", lambda a, c: (torch.dist(a, c), torch.dist(a, c, 1), F.pairwise_distance(a, c), F.cosine_similarity(a, c, dim=0)), r(4, 5), r(4, 5))
op("cdist", lambda a, c: torch.cdist(a, c), r(2, 4, 3), r(2, 5, 3))
op("cdist_p1", lambda a, c: torch.cdist(a, c, p=1.0), r(4, 3), r(5, 3))
op("cdist_inf", lambda a, c: torch.cdist(a, c, p=INF), r(4, 3), r(5, 3))

# ---- reductions
for name, f in dict(sum=torch.sum, mean=torch.mean, prod=torch.prod, amax=torch.amax, amin=torch.amin, var=torch.var, std=torch.std, logsumexp=torch.logsumexp,
                    any=torch.any, all=torch.all, argmax=torch.argmax, argmin=torch.argmin, nansum=torch.nansum, nanmean=torch.nanmean, norm=torch.linalg.vector_norm,
                    median=lambda x, d=None, keepdim=False: torch.median(x, d, keepdim) if d is not None else torch.median(x)).items():
    x = r(3, 4, 5)
    if name not in ("logsumexp",):
        op(f"red_{name}_all", lambda x, f=f: f(x), x)
    op(f"red_{name}_0", lambda x, f=f: f(x, 0), x)
    op(f"red_{name}_neg_keep", lambda x, f=f: f(x, -2, keepdim=True), x)
    if name not in ("prod", "argmax", "argmin", "median"):
        op(f"red_{name}_dims", lambda x, f=f: f(x, (0, -1)), x)
        op(f"red_{name}_dims_keep", lambda x, f=f: f(x, (1, 2), keepdim=True), x)
    op(f"red_{name}_special", lambda x, f=f: f(x, -1), SPECIAL64)
    op(f"red_{name}_f16", lambda x, f=f: f(x, 1), x.half())
    op(f"red_{name}_bf16", lambda x, f=f: f(x, 1), x.bfloat16())
    op(f"red_{name}_f64", lambda x, f=f: f(x, 1), x.double())
    if name not in ("mean", "var", "std", "logsumexp", "nanmean", "norm"):
        for d in ("i32", "i64", "u8", "bool"):
            op(f"red_{name}_{d}", lambda x, f=f: f(x, 1), i(3, 4, 5, hi=2 if d == "bool" else 4, dtype=DT[d]))
    if name in ("sum", "prod", "any", "all", "mean", "var", "logsumexp"):
        op(f"red_{name}_empty", lambda x, f=f: f(x, 0), r(0, 3))
    op(f"red_{name}_0d", lambda x, f=f: f(x, 0), torch.tensor(1.5))
op("sum_dtype", lambda x: (x.sum(dtype=torch.float64), x.sum(1, dtype=torch.int32)), i(3, 4, dtype=torch.int32))
op("mean_dtype", lambda x: x.mean(1, dtype=torch.float32), i(3, 4))
op("sum_half_f32", lambda x: x.sum(-1, dtype=torch.float32), r(3, 40).half())
op("prod_dtype", lambda x: x.prod(1, dtype=torch.float32), i(3, 4, lo=1))
op("var_unbiased", lambda x: (x.var(1, unbiased=False), x.std(0, correction=0), x.var((0, 2), correction=2)), r(3, 4, 5))
op("var_mean", lambda x: torch.var_mean(x, dim=1, keepdim=True), r(3, 4, 5))
op("std_mean", lambda x: torch.std_mean(x, dim=(0, 1), correction=0), r(3, 4, 5))
op("max_min_dim", lambda x: (*torch.max(x, 1), *torch.min(x, -1, keepdim=True)), r(3, 4, 5))
op("max_ties", lambda x: (*torch.max(x, 1), x.argmax(1), x.argmin(0)), i(4, 6, hi=2).float())
op("max_nan", lambda x: (*torch.max(x, 1), x.max(), x.min()), SPECIAL64.reshape(8, 8))
op("aminmax", lambda x: torch.aminmax(x, dim=1), r(3, 4))
op("norms", lambda x: (x.norm(), x.norm(1), x.norm(p=INF, dim=1), x.norm(p=3, dim=0, keepdim=True), x.norm(p=0, dim=1), x.norm("fro", dim=(0, 1)), x.norm(p=-INF, dim=1)), r(3, 4))
op("matrix_norm", lambda x: (torch.linalg.matrix_norm(x), torch.linalg.matrix_norm(x, 1), torch.linalg.norm(x)), r(3, 4))
op("normalize", lambda x: (F.normalize(x), F.normalize(x, p=1, dim=0), F.normalize(x, dim=-1, eps=0.5)), r(3, 4))
op("count_nonzero", lambda x: (torch.count_nonzero(x), torch.count_nonzero(x, 1)), i(3, 4, hi=2))
op("cums", lambda x: (x.cumsum(1), x.cumprod(0), x.cumsum(-1, dtype=torch.float64), x.logcumsumexp(1)), r(3, 4))
op("cummax", lambda x: (*x.cummax(1), *x.cummin(0)), r(3, 6))
op("cumsum_int", lambda x: (x.cumsum(0), x.cumprod(1)), i(3, 4, dtype=torch.int32))
op("cumsum_bool", lambda x: x.cumsum(0), b(5, 2))
op("cumsum_0d", lambda x: x.cumsum(0), torch.tensor(2.0))
op("cumsum_f16", lambda x: x.cumsum(0), r(20, 2).half())
op("quantile", lambda x: (torch.quantile(x, 0.3), torch.quantile(x, torch.tensor([0.1, 0.9]), dim=1)), r(3, 7))
op("median_dim", lambda x: (*x.median(1), *x.median(0, keepdim=True), *x.nanmedian(1)), r(3, 7))
op("mode_like", lambda x: torch.mode(x, 1), i(3, 7))
op("kthvalue", lambda x: torch.kthvalue(x, 2, dim=1), r(3, 7))

# ---- sort and search
op("sort", lambda x: (*x.sort(), *x.sort(0, descending=True), x.argsort(dim=1)), r(4, 7))
op("sort_stable", lambda x: torch.sort(x, dim=1, stable=True), i(4, 7, hi=3))
op("sort_nan", lambda x: torch.sort(x)[0], SPECIAL.clone())
op("sort_1d", lambda x: torch.sort(x), r(9))
op("sort_0d", lambda x: torch.sort(x), torch.tensor(3.0))
op("sort_int", lambda x: torch.sort(x, descending=True)[0], i(4, 7, lo=-9, hi=9, dtype=torch.int32))
op("sort_bool", lambda x: torch.sort(x)[0], b(4, 7))
op("topk", lambda x: (*x.topk(3), *x.topk(2, dim=0), *x.topk(2, largest=False)), r(4, 7))
op("topk_all", lambda x: x.topk(7, dim=-1), r(4, 7))
op("topk_int", lambda x: x.topk(3)[0], i(4, 7, hi=99))
op("topk_unsorted", lambda x: x.topk(3, sorted=False)[0].sum(-1), r(4, 7))
op("searchsorted", lambda s, v: (torch.searchsorted(s, v), torch.searchsorted(s, v, right=True)), r(2, 8).sort(-1)[0], r(2, 5))
op("bucketize", lambda v: (torch.bucketize(v, torch.tensor([-1.0, 0.0, 1.0])), torch.bucketize(v, torch.tensor([-1.0, 0.0, 1.0]), right=True, out_int32=True)), r(3, 5))
op("one_hot", lambda x: F.one_hot(x, 6), i(3, 4))
op("one_hot_float", lambda x: F.one_hot(x, 6).float() @ torch.arange(12.0).reshape(6, 2), i(3, 4))
op("nonzero", lambda x: torch.nonzero(x), i(3, 4, hi=2))
op("nonzero_tuple", lambda x: torch.nonzero(x, as_tuple=True), i(3, 4, hi=2))
op("bincount", lambda x: torch.bincount(x, minlength=6), i(20))
op("histc", lambda x: torch.histc(x, bins=5, min=-2, max=2), r(40))
op("unique", lambda x: torch.unique(x), i(10))
op("isin", lambda x: torch.isin(x, torch.tensor([1, 3])), i(3, 4))
op("multinomial_free", lambda x: torch.softmax(x, -1).argmax(-1), r(3, 9))

# ---- movement
op("permutes", lambda x: (x.permute(2, 0, 1), x.transpose(-1, 0), x.mT, x.movedim(0, -1), x.swapaxes(0, 1)), r(2, 3, 4))
op("reshapes", lambda x: (x.reshape(-1), x.view(4, 6), x.flatten(1), x.unflatten(1, (3, 1)), x.ravel(), x.reshape(2, -1, 2)), r(2, 3, 4))
op("squeeze", lambda x: (x.squeeze(), x.squeeze(1), x.squeeze((0, 3)), x.unsqueeze(-1), x[None, ..., None]), r(1, 3, 1, 1, 4))
op("expand", lambda x: (x.expand(3, 4), x.expand(2, -1, 4), x.expand_as(torch.zeros(5, 3, 4)), x.broadcast_to(3, 4)), r(3, 1))
op("repeat", lambda x: (x.repeat(2, 1, 3), x.tile(2), torch.tile(x, (2, 1, 2)), x.repeat(0, 1)), r(2, 3))
op("repeat_interleave", lambda x: (x.repeat_interleave(2), x.repeat_interleave(3, dim=1)), r(2, 3))
op("repeat_interleave_t", lambda x: x.repeat_interleave(torch.tensor([1, 0, 2]), dim=1, output_size=3), r(2, 3))
op("flip_roll", lambda x: (x.flip(0), x.flip(0, 2), x.fliplr(), x.roll(1), x.roll((1, -2), (0, 1)), x.rot90(), x.rot90(-1, (1, 2))), r(2, 3, 4))
op("slices", lambda x: (x[1:], x[:, ::2], x[..., -2:], x[:, 1:3, ::3], x[-1], x[:, -2], x[5:], x[:0], x[::3]), r(4, 5, 6))
op("narrow_select", lambda x: (x.narrow(1, 1, 2), x.select(-1, -1), x.narrow(0, -2, 1)), r(4, 5, 6))
op("split_chunk", lambda x: (*x.split(2, 1), *x.chunk(3, -1), *x.split([1, 3, 1], 1), *x.unbind(0), *torch.tensor_split(x, 3, 1), *torch.tensor_split(x, (1, 3), 1)), r(2, 5, 7))
op("cat_stack", lambda x, y: (torch.cat([x, y], 1), torch.stack([x, x], -1), torch.hstack([x, y]), torch.vstack([x, x]), torch.dstack([x, x]), torch.column_stack([x, y])), r(2, 3), r(2, 4))
op("cat_promote", lambda x, y: torch.cat([x, y]), r(2, 3), i(2, 3))
op("cat_empty", lambda x, y: torch.cat([x, y]), r(2, 3), r(0))
op("cat_many", lambda x: torch.cat([x] * 9 + [x * 2], 0), r(2, 3))
op("stack_0d", lambda x, y: torch.stack([x, y]), torch.tensor(1.0), torch.tensor(2.0))
op("diag", lambda x: (torch.diag(x), torch.diag(x[0]), torch.diagonal(x, 1), torch.diag_embed(x), torch.diag_embed(x, 1, 0, 2)), r(4, 4))
op("tri", lambda x: (x.tril(), x.triu(1), x.tril(-1), x.triu(-2)), r(3, 4, 5))
op("tri_int", lambda x: (x.tril(), x.triu()), i(4, 4))
op("tri_bool", lambda x: torch.ones(4, 4, dtype=torch.bool).triu(1) & x, b(4, 4))
op("tri_indices", lambda x: x[torch.tril_indices(4, 4)[0], torch.tril_indices(4, 4)[1]], r(4, 4))
op("unfold", lambda x: (x.unfold(1, 3, 2), x.unfold(-1, 2, 1)), r(2, 7, 5))
op("as_strided", lambda x: torch.as_strided(x, (3, 3), (2, 1), 1), r(4, 5))
op("pixel", lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2), F.channel_shuffle(x, 4)), r(1, 8, 3, 5))
op("pixel_3d", lambda x: F.pixel_shuffle(x, 2), r(8, 3, 5))
op("meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij") + torch.meshgrid(x, y, indexing="xy"), r(3), r(4))
op("block_kron", lambda x, y: (torch.block_diag(x, y), torch.kron(x, y)), r(2, 3), r(2, 2))
op("cartesian", lambda x, y: torch.cartesian_prod(x, y), r(3), r(2))
op("combinations", lambda x: torch.combinations(x), r(4))
op("contiguous_clone", lambda x: (x.t().contiguous(), x.clone(), x.detach(), x.to(torch.float64), x.type_as(x), x.double().float()), r(3, 4))
op("atleast", lambda x: (torch.atleast_1d(x), torch.atleast_2d(x), torch.atleast_3d(x)), torch.tensor(2.0))
op("view_dtype", lambda x: x.view(torch.int32), r(3, 4))
op("take", lambda x, j: (torch.take(x, j), torch.take_along_dim(x, j, 1)), r(3, 4), i(3, 2, hi=4))
op("rank0", lambda x, y: (x + y, x * 2, -x, x.reshape(1), x.expand(3)), torch.tensor(1.5), torch.tensor(2))
op("rank7", lambda x: (x.permute(6, 0, 5, 1, 4, 2, 3) * 2).sum(0), r(2, 1, 3, 2, 2, 1, 2))
op("rank8_add", lambda x, y: torch.relu(x + y), r(2, 1, 3, 2, 2, 1, 2, 2), r(2, 2))
op("empty_ops", lambda x: (x + 1, x.sum(), x.t() @ x, x.relu(), x.reshape(3, 0), torch.cat([x, x])), r(0, 3))

# ---- casts and creation
for a in DT:
    op(f"cast_{a}", lambda x: tuple(x.to(d) for d in DT.values()), (r(9) * 3).to(DT[a]) if a not in ("bool",) else b(9))
op("cast_nan_bool", lambda x: (x.bool(), x.to(torch.float16), x.bfloat16(), x.double()), SPECIAL.clone())
op("creation", lambda x: (torch.zeros(2, 3), torch.ones_like(x), torch.full((2,), 3), torch.full_like(x, 2.5), torch.arange(5), torch.arange(1, 6, 2), torch.arange(0.0, 1.0, 0.3), torch.linspace(0, 1, 5), torch.eye(3), torch.eye(2, 4), x.new_zeros(2), x.new_full((2,), 7.0), torch.empty_like(x).fill_(1.0), torch.tensor([1, 2]), torch.tensor(3.5), torch.logspace(0, 2, 3), torch.zeros_like(x, dtype=torch.int32)), r(2, 2))
op("constants_returned", lambda x: (x, 3, 2.5, True, None, torch.tensor([1.0])), r(2))
op("scalar_tensor_ops", lambda x: x * torch.tensor(2) + torch.tensor(0.5, dtype=torch.float64), r(3))
op("complex_free_fft", lambda x: torch.fft.rfft(x).abs(), r(2, 16))
op("fft_irfft", lambda x: torch.fft.irfft(torch.fft.rfft(x), n=16), r(2, 16))
op("stft", lambda x: torch.stft(x, 16, 4, window=torch.hann_window(16), return_complex=True).abs(), r(1, 64))
op("view_as_real", lambda x: torch.view_as_real(torch.view_as_complex(x) * torch.polar(torch.ones(3), torch.arange(3.0))), r(2, 3, 2))
op("window", lambda x: x * torch.hann_window(8), r(2, 8))

# ---- indexing and writing
op("index_basic", lambda x, j: (x[j], x[:, j], x[j, j], x[..., j], x[j, :, j], x[:, None, j]), r(5, 5, 5), i(3, hi=5))
op("index_2d", lambda x, j: (x[j], x[:, j]), r(5, 5), i(2, 3, hi=5))
op("index_neg", lambda x: x[torch.tensor([-1, 0, -2])], r(5, 3))
op("index_bool", lambda x, m: x[m], r(5, 3), b(5))
op("index_bool2", lambda x: x[x > 0], r(5, 3))
op("index_bcast", lambda x, j, k: x[j[:, None], k], r(5, 5), i(3, hi=5), i(4, hi=5))
op("index_i32", lambda x, j: (x[j.long()], x.index_select(0, j)), r(5, 3), i(4, hi=5, dtype=torch.int32))
op("index_u8_table", lambda x, j: x[j], i(5, 3, dtype=torch.uint8), i(4, hi=5))
op("index_select", lambda x, j: (x.index_select(1, j), x.index_select(-1, j)), r(5, 4, 3), i(6, hi=3))
op("gather", lambda x, j: (x.gather(1, j), x.gather(0, j)), r(4, 5), i(3, 4, hi=4))
op("gather_neg_dim", lambda x, j: x.gather(-1, j), r(2, 4, 5), i(2, 4, 2, hi=5))
op("scatter_src", lambda x, j, s: (x.scatter(1, j, s), x.scatter_add(1, j, s)), r(4, 5), torch.stack([torch.randperm(5, generator=G)[:3] for _ in range(4)]), r(4, 3))
op("scatter_value", lambda x, j: x.scatter(1, j, 2.5), r(4, 5), i(4, 3, hi=5))
op("scatter_add_dup", lambda x, j, s: x.scatter_add(0, j, s), r(4, 5), i(9, 5, hi=4), r(9, 5))
for red in ("sum", "prod", "mean", "amax", "amin"):
    for inc in (True, False):
        op(f"scatter_reduce_{red}_{int(inc)}", lambda x, j, s, red=red, inc=inc: x.scatter_reduce(0, j, s, red, include_self=inc), r(4, 5), i(9, 5, hi=4), r(9, 5))
op("scatter_old_reduce", lambda x, j, s: (x.scatter(0, j, s, reduce="add"), x.scatter(0, j, 2.0, reduce="multiply")), r(4, 5), i(3, 5, hi=4), r(3, 5))
op("scatter_int", lambda x, j, s: x.scatter_add(0, j, s), i(4), i(9, hi=4), i(9))
op("index_add", lambda x, j, s: (x.index_add(0, j, s), x.index_add(0, j, s, alpha=-2)), r(4, 5), i(6, hi=4), r(6, 5))
op("index_copy_fill", lambda x, s: (x.index_copy(0, torch.tensor([2, 0]), s), x.index_fill(1, torch.tensor([1, 3]), 9.0)), r(4, 5), r(2, 5))
op("index_put_acc", lambda x, j, v: x.index_put((j,), v, accumulate=True), r(4, 5), i(6, hi=4), r(6, 5))
op("index_put_two", lambda x, v: x.index_put((torch.tensor([0, 2]), torch.tensor([1, 3])), v), r(4, 5), r(2))
op("index_put_none", lambda x, v: torch.ops.aten.index_put(x, [None, torch.tensor([1, 3])], v), r(4, 5), r(4, 2))
op("index_put_mask", lambda x, m: x.index_put((m,), torch.tensor(7.0)), r(4, 5), b(4, 5))
op("index_put_bool_rows", lambda x, m: x.index_put((m,), torch.tensor(7.0)), r(4, 5), b(4))
op("index_put_scalar_bcast", lambda x: x.index_put((torch.tensor([0, 2]),), torch.tensor(7.0)), r(4, 5))


def writes(x, y):
    z = x.clone()
    z[0] = 1.0
    z[:, 1] = y
    z[1:, 2:4] += 2.0
    z[..., -1].mul_(3.0)
    z[torch.tensor([1, 2]), 0] = -5.0
    z[z > 2.0] = 2.0
    z.t()[0].add_(1.0)
    w = z.view(-1)
    w[::2] = 0.0
    z.diagonal().fill_(8.0)
    return z, w


op("writes", writes, r(4, 5), r(4))


def writes2(x):
    z = torch.zeros(3, 4, 5)
    z[:, 1:3, ::2] = x
    z[1].zero_()
    z.select(2, 3).copy_(torch.arange(4.0))
    a, c = z.chunk(2, 1)
    a.add_(1)
    c.sub_(1)
    z.transpose(0, 2)[0, 1:, :] = 4
    return z


op("writes2", writes2, r(3, 2, 3))


def inplace_chain(x):
    y = x * 1
    y.add_(1).mul_(2).relu_().clamp_(max=3).sub_(0.5).div_(2).pow_(2).sigmoid_().neg_()
    y.masked_fill_(x > 0, 0.5)
    y.squeeze_(0).unsqueeze_(1).transpose_(0, 1)
    return y


op("inplace_chain", inplace_chain, r(1, 5))
op("slice_scatter", lambda x, s: (torch.slice_scatter(x, s, 1, 1, 4), torch.select_scatter(x, s[:, 0], 1, 2), torch.diagonal_scatter(x, torch.ones(4)), torch.slice_scatter(x, s[:, :2], 1, 0, 4, 2)), r(4, 5), r(4, 3))
op("as_strided_scatter", lambda x, s: torch.as_strided_scatter(x, s, (2, 2), (2, 1), 1), r(4, 4), r(2, 2))
op("view_alias_out", lambda x: (x, x.view(-1), x), r(2, 3))
op("fill_copy", lambda x, y: (torch.empty(2, 3).copy_(x), x.clone().fill_(2), torch.zeros(2, 3, dtype=torch.int64).copy_(x), y.clone().copy_(x[0])), r(2, 3) * 3, r(4, 3))

# ---- products
op("matmul_ranks", lambda a, v, m, t: (v @ v, m @ v, v @ m.t(), a @ v, a @ m.t(), a @ t, t @ a.transpose(-1, -2)[0]), r(2, 3, 4), r(4), r(5, 4), r(2, 4, 3))
op("matmul_bcast", torch.matmul, r(2, 1, 3, 4), r(5, 4, 2))
op("matmul_5d", torch.matmul, r(1, 2, 2, 3, 4), r(2, 4, 2))
op("matmul_int", torch.matmul, i(3, 4), i(4, 2))
op("matmul_i32", torch.matmul, i(2, 3, 4, dtype=torch.int32), i(2, 4, 2, dtype=torch.int32))
op("matmul_f64", torch.matmul, r(3, 4, dtype=torch.float64), r(4, 2, dtype=torch.float64))
op("matmul_bf16", torch.matmul, r(3, 4).bfloat16(), r(4, 2).bfloat16())
op("matmul_empty_k", torch.matmul, r(3, 0), r(0, 2))
op("addmm", lambda c, a, d: (torch.addmm(c, a, d), torch.addmm(c, a, d, beta=0.5, alpha=2), torch.addmm(c[0], a, d, beta=0)), r(3, 2), r(3, 4), r(4, 2))
op("baddbmm", lambda c, a, d: torch.baddbmm(c, a, d, beta=0.5, alpha=2), r(1, 3, 2), r(2, 3, 4), r(2, 4, 2))
op("addbmm", lambda c, a, d: torch.addbmm(c, a, d), r(3, 2), r(2, 3, 4), r(2, 4, 2))
op("addmv_addr", lambda m, v, w: (torch.addmv(w, m, v), torch.addr(m, w, v), torch.outer(w, v), torch.mv(m, v), torch.dot(v, v), torch.inner(m, v), torch.vdot(v, v)), r(3, 4), r(4), r(3))
op("chain_matmul", lambda a, c, d: (torch.linalg.multi_dot([a, c, d]), torch.chain_matmul(a, c)), r(2, 3), r(3, 4), r(4, 2))
op("tensordot", lambda a, c: (torch.tensordot(a, c, 1), torch.tensordot(a, c.t(), dims=([2], [1]))), r(2, 3, 4), r(4, 5))
op("matrix_power", lambda a: torch.linalg.matrix_power(a, 3), r(3, 3))
op("bilinear", nn.Bilinear(3, 4, 5), r(2, 3), r(2, 4))
for n, (eq, *shapes) in enumerate([("ij,jk->ik", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("bhqd,bhkd->bhqk", (1, 2, 3, 4), (1, 2, 5, 4)), ("ii->i", (4, 4)), ("ii->", (4, 4)), ("ij->ji", (2, 3)),
                                   ("ij->", (2, 3)), ("i,j->ij", (3,), (4,)), ("bi,bj,bk->ijk", (2, 3), (2, 4), (2, 2)), ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)), ("bhwc,hkc->bhwk", (1, 3, 4, 2), (3, 5, 2)),
                                   ("nctkv,kvw->nctw", (1, 2, 3, 4, 5), (4, 5, 5)), ("abc,cd,de->abe", (2, 3, 4), (4, 5), (5, 2)), ("bij,bij->b", (2, 3, 4), (2, 3, 4)), ("i,i->", (3,), (3,)), ("ij,kl->ijkl", (2, 2), (2, 3)), ("bij->bj", (2, 3, 4))]):
    op(f"einsum_{n}", lambda *a, eq=eq: torch.einsum(eq, *a), *[r(*s) for s in shapes])
op("linear_3d_nobias", nn.Linear(4, 3, bias=False), r(2, 5, 4))
op("linear_1d", nn.Linear(4, 3), r(4))
op("linear_4d", nn.Linear(4, 3), r(2, 3, 2, 4))
op("linear_f16", nn.Linear(4, 3).half(), r(2, 4).half())
op("linear_bf16", nn.Linear(4, 3).bfloat16(), r(2, 4).bfloat16())
op("linear_f64", nn.Linear(4, 3).double(), r(2, 4).double())
op("linear_dynamic_weight", lambda x, w, c: F.linear(x, w, c), r(2, 4), r(3, 4), r(3))
op("linear_0_rows", nn.Linear(4, 3), r(0, 4))

# ---- convolutions
for d, (conv, tconv) in {1: (nn.Conv1d, nn.ConvTranspose1d), 2: (nn.Conv2d, nn.ConvTranspose2d), 3: (nn.Conv3d, nn.ConvTranspose3d)}.items():
    s = (9, 8, 7)[:d]
    x = r(2, 4, *s)
    mod(f"conv{d}_plain", conv(4, 6, 3), x)
    mod(f"conv{d}_stride_pad_dil", conv(4, 6, 3, stride=2, padding=2, dilation=2), x)
    mod(f"conv{d}_groups", conv(4, 6, 3, groups=2, padding=1), x)
    mod(f"conv{d}_depthwise", conv(4, 8, 3, groups=4, padding=1), x)
    mod(f"conv{d}_same", conv(4, 6, 4, padding="same"), x)
    mod(f"conv{d}_same_dil", conv(4, 6, 3, padding="same", dilation=2), x)
    mod(f"conv{d}_valid", conv(4, 6, 3, padding="valid"), x)
    for mode in ("reflect", "replicate", "circular"):
        mod(f"conv{d}_{mode}", conv(4, 6, 3, padding=1, padding_mode=mode), x)
    mod(f"conv{d}_even", conv(4, 6, 2, stride=3, bias=False), x)
    mod(f"conv{d}_unbatched", conv(4, 6, 3), x[0].contiguous())
    mod(f"conv{d}_big_pad", conv(4, 6, 3, padding=5), x)
    mod(f"conv{d}_f16", conv(4, 6, 3).half(), x.half())
    mod(f"conv{d}_bf16", conv(4, 6, 3).bfloat16(), x.bfloat16())
    mod(f"conv{d}_f64", conv(4, 6, 3).double(), x.double())
    mod(f"conv{d}_k1s2", conv(4, 6, 1, stride=2), x)
    mod(f"tconv{d}_plain", tconv(4, 6, 3), x)
    mod(f"tconv{d}_stride", tconv(4, 6, 3, stride=2, padding=1, output_padding=1), x)
    mod(f"tconv{d}_dil", tconv(4, 6, 3, stride=2, dilation=2, padding=1), x)
    mod(f"tconv{d}_groups", tconv(4, 6, 3, stride=2, groups=2), x)
    mod(f"tconv{d}_depthwise", tconv(4, 4, 4, stride=2, padding=1, groups=4, bias=False), x)
    mod(f"tconv{d}_k2s2", tconv(4, 3, 2, stride=2), x)
    mod(f"tconv{d}_k_lt_s", tconv(4, 3, 2, stride=3), x)
    mod(f"tconv{d}_unbatched", tconv(4, 6, 3, stride=2), x[0].contiguous())
    mod(f"tconv{d}_f16", tconv(4, 6, 3).half(), x.half())
    op(f"conv{d}_dynamic_weight", lambda x, w, d=d: getattr(F, f"conv{d}d")(x, w, padding=1), x, r(6, 4, *(3,) * d))
    op(f"tconv{d}_output_size", lambda x, w, d=d: getattr(F, f"conv_transpose{d}d")(x, w, stride=2, padding=1, output_padding=1), x, r(4, 3, *(3,) * d))
mod("conv2_mixed", nn.Conv2d(4, 6, (3, 5), stride=(1, 2), padding=(0, 2), dilation=(2, 1)), r(1, 4, 9, 11))
mod("conv2_nhwc_in", nn.Conv2d(4, 6, 3), r(1, 4, 9, 9).to(memory_format=torch.channels_last))
mod("conv2_nhwc_weights", nn.Conv2d(4, 6, 3).to(memory_format=torch.channels_last), r(1, 4, 9, 9).to(memory_format=torch.channels_last))
mod("conv2_nhwc_bn_relu", nn.Sequential(nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU6(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 3)), r(1, 4, 9, 9).to(memory_format=torch.channels_last))
mod("conv2_batch0", nn.Conv2d(4, 6, 3), r(0, 4, 9, 9))
mod("conv2_1x1_spatial1", nn.Conv2d(4, 6, 1), r(3, 4, 1, 1))
mod("conv_transposed_weight_norm", nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3)), r(1, 4, 9))
mod("conv_spectral_norm", nn.utils.parametrizations.spectral_norm(nn.Conv2d(4, 6, 3)), r(1, 4, 9, 9))
mod("lazy_linear", nn.Sequential(nn.Flatten(), nn.Linear(36, 5)), r(1, 4, 3, 3))

# ---- pooling
for d in (1, 2, 3):
    s = (9, 8, 7)[:d]
    x = r(2, 3, *s)
    mp, ap = getattr(F, f"max_pool{d}d"), getattr(F, f"avg_pool{d}d")
    op(f"maxpool{d}_plain", lambda x, f=mp: f(x, 2), x)
    op(f"maxpool{d}_ceil", lambda x, f=mp: f(x, 3, 2, ceil_mode=True), x)
    op(f"maxpool{d}_pad_dil", lambda x, f=mp: f(x, 3, 2, padding=1, dilation=2), x)
    op(f"maxpool{d}_indices", lambda x, f=mp: f(x, 2, 2, return_indices=True), x)
    op(f"maxpool{d}_indices_pad", lambda x, f=mp: f(x, 3, 2, 1, ceil_mode=True, return_indices=True), x)
    op(f"maxpool{d}_unbatched", lambda x, f=mp: f(x, 2), x[0].contiguous())
    op(f"maxpool{d}_special", lambda x, f=mp: f(x, 2, 1), SPECIAL64.reshape((1, 4, 16), (1, 4, 4, 4), (1, 1, 4, 4, 4))[0] if False else SPECIAL64.reshape([(1, 4, 16), (1, 4, 4, 4), (1, 1, 4, 4, 4)][d - 1]))
    op(f"maxpool{d}_f16", lambda x, f=mp: f(x, 2), x.half())
    op(f"avgpool{d}_plain", lambda x, f=ap: f(x, 2), x)
    op(f"avgpool{d}_ceil_pad", lambda x, f=ap: f(x, 3, 2, padding=1, ceil_mode=True), x)
    op(f"avgpool{d}_excl", lambda x, f=ap: f(x, 3, 2, padding=1, ceil_mode=True, count_include_pad=False), x)
    op(f"avgpool{d}_s1", lambda x, f=ap: f(x, 3, 1, padding=1), x)
    if d > 1:
        op(f"avgpool{d}_divisor", lambda x, f=ap: f(x, 2, divisor_override=3), x)
        op(f"avgpool{d}_ceil_divisor", lambda x, f=ap: f(x, 3, 2, 1, True, True, 5), x)
    op(f"avgpool{d}_f16", lambda x, f=ap: f(x, 2), x.half())
    op(f"avgpool{d}_special", lambda x, f=ap: f(x, 2), SPECIAL64.reshape([(1, 4, 16), (1, 4, 4, 4), (1, 1, 4, 4, 4)][d - 1]))
    op(f"adaptive_avg{d}", lambda x, d=d: (getattr(F, f"adaptive_avg_pool{d}d")(x, 1), getattr(F, f"adaptive_avg_pool{d}d")(x, 3), getattr(F, f"adaptive_avg_pool{d}d")(x, 5)), x)
    op(f"adaptive_max{d}", lambda x, d=d: (getattr(F, f"adaptive_max_pool{d}d")(x, 1), getattr(F, f"adaptive_max_pool{d}d")(x, 4)), x)
    op(f"adaptive_max{d}_idx", lambda x, d=d: getattr(F, f"adaptive_max_pool{d}d")(x, 3, return_indices=True), x)
    op(f"lppool{d}", lambda x, d=d: getattr(F, f"lp_pool{d}d")(x, 2.0, 2), x.abs())
    op(f"maxunpool{d}", lambda x, d=d: getattr(F, f"max_unpool{d}d")(*getattr(F, f"max_pool{d}d")(x, 2, return_indices=True), 2), r(1, 2, *(4, 6, 8)[:d]))
op("adaptive_avg_none", lambda x: F.adaptive_avg_pool2d(x, (None, 3)), r(1, 2, 5, 7))
op("adaptive_avg_nhwc", lambda x: F.adaptive_avg_pool2d(x, 3), r(1, 4, 8, 9).to(memory_format=torch.channels_last))
op("fractional_free", lambda x: F.max_pool2d(x, (3, 1), (2, 1), (1, 0)), r(1, 2, 9, 7))

# ---- norms
for name, m, x in [("bn1_2d", nn.BatchNorm1d(4), r(3, 4)), ("bn1_3d", nn.BatchNorm1d(4), r(3, 4, 5)), ("bn2", nn.BatchNorm2d(4), r(2, 4, 3, 5)), ("bn3", nn.BatchNorm3d(4), r(2, 4, 3, 3, 2)),
                   ("bn_noaffine", nn.BatchNorm2d(4, affine=False, eps=0.1), r(2, 4, 3, 5)), ("bn_nostats", nn.BatchNorm2d(4, track_running_stats=False), r(2, 4, 3, 5)), ("bn_f16", nn.BatchNorm2d(4).half(), r(2, 4, 3, 5).half()),
                   ("ln", nn.LayerNorm(5), r(2, 3, 5)), ("ln_2dims", nn.LayerNorm((3, 5)), r(2, 3, 5)), ("ln_3dims", nn.LayerNorm((4, 3, 5)), r(2, 4, 3, 5)), ("ln_noaffine", nn.LayerNorm(5, elementwise_affine=False), r(2, 3, 5)),
                   ("ln_nobias", nn.LayerNorm(5, bias=False, eps=1e-3), r(2, 3, 5)), ("ln_1d", nn.LayerNorm(5), r(5)), ("ln_f16", nn.LayerNorm(5).half(), r(2, 5).half()), ("ln_bf16", nn.LayerNorm(5).bfloat16(), r(2, 5).bfloat16()), ("ln_f64", nn.LayerNorm(5).double(), r(2, 5).double()),
                   ("gn", nn.GroupNorm(2, 4), r(2, 4, 3, 5)), ("gn_1", nn.GroupNorm(1, 4), r(2, 4, 7)), ("gn_all", nn.GroupNorm(4, 4, affine=False), r(2, 4, 3)), ("gn_2d", nn.GroupNorm(2, 4), r(3, 4)), ("gn_5d", nn.GroupNorm(2, 4), r(1, 4, 2, 3, 2)), ("gn_f16", nn.GroupNorm(2, 4).half(), r(2, 4, 3, 5).half()),
                   ("in1", nn.InstanceNorm1d(4), r(2, 4, 9)), ("in2_affine", nn.InstanceNorm2d(4, affine=True), r(2, 4, 5, 5)), ("in2_stats", nn.InstanceNorm2d(4, affine=True, track_running_stats=True), r(2, 4, 5, 5)), ("in3", nn.InstanceNorm3d(4), r(1, 4, 3, 3, 3)), ("in2_unbatched", nn.InstanceNorm2d(4), r(4, 5, 5)),
                   ("rms", nn.RMSNorm(5), r(2, 3, 5)), ("rms_2dims", nn.RMSNorm((3, 5), eps=1e-3), r(2, 3, 5)), ("rms_f16", nn.RMSNorm(8).half(), r(2, 8).half()), ("rms_noaffine", nn.RMSNorm(5, elementwise_affine=False), r(2, 5)),
                   ("lrn", nn.LocalResponseNorm(3), r(1, 5, 4, 4)), ("lrn_even", nn.LocalResponseNorm(2, alpha=0.1, k=2.0), r(1, 5, 4)), ("gn_special_var0", nn.GroupNorm(2, 4), torch.ones(1, 4, 3, 3)), ("dropouts", nn.Sequential(nn.Dropout(), nn.Dropout1d(), nn.AlphaDropout()), r(2, 3, 4))]:
    mod(f"norm_{name}", m, x)
op("bn_functional", lambda x: F.batch_norm(x, torch.ones(4), torch.ones(4) * 2, training=False), r(2, 4, 3))
op("ln_functional", lambda x, w: F.layer_norm(x, (4,), w), r(2, 4), r(4))
op("softmax_dims", lambda x: (x.softmax(0), x.softmax(1), x.softmax(-1), F.log_softmax(x, 1), F.softmin(x, 0)), r(3, 4, 5))
op("softmax_dtype", lambda x: (F.softmax(x, -1, dtype=torch.float32), F.log_softmax(x, 0, dtype=torch.float64)), r(3, 4).half())
op("softmax_inf", lambda x: (x.softmax(-1), x.log_softmax(-1)), torch.tensor([[0.0, -INF, 1.0], [-INF, -INF, -INF], [INF, 0.0, 1.0], [1e30, 0, 0]]))
op("softmax_0d", lambda x: x.softmax(0), torch.tensor(2.0))
op("softmax_f16", lambda x: x.softmax(-1), r(3, 40).half() * 5)
op("gumbel_free", lambda x: F.softmax(x / 0.1, -1), r(3, 9))
op("softmax2d", nn.Softmax2d(), r(1, 4, 3, 3))

# ---- padding and resizing
for name, p, x in [("1d_last", (1, 2), r(2, 3, 5)), ("2d", (1, 2, 3, 1), r(1, 2, 5, 6)), ("3d", (1, 0, 2, 1, 1, 2), r(1, 2, 4, 5, 6))]:
    for mode in ("constant", "reflect", "replicate", "circular"):
        op(f"pad_{name}_{mode}", lambda x, p=p, mode=mode: F.pad(x, p, mode=mode), x)
op("pad_neg", lambda x: (F.pad(x, (-1, 2)), F.pad(x, (1, -2, -1, 0), value=3.0)), r(2, 4, 5))
op("pad_value_inf", lambda x: F.pad(x, (1, 1), value=-INF), r(2, 4))
op("pad_int", lambda x: F.pad(x, (1, 1), value=7), i(2, 4))
op("pad_bool", lambda x: F.pad(x, (1, 1), value=True), b(2, 4))
op("pad_all_dims", lambda x: F.pad(x, (1, 1, 0, 1, 2, 0)), r(2, 3, 4))
op("pad_unbatched", lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), r(3, 5, 5))
op("pad_modules", nn.Sequential(nn.ReflectionPad2d((1, 2, 0, 1)), nn.ZeroPad2d(1), nn.ConstantPad2d(1, 0.5), nn.ReplicationPad2d(2)), r(1, 2, 5, 5))
for mode, x in [("nearest", r(1, 2, 5, 6)), ("nearest-exact", r(1, 2, 5, 6)), ("bilinear", r(1, 2, 5, 6)), ("bicubic", r(1, 2, 5, 6)), ("area", r(1, 2, 6, 6)), ("linear", r(1, 2, 7)), ("nearest", r(1, 2, 7)), ("trilinear", r(1, 2, 3, 4, 5)), ("nearest", r(1, 2, 3, 4, 5)), ("nearest-exact", r(1, 2, 7))]:
    n = x.dim() - 2
    name = f"interp{n}_{mode.replace('-', '_')}"
    op(f"{name}_up", lambda x, mode=mode: F.interpolate(x, scale_factor=2, mode=mode), x)
    op(f"{name}_frac", lambda x, mode=mode: F.interpolate(x, scale_factor=1.7, mode=mode), x)
    op(f"{name}_down", lambda x, mode=mode: F.interpolate(x, scale_factor=0.5, mode=mode), x)
    op(f"{name}_size", lambda x, mode=mode, n=n: F.interpolate(x, size=(11, 3, 4)[:n], mode=mode), x)
    if mode in ("linear", "bilinear", "bicubic", "trilinear"):
        op(f"{name}_align", lambda x, mode=mode, n=n: F.interpolate(x, size=(9, 4, 7)[:n], mode=mode, align_corners=True), x)
        op(f"{name}_recompute", lambda x, mode=mode: F.interpolate(x, scale_factor=1.3, mode=mode, recompute_scale_factor=True), x)
    op(f"{name}_f16", lambda x, mode=mode: F.interpolate(x, scale_factor=2, mode=mode), x.half())
op("interp_aa", lambda x: (F.interpolate(x, size=(4, 5), mode="bilinear", antialias=True), F.interpolate(x, size=(4, 5), mode="bicubic", antialias=True)), r(1, 2, 9, 11))
op("interp_u8", lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), i(1, 2, 3, 3, hi=255, dtype=torch.uint8))
op("interp_nhwc", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), r(1, 4, 5, 6).to(memory_format=torch.channels_last))
op("interp_1px", lambda x: F.interpolate(x, size=(4, 4), mode="bilinear", align_corners=True), r(1, 2, 1, 1))
op("interp_to1", lambda x: F.interpolate(x, size=(1, 1), mode="bilinear", align_corners=True), r(1, 2, 5, 5))
for mode in ("bilinear", "nearest", "bicubic"):
    for pad in ("zeros", "border", "reflection"):
        for align in (True, False):
            op(f"grid_{mode}_{pad}_{int(align)}", lambda x, g, m=mode, p=pad, a=align: F.grid_sample(x, g, mode=m, padding_mode=p, align_corners=a), r(1, 2, 5, 6), r(1, 4, 3, 2))
op("grid_3d", lambda x, g: F.grid_sample(x, g, align_corners=False), r(1, 2, 3, 4, 5), r(1, 2, 3, 3, 3) * 0.7)
op("affine_grid", lambda x, t: F.grid_sample(x, F.affine_grid(t, (1, 2, 5, 6), align_corners=False), align_corners=False), r(1, 2, 5, 6), torch.tensor([[[0.9, 0.2, 0.1], [-0.1, 1.1, -0.2]]]))
op("unfold_im2col", lambda x: (F.unfold(x, 3, dilation=1, padding=1, stride=2), F.unfold(x, (2, 3), dilation=(2, 1))), r(1, 2, 6, 7))
op("fold_col2im", lambda x: F.fold(x, (6, 7), 3, padding=1, stride=2), r(1, 18, 12))
op("fold_unfold", lambda x: F.fold(F.unfold(x, 2, stride=2), (6, 8), 2, stride=2), r(1, 2, 6, 8))

# ---- embeddings
op("embedding_pad", nn.Embedding(9, 4, padding_idx=0), i(2, 5, hi=9))
op("embedding_i32", nn.Embedding(9, 4), i(2, 5, hi=9, dtype=torch.int32))
op("embedding_0d", nn.Embedding(9, 4), torch.tensor(3))
op("embedding_maxnorm_free", lambda j, w: F.embedding(j, w), i(2, 5, hi=9), r(9, 4))
op("embedding_f16", nn.Embedding(9, 4).half(), i(2, 5, hi=9))
for mode in ("sum", "mean", "max"):
    op(f"bag_{mode}", nn.EmbeddingBag(9, 4, mode=mode), i(3, 5, hi=9))
    op(f"bag_{mode}_offsets", nn.EmbeddingBag(9, 4, mode=mode), i(8, hi=9), torch.tensor([0, 3, 3, 6]))
    op(f"bag_{mode}_pad", nn.EmbeddingBag(9, 4, mode=mode, padding_idx=2), i(3, 5, hi=9))
op("bag_weights", lambda j, o, w, t: F.embedding_bag(j, t, o, mode="sum", per_sample_weights=w), i(8, hi=9), torch.tensor([0, 3, 6]), r(8), r(9, 4))
op("bag_last_offset", nn.EmbeddingBag(9, 4, mode="sum", include_last_offset=True), i(8, hi=9), torch.tensor([0, 3, 8]))

# ---- attention
q, k, v = r(2, 4, 5, 8), r(2, 4, 7, 8), r(2, 4, 7, 8)
sdpa = F.scaled_dot_product_attention
op("sdpa", lambda a, c, d: sdpa(a, c, d), q, k, v)
op("sdpa_causal", lambda a: sdpa(a, a, a, is_causal=True), q)
op("sdpa_causal_rect", lambda a, c, d: sdpa(a, c, d, is_causal=True), q, k, v)
op("sdpa_bool_mask", lambda a, c, d, m: sdpa(a, c, d, attn_mask=m), q, k, v, b(5, 7) | torch.eye(5, 7).bool())
op("sdpa_float_mask", lambda a, c, d, m: sdpa(a, c, d, attn_mask=m), q, k, v, r(2, 1, 5, 7))
op("sdpa_masked_row", lambda a, c, d, m: sdpa(a, c, d, attn_mask=m), q, k, v, torch.cat([torch.zeros(1, 7), torch.ones(4, 7)]).bool())
op("sdpa_scale", lambda a, c, d: sdpa(a, c, d, scale=0.3), q, k, v)
op("sdpa_gqa", lambda a, c, d: sdpa(a, c, d, enable_gqa=True), q, k[:, :2].contiguous(), v[:, :2].contiguous())
op("sdpa_3d", lambda a: sdpa(a, a, a), r(2, 5, 8))
op("sdpa_2d", lambda a: sdpa(a, a, a), r(5, 8))
op("sdpa_5d", lambda a: sdpa(a, a, a), r(1, 2, 2, 5, 8))
op("sdpa_ev", lambda a, c, d: sdpa(a, c, d), q, k, r(2, 4, 7, 3))
op("sdpa_bcast_kv", lambda a, c, d: sdpa(a, c, d), q, r(1, 1, 7, 8), r(1, 1, 7, 8))
op("sdpa_f16", lambda a, c, d: sdpa(a, c, d), q.half(), k.half(), v.half())
op("sdpa_bf16", lambda a, c, d: sdpa(a, c, d), q.bfloat16(), k.bfloat16(), v.bfloat16())


class Mha(nn.Module):
    def __init__(self, call, **kw):
        super().__init__()
        self.a, self.call = nn.MultiheadAttention(16, 4, **kw), call

    def forward(self, *x):
        return self.call(self.a, *x)


mod("mha", Mha(lambda a, x: a(x, x, x)), r(5, 2, 16))
mod("mha_bf", Mha(lambda a, x: a(x, x, x, need_weights=False)[0], batch_first=True), r(2, 5, 16))
mod("mha_mask", Mha(lambda a, x, m: a(x, x, x, attn_mask=m), batch_first=True), r(2, 5, 16), torch.triu(torch.full((5, 5), -INF), 1))
mod("mha_pad_mask", Mha(lambda a, x, m: a(x, x, x, key_padding_mask=m), batch_first=True), r(2, 5, 16), torch.tensor([[False] * 5, [False] * 3 + [True] * 2]))
mod("mha_cross", Mha(lambda a, x, y: a(x, y, y, average_attn_weights=False), batch_first=True, kdim=12, vdim=12), r(2, 5, 16), r(2, 7, 12))
mod("mha_bias_kv", Mha(lambda a, x: a(x, x, x), add_bias_kv=True, add_zero_attn=True), r(5, 2, 16))
mod("mha_unbatched", Mha(lambda a, x: a(x, x, x)), r(5, 16))
mod("encoder_layer", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), r(2, 5, 16))
mod("encoder_layer_prenorm_gelu", nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", norm_first=True), r(5, 2, 16))
mod("encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2), r(2, 5, 16))
mod("decoder_layer", nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), r(2, 5, 16), r(2, 7, 16))
mod("transformer", nn.Transformer(16, 4, 1, 1, 32, batch_first=True), r(2, 5, 16), r(2, 4, 16))
mod("encoder_src_mask", Mha2 := type("Enc", (nn.Module,), {"__init__": lambda s: (nn.Module.__init__(s), setattr(s, "e", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)))[0], "forward": lambda s, x, m: s.e(x, src_key_padding_mask=m)})(), r(2, 5, 16), torch.tensor([[False] * 5, [False] * 3 + [True] * 2]))

# ---- recurrent
for name, cell in dict(lstm=nn.LSTM, gru=nn.GRU, rnn=nn.RNN).items():
    mod(f"{name}_plain", cell(4, 6), r(5, 2, 4))
    mod(f"{name}_bf", cell(4, 6, batch_first=True), r(2, 5, 4))
    mod(f"{name}_bi2", cell(4, 6, num_layers=2, bidirectional=True), r(5, 2, 4))
    mod(f"{name}_nobias", cell(4, 6, bias=False, batch_first=True), r(2, 5, 4))
    mod(f"{name}_unbatched", cell(4, 6, num_layers=2), r(5, 4))
    mod(f"{name}_len1", cell(4, 6), r(1, 2, 4))
    mod(f"{name}_drop", cell(4, 6, 2, dropout=0.5), r(3, 2, 4))
    h = (r(2, 2, 6), r(2, 2, 6)) if name == "lstm" else r(2, 2, 6)
    CASES.append(Case(f"{name}_state", settle(cell(4, 6, num_layers=2)), [(r(5, 2, 4), h)]))
    mod(f"{name}_f16", cell(4, 6).half(), r(5, 2, 4).half())
mod("lstm_proj", nn.LSTM(4, 6, proj_size=3), r(5, 2, 4))
mod("lstm_proj_bi", nn.LSTM(4, 6, 2, proj_size=3, bidirectional=True, batch_first=True), r(2, 5, 4))
mod("rnn_relu", nn.RNN(4, 6, nonlinearity="relu"), r(5, 2, 4))
CASES.append(Case("lstm_cell", settle(nn.LSTMCell(4, 6)), [(r(2, 4), (r(2, 6), r(2, 6)))]))
CASES.append(Case("gru_cell", settle(nn.GRUCell(4, 6)), [(r(2, 4), r(2, 6))]))
CASES.append(Case("rnn_cell", settle(nn.RNNCell(4, 6)), [(r(2, 4), r(2, 6))]))
mod("lstm_long", nn.LSTM(4, 6, batch_first=True), r(1, 100, 4))

# ---- losses and odd functions that appear in models
op("losses", lambda x, y, t: (F.mse_loss(x, y), F.l1_loss(x, y, reduction="sum"), F.smooth_l1_loss(x, y), F.huber_loss(x, y, delta=0.5), F.cross_entropy(x, t), F.nll_loss(F.log_softmax(x, 1), t), F.binary_cross_entropy_with_logits(x, y.sigmoid()), F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean")), r(3, 4), r(3, 4), i(3, hi=4))
op("dropout_eval", lambda x: F.dropout(x, 0.5, training=False), r(3))
op("cosine_embedding", lambda x, y: F.cosine_similarity(x[:, None], y[None], dim=-1), r(3, 4), r(5, 4))
op("pdist", lambda x: F.pdist(x), r(4, 3))
op("polar_rope", lambda x: torch.cat([x[..., ::2] * torch.cos(torch.arange(4.0)) - x[..., 1::2] * torch.sin(torch.arange(4.0)), x[..., 1::2]], -1), r(2, 3, 8))
op("vander", lambda x: torch.vander(x, 4), r(5))
op("renorm", lambda x: torch.renorm(x, 2, 0, 1.0), r(3, 4))
op("special_fns", lambda x: (torch.special.i0(x), torch.special.entr(x), torch.special.xlog1py(x, x), torch.special.ndtr(x), torch.special.expit(x), torch.special.logit(x), torch.special.erfcx(x), torch.sinc(x)), torch.rand(8, generator=G) * 0.9 + 0.05)
op("inverse", lambda x: torch.linalg.inv(x), torch.eye(3) + 0.1 * r(3, 3))
op("det", lambda x: torch.linalg.det(x), r(3, 3))
op("solve", lambda x, y: torch.linalg.solve(x, y), torch.eye(3) + 0.1 * r(3, 3), r(3, 2))
op("cholesky", lambda x: torch.linalg.cholesky(x), torch.eye(3) * 2)
op("gcd_lcm", lambda x, y: (torch.gcd(x, y), torch.lcm(x, y)), i(8, lo=1, hi=40), i(8, lo=1, hi=40))
op("rand_like_shape", lambda x: x + torch.zeros_like(x).uniform_(0, 0), r(3))
op("str_to_scalar", lambda x: x * x.shape[0] + x.dim() + x.numel() / 2, r(3, 4))
op("max_of_ints", lambda x: (x.max(), x.min(), x.sum(), x.float().mean().long(), x.argmax()), i(3, 4, lo=-9, hi=9, dtype=torch.int16))


def cases(only):
    for case in CASES:
        case.forms = ("t", "d")
        yield case
