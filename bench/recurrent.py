"""Recurrent layers beside others as archives with PyTorch's results, and ExecuTorch's programs of them.

    python bench/recurrent.py MODELS PEER [NAME..]      # then: bench latency MODELS PEER

Needs torch 2.15 and executorch 1.5.1.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn


class Chain(nn.Module):
    """Layers one after the other, of whose results the first counts."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            x = x[0] if isinstance(x, tuple) else x
        return x


class LayerAndCell(nn.Module):
    """A cell that takes the last step of a layer."""

    def __init__(self, layer, cell, size):
        super().__init__()
        self.layer, self.cell = layer(size, size, batch_first=True), cell(size, size)

    def forward(self, x):
        state = self.cell(self.layer(x)[0][:, -1])
        return state[0] if isinstance(state, tuple) else state


class Spotter(nn.Module):
    """Convolution, both directions of a GRU, a mean, scores: the form of keyword spotters."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(40, 64, 3, padding=1)
        self.steps = nn.GRU(64, 128, batch_first=True, bidirectional=True)
        self.head = nn.Linear(256, 10)

    def forward(self, x):
        features = torch.relu(self.stem(x)).transpose(1, 2)
        return self.head(self.steps(features)[0].mean(1))


class Tagger(nn.Module):
    """Embedding, two layers of an LSTM in both directions, norm, log-softmax."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(1000, 128)
        self.steps = nn.LSTM(128, 256, 2, batch_first=True, bidirectional=True)
        self.norm, self.head = nn.LayerNorm(512), nn.Linear(512, 20)

    def forward(self, words):
        return self.head(self.norm(self.steps(self.words(words))[0])).log_softmax(-1)


class Speller(nn.Module):
    """An encoder, and a decoder that looks up what it said last: the form of grapheme-to-phoneme models."""

    def __init__(self, size=256, steps=20):
        super().__init__()
        self.letters, self.sounds = nn.Embedding(29, size), nn.Embedding(74, size)
        self.encoder = nn.GRU(size, size, batch_first=True)
        self.decoder, self.head = nn.GRUCell(size, size), nn.Linear(size, 74)
        self.steps = steps

    def forward(self, word):
        state = self.encoder(self.letters(word))[1][0]
        sound, said = torch.full((1,), 2), []
        for _ in range(self.steps):
            state = self.decoder(self.sounds(sound), state)
            sound = self.head(state).argmax(-1)
            said.append(sound)
        return torch.stack(said, 1)


class Speaker(nn.Module):
    """A decoder with attention over a memory: the form of Tacotron's."""

    def __init__(self, size=256, steps=16):
        super().__init__()
        self.before, self.after = nn.Linear(80, size), nn.Linear(2 * size, 80)
        self.attends, self.speaks = nn.LSTMCell(2 * size, size), nn.LSTMCell(2 * size, size)
        self.query, self.key, self.score = nn.Linear(size, 128), nn.Linear(size, 128), nn.Linear(128, 1)
        self.steps = steps

    def forward(self, memory):
        batch, _, size = memory.shape
        attended = spoken = (torch.zeros(batch, size), torch.zeros(batch, size))
        context, frame = torch.zeros(batch, size), torch.zeros(batch, 80)
        keys, frames = self.key(memory), []
        for _ in range(self.steps):
            attended = self.attends(torch.cat([torch.relu(self.before(frame)), context], 1), attended)
            scores = self.score(torch.tanh(self.query(attended[0])[:, None] + keys)).squeeze(2)
            context = (scores.softmax(1)[:, None] @ memory)[:, 0]
            spoken = self.speaks(torch.cat([attended[0], context], 1), spoken)
            frame = self.after(torch.cat([spoken[0], context], 1))
            frames.append(frame)
        return torch.stack(frames, 1)


def sequence(steps, size, batch=1):
    return torch.randn(batch, steps, size)


MODELS = {
    "gru256": lambda: (nn.GRU(256, 256, batch_first=True), sequence(32, 256)),
    "gru512": lambda: (nn.GRU(512, 512, batch_first=True), sequence(32, 512)),
    "gru_of_2": lambda: (nn.GRU(128, 128, 2, batch_first=True), sequence(32, 128)),
    "gru_gru": lambda: (Chain(nn.GRU(128, 128, batch_first=True), nn.GRU(128, 128, batch_first=True)), sequence(32, 128)),
    "gru64_linear": lambda: (Chain(nn.GRU(64, 64, batch_first=True), nn.Linear(64, 768)), sequence(32, 64)),
    "gru256_linear": lambda: (Chain(nn.GRU(256, 256, batch_first=True), nn.Linear(256, 768)), sequence(32, 256)),
    "gru_of_batches": lambda: (Chain(nn.GRU(128, 256, batch_first=True), nn.Linear(256, 64)), sequence(24, 128, 4)),
    "lstm512_linear": lambda: (Chain(nn.LSTM(512, 512, batch_first=True), nn.Linear(512, 1000)), sequence(24, 512)),
    "lstm_cell": lambda: (LayerAndCell(nn.LSTM, nn.LSTMCell, 128), sequence(32, 128)),
    "gru_cell": lambda: (LayerAndCell(nn.GRU, nn.GRUCell, 128), sequence(32, 128)),
    "spotter": lambda: (Spotter(), torch.randn(1, 40, 50)),
    "tagger": lambda: (Tagger(), torch.randint(0, 1000, (1, 20))),
    "speller": lambda: (Speller(), torch.randint(0, 29, (1, 12))),
    "speaker": lambda: (Speaker(), torch.randn(1, 30, 256)),
}


def make(name, models, peer):
    torch.manual_seed(0)
    module, x = MODELS[name]()
    module.eval()
    with torch.no_grad():
        outputs = module(x)
        exported = torch.export.export(module, (x,))
    torch.export.save(exported, models / f"{name}.pt2")
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    tensors = {f"0.out.{i}": y.contiguous() for i, y in enumerate(outputs)}
    save_file({"0.in.0": x.contiguous(), **tensors}, models / f"{name}.safetensors")
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()
    (peer / f"{name}.pte").write_bytes(program.buffer)
    print(name, flush=True)


def main():
    models, peer = (pathlib.Path(path) for path in sys.argv[1:3])
    for folder in (models, peer):
        folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or MODELS:
        make(name, models, peer)


if __name__ == "__main__":
    main()
