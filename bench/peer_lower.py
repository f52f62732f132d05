"""Lowers one archive by ExecuTorch's own flow and prints its CPU seconds as JSON: load, lower with emit. Imports are
not counted. Needs torch 2.15.0, executorch 1.5.1, torchao; used by `bench compile --peer-python`.

    python bench/peer_lower.py MODEL.pt2 OUT.pte
"""
import json
import sys
import time

import torch
import torchao.quantization.pt2e  # noqa: F401  registers ops that archives may use
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower

start = time.process_time()
exported = torch.export.load(sys.argv[1])
loaded = time.process_time()
program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()
with open(sys.argv[2], "wb") as file:
    program.write_to_file(file)
print(json.dumps({"load_s": loaded - start, "lower_s": time.process_time() - loaded}))
