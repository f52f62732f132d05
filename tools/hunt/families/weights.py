"""Random weights that keep activations well scaled, so that a wrong layer shows in the output."""
import math

import torch
from torch import nn


def settle(module, seed=0):
    """Weights scaled to the fan-in, affine parameters away from 0 and 1, batch-norm statistics away from theirs."""
    g = torch.Generator().manual_seed(seed)
    for m in module.modules():
        own = dict(m.named_parameters(recurse=False))
        for p in own.values():
            if p.is_floating_point() and p.dim() >= 2:
                fan = p.shape[-1] if isinstance(m, nn.Embedding) else max(1, p[0].numel())
                std = 0.7 if isinstance(m, nn.Embedding) else math.sqrt(1.4 / fan)
                p.data = (torch.randn(p.shape, generator=g) * std).to(p.dtype)
            elif p.is_floating_point() and p.dim() == 1:
                p.data = (torch.rand(p.shape, generator=g) * 0.6 + 0.7).to(p.dtype)
        bias = own.get("bias")
        if bias is not None and bias.is_floating_point():
            bias.data = (torch.randn(bias.shape, generator=g) * 0.2).to(bias.dtype)
        if getattr(m, "running_var", None) is not None:
            m.running_mean.copy_(torch.randn(m.running_mean.shape, generator=g) * 0.2)
            m.running_var.copy_(torch.rand(m.running_var.shape, generator=g) + 0.5)
    return module.eval()


def image(*shape, seed=1):
    g = torch.Generator().manual_seed(seed)
    n, c, h, w = shape
    low = torch.randn(n, c, max(2, h // 8), max(2, w // 8), generator=g)
    return (nn.functional.interpolate(low, size=(h, w), mode="bilinear") + 0.25 * torch.randn(*shape, generator=g)).contiguous()
