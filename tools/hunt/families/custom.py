"""A user's own operators, which the stock runtime has no kernels for. They pass through as calls of kernels that the user
registers, so programs are compiled but not run."""
import torch
from case import Case
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


def cases(only):
    made = {
        "swish": (Swishes(), (image(1, 3, 32, 32),), "hunt"),
        "join": (Joins(), (image(1, 1, 4, 16)[0, 0],), "hunt"),
    }
    for name, (module, inputs, namespace) in made.items():
        if only in name:
            yield Case(name, settle(module), [inputs], custom=namespace)
