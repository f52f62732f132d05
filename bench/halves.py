"""Models of f16 and bf16 as archives with eager PyTorch's results, and ExecuTorch's programs of them.

    python bench/halves.py MODELS PEER [NAME..]      # then: bench latency MODELS PEER

Prints how far eager PyTorch in halves is from the same model in f32. Needs torch 2.15, torchvision, timm, transformers and executorch 1.5.1.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def resnet18():
    import torchvision

    return torchvision.models.resnet18(), torch.rand(1, 3, 224, 224)


def mobilenet_v3_small():
    import torchvision

    return torchvision.models.mobilenet_v3_small(), torch.rand(1, 3, 224, 224)


def vit_tiny():
    import timm

    return timm.create_model("vit_tiny_patch16_224"), torch.rand(1, 3, 224, 224)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        from transformers import BertConfig, BertModel

        sizes = {"hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024}
        self.model = BertModel(BertConfig(num_hidden_layers=2, vocab_size=1000, **sizes))

    def forward(self, ids):
        return self.model(ids).last_hidden_state


MODELS = {
    "resnet18": resnet18,
    "mobilenet_v3_small": mobilenet_v3_small,
    "vit_tiny": vit_tiny,
    "bert": lambda: (Bert(), torch.randint(0, 1000, (1, 64))),
    "encoder_layer": lambda: (nn.TransformerEncoderLayer(256, 4, 512, batch_first=True), torch.randn(1, 64, 256)),
    "conv": lambda: (nn.Conv2d(64, 64, 3, padding=1), torch.randn(1, 64, 56, 56)),
    "linear": lambda: (nn.Linear(768, 3072), torch.randn(64, 768)),
    "mlp": lambda: (nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512), nn.LayerNorm(512)), torch.randn(64, 512)),
}


def ratio(reference, found):
    """Signal to noise in dB."""
    reference, found = reference.double(), found.double()
    noise = ((found - reference) ** 2).mean()
    return (10 * torch.log10((reference**2).mean() / noise)).item()


def make(name, dtype, models, peer):
    torch.manual_seed(0)
    module, x = MODELS[name]()
    module.eval()
    with torch.no_grad():
        wide = module(x)
        module.to(DTYPES[dtype])
        x = x.to(DTYPES[dtype]) if x.is_floating_point() else x
        y = module(x)
        exported = torch.export.export(module, (x,))
    file = f"{name}_{dtype}"
    torch.export.save(exported, models / f"{file}.pt2")
    save_file({"0.in.0": x.contiguous(), "0.out.0": y.contiguous()}, models / f"{file}.safetensors")
    print(f"{file}: {ratio(wide, y):.1f} dB from f32", flush=True)

    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    lowered = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    (peer / f"{file}.pte").write_bytes(lowered.to_executorch().buffer)


def main():
    models, peer = (pathlib.Path(folder) for folder in sys.argv[1:3])
    for folder in (models, peer):
        folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or MODELS:
        for dtype in DTYPES:
            make(name, dtype, models, peer)


if __name__ == "__main__":
    main()
