"""Whole small programs: dynamic shapes, state, control flow, many inputs and outputs, aliases, odd weights."""
import torch
import torch.nn.functional as F
from case import Case, Fn
from ops import b, i, r
from torch import nn
from torch.export import Dim
from weights import settle

CASES = []


def add(name, module, *runs, dynamic=None, **more):
    """A case with dynamic dims is expected to export, unless it says that PyTorch makes them static."""
    module = module if isinstance(module, nn.Module) else Fn(module)
    more.setdefault("expected", dynamic is not None)
    CASES.append(Case(name, module, list(runs), dynamic=dynamic, **more))


def net(name, module, *runs, dynamic=None, **more):
    add(name, settle(module), *runs, dynamic=dynamic, sqnr=95.0, **more)


# ---- dynamic shapes: one batch dim, a sequence dim, both, related and derived ones
B, S = Dim("batch", min=1, max=8), Dim("seq", min=2, max=24)


def batches(*shape, at=(3, 1, 8)):
    return [(r(n, *shape),) for n in at]


def seqs(*shape, at=(7, 2, 24), lead=(2,)):
    return [(r(*lead, n, *shape),) for n in at]


for name, module, shape in [
    ("mlp", nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3), nn.Softmax(-1)), (6,)),
    ("cnn", nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, groups=8), nn.Hardswish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)), (3, 12, 12)),
    ("conv1d", nn.Sequential(nn.Conv1d(3, 6, 3, padding=1), nn.GELU(), nn.ConvTranspose1d(6, 4, 4, 2, 1), nn.GroupNorm(2, 4)), (3, 9)),
    ("conv3d", nn.Sequential(nn.Conv3d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2), nn.AdaptiveAvgPool3d(1)), (2, 4, 6, 6)),
    ("encoder", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), (5, 16)),
    ("lstm", nn.LSTM(4, 6, 2, batch_first=True, bidirectional=True), (5, 4)),
    ("gru", nn.GRU(4, 6, batch_first=True), (5, 4)),
    ("unet", nn.Sequential(nn.Conv2d(2, 4, 3, 2, 1), nn.InstanceNorm2d(4, affine=True), nn.SiLU(), nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(4, 1, 1), nn.Sigmoid()), (2, 8, 8)),
    ("pixel", nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.PixelShuffle(2), nn.PReLU()), (2, 6, 6)),
    ("embed_mean", nn.Sequential(nn.Linear(4, 8), nn.Unflatten(1, (2, 4)), nn.Softmax(1), nn.Flatten(1)), (4,)),
]:
    net(f"batch_{name}", module, *batches(*shape), dynamic=({0: B},))
    net(f"batch_auto_{name}", module, *batches(*shape, at=(3, 2, 9)), dynamic=({0: Dim.AUTO},))

H, W = Dim("h", min=4, max=20), Dim("w", min=4, max=20)
image_net = nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(6, 4, 1), nn.Upsample(scale_factor=2, mode="nearest"), nn.ConvTranspose2d(4, 2, 4, 2, 1))
net("hw_dynamic", image_net, (r(1, 3, 12, 8),), (r(1, 3, 4, 4),), (r(1, 3, 20, 20),), dynamic=({2: Dim.AUTO, 3: Dim.AUTO},))
net("hw_multiple_of_4", nn.Sequential(nn.Conv2d(3, 6, 4, 4), nn.Flatten(2), nn.Linear(6, 6)) if False else nn.Sequential(nn.Conv2d(3, 6, 4, 4), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()), (r(1, 3, 12, 8),), (r(1, 3, 8, 8),), (r(1, 3, 20, 16),), dynamic=({2: 4 * Dim("hh", min=2, max=5), 3: 4 * Dim("ww", min=2, max=5)},))
net("global_pool_dynamic", nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 2)), (r(2, 3, 12, 8),), (r(1, 3, 4, 4),), (r(8, 3, 20, 20),), dynamic=({0: B, 2: H, 3: W},))
net("seq_conv", nn.Sequential(nn.Conv1d(4, 6, 3, padding=2, dilation=2), nn.ReLU(), nn.Conv1d(6, 6, 3, stride=2, padding=1), nn.BatchNorm1d(6)), (r(1, 4, 9),), (r(1, 4, 2),), (r(1, 4, 24),), dynamic=({2: Dim.AUTO},))
net("seq_lstm", nn.LSTM(4, 6, batch_first=True), *seqs(4), dynamic=({1: S},), expected=False)
net("seq_gru_bi", nn.GRU(4, 6, 2, bidirectional=True), (r(7, 2, 4),), (r(2, 2, 4),), (r(24, 2, 4),), dynamic=({0: S},), expected=False)
net("seq_encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True), 2), *seqs(16), dynamic=({1: S},))
net("batch_seq_encoder", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), (r(3, 7, 16),), (r(1, 2, 16),), (r(8, 24, 16),), dynamic=({0: B, 1: S},))
add("two_related", lambda x, y: torch.cat([x, y], 1).softmax(1) @ y.transpose(1, 2).sum(2, keepdim=True).expand(-1, -1, 1)[:, :4] if False else (x * y.sum(1, keepdim=True), torch.cat([x, y], 1)), (r(2, 5, 4), r(2, 7, 4)), (r(1, 2, 4), r(1, 3, 4)), (r(8, 24, 4), r(8, 9, 4)), dynamic=({0: B, 1: S}, {0: B, 1: Dim("other", min=2, max=24)}))
add("same_dim_two_inputs", lambda x, y: (x + y) @ y.transpose(1, 2), (r(2, 5, 4), r(2, 5, 4)), (r(2, 24, 4), r(2, 24, 4)), dynamic=({1: S}, {1: S}))
s2 = Dim("half", min=1, max=12)
add("derived_twice", lambda x, y: x[:, : y.shape[1]] + y, (r(2, 10), r(2, 5)), (r(2, 2), r(2, 1)), (r(2, 24), r(2, 12)), dynamic=({1: 2 * s2}, {1: s2}))
add("derived_plus1", lambda x, y: x[:, 1:] * y, (r(2, 6), r(2, 5)), (r(2, 2), r(2, 1)), dynamic=({1: s2 + 1}, {1: s2}))
add("halves", lambda x: x[:, : x.shape[1] // 2] * x[:, x.shape[1] // 2 : 2 * (x.shape[1] // 2)], (r(2, 9),), (r(2, 2),), (r(2, 23),), dynamic=({1: Dim.AUTO},))
add("chunk_dynamic", lambda x: torch.cat(x.chunk(2, 1)[::-1], 1), (r(2, 10),), (r(2, 4),), (r(2, 24),), dynamic=({1: 2 * s2},))
add("reshape_merge", lambda x: x.reshape(x.shape[0] * x.shape[1], -1).sum(0), (r(2, 5, 4),), (r(1, 2, 4),), (r(8, 24, 4),), dynamic=({0: B, 1: S},))
add("reshape_split", lambda x: x.view(x.shape[0], -1, 2, 3).transpose(1, 2), (r(2, 12),), (r(2, 18),), (r(2, 24),), dynamic=({1: 6 * Dim("k", min=2, max=4)},))
add("flatten_batch", lambda x: F.relu(x.flatten(0, 1)).view(x.shape), (r(2, 5, 4),), (r(8, 24, 4),), (r(1, 2, 4),), dynamic=({0: B, 1: S},))
add("arange_pos", lambda x: x + torch.arange(x.shape[1])[None, :, None], *seqs(4), dynamic=({1: S},))
add("causal_mask", lambda x: (x @ x.transpose(1, 2)).masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1).bool(), float("-inf")).softmax(-1) @ x, *seqs(4), dynamic=({1: S},))
add("sdpa_causal_dyn", lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), (r(1, 2, 7, 8),), (r(1, 2, 2, 8),), (r(1, 2, 24, 8),), dynamic=({2: S},))
add("sdpa_mask_dyn", lambda x, m: F.scaled_dot_product_attention(x, x, x, attn_mask=m[:, None, None, :]), (r(2, 2, 7, 8), b(2, 7) | (torch.arange(7) == 0)), (r(1, 2, 2, 8), torch.ones(1, 2).bool()), (r(8, 2, 24, 8), b(8, 24) | (torch.arange(24) == 0)), dynamic=({0: B, 2: S}, {0: B, 1: S}))
add("mean_len", lambda x, n: x.sum(1) / n[:, None], (r(2, 5, 4), torch.tensor([3, 5])), (r(1, 2, 4), torch.tensor([1])), dynamic=({0: B, 1: S}, {0: B}))
add("pad_to_bound", lambda x: F.pad(x, (0, 0, 0, 24 - x.shape[1])), *seqs(4), dynamic=({1: S},))
add("flip_roll_dyn", lambda x: (x.flip(1), x.roll(1, 1), x[:, -1], x[:, ::2], x[:, -2:]), *seqs(4), dynamic=({1: Dim.AUTO},))
add("topk_dyn", lambda x: x.topk(2, 1), (r(2, 7),), (r(2, 2),), (r(2, 24),), dynamic=({1: S},))
add("sort_cumsum_dyn", lambda x: (x.sort(1)[0], x.cumsum(1), x.argmax(1), x.max(1)[0]), (r(2, 7),), (r(2, 2),), (r(2, 24),), dynamic=({1: S},))
add("gather_dyn", lambda x, j: (x[j], x.index_select(0, j), x.gather(0, j[:, None].expand(-1, x.shape[1]))), (r(5, 3), i(7, hi=5)), (r(2, 3), i(2, hi=2)), (r(24, 3), i(24, hi=24)), dynamic=({0: Dim("rows", min=2, max=24)}, {0: S}))
add("scatter_dyn", lambda x, j: torch.zeros(6, 3).index_add(0, j, x), (r(7, 3), i(7, hi=6)), (r(2, 3), i(2, hi=6)), (r(24, 3), i(24, hi=6)), dynamic=({0: S}, {0: S}))
add("one_hot_dyn", lambda j: F.one_hot(j, 5).float().mean(1), (i(2, 7),), (i(2, 24),), (i(2, 2),), dynamic=({1: S},))
add("interpolate_dyn", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), (r(1, 2, 6, 5),), (r(1, 2, 4, 20),), (r(1, 2, 20, 4),), dynamic=({2: H, 3: W},))
add("interpolate_like", lambda x, y: F.interpolate(x, size=y.shape[2:], mode="bilinear") + y, (r(1, 2, 6, 5), r(1, 2, 9, 11)), (r(1, 2, 4, 4), r(1, 2, 20, 20)), dynamic=({2: H, 3: W}, {2: Dim("h2", min=4, max=20), 3: Dim("w2", min=4, max=20)}))
add("interpolate_nearest_dyn", lambda x: F.interpolate(x, scale_factor=2.0), (r(1, 2, 6, 5),), (r(1, 2, 4, 20),), dynamic=({2: H, 3: W},))
add("adaptive_dyn", lambda x: F.adaptive_avg_pool2d(x, 4), (r(1, 2, 8, 8),), (r(1, 2, 12, 16),), dynamic=({2: 4 * Dim("a", min=2, max=5), 3: 4 * Dim("c", min=2, max=5)},))
add("unbounded", lambda x: torch.relu(x) @ x.t(), (r(3, 4),), (r(7, 4),), (r(2, 4),), dynamic=({0: Dim.DYNAMIC},))
add("stack_split", lambda x: torch.stack(torch.split(x, 1, 0)), (r(3, 4),), (r(3, 24),), dynamic=({1: S},))
add("batch_zero_ok", lambda x: x.relu().sum(1), (r(3, 4),), (r(0, 4),), dynamic=({0: Dim("n", min=0, max=6)},))
add("sizes_as_values", lambda x: (x * x.shape[1], x.shape[1], x.numel() // 2, torch.tensor(x.shape[1])), *seqs(4), dynamic=({1: S},))
add("norm_by_size", lambda x: x / x.shape[1] ** 0.5, *seqs(4), dynamic=({1: S},))
add("linspace_dyn", lambda x: x + torch.linspace(0, 1, x.shape[1])[:, None], *seqs(4), dynamic=({1: S},), expected=False)
add("unfold_dyn", lambda x: x.unfold(1, 2, 1).mean(-1), *seqs(4), dynamic=({1: Dim.AUTO},))
add("tril_dyn", lambda x: torch.tril(torch.ones(x.shape[1], x.shape[1])) @ x, *seqs(4), dynamic=({1: S},))
add("where_len", lambda x, n: torch.where(torch.arange(x.shape[1])[None, :] < n[:, None], x, 0.0), (r(2, 7), torch.tensor([3, 7])), (r(2, 24), torch.tensor([1, 20])), dynamic=({1: S}, None))
add("repeat_dyn", lambda x: (x.repeat(1, 2, 1), x.repeat_interleave(2, 1), x[:, None].expand(-1, 3, -1, -1)), *seqs(4), dynamic=({1: S},))
add("int_input", lambda x, n: x[:, :n] * n if False else x * n, (r(2, 4), 3))
add("symint_input", lambda x, n: x.narrow(1, 0, 1) * n, (r(2, 4), 3), (r(2, 4), 7), dynamic=(None, Dim.DYNAMIC))
add("float_bool_none", lambda x, a, c, d: x * a if c else x, (r(2, 4), 2.5, True, None))
add("item_slice", lambda x, n: torch.narrow(x, 0, 0, 3) * n.item(), (r(5, 4), torch.tensor(2)), (r(5, 4), torch.tensor(-4)))


class ItemBound(nn.Module):
    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 1)
        torch._check(k <= 6)
        return x[:k].sum(0), torch.arange(k)


add("item_bound", ItemBound(), (r(6, 4), torch.tensor(2)), (r(6, 4), torch.tensor(6)), (r(6, 4), torch.tensor(1)))
add("nonzero_gather", lambda x: x[torch.nonzero(x[:, 0] > 0).squeeze(1)].sum(0), (r(6, 4),), (r(6, 4),))
add("masked_mean", lambda x, m: x[m].mean(), (r(6, 4), torch.ones(6, 4).bool()), (r(6, 4), b(6, 4)))

# ---- inputs and outputs
add("nested_io", lambda d, l: {"sum": d["a"] + l[0], "rest": [l[1][0] * 2, (d["b"], None)]}, ({"a": r(2), "b": r(3)}, [r(2), (r(4), r(1))]))
add("kwargs", lambda x, scale=None, flag=False: x * scale + (1 if flag else 2), (r(2, 3),), kwargs={"scale": r(3), "flag": True})
add("unused_input", lambda x, y: x + 1, (r(2), r(3)))
add("same_output_twice", lambda x: (lambda y: (y, y, y.view(-1)))(x * 2), (r(2, 3),))
add("input_is_output", lambda x, y: (x, x + y, y.t()), (r(2, 3), r(2, 3)))
add("constant_outputs", Fn(lambda x: (x, torch.ones(2, 3), 7, 1.5, "text", True, None)), (r(2),))
add("no_inputs", lambda: torch.arange(6.0).reshape(2, 3) * 2, ())
add("all_dtypes_io", lambda *x: tuple(v + v if v.dtype != torch.bool else ~v for v in x), tuple(i(2, 3).to(d) for d in (torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool)))
add("channels_last_in_out", lambda x: (x * 2, x.relu().contiguous(), x.permute(0, 2, 3, 1)), (r(1, 3, 4, 5).to(memory_format=torch.channels_last),))
add("channels_last_mixed", lambda x, y: torch.cat([x, y], 1) + 1, (r(1, 3, 4, 5).to(memory_format=torch.channels_last), r(1, 2, 4, 5)))
add("channels_last_reduce", lambda x: (x.mean((2, 3)), x.softmax(1), x.flatten(1), F.layer_norm(x, (4, 5)), F.pad(x, (1, 1)), x.flip(1), x[:, 1:], x.cumsum(1)), (r(1, 3, 4, 5).to(memory_format=torch.channels_last),))
add("channels_last_3d", lambda x: F.relu(x) * 2 + x.mean(1, keepdim=True), (r(1, 3, 2, 4, 5).to(memory_format=torch.channels_last_3d),))
add("transposed_input", lambda x: x @ x.t(), (r(4, 3).t(),))
add("expanded_input", lambda x: x + 1, (r(1, 3).expand(4, 3),))
add("strided_input", lambda x: x * 2, (r(6, 4)[::2],))


class Aliases(nn.Module):
    """Shared, transposed, sliced and expanded weights."""

    def __init__(self):
        super().__init__()
        base = r(8, 6)
        self.w = nn.Parameter(base)
        self.tied = self.w
        self.t = nn.Parameter(base.t())
        self.part = nn.Parameter(base[2:5])
        self.register_buffer("wide", r(1, 6).expand(4, 6))
        self.register_buffer("column", base[:, 1])
        self.register_buffer("temporary", r(6), persistent=False)
        self.k = r(6)

    def forward(self, x):
        return F.linear(x, self.w) @ self.tied, x @ self.t, F.linear(x, self.part), x + self.wide.sum(0), (x @ self.t) * self.column, x * self.temporary + self.k


add("weight_aliases", Aliases(), (r(3, 6),))

# ---- state
class Counter(nn.Module):
    def __init__(self, start=5):
        super().__init__()
        self.register_buffer("n", torch.tensor(start))
        self.register_buffer("mean", torch.full((3,), 0.25))

    def forward(self, x):
        self.n += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x * self.n, self.mean.clone()


add("state_counter", Counter(), (r(4, 3),), (r(4, 3),), (r(4, 3),))


class Cache(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.how = how
        self.register_buffer("k", torch.zeros(1, 2, 16, 4))
        self.register_buffer("v", torch.zeros(1, 2, 16, 4))
        self.q = nn.Linear(8, 8)

    def forward(self, x, pos):
        h = self.q(x).view(1, -1, 2, 4).transpose(1, 2)
        if self.how == "index_put":
            self.k[:, :, pos] = h
            self.v[:, :, pos] = h * 2
        elif self.how == "index_copy":
            self.k.index_copy_(2, pos, h)
            self.v.index_copy_(2, pos, h * 2)
        else:
            torch.ops.aten.index_put_(self.k, [None, None, pos], h)
            self.v.copy_(torch.index_copy(self.v, 2, pos, h * 2))
        mask = (torch.arange(16)[None, :] <= pos[:, None])
        return F.scaled_dot_product_attention(h, self.k, self.v, attn_mask=mask)


for how in ("index_put", "index_copy", "aten"):
    add(f"kv_cache_{how}", settle(Cache(how)), *[(r(1, 1, 8), torch.tensor([p])) for p in range(4)])
add("kv_cache_prefill", settle(Cache("index_copy")), (r(1, 4, 8), torch.arange(4)), (r(1, 1, 8), torch.tensor([4])), (r(1, 3, 8), torch.arange(5, 8)), dynamic=({1: Dim("t", min=1, max=8)}, {0: Dim("t", min=1, max=8)}))


class Ring(nn.Module):
    """A history shifted by each call, and a flag."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", r(4, 3))
        self.register_buffer("seen", torch.zeros((), dtype=torch.bool))

    def forward(self, x):
        self.h.copy_(torch.cat([self.h[1:], x[None]]))
        old = self.seen.clone()
        self.seen.fill_(True)
        return self.h.sum(0), old


add("state_ring", Ring(), *[(r(3),) for _ in range(4)])


class Stream(nn.Module):
    """A causal convolution with its context in a buffer, and a recurrent cell with its state."""

    def __init__(self):
        super().__init__()
        self.conv, self.cell = nn.Conv1d(3, 4, 3), nn.GRUCell(4, 4)
        self.register_buffer("context", torch.zeros(1, 3, 2))
        self.register_buffer("hidden", torch.zeros(1, 4))

    def forward(self, x):
        y = torch.cat([self.context, x], 2)
        self.context.copy_(y[:, :, -2:])
        for t in range(x.shape[2]):
            self.hidden.copy_(self.cell(self.conv(y)[:, :, t], self.hidden))
        return self.hidden.clone()


net("state_stream", Stream(), *[(r(1, 3, 3),) for _ in range(3)])


def mutate(x, y):
    x.add_(1)
    y[0] = x.sum()
    return x * 2


add("input_mutation", mutate, (r(2, 3), r(4)), (r(2, 3), r(4)))


def mutate_view(x):
    v = x.view(-1)[1:4]
    v.mul_(10)
    x.t()[0] = 0.5
    return v.sum(), x


add("input_mutation_view", mutate_view, (r(3, 2),), (r(3, 2),))


class TrainBn(nn.Module):
    keep_training = True

    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.bn(x)


add("train_batch_norm", TrainBn().train(), (r(6, 3),), (r(6, 3),))


class PartialWrite(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(12.0).view(3, 4))

    def forward(self, j, x):
        before = self.table[j]
        self.table[j] = x
        self.table[:, 0].zero_()
        return before, self.table[j]


add("state_partial", PartialWrite(), (torch.tensor(1), r(4)), (torch.tensor(1), r(4)), (torch.tensor(2), r(4)))


# ---- control flow
class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.c = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda v: self.a(v).relu(), lambda v: self.c(v) - 1, (x,))


add("cond_weights", settle(Cond()), (torch.ones(2, 4),), (-torch.ones(2, 4),))
add("cond_two_results", lambda x, p: torch.cond(p, lambda v: (v + 1, v.sum(0)), lambda v: (v * 2, v.mean(0)), (x,)), (r(2, 4), torch.tensor(True)), (r(2, 4), torch.tensor(False)))
add("cond_nested", lambda x: torch.cond(x.sum() > 0, lambda v: torch.cond(v.max() > 2, lambda u: u * 2, lambda u: u * 3, (v,)), lambda v: -v, (x,)), (torch.ones(3),), (torch.ones(3) * 3,), (-torch.ones(3),))
add("cond_on_shape", lambda x: torch.cond(x.shape[0] > 4, lambda v: v.sum(0), lambda v: v.amax(0), (x,)), (r(3, 4),), (r(6, 4),), dynamic=({0: B},))
add("cond_dyn", lambda x: torch.cond(x.mean() > 0, lambda v: v.exp(), lambda v: v.tanh(), (x,)), (r(3, 4).abs(),), (-r(8, 4).abs(),), dynamic=({0: B},))
from torch._higher_order_ops import while_loop  # noqa: E402

add("while_newton", lambda x: while_loop(lambda n, y: (n < 6) & ((y * y - x).abs().max() > 1e-4), lambda n, y: (n + 1, 0.5 * (y + x / y)), (torch.tensor(0), torch.ones_like(x))), (r(4).abs() + 1,), (r(4).abs() + 3,))
add("while_sum", lambda x: while_loop(lambda n, a: n < x.shape[0], lambda n, a: (n + 1, a + x.sum() * n), (torch.tensor(0), torch.tensor(0.0))), (r(4),))
from torch._higher_order_ops.map import map as hop_map  # noqa: E402

add("map_rows", lambda x, y: hop_map(lambda v, w: (v * w).relu(), x, y), (r(4, 3), r(3)))
from torch._higher_order_ops.scan import scan  # noqa: E402

add("scan_rows", lambda x: scan(lambda c, v: (c + v, (c * v).sum()), torch.zeros(3), x), (r(5, 3),))
from torch._higher_order_ops.associative_scan import associative_scan  # noqa: E402

add("assoc_scan", lambda x: associative_scan(lambda a, c: a * c, x, 0, combine_mode="generic"), (r(5, 3),))


def grad_modes(x):
    with torch.no_grad():
        y = x.sin() + 1
    with torch.autocast("cpu", enabled=False):
        y = y @ y.t()
    return y


add("grad_and_autocast_off", grad_modes, (r(3, 3),))

# ---- small nets
class Unet(nn.Module):
    def __init__(self, up="bilinear"):
        super().__init__()
        block = lambda a, c: nn.Sequential(nn.Conv2d(a, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.LeakyReLU(0.1))
        self.d1, self.d2, self.mid = block(3, 8), block(8, 16), block(16, 16)
        self.up = nn.ConvTranspose2d(16, 16, 2, 2) if up == "t" else nn.Upsample(scale_factor=2, mode=up)
        self.u2, self.u1, self.out = block(32, 8), block(16, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.d1(x)
        c = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(c, 2))
        y = self.u2(torch.cat([self.up(m), c], 1))
        return self.out(self.u1(torch.cat([F.interpolate(y, scale_factor=2), a], 1))).softmax(1)


for up in ("bilinear", "nearest", "t"):
    net(f"unet_{up}", Unet(up), (r(1, 3, 16, 16),))
net("unet_dyn", Unet(), (r(1, 3, 16, 8),), (r(1, 3, 20, 20),), (r(1, 3, 8, 12),), dynamic=({2: 4 * Dim("y", min=2, max=5), 3: 4 * Dim("x", min=2, max=5)},))


class ConvLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3 + 4, 16, 3, padding=1)

    def forward(self, x):
        h = c = torch.zeros(x.shape[0], 4, *x.shape[3:])
        for t in range(x.shape[1]):
            f, g, o, u = self.conv(torch.cat([x[:, t], h], 1)).chunk(4, 1)
            c = f.sigmoid() * c + g.sigmoid() * u.tanh()
            h = o.sigmoid() * c.tanh()
        return h


net("conv_lstm", ConvLstm(), (r(1, 3, 3, 6, 6),))


class Tcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 4, 3, dilation=d)) for d in (1, 2, 4))

    def forward(self, x):
        for layer in self.layers:
            x = x + F.relu(layer(F.pad(x, (2 * layer.dilation[0], 0))))
        return x[:, :, -1]


net("tcn", Tcn(), (r(2, 4, 20),))


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.c = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU()), nn.Sequential(nn.Conv1d(16, 8, 1), nn.ReLU())
        self.t = nn.Linear(8, 9)

    def forward(self, x):
        y = self.a(x)
        m = y.max(2)[0]
        x = torch.bmm((self.t(m).view(-1, 3, 3) + torch.eye(3)), x)
        y = self.a(x)
        y = torch.cat([y, y.max(2, keepdim=True)[0].expand(-1, -1, y.shape[2])], 1)
        return self.c(y).max(2)[0], torch.cdist(x.transpose(1, 2), x.transpose(1, 2)).topk(3, largest=False)[0]


net("point_net", PointNet(), (r(2, 3, 12),))


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.l, self.m = nn.Linear(4, 8), nn.Linear(8, 8)

    def forward(self, x, edges):
        h = self.l(x)
        src, dst = edges[0], edges[1]
        degree = torch.zeros(x.shape[0]).scatter_add_(0, dst, torch.ones(edges.shape[1]))
        message = self.m(h)[src] / degree.clamp(min=1)[dst][:, None]
        out = torch.zeros_like(h).index_add_(0, dst, message)
        out = out.scatter_reduce(0, dst[:, None].expand(-1, 8), message, "amax")
        return F.elu(out + h)


net("graph_net", Graph(), (r(6, 4), i(2, 10, hi=6)))
net("graph_net_dyn", Graph(), (r(6, 4), i(2, 10, hi=6)), (r(6, 4), i(2, 3, hi=6)), dynamic=(None, {1: Dim("edges", min=2, max=16)}))
net("gan_generator", nn.Sequential(nn.Linear(8, 64), nn.Unflatten(1, (4, 4, 4)), nn.ConvTranspose2d(4, 8, 4, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 3, 5, 2, 2, output_padding=1), nn.Tanh()), (r(2, 8),))
net("autoencoder", nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.ELU(), nn.Flatten(), nn.Linear(64, 8), nn.Linear(8, 64), nn.Unflatten(1, (4, 4, 4)), nn.ConvTranspose2d(4, 1, 2, 2), nn.Sigmoid()), (r(2, 1, 8, 8),))
net("rl_mlp", nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 2)), (r(1, 8),))


class GaussianPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.mean, self.log_std = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 3)
        self.register_buffer("obs_mean", r(6))
        self.register_buffer("obs_var", torch.rand(6) + 0.5)

    def forward(self, obs):
        h = F.mish(self.body(((obs - self.obs_mean) / torch.sqrt(self.obs_var + 1e-8)).clamp(-5, 5)))
        return torch.tanh(self.mean(h)), self.log_std(h).clamp(-20, 2).exp()


net("gaussian_policy", GaussianPolicy(), (r(4, 6),), (r(1, 6),), dynamic=({0: B},))


class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(8, 4), nn.Parameter(r(4, 8, 16)), nn.Parameter(r(4, 16, 8))

    def forward(self, x):
        w, j = self.gate(x).softmax(-1).topk(2)
        h = torch.einsum("td,tkdf->tkf", x, self.up[j]).relu()
        return (torch.einsum("tkf,tkfd->tkd", h, self.down[j]) * (w / w.sum(-1, keepdim=True))[..., None]).sum(1)


net("mixture_of_experts", MoE(), (r(5, 8),))


class Rope(nn.Module):
    def forward(self, x, pos):
        f = 1.0 / (10000 ** (torch.arange(0, 8, 2).float() / 8))
        a = pos[:, :, None].float() * f
        c, s = a.cos().repeat(1, 1, 2)[:, None], a.sin().repeat(1, 1, 2)[:, None]
        h1, h2 = x.chunk(2, -1)
        return x * c + torch.cat([-h2, h1], -1) * s


add("rope", Rope(), (r(1, 2, 5, 8), torch.arange(5)[None]), (r(1, 2, 24, 8), torch.arange(24)[None]), dynamic=({2: S}, {1: S}))


class Ssm(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.p = nn.Parameter(-torch.rand(4, 3)), nn.Linear(4, 10)

    def forward(self, x):
        dt, bb, cc = self.p(x).split([4, 3, 3], -1)
        dt = F.softplus(dt)
        h = torch.zeros(x.shape[0], 4, 3)
        ys = []
        for t in range(x.shape[1]):
            h = h * torch.exp(dt[:, t, :, None] * self.a) + dt[:, t, :, None] * bb[:, t, None, :] * x[:, t, :, None]
            ys.append((h * cc[:, t, None, :]).sum(-1))
        return torch.stack(ys, 1)


net("ssm", Ssm(), (r(2, 6, 4),))


class Nms(nn.Module):
    """The decoding of a detector, and the overlaps of its boxes."""

    def forward(self, boxes, scores):
        xy, wh = boxes.sigmoid().split(2, -1)
        corners = torch.cat([xy - wh / 2, xy + wh / 2], -1)
        s, k = scores.flatten(1).topk(4)
        picked = corners.gather(1, (k // scores.shape[2])[..., None].expand(-1, -1, 4))
        lt = torch.maximum(picked[:, :, None, :2], picked[:, None, :, :2])
        rb = torch.minimum(picked[:, :, None, 2:], picked[:, None, :, 2:])
        inter = (rb - lt).clamp(min=0).prod(-1)
        area = (picked[..., 2:] - picked[..., :2]).prod(-1)
        iou = inter / (area[:, :, None] + area[:, None] - inter)
        return picked, s, k % scores.shape[2], iou, (iou > 0.5).triu(1).any(1)


add("detector_decode", Nms(), (r(1, 10, 4), r(1, 10, 3)))


class Mel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))
        self.register_buffer("bank", r(10, 17).abs())

    def forward(self, x):
        s = torch.stft(x, 32, 8, window=self.window, return_complex=True)
        return torch.log(self.bank @ (s.real**2 + s.imag**2) + 1e-6)


add("mel_front_end", Mel(), (r(1, 128),), sqnr=90.0)


class Squeeze(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.f1, self.f2 = nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(8, 2, 1), nn.Conv2d(2, 8, 1)

    def forward(self, x):
        y = F.silu(self.c(x))
        return y * F.hardsigmoid(self.f2(F.relu(self.f1(F.adaptive_avg_pool2d(y, 1)))))


net("squeeze_excite", Squeeze(), (r(1, 4, 9, 7),))
net("vq_codebook", Fn(lambda x, e: e[torch.cdist(x, e).argmin(-1)]), (r(2, 5, 4), r(8, 4)))
net("half_net", nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.Flatten(), nn.Linear(8 * 36, 4), nn.LayerNorm(4)).half(), (r(1, 3, 8, 8).half(),))
CASES[-1].sqnr = 45.0
net("bf16_net", nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.RMSNorm(16), nn.Linear(16, 4)).bfloat16(), (r(2, 8).bfloat16(),))
CASES[-1].sqnr = 35.0
net("f64_net", nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.LayerNorm(16), nn.Linear(16, 4)).double(), (r(2, 8, dtype=torch.float64),))
net("mixed_half_head", Fn(lambda x: x.half().float().softmax(-1).to(torch.bfloat16)), (r(2, 8),))
CASES[-1].sqnr = 40.0


def cases(only):
    for case in CASES:
        case.forms = ("t", "d")
        yield case
