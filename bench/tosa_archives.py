#!/usr/bin/env python3
"""Saves the twelve models of the corpus's make/tosa_models.py as archives: float, and quantised as that script does.

Needs torch, torchvision, timm, torchao and executorch, and the corpus's `make` folder.
Usage: tosa_archives.py CORPUS_MAKE_FOLDER OUT_FOLDER [NAME ...]    -> NAME_fp.pt2, NAME_int.pt2, NAME_u55.pt2
"""
import os
import sys

SPECS = {"int": "TOSA-1.0+INT", "u55": "TOSA-1.0+INT+int16+int4+u55"}


def save(models, name, out):
    import torch
    from executorch.backends.arm.quantizer import TOSAQuantizer, get_symmetric_quantization_config
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    make, shape = models.zoo()[name]
    model = models.settle(make, shape)
    torch.manual_seed(1)
    inputs = [(torch.randn(*shape),) for _ in range(2)]
    torch.export.save(torch.export.export(model, inputs[0]), f"{out}/{name}_fp.pt2")
    for key, spec in SPECS.items():
        quantizer = TOSAQuantizer(TosaCompileSpec(spec))
        quantizer.set_global(get_symmetric_quantization_config(is_per_channel=True))
        graph = prepare_pt2e(torch.export.export(model, inputs[0]).module(check_guards=False), quantizer)
        with torch.no_grad():
            for x in inputs:
                graph(*x)
        program = torch.export.export(convert_pt2e(graph), inputs[0])
        torch.export.save(program, f"{out}/{name}_{key}.pt2")


def main():
    folder, out, *names = sys.argv[1:]
    sys.path.insert(0, folder)
    import tosa_models
    os.makedirs(out, exist_ok=True)
    for name in names or tosa_models.zoo():
        save(tosa_models, name, out)
        print(name, flush=True)


main()
