"""Random weights that keep activations well scaled, so that a wrong layer shows in the output."""
import copy
import math

import torch
from torch import nn
from torch.utils._pytree import tree_flatten


def settle(module, seed=0, gain=1.4):
    """Weights scaled to the fan-in (`gain` is their variance times it), affine parameters away from 0 and 1, batch-norm statistics away from theirs."""
    g = torch.Generator().manual_seed(seed)
    for m in module.modules():
        own = dict(m.named_parameters(recurse=False))
        for p in own.values():
            if p.is_floating_point() and p.dim() >= 2:
                fan = p.shape[-1] if isinstance(m, nn.Embedding) else max(1, p[0].numel())
                std = 0.7 if isinstance(m, nn.Embedding) else math.sqrt(gain / fan)
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


def take(norm, inputs):
    """Takes the statistics of what reaches a batch norm, unless one value a channel is all: their difference is nothing."""
    x = inputs[0].transpose(0, 1).flatten(1)
    if x.shape[1] > 1:
        norm.running_mean.copy_(x.mean(1))
        norm.running_var.copy_(x.var(1, unbiased=False).clamp(min=0.1))


@torch.no_grad()
def measured(module, inputs):
    """Batch-norm statistics of what passes through: deep networks stay well scaled by them."""
    hooks = [m.register_forward_pre_hook(take) for m in module.modules() if getattr(m, "running_var", None) is not None]
    module(*inputs)
    for hook in hooks:
        hook.remove()
    return module


@torch.no_grad()
def rule(module, inputs):
    """The dB to ask of a model: 80, or 6 less than PyTorch's own result in floats is from its result in doubles."""
    try:
        exact = copy.deepcopy(module).double()(*[i.double() if i.is_floating_point() else i for i in inputs])
    except RuntimeError:  # a model that makes floats itself
        return 80.0
    found, exact = (torch.cat([t.flatten().double() for t in tree_flatten(o)[0]]) for o in (module(*inputs), exact))
    own = 10 * torch.log10(exact.square().sum() / (found - exact).square().sum().clamp(min=1e-300)).item()
    return min(80.0, own - 6)


def image(*shape, seed=1):
    g = torch.Generator().manual_seed(seed)
    n, c, h, w = shape
    low = torch.randn(n, c, max(2, h // 8), max(2, w // 8), generator=g)
    return (nn.functional.interpolate(low, size=(h, w), mode="bilinear") + 0.25 * torch.randn(*shape, generator=g)).contiguous()
