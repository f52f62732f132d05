"""Operators that the stock runtime has no kernels for: a user's own, and torchvision's. They pass through as calls of kernels
that the user registers, so programs are compiled but not run."""
import torch
import torchvision
from case import Case, Fn
from torch import nn
from weights import image, settle


@torch.library.custom_op("hunt::swish", mutates_args=())
def swish(x: torch.Tensor, beta: float) -> torch.Tensor:
    return x * torch.sigmoid(beta * x)


@swish.register_fake
def _(x, beta):
    return torch.empty_like(x)


@torch.library.custom_op("hunt::join", mutates_args=())
def join(parts: list[torch.Tensor], sizes: list[int], axis: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    joined = torch.cat(parts, axis)
    return joined.clone(), joined.sum(sizes)


@join.register_fake
def _(parts, sizes, axis=1):
    joined = torch.cat(parts, axis)
    return joined, joined.sum(sizes)


class Swishes(nn.Module):
    """A network whose activation is a user's own."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1)

    def forward(self, x):
        return self.second(torch.ops.hunt.swish(self.first(x), 1.5))


class Joins(nn.Module):
    """A user's op with lists and two results between layers."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 16), nn.Linear(32, 8)

    def forward(self, x):
        joined, summed = torch.ops.hunt.join([self.first(x), x], [0])
        return self.second(joined) + summed.mean()


class Regions(nn.Module):
    """Features of regions of an image."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 16, 3, padding=1), nn.Linear(16 * 49, 10)

    def forward(self, x, boxes):
        return self.head(torchvision.ops.roi_align(self.conv(x), boxes, 7, 0.25, 2).flatten(1))


class Deforms(nn.Module):
    """A convolution whose taps are moved by what it sees."""

    def __init__(self):
        super().__init__()
        self.offset, self.conv = nn.Conv2d(8, 18, 3, padding=1), torchvision.ops.DeformConv2d(8, 8, 3, padding=1)

    def forward(self, x):
        return self.conv(x, self.offset(x))


def boxes(count):
    g = torch.Generator().manual_seed(4)
    low = torch.rand(count, 2, generator=g) * 60
    return torch.cat([torch.zeros(count, 1), low, low + 10 + torch.rand(count, 2, generator=g) * 50], 1)


def cases(only):
    nms = Fn(lambda b, s: torchvision.ops.nms(b, s, 0.5))
    made = {
        "swish": (Swishes(), (image(1, 3, 32, 32),), "hunt"),
        "join": (Joins(), (image(1, 1, 4, 16)[0, 0],), "hunt"),
        "roi_align": (Regions(), (image(1, 3, 64, 64), boxes(5)), "torchvision"),
        "deform_conv2d": (Deforms(), (image(1, 8, 24, 24),), "torchvision"),
        "nms": (nms, (boxes(20)[:, 1:], torch.rand(20, generator=torch.Generator().manual_seed(2))), "torchvision"),
    }
    for name, (module, inputs, namespace) in made.items():
        if only in name:
            yield Case(name, settle(module), [inputs], custom=namespace)
