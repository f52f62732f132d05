#!/usr/bin/env python3
"""What the recurrent models of the corpus take at least: archives with nothing but their matrix products.

    python bench/recurrent_floor.py OUT
    kiln compile OUT/kws_lstm_block.pt2 -o block.pte && kiln run block.pte --runtime executorch --repeat 3000 --threads 1
    kiln compile OUT/gru_tagger.pt2 -o gru.pte && kiln run gru.pte --runtime executorch --repeat 3000 --threads 1

`kws_lstm_block` is 7 of kws_lstm's 49 steps (two layers of 128, 40 features), so its time counts seven times: longer
blocks leave the caches, since the library packs the weights of each step by itself. `gru_tagger` is all 32 steps of both
directions (96 of 96). Gates, sums and states are left out but for one `tanh` and one cut a step, without which a step
would not need the one before it; the inputs' products are results, so that all of them are computed. Needs torch.
"""
import sys

import torch
from torch import nn


class LstmBlock(nn.Module):
    def __init__(self, features=40, size=128, steps=7):
        super().__init__()
        self.size, self.steps = size, steps
        self.inputs = nn.ModuleList(nn.Linear(n, 4 * size) for n in (features, size))
        self.hidden = nn.ModuleList(nn.Linear(size, 4 * size) for _ in range(2))

    def forward(self, x, first, second):
        results = []
        for into, hidden, h in zip(self.inputs, self.hidden, (first, second)):
            products, states = into(x), []
            results.append(products)
            for step in range(self.steps):
                sums = hidden(h) if step else hidden(h) + products[:1]
                h = torch.tanh(sums)[:, : self.size]
                states.append(h)
            x = torch.cat(states)
        return results, x


class GruProducts(nn.Module):
    def __init__(self, size=96, steps=32):
        super().__init__()
        self.size, self.steps = size, steps
        self.inputs = nn.ModuleList(nn.Linear(size, 3 * size) for _ in range(2))
        self.hidden = nn.Parameter(torch.randn(2, size, 3 * size) * 0.05)

    def forward(self, x):
        products = torch.stack([into(x) for into in self.inputs])
        h = products[:, :1, : self.size]
        for _ in range(self.steps - 1):
            h = torch.tanh(torch.matmul(h, self.hidden))[:, :, : self.size]
        return products, h


def main(out):
    torch.manual_seed(1)
    state = torch.zeros(1, 128)
    for name, model, inputs in (
        ("kws_lstm_block", LstmBlock(), (torch.randn(7, 40), state, state)),
        ("gru_tagger", GruProducts(), (torch.randn(32, 96),)),
    ):
        torch.export.save(torch.export.export(model.eval(), inputs), f"{out}/{name}.pt2")


if __name__ == "__main__":
    main(*sys.argv[1:])
