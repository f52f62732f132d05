"""Writes `basic.txt`, `composite.txt` and `vision.txt`.

Run with torch 2.15 (torchao and executorch register the quantised ops; torchvision and transformers have ops of their own) in this folder.
"""

import basic
import composite
import lines
import vision

for module in (basic, composite, vision):
    lines.LINES.clear()
    lines.torch.manual_seed(7)
    for area in module.AREAS:
        area()
    with open(f"{module.__name__}.txt", "w") as out:
        out.write("\n".join(lines.LINES) + "\n")
    print(len(lines.LINES), "cases in", module.__name__)
