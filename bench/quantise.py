"""Signal-to-noise ratios that `kiln compile --quantize` and PyTorch's quantisers leave of the same weights.

    PYTHON bench/quantise.py KILN CORPUS SCRATCH [TIMM_MODEL ...]

PYTHON has torch, timm, executorch, torchao and safetensors. KILN is the command, CORPUS a folder with `models_small` and
`quantised_small` as files, SCRATCH a folder for archives and programs. Models of CORPUS are compared with the golden outputs of archives that
PyTorch's quantisers wrote. A timm model has random weights and statistics of a random batch; both tools see the same one input.
"""

import subprocess
import sys
import warnings
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

SMALL = {
    "int8": ("_q", ["resnet18", "mobilenet_v1_025", "mv2_025_96", "efficientnet_b0", "shufflenet_v2_x1_0", "convnext_atto", "unet_small", "wav2letter", "deit_tiny"]),
    "int8-dynamic": ("_qd", ["deit_tiny", "llama_15m"]),
    "int4": ("_w4", ["llama_15m"]),
}
TIMM = ["vit_tiny_patch16_224", "resnet50", "mobilenetv3_large_100", "efficientnet_lite0", "regnety_002"]


def noise(expected, found):
    """The ratio in dB."""
    expected, found = expected.double(), found.double()
    return 10 * torch.log10((expected**2).sum() / (expected - found).pow(2).sum()).item()


def of_kiln(kiln, archive, golden, mode, scratch):
    """The ratios of all outputs of the program."""
    program = scratch / "program.pte"
    samples = ["--samples", golden] if mode == "int8" else []
    subprocess.run([kiln, "compile", archive, "-o", program, "--quantize", mode, *samples, "-q"], check=True)
    found = scratch / "found.safetensors"
    subprocess.run([kiln, "run", program, "--inputs", golden, "--outputs", found, "-q"], check=True, stdout=subprocess.DEVNULL)
    return worst(load_file(golden), load_file(found))


def worst(expected, found):
    return min(noise(expected[name], found[name]) for name in expected if ".out." in name)


def of_pytorch(module, x):
    """What PT2E with ExecuTorch's XNNPACKQuantizer gives."""
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(module, quantizer)
    prepared(x)
    return convert_pt2e(prepared)(x)


def of_timm(name, scratch):
    """Writes the archive and its golden output. Gives the exported module, the input and the output."""
    import timm

    torch.manual_seed(0)
    module = timm.create_model(name, pretrained=False).train()
    for part in module.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.momentum = None
    with torch.no_grad():
        module(torch.randn(8, 3, 224, 224))
    module.eval()
    x = torch.randn(1, 3, 224, 224)
    exported = torch.export.export(module, (x,))
    torch.export.save(exported, scratch / f"{name}.pt2")
    with torch.no_grad():
        expected = module(x)
    save_file({"0.in.0": x, "0.out.0": expected.contiguous()}, scratch / f"{name}.safetensors")
    return exported.module(), x, expected


def main():
    warnings.filterwarnings("ignore")
    kiln, corpus, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    scratch.mkdir(parents=True, exist_ok=True)
    print("| model | Kiln | PyTorch's tools |\n|---|---|---|")
    for mode, (ending, models) in SMALL.items():
        for name in models:
            golden = corpus / "models_small" / f"{name}.safetensors"
            own = of_kiln(kiln, golden.with_suffix(".pt2"), golden, mode, scratch)
            floats, theirs = load_file(golden), load_file(corpus / "quantised_small" / f"{name}{ending}.safetensors")
            theirs = worst({k: v for k, v in floats.items() if k in theirs}, theirs)
            print(f"| {name}, {mode} | {own:.1f} | {theirs:.1f} |", flush=True)
    for name in sys.argv[4:] or TIMM:
        module, x, expected = of_timm(name, scratch)
        golden = scratch / f"{name}.safetensors"
        own = of_kiln(kiln, golden.with_suffix(".pt2"), golden, "int8", scratch)
        print(f"| {name}, int8 | {own:.1f} | {noise(expected, of_pytorch(module, x)):.1f} |", flush=True)


if __name__ == "__main__":
    main()
