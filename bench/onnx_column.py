"""Puts ONNX Runtime's figures beside a latency table.

    target/release/bench latency FULL_MODELS PEER_PROGRAMS > latency.md
    python bench/onnx_column.py latency.md CORPUS/peer_models.json

The file of the corpus holds medians of ONNX Runtime 1.31.1 and of the peer, interleaved, CPU time of one thread
(`make/peer_models.py onnx` and `latency` of the corpus make it). What was measured in different minutes is not
compared by its milliseconds: ours / ONNX Runtime is ours / peer of the table times peer / ONNX Runtime of the file.
"""
import json
import math
import sys


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def main(table, figures):
    with open(figures) as file:
        known = json.load(file)["float"]
    with open(table) as file:
        rows = [cells(line) for line in file if line.startswith("| ")]
    head, rows = rows[0], rows[1:]
    at = head.index("ratio")
    print("| model | ours / peer | ONNX Runtime / peer | ours / ONNX Runtime |")
    print("|---|---:|---:|---:|")
    logs = []
    for row in rows:
        measured = known.get(row[0], {}).get("latency", {}).get("threads1")
        if not measured or not row[at]:
            continue
        ours, onnx = float(row[at]), measured["ort_ms"] / measured["et_ms"]
        logs.append(math.log(ours / onnx))
        print(f"| {row[0]} | {ours:.3f} | {onnx:.3f} | {ours / onnx:.3f} |")
    print(f"\ngeometric mean of {len(logs)} ratios to ONNX Runtime: {math.exp(sum(logs) / len(logs)):.3f}")


main(*sys.argv[1:])
