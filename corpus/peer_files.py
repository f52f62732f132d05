#!/usr/bin/env python3
"""peer_files.py CORPUS OUT: programs and TOSA files as ExecuTorch's own flow writes them, of small cases of a corpus.

Writes OUT/SUITE.CASE.pte and OUT/SUITE.CASE.tosa; `conformance select --peer OUT` packs them. Of each suite below it takes so
many archives of less than 20 kB, evenly spread over their names. Needs torch, executorch 1.5.1 and tosa-tools.
"""
import os
import pathlib
import sys

PROGRAMS = {"archives": 3, "dynamic": 12, "ops_fp32": 24, "ops_int8_dynamic": 4, "ops_int8_static": 14, "transpose_counts": 6}
TOSA = {"tosa_fp": 20, "tosa_int": 20}


def chosen(corpus, suites):
    for suite, count in suites.items():
        paths = sorted((corpus / suite).glob("*.pt2"))
        paths = [path for path in paths if path.stat().st_size < 20000]
        yield from paths[:: max(1, len(paths) // count)][:count]


def program(path, out):
    import torch
    import torchao.quantization.pt2e  # noqa: F401  registers quantized_decomposed
    import executorch.kernels.quantized  # noqa: F401  and its out variants
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    edge = to_edge_transform_and_lower(torch.export.load(path), partitioner=[XnnpackPartitioner()])
    with open(f"{out}.pte", "wb") as file:
        edge.to_executorch().write_to_file(file)


def tosa(path, out):
    import torch
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower

    spec = TosaCompileSpec("TOSA-1.0+FP" if "tosa_fp" in str(out) else "TOSA-1.0+INT+int16+int4")
    edge = to_edge_transform_and_lower(
        torch.export.load(path),
        partitioner=[TOSAPartitioner(spec)],
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    module = edge.exported_program().graph_module
    for node in module.graph.nodes:
        lowered = getattr(module, str(node.target), None) if node.op == "get_attr" else None
        if hasattr(lowered, "processed_bytes"):
            pathlib.Path(f"{out}.tosa").write_bytes(bytes(lowered.processed_bytes))
            return


def main():
    corpus, out = map(pathlib.Path, sys.argv[1:])
    os.makedirs(out, exist_ok=True)
    for suites, write in ((PROGRAMS, program), (TOSA, tosa)):
        for path in chosen(corpus, suites):
            try:
                write(path, out / f"{path.parent.name}.{path.stem}")
            except Exception as error:  # The peer refuses some cases.
                print(f"{path}: {error!r:.200}", file=sys.stderr)


if __name__ == "__main__":
    main()
