"""Quantised programs: the operators of quantized_decomposed by hand, and models through PT2E quantisers."""
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 - registers the operators
import torch.nn.functional as F
from case import Case, Fn
from ops import i, r
from torch import nn
from weights import settle

Q = torch.ops.quantized_decomposed
CASES = []


def op(name, function, *inputs, **more):
    CASES.append(Case(name, Fn(function), [inputs], **more))


for dtype, low, high in ((torch.int8, -128, 127), (torch.uint8, 0, 255), (torch.int16, -32768, 32767), (torch.int32, -2**31, 2**31 - 1)):
    name = str(dtype)[6:]
    op(f"q_per_tensor_{name}", lambda x, d=dtype, l=low, h=high: Q.quantize_per_tensor(x, 0.05, 3, l, h, d), r(3, 5) * 4)
    op(f"qdq_per_tensor_{name}", lambda x, d=dtype, l=low, h=high: Q.dequantize_per_tensor(Q.quantize_per_tensor(x, 0.05, 3, l, h, d), 0.05, 3, l, h, d) * 2, r(3, 5) * 4)
op("q_narrow", lambda x: Q.quantize_per_tensor(x, 0.1, 0, -127, 127, torch.int8), r(3, 5) * 20)
op("q_tensor_qparams", lambda x, s, z: Q.quantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8), r(3, 5), torch.tensor(0.05), torch.tensor(3))
op("q_choose", lambda x: Q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8), r(3, 5))
op("qdq_dynamic", lambda x: (lambda s, z: Q.dequantize_per_tensor.tensor(Q.quantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8), s, z, -128, 127, torch.int8))(*Q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)), r(3, 5))
op("qdq_channel", lambda x: Q.dequantize_per_channel(Q.quantize_per_channel(x, torch.tensor([0.1, 0.02, 0.3]), torch.tensor([0, 1, -2]), 0, -128, 127, torch.int8), torch.tensor([0.1, 0.02, 0.3]), torch.tensor([0, 1, -2]), 0, -128, 127, torch.int8), r(3, 5))
op("qdq_channel_1", lambda x: Q.dequantize_per_channel(Q.quantize_per_channel(x, torch.tensor([0.1, 0.02, 0.3]), torch.tensor([0, 0, 0]), 1, -127, 127, torch.int8), torch.tensor([0.1, 0.02, 0.3]), torch.tensor([0, 0, 0]), 1, -127, 127, torch.int8), r(2, 3, 4))
op("qdq_token", lambda x: (lambda s, z: Q.dequantize_per_token(Q.quantize_per_token(x, s, z, -128, 127, torch.int8), s, z, -128, 127, torch.int8, torch.float32))(*Q.choose_qparams_per_token_asymmetric(x, torch.int8)), r(3, 5))
op("dq_weight_linear", lambda x, w: F.linear(x, Q.dequantize_per_tensor(w, 0.02, 0, -127, 127, torch.int8)), r(2, 4), i(3, 4, lo=-99, hi=99, dtype=torch.int8))
op("qdq_relu_add", lambda x, y: Q.dequantize_per_tensor(Q.quantize_per_tensor(F.relu(x + y), 0.05, -128, -128, 127, torch.int8), 0.05, -128, -128, 127, torch.int8), r(3, 4), r(4))


def fake_quant(x):
    return torch.fake_quantize_per_tensor_affine(x, 0.1, 2, -128, 127)


op("fake_quantize", fake_quant, r(3, 5) * 4)
op("fake_quantize_channel", lambda x: torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2, 0.3]), torch.zeros(3, dtype=torch.int32), 0, -127, 127), r(3, 5) * 4)


def pt2e(name, module, x, **config):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    try:
        quantizer = XNNPACKQuantizer()
        quantizer.set_global(get_symmetric_quantization_config(**config))
        g = torch.export.export(settle(module), (x,), strict=True).module()
        p = prepare_pt2e(g, quantizer)
        for _ in range(3):
            p(x + 0.1 * r(*x.shape))
        case = Case(name, convert_pt2e(p), [(x,)], sqnr=30.0)
        case.module.keep_training = True
        CASES.append(case)
    except Exception as e:  # noqa: BLE001
        print(name, "not made:", type(e).__name__, str(e)[:200])


NETS = {
    "mlp": (nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), r(3, 8)),
    "cnn": (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=8), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)), r(1, 3, 10, 10)),
    "pool_cat": (Fn(lambda x: x), r(1, 3, 4, 4)),
    "tconv": (nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.ConvTranspose2d(8, 4, 2, 2)), r(1, 3, 8, 8)),
    "softmax_mlp": (nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4), nn.Softmax(-1)), r(3, 8)),
}


def cases(only):
    for name, (module, x) in NETS.items():
        for config in (dict(is_per_channel=True), dict(is_per_channel=False), dict(is_per_channel=True, is_dynamic=True)):
            label = "_".join([name] + [k[3:] for k, v in config.items() if v])
            if not only or only in label:
                pt2e("pt2e_" + label, module, x, **config)
    for case in CASES:
        case.forms = ("t", "d")
        yield case
