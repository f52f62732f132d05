"""Writes the archives beside it and what eager PyTorch makes of seeded inputs. Run in this folder with torch 2.15 and torchao 0.18."""

import torch
import torch.ao.quantization as eager
import torch.ao.quantization.fx._decomposed
from safetensors.torch import save_file
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8StaticActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    quantize_,
)
from torchao.kernel import intmm
from torchao.quantization.granularity import PerAxis, PerGroup, PerRow, PerTensor
from torchao.quantization.quant_primitives import MappingType


def with_bytes(is_shifted):
    """Makes torchao write products of integers as on a machine whose instructions multiply u8 by i8, or as on others."""
    intmm._cpu_is_vnni_supported = lambda: is_shifted
    intmm._cpu_is_amx_tile_supported = lambda: False


class Wrapped(torch.nn.Module):
    """Parts under a switched-off autocast and without gradients, as rotary embeddings have them."""

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            y = (x.float() * 2).view(-1)
        with torch.no_grad():
            z = y.sin()
            y.add_(z)
        return y, z.cos()


class Autocast(torch.nn.Module):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x


class Rotary(torch.nn.Module):
    """A complex constant, as the first LLaMA turns its queries by."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(3.0), torch.tensor([1.0, 0.1]))
        self.register_buffer("turn", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turn).flatten(2)


class Places(torch.nn.Module):
    """One image through windows, and place by place."""

    def __init__(self):
        super().__init__()
        self.windows = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.places = torch.nn.Conv2d(8, 8, 1)
        self.rows = torch.nn.Conv1d(10, 6, 3)

    def forward(self, x):
        y = self.windows(x) - self.places(x)
        return y, self.rows(y.mean(1))


class Branch(torch.nn.Module):
    """Branches with weights of their own, and a buffer that is written."""

    def __init__(self):
        super().__init__()
        self.yes = torch.nn.Linear(3, 3)
        self.no = torch.nn.Linear(3, 3)
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: self.yes(x).relu(), lambda x: self.no(x).tanh(), (x,))
        self.total.add_(y)
        return self.total * 2


class Cache(torch.nn.Module):
    """A buffer, halves of it and a column, all buffers, written in turn."""

    def __init__(self):
        super().__init__()
        cache = torch.zeros(2, 4, 3)
        self.register_buffer("keys", cache[0])
        self.register_buffer("cache", cache)
        self.register_buffer("values", cache[1])
        self.register_buffer("first", cache[:, 0])
        self.register_buffer("same", cache)

    def forward(self, x):
        self.keys.add_(x)
        self.values.mul_(2).add_(1)
        self.first.sub_(3)
        return self.cache.sum(0), self.same + 0


class Overlapping(torch.nn.Module):
    """Buffers that share an element, and none has all."""

    def __init__(self):
        super().__init__()
        line = torch.zeros(3)
        self.register_buffer("a", line[:2])
        self.register_buffer("b", line[1:])

    def forward(self, x):
        self.a.add_(x)
        return self.b + 0


class Quantised(torch.nn.Module):
    """Weights of torchao's classes, which wrap integers, scales and zero points: 8 bits, and 4 bits in groups."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(12, 32)
        self.first = torch.nn.Linear(32, 32)
        self.second = torch.nn.Linear(32, 16, bias=False)
        self.requires_grad_(False)
        of = lambda *names: lambda module, name: name in names
        rows = IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerAxis(0))
        quantize_(self, rows, of("table", "second"))
        quantize_(self, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)), of("first"))

    def forward(self, tokens):
        return self.second(torch.relu(self.first(self.table(tokens))))


class Pairs(torch.nn.Module):
    """A table of 4 bits in groups, and a layer whose product is one of integers (`_int_mm`)."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(12, 32)
        self.layer = torch.nn.Linear(32, 16, bias=False)
        self.requires_grad_(False)
        of = lambda *names: lambda module, name: name in names
        quantize_(self, IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(16)), of("table"))
        quantize_(self, Int8DynamicActivationInt8WeightConfig(), of("layer"))

    def forward(self, tokens):
        return self.layer(self.table(tokens))


class Scaled(torch.nn.Module):
    """Layers whose product is multiplied by the weights' scales: of floats and integers, and of integers."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(32, 64)
        self.second = torch.nn.Linear(64, 16)
        self.requires_grad_(False)
        of = lambda *names: lambda module, name: name in names
        quantize_(self, Int8WeightOnlyConfig(), of("first"))
        quantize_(self, Int8DynamicActivationInt8WeightConfig(), of("second"))

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class OneScale(torch.nn.Module):
    """Layers whose product is one of integers: with one scale for the whole input, and with zero points."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.first = torch.nn.Linear(32, 64, dtype=dtype)
        self.second = torch.nn.Linear(64, 16, dtype=dtype)
        self.requires_grad_(False)
        of = lambda *names: lambda module, name: name in names
        quantize_(self, Int8DynamicActivationInt8WeightConfig(granularity=PerTensor()), of("first"))
        quantize_(self, Int8DynamicActivationInt8WeightConfig(act_mapping_type=MappingType.ASYMMETRIC), of("second"))

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Given(torch.nn.Module):
    """Layers whose product is one of integers, and whose activations have constant scales: about 0, about a zero point, and without bias.
    With `rows`, each row of the first two has a scale of its own."""

    def __init__(self, rank, dtype=torch.float32, rows=1):
        super().__init__()
        self.first = torch.nn.Linear(32, 64, dtype=dtype)
        self.second = torch.nn.Linear(64, 48, dtype=dtype)
        self.third = torch.nn.Linear(48, 16, bias=False, dtype=dtype)
        self.requires_grad_(False)
        ones = (1,) * (rank - 2)
        scales = torch.linspace(0.03, 0.05, rows).to(dtype).reshape(*ones, rows, 1)
        points = torch.linspace(-90, -70, rows).to(torch.int8).reshape(*ones, rows, 1)
        static, of = Int8StaticActivationInt8WeightConfig, lambda name: lambda module, found: found == name
        by_row = [PerTensor() if rows == 1 else PerRow(), PerRow()]
        quantize_(self, static(act_quant_scale=scales, granularity=by_row), of("first"))
        second = static(scales / 2, points, by_row, MappingType.ASYMMETRIC)
        quantize_(self, second, of("second"))
        quantize_(self, static(act_quant_scale=scales[..., :1, :], granularity=[PerTensor(), PerTensor()]), of("third"))

    def forward(self, x):
        return self.third(torch.tanh(self.second(torch.relu(self.first(x)))))


class Computed(torch.nn.Module):
    """Dequantised weights whose scales are behind a view and a product, and whose integers are unpacked from nibbles; and one
    with zero points of floats that are no integers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("pairs", torch.randint(0, 256, (16, 32)).to(torch.uint8))
        self.register_buffer("scales", torch.rand(16, 1) * 0.1 + 0.01)
        self.register_buffer("bytes", torch.randint(-127, 128, (8, 16)).to(torch.int8))
        self.register_buffer("halves", torch.full((8,), 0.6))

    def forward(self, x):
        low = (self.pairs & 15).to(torch.int8) - 8
        high = (self.pairs >> 4).to(torch.int8) - 8
        nibbles = torch.stack([low, high], -1).reshape(16, 64)
        scales = self.scales.squeeze(-1) * 2
        zeros = torch.zeros(16, dtype=torch.int64)
        integers = torch.ops.quantized_decomposed
        first = integers.dequantize_per_channel(nibbles, scales, zeros, 0, -8, 7, torch.int8)
        second = integers.dequantize_per_channel(self.bytes, scales[:8], self.halves, 0, -127, 127, torch.int8)
        return torch.nn.functional.linear(torch.nn.functional.linear(x, first), second)


class Images(torch.nn.Module):
    """A network for images with what those of halves have: norms, pools, a residual, a head."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.norm = torch.nn.BatchNorm2d(8)
        self.norm.running_mean.normal_(std=0.1)
        self.norm.running_var.uniform_(0.5, 1.5)
        self.pool = torch.nn.MaxPool2d(3, stride=2, padding=1)
        self.body = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.layer_norm = torch.nn.LayerNorm(8)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        x = self.pool(self.norm(self.stem(x)).relu())
        x = (x + self.body(x)).relu()
        x = self.layer_norm(x.mean((2, 3)))
        return self.head(torch.nn.functional.gelu(x)).softmax(-1)


@torch.library.custom_op("mine::twice", mutates_args=())
def twice(x: torch.Tensor, scale: float, sizes: list[int], name: str) -> torch.Tensor:
    return x * 2 * scale


@torch.library.custom_op("mine::split", mutates_args=())
def split(x: torch.Tensor, others: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    return x.clone(), x.sum(0)


twice.register_fake(lambda x, scale, sizes, name: torch.empty_like(x))
split.register_fake(lambda x, others: (torch.empty_like(x), x.new_empty(x.shape[1:])))


class Custom(torch.nn.Module):
    """Ops that the user has kernels for, between layers."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = torch.ops.mine.twice(self.layer(x), 0.5, [1, 2], "half")
        a, b = torch.ops.mine.split(y.relu(), [y, x])
        return a.relu() + b


torch.library.define("mine::sized", "(Tensor x, float by=2.0, *, bool? flag=None, int[] sizes=[1]) -> Tensor")
torch.library.impl("mine::sized", "CPU", lambda x, by=2.0, flag=None, sizes=(1,): x * by * sum(sizes))
torch.library.register_fake("mine::sized", lambda x, by=2.0, flag=None, sizes=(1,): torch.empty_like(x))


class Defaults(torch.nn.Module):
    """An op of the user's whose arguments are left at their defaults, of which archives hold nothing."""

    def forward(self, x):
        return torch.ops.mine.sized(x) + torch.ops.mine.sized(x, 2.0, sizes=[2, 3])


class Bytes(torch.nn.Module):
    """A layer of integers on an image of bytes, which the program dequantises itself, behind a movement."""

    def __init__(self, dtype, zero_point):
        super().__init__()
        self.dtype, self.zero_point = dtype, zero_point
        weight = torch.randint(-127, 128, (4, 3, 3, 3)).to(torch.int8)
        self.weight = torch.nn.Parameter(weight, requires_grad=False)

    def forward(self, x):
        quantised = torch.ops.quantized_decomposed
        info = torch.iinfo(self.dtype)
        image = (0.02, self.zero_point, info.min, info.max, self.dtype)
        x = quantised.dequantize_per_tensor.default(x.permute(0, 3, 1, 2), *image)
        weight = quantised.dequantize_per_tensor.default(self.weight, 0.01, 0, -127, 127, torch.int8)
        y = torch.nn.functional.conv2d(x, weight).contiguous()
        result = (0.06, self.zero_point, info.min, info.max, self.dtype)
        return quantised.quantize_per_tensor.default(y, *result)


class Camera(torch.nn.Module):
    """A layer of floats on an image of bytes, which the program dequantises itself."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        x = torch.ops.quantized_decomposed.dequantize_per_tensor.default(x, 0.02, 131, 0, 255, torch.uint8)
        return self.layer(x)


class States(torch.nn.Module):
    """State that is read before it is written, where other models have constants: integers that are dequantised, their scales, rows of a
    table, a matrix that lies turned in memory, and the first state of a recurrent layer with large weights."""

    def __init__(self):
        super().__init__()
        self.register_buffer("integers", torch.zeros(1, 4, dtype=torch.int8))
        self.register_buffer("weight", torch.arange(-8, 8, dtype=torch.int8).view(4, 4))
        self.register_buffer("scales", torch.full((4,), 0.1))
        self.register_buffer("table", torch.ones(3, 4, dtype=torch.uint8))
        self.register_buffer("turned", torch.arange(12.0).view(3, 4).t())
        self.register_buffer("first", torch.zeros(1, 1, 256))
        self.columns = torch.nn.Parameter(torch.randn(4, 768, 1) / 64)

    def forward(self, x):
        q = torch.ops.quantized_decomposed
        before = q.dequantize_per_tensor.default(self.integers, 0.03, 1, -128, 127, torch.int8)
        zeros = torch.zeros(4, dtype=torch.int64)
        weight = q.dequantize_per_channel.default(self.weight, self.scales, zeros, 0, -128, 127, torch.int8)
        table = q.dequantize_per_tensor.default(self.table, 0.5, 0, 0, 255, torch.uint8)
        rows = torch.nn.functional.embedding(torch.tensor([[2, 0]]), table)
        inner, outer, *biases = self.columns
        weights = inner.expand(768, 4), outer.expand(768, 256), *(bias.view(768) for bias in biases)
        steps, last = torch.gru(x.view(1, 1, 4).expand(4, 1, 4), self.first, weights, True, 1, 0.0, False, False, False)
        turned = (self.turned * 2).contiguous()
        self.turned.add_(1)
        self.integers.copy_(q.quantize_per_tensor.default(x, 0.03, 1, -128, 127, torch.int8))
        self.scales.mul_(2)
        self.table.add_(1)
        self.first.copy_(last)
        return before + x, torch.nn.functional.linear(x, weight), rows, steps[-1, :, :4], turned


class Uneven(torch.nn.Module):
    """A convolution whose padding differs between the sides, of a name that is no variable's, and a batch norm of the statistics that it
    begins with, which equal its weight and bias."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleDict({"a-b": torch.nn.Conv1d(4, 8, 4, padding="same"), "a_b": torch.nn.Conv1d(8, 4, 3)})
        self.norm = torch.nn.BatchNorm1d(8)

    def forward(self, x):
        return self.layers["a_b"](self.norm(self.layers["a-b"](x).relu()))


class Long(torch.nn.Module):
    """Long recurrences: two layers of both directions, and one of one direction that gives its last state."""

    def __init__(self):
        super().__init__()
        self.both = torch.nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)
        self.one = torch.nn.GRU(8, 5, batch_first=True)

    def forward(self, x):
        y, last = self.one(self.both(x)[0])
        return y[:, ::50].contiguous(), last


class Sizes(torch.nn.Module):
    """Layers whose rows torchao merges, between those of an attention: batch and sequence are of unknown size."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(32, 64)
        self.second = torch.nn.Linear(32, 32)
        self.requires_grad_(False)
        of = lambda *names: lambda module, name: name in names
        quantize_(self, Int8WeightOnlyConfig(), of("first"))
        quantize_(self, Int8DynamicActivationInt8WeightConfig(), of("second"))

    def forward(self, x):
        heads = lambda v: v.unflatten(2, (4, 8)).transpose(1, 2)
        q, k = self.first(x).chunk(2, 2)
        y = torch.nn.functional.scaled_dot_product_attention(heads(q), heads(k), heads(x))
        return x + torch.relu(self.second(y.transpose(1, 2).flatten(2)))


class Asymmetric(torch.nn.Module):
    """Layers whose weights of 4 bits have zero points, by group and by channel, beside floats and beside rows."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(32, 64)
        self.second = torch.nn.Linear(64, 48)
        self.third = torch.nn.Linear(48, 16)
        self.requires_grad_(False)
        of = lambda name: lambda module, found: found == name
        form, rows, about = IntxWeightOnlyConfig, Int8DynamicActivationIntxWeightConfig, MappingType.ASYMMETRIC
        quantize_(self, form(torch.int4, PerGroup(16), about), of("first"))
        quantize_(self, form(torch.int4, PerAxis(0), about), of("second"))
        quantize_(self, rows(torch.int4, PerAxis(0), about), of("third"))

    def forward(self, x):
        return self.third(torch.relu(self.second(torch.relu(self.first(x)))))


class TakenApart(torch.nn.Module):
    """Layers of each form that torchao writes in arithmetic alone when its operators are decomposed."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(64, 64, dtype=dtype) for _ in range(5))
        self.requires_grad_(False)
        of = lambda name: lambda module, found: found == f"layers.{name}"
        rows = Int8DynamicActivationIntxWeightConfig
        quantize_(self, rows(torch.int4, PerGroup(32)), of(0))
        quantize_(self, rows(torch.int8, PerAxis(0)), of(1))
        quantize_(self, IntxWeightOnlyConfig(torch.int4, PerGroup(16)), of(2))
        quantize_(self, Int8DynamicActivationInt8WeightConfig(), of(3))
        quantize_(self, Int8WeightOnlyConfig(), of(4))

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return x


class Products(torch.nn.Module):
    """Layers that export takes apart to products: without bias, of one output, and over an operand that is transposed. One has a
    part of a parameter as its bias."""

    def __init__(self, form):
        super().__init__()
        self.form = form
        self.expand = torch.nn.Linear(32, 96, bias=False)
        self.narrow = torch.nn.Linear(96, 64)
        self.turned = torch.nn.Linear(6, 12)
        self.score = torch.nn.Linear(64, 1)
        self.biases = torch.nn.Parameter(torch.randn(192))
        self.requires_grad_(False)
        ops = torch.ops.quantized_decomposed
        for name, layer in list(self.named_children()):
            rows = layer.weight.abs().amax(1)
            # Scales that f32 holds exactly decide ties alike everywhere.
            scales = torch.exp2(torch.ceil(torch.log2(rows / 127)))
            zeros = torch.zeros(len(scales), dtype=torch.int64)
            integers = ops.quantize_per_channel(layer.weight, scales, zeros, 0, -127, 127, torch.int8)
            for key, value in ("integers", integers), ("scales", scales), ("zeros", zeros):
                self.register_buffer(f"{name}_{key}", value)

    def weight(self, name):
        integers, scales, zeros = (getattr(self, f"{name}_{key}") for key in ("integers", "scales", "zeros"))
        return torch.ops.quantized_decomposed.dequantize_per_channel(integers, scales, zeros, 0, -127, 127, torch.int8)

    def rounded(self, x, scale=0.0625):
        ops = torch.ops.quantized_decomposed
        if self.form == "rows":
            scale, zero = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
            integers = ops.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
            return ops.dequantize_per_token(integers, scale, zero, -128, 127, torch.int8, torch.float32)
        integers = ops.quantize_per_tensor(x, scale, 3, -128, 127, torch.int8)
        return ops.dequantize_per_tensor(integers, scale, 3, -128, 127, torch.int8)

    def layer(self, name, x, bias=None):
        y = torch.nn.functional.linear(self.rounded(x), self.weight(name), bias)
        return self.rounded(y) if self.form == "static" else y

    def forward(self, x):
        y = torch.relu(self.layer("expand", x))
        y = self.layer("narrow", y, self.biases[64:128])
        y = y + self.layer("turned", y.transpose(1, 2), self.turned.bias)[:, :, :6].transpose(1, 2)
        return self.layer("score", y, self.score.bias)


class Prepared(torch.nn.Module):
    """A layer as PT2E prepares it for training: weights rounded by channel, and ranges that are tensors."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(32, 24)
        self.requires_grad_(False)
        rows = self.layer.weight.abs().amax(1)
        self.register_buffer("scales", torch.exp2(torch.ceil(torch.log2(rows / 127))))
        self.register_buffer("zeros", torch.zeros(24, dtype=torch.int64))
        for name, value in ("scale", 0.0625), ("zero", 3), ("low", -128), ("high", 127):
            self.register_buffer(name, torch.tensor(value))

    def rounded(self, x):
        ops, form = torch.ops.quantized_decomposed, (self.scale, self.zero, self.low, self.high, torch.int8)
        return ops.dequantize_per_tensor.tensor2(ops.quantize_per_tensor.tensor2(x, *form), *form)

    def forward(self, x):
        weight = torch.ops.quantized_decomposed.fake_quant_per_channel(self.layer.weight, self.scales, self.zeros, 0, -127, 127)
        return self.rounded(torch.nn.functional.linear(self.rounded(x), weight, self.layer.bias))


class WrittenOver(torch.nn.Module):
    """Rows of quantised bytes are written over, beside readers of the bytes before."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.requires_grad_(False)

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        bytes = ops.quantize_per_tensor(self.layer(x), 0.0625, 0, -128, 127, torch.int8)
        other = bytes.index_put((x[:, 0].argmax().reshape(1),), torch.full((1, 8), 7, dtype=torch.int8))
        reals = ops.dequantize_per_tensor(bytes, 0.0625, 0, -128, 127, torch.int8)
        return other, bytes, self.layer(reals)


class Replaced(torch.nn.Module):
    """Quantised bytes replace a buffer, whose bytes before are read as floats."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.requires_grad_(False)
        self.register_buffer("cache", torch.zeros(4, 8, dtype=torch.int8))

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        bytes = ops.quantize_per_tensor(self.layer(x), 0.0625, 0, -128, 127, torch.int8)
        before = self.cache.clone()
        self.cache.copy_(bytes)
        return ops.dequantize_per_tensor(bytes, 0.0625, 0, -128, 127, torch.int8) + before.float()


class ByHand(torch.nn.Module):
    """Layers that unpack and scale their weights by hand: 8 numbers of 4 bits in a word, pairs in a byte with scales by group that have
    scales themselves, bytes behind a product of three axes, and a slice of bytes."""

    def __init__(self):
        super().__init__()
        draw = lambda low, high, *sizes: torch.randint(low, high, sizes)
        words = draw(0, 16, 64, 8, 8) << (4 * torch.arange(8))
        self.register_buffer("words", torch.where(words.sum(2) < 2**31, words.sum(2), words.sum(2) - 2**32).to(torch.int32))
        self.register_buffer("pairs", draw(0, 256, 64, 32).to(torch.uint8))
        self.register_buffer("bytes", draw(-127, 128, 96, 64).to(torch.int8))
        self.register_buffer("scales", torch.rand(96, 1) * 0.01 + 0.001)
        self.register_buffer("group_scales", draw(1, 128, 64, 2, 1).to(torch.int8))

    def forward(self, x):
        words = (self.words[:, :, None] >> (4 * torch.arange(8, dtype=torch.int32))) & 15
        x = torch.nn.functional.linear(x, (words.view(64, 64).float() - 8) * self.scales[:64])
        pairs = torch.stack([self.pairs & 15, self.pairs >> 4], 2).view(64, 2, 32).to(torch.int8) - 8
        x = torch.nn.functional.linear(x, (pairs.float() * (self.group_scales.float() * 0.001)).view(64, 64))
        x = (x @ self.bytes.t().to(x.dtype)) * self.scales.view(-1)
        return torch.nn.functional.linear(x[..., :64], self.bytes[8:72].float() * self.scales[8:72])


class Pieces(torch.nn.Module):
    """Pieces of an input, each rounded in its own way before a layer."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Conv2d(4, 4, 3) for _ in range(3))
        self.requires_grad_(False)

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        rounded = lambda x, scale: ops.dequantize_per_tensor(
            ops.quantize_per_tensor(x, scale, 3, -128, 127, torch.int8), scale, 3, -128, 127, torch.int8)
        for_weights = lambda w: ops.dequantize_per_tensor(
            ops.quantize_per_tensor(w, 0.002, 0, -127, 127, torch.int8), 0.002, 0, -127, 127, torch.int8)
        pieces = zip(x.chunk(3, 1), self.layers, (0.02, 0.03, 0.05))
        made = [rounded(torch.nn.functional.conv2d(rounded(x, s), for_weights(l.weight), l.bias), s) for x, l, s in pieces]
        return torch.nn.functional.pad(made[0], (1, 1, 1, 1), mode="reflect"), *made[1:]


class Trained(torch.nn.Module):
    """A network that eager PyTorch trained with rounded weights and activations, and that nobody converted."""

    def __init__(self):
        super().__init__()
        self.enter, self.leave = eager.QuantStub(), eager.DeQuantStub()
        self.stem, self.stem_relu = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU()
        self.body, self.body_relu = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8), torch.nn.ReLU()
        self.sum = torch.ao.nn.quantized.FloatFunctional()
        self.wide = torch.nn.Conv2d(8, 16, 1)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, x):
        x = self.stem_relu(self.stem(self.enter(x)))
        x = self.wide(self.sum.add(x, self.body_relu(self.body(x))))
        return self.leave(self.head(x.mean((2, 3))))


def trained(observes=False):
    module = Trained().train()
    module.qconfig = eager.get_default_qat_qconfig("qnnpack")
    module = eager.fuse_modules_qat(module, [["stem", "stem_relu"], ["body", "body_relu"]])
    eager.prepare_qat(module, inplace=True)
    for _ in range(3):
        module(torch.randn(4, 3, 12, 12))
    module.eval()
    if not observes:
        module.apply(eager.disable_observer)
    return module


def write(name, module, x, runs=1, has_samples=False, dynamic=None, is_decomposed=False):
    program = torch.export.export(module, (x,), dynamic_shapes=dynamic)
    if is_decomposed:
        program = program.run_decompositions()
    graphs = [m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
    for node in (n for g in graphs for n in g.nodes):
        for key in set(node.meta) - {"val", "tensor_meta"}:
            del node.meta[key]
    if not has_samples:
        program._example_inputs = None
    torch.export.save(program, f"{name}.pt2")
    tensors = {}
    for run in range(runs):
        results = module(x)
        results = results if isinstance(results, tuple) else (results,)
        tensors[f"{run}.in.0"] = x.clone()
        tensors.update({f"{run}.out.{i}": r.clone() for i, r in enumerate(results)})
    save_file(tensors, f"{name}.safetensors")


with_bytes(is_shifted=False)
torch.manual_seed(3)
write("wrapped", Wrapped(), torch.randn(2, 3))
write("autocast", Autocast(), torch.randn(2, 2))
write("rotary", Rotary(), torch.randn(2, 3, 4))
write("branch", Branch().eval(), torch.randn(2, 3))
write("cache", Cache(), torch.randn(4, 3), runs=3)
write("overlapping", Overlapping(), torch.randn(2))
torch.manual_seed(5)
write("subclasses", Quantised().eval(), torch.tensor([[3, 0, 11, 7], [1, 1, 5, 2]]))
torch.manual_seed(7)
write("pairs", Pairs().eval(), torch.tensor([[3, 0, 11], [1, 1, 5]]))
torch.manual_seed(11)
write("scaled", Scaled().eval(), torch.randn(2, 3, 32))
for name, dtype in ("images_f16", torch.float16), ("images_bf16", torch.bfloat16):
    torch.manual_seed(13)
    write(name, Images().eval().to(dtype), torch.randn(1, 3, 32, 32).to(dtype))
torch.manual_seed(17)
write("custom", Custom().eval(), torch.randn(3, 4))
torch.manual_seed(43)
write("defaults", Defaults().eval(), torch.randn(3, 4))
torch.manual_seed(19)
write("sampled", Images().eval(), torch.randn(1, 3, 32, 32), has_samples=True)
torch.manual_seed(29)
write("one_scale", OneScale().eval(), torch.randn(2, 3, 32))
for name, dtype in ("given", torch.float32), ("given_f16", torch.float16):
    torch.manual_seed(61)
    write(name, Given(3, dtype).eval(), torch.randn(2, 3, 32).to(dtype))
torch.manual_seed(67)
write("given_rows", Given(2, rows=4).eval(), torch.randn(4, 32))
torch.manual_seed(31)
write("computed", Computed().eval(), torch.randn(3, 64))
for name, dtype in ("bytes_i8", torch.int8), ("bytes_u8", torch.uint8):
    torch.manual_seed(37)
    image = torch.randint(torch.iinfo(dtype).min, torch.iinfo(dtype).max + 1, (1, 8, 8, 3)).to(dtype)
    write(name, Bytes(dtype, 3 if dtype == torch.int8 else 131), image)
torch.manual_seed(41)
write("camera", Camera().eval(), torch.randint(0, 256, (1, 3, 8, 8)).to(torch.uint8))
torch.manual_seed(23)
write("places", Places().eval(), torch.randn(1, 8, 10, 10) + 1)
torch.manual_seed(47)
write("states", States().eval(), torch.randn(1, 4), runs=3)
torch.manual_seed(53)
write("uneven", Uneven().eval(), torch.randn(1, 4, 16))
torch.manual_seed(59)
write("long", Long().eval(), torch.randn(2, 530, 3))
torch.manual_seed(61)
write("sizes", Sizes().eval(), torch.randn(2, 5, 32), dynamic=({0: torch.export.Dim("b", max=4), 1: torch.export.Dim("s", max=8)},))
torch.manual_seed(67)
write("asymmetric", Asymmetric().eval(), torch.randn(2, 3, 32))
for name, dtype in ("taken_apart", torch.float32), ("taken_apart_bf16", torch.bfloat16):
    torch.manual_seed(71)
    sizes = ({0: torch.export.Dim("b", max=4), 1: torch.export.Dim("s", max=8)},)
    write(name, TakenApart(dtype).eval(), torch.randn(2, 3, 64).to(dtype), dynamic=sizes, is_decomposed=True)
with_bytes(is_shifted=True)
torch.manual_seed(29)
write("one_scale_shifted", OneScale().eval(), torch.randn(2, 3, 32))
for name in ["bf16", "f16"]:
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[name]
    write(f"one_scale_{name}", OneScale(dtype).eval(), torch.randn(2, 3, 32, dtype=dtype))
torch.manual_seed(61)
write("given_shifted", Given(3).eval(), torch.randn(2, 3, 32))
for form in "static", "rows":
    torch.manual_seed(73)
    write(f"products_{form}", Products(form).eval(), torch.randn(2, 6, 32), is_decomposed=True)
torch.manual_seed(79)
score = torch.nn.Sequential(torch.nn.Linear(64, 1))
quantize_(score.requires_grad_(False), Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32)))
write("score", score.eval(), torch.randn(3, 64))
torch.manual_seed(83)
write("prepared", Prepared().eval(), torch.randn(3, 32))
for name, is_decomposed in ("trained", False), ("trained_decomposed", True):
    torch.manual_seed(89)
    write(name, trained(), torch.randn(1, 3, 12, 12), is_decomposed=is_decomposed)
torch.manual_seed(89)
write("trained_observed", trained(observes=True), torch.randn(1, 3, 12, 12))
torch.manual_seed(97)
write("written_over", WrittenOver().eval(), torch.randn(4, 8))
write("replaced", Replaced().eval(), torch.randn(4, 8), runs=3)
torch.manual_seed(101)
write("by_hand", ByHand().eval(), torch.randn(2, 5, 64))
torch.manual_seed(103)
write("pieces", Pieces().eval(), torch.randn(1, 12, 10, 10))
