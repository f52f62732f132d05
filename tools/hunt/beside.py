"""ExecuTorch's own programs of a family's archives, and a table of Kiln's beside them."""
import collections
import concurrent.futures
import json
import math
import subprocess
import sys
from pathlib import Path

# Of ExecuTorch's time. A ratio above it fails.
LIMIT = 1.05
# So many times as many rounds decide where the interval of a ratio has the limit in it.
AGAIN = 5
LOWER = Path(__file__).resolve().parents[2] / "bench" / "peer_lower.py"


def lower(folder, name, seconds):
    """ExecuTorch's program of one archive, and the reason where there is none."""
    command = [sys.executable, str(LOWER), str(folder / f"{name}.pt2"), str(folder / "peer" / f"{name}.pte")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        return name, "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1][:300]
    except subprocess.TimeoutExpired:
        return name, f"not done after {seconds} s"


def peer(folder, names, seconds, jobs):
    """Lowers what has no program yet; peer/failed.json holds the reasons."""
    folder = Path(folder)
    (folder / "peer").mkdir(exist_ok=True)
    path = folder / "peer" / "failed.json"
    failed = json.loads(path.read_text()) if path.exists() else {}
    todo = [n for n in names if not (folder / "peer" / f"{n}.pte").exists() and n not in failed]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, reason in pool.map(lambda n: lower(folder, n, seconds), todo):
            if reason:
                failed[name] = reason
                print(f"{name}: {reason}", flush=True)
    path.write_text(json.dumps(failed, indent=1))


def decibels(report):
    """The least SQNR of a run's outputs, where one has any."""
    if not report:
        return None
    found = [o["sqnr"] for o in json.loads(report)["outputs"] if o["sqnr"] is not None]
    return min(found, default=None)


def rounded(number):
    return "" if number is None else f"{number:.0f}"


def accuracy(kiln, program, golden):
    """The least SQNR of a program on the stock runtime."""
    command = [kiln, "run", str(program), "--runtime", "executorch", "--poison", "--json", "--expect", str(golden)]
    return decibels(subprocess.run(command, capture_output=True, text=True).stdout)


def parts(kiln, program):
    """Delegates and kernel calls of a program, as `D/K`."""
    described = subprocess.run([kiln, "inspect", str(program), "--json"], capture_output=True, text=True)
    if described.returncode:
        return "?"
    method = json.loads(described.stdout)["methods"][0]
    return f"{method['delegate_calls']}/{sum(method['kernel_calls'].values())}"


def ratios(bench, folder, rounds, only):
    """Rows of `bench latency` by name."""
    command = [bench, "latency", str(folder), str(folder / "peer"), "--rounds", str(rounds)]
    done = subprocess.run(command + (["--filter", only] if only else []), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in done.stdout.splitlines() if line.startswith("| ")]
    return {c[0]: c[1:6] for c in cells[1:]}


def measured_again(bench, folder, rounds, rows):
    """The rows that the first rounds do not decide, in more rounds."""
    unsure = [n for n, c in rows.items() if len(c) == 5 and c[2] and float(c[3]) <= LIMIT < float(c[4])]
    found = {}
    for name in unsure:
        found |= {n: c for n, c in ratios(bench, folder, AGAIN * rounds, name).items() if n == name}
    return found


def table(kiln, bench, folder, rows, rounds, only):
    """Prints the table of a family; returns the ratios."""
    folder, found = Path(folder), []
    failed = json.loads((folder / "peer" / "failed.json").read_text())
    measured = ratios(bench, folder, rounds, only)
    again = measured_again(bench, folder, rounds, measured)
    measured |= again
    print(f"\n### {folder.name}\n\n| model | delegates/kernels | dB | verdict | ExecuTorch's | its dB | ms | its ms | ratio | 95 % |\n|---|---|---:|---|---|---:|---:|---:|---:|---|")
    for row in rows:
        name, theirs = row["name"], folder / "peer" / f"{row['name']}.pte"
        ours = f"{row['delegates']}/{row['kernels']}" if "delegates" in row else "refused"
        beside = parts(kiln, theirs) if theirs.exists() else "cannot lower" if name in failed else "-"
        cells = measured.get(name, [])
        if len(cells) == 5 and cells[2]:
            found.append(float(cells[2]))
            cells = [*cells[:3], f"{cells[3]} to {cells[4]}"]
        else:
            cells = ["", "fails" if theirs.exists() else "", "", ""]
        own, other = rounded(row.get("sqnr")), None
        if theirs.exists():
            other = accuracy(kiln, theirs, folder / f"{name}.safetensors")
        print(f"| {name} | {ours} | {own} | {row['stock']} | {beside} | {rounded(other)} | {' | '.join(cells)} |")
    if found:
        mean = math.exp(sum(map(math.log, found)) / len(found))
        print(f"\ngeometric mean of {len(found)} ratios: {mean:.3f}; above {LIMIT}: {sum(r > LIMIT for r in found)}; verdicts: "
              f"{dict(collections.Counter(r['stock'] for r in rows))}")
    if again:
        print(f"in {AGAIN * rounds} rounds: {', '.join(again)}")
    return found
