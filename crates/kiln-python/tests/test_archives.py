"""The package on saved archives, without torch."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Callable

import kiln
import numpy
import pytest

# A shell that runs the tests in the background has interrupts ignored, and Python then leaves them so.
signal.signal(signal.SIGINT, signal.default_int_handler)

MODELS = Path(__file__).parents[3] / "models"
MODEL = MODELS / "mobilenet_v3_small.pt2"


def golden() -> dict[str, numpy.ndarray]:
    """The tensors of the model's golden file, which are all f32."""
    data = MODEL.with_suffix(".safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32"
        start, end = entry["data_offsets"]
        part = data[8 + size + start : 8 + size + end]
        tensors[name] = numpy.frombuffer(part, "float32").reshape(entry["shape"])
    return tensors


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "kiln", *map(str, arguments)]
    return subprocess.run(program, capture_output=True, text=True)


def test_torch_is_not_needed() -> None:
    # In a process of its own: other tests may have imported torch.
    script = f"import kiln, sys; kiln.compile({str(MODEL)!r}); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_a_program_is_the_command_lines(tmp_path: Path) -> None:
    program = kiln.compile(MODEL)
    size = program.save(tmp_path / "api.pte")
    done = command("compile", MODEL, "-o", tmp_path / "cli.pte", "--report", tmp_path / "cli.json")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "api.pte").read_bytes() == (tmp_path / "cli.pte").read_bytes()
    assert size == program.size == (tmp_path / "cli.pte").stat().st_size
    report = json.loads((tmp_path / "cli.json").read_text())
    assert report["methods"][0]["nodes"] == program.report["methods"][0]["nodes"]


def test_bytes_are_as_good_as_a_file() -> None:
    from_bytes = kiln.compile(MODEL.read_bytes())
    assert from_bytes.report["size"] == kiln.compile(MODEL).report["size"]


def test_a_run_gives_the_golden_outputs() -> None:
    tensors = golden()
    found = kiln.compile(MODEL).run(tensors["0.in.0"])
    assert len(found) == 1
    wanted = tensors["0.out.0"]
    assert found[0].dtype == wanted.dtype and found[0].shape == wanted.shape
    noise = float(((found[0] - wanted) ** 2).sum())
    assert noise == 0 or 10 * math.log10(float((wanted**2).sum()) / noise) > 80
    assert float(numpy.abs(wanted).max()) > 0
    found[0][...] = 0  # outputs may be written


def test_the_output_is_saved_at_once(tmp_path: Path) -> None:
    program = kiln.compile({"forward": MODEL, "again": MODEL}, output=tmp_path / "two.pte")
    assert program.methods == ["forward", "again"]
    assert (tmp_path / "two.pte").stat().st_size == program.size


def test_an_explanation_is_text_and_a_page(tmp_path: Path) -> None:
    explanation = kiln.compile(MODEL).explain()
    assert "1 delegate" in str(explanation)
    assert explanation.html.lstrip().lower().startswith("<!doctype html")
    assert "srcdoc" in explanation._repr_html_()
    explanation.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == explanation.html


def test_a_model_computes_in_halves() -> None:
    full, half = kiln.compile(MODEL), kiln.compile(MODEL, precision="f16")
    assert half.size < 0.65 * full.size
    assert half.report["notes"][0].startswith("precision='f16': ")


def test_a_model_is_quantised_on_samples() -> None:
    tensors = golden()
    samples = [(tensors[f"{run}.in.0"],) for run in range(2)]
    full, small = kiln.compile(MODEL), kiln.compile(MODEL, quantize="int8", data=samples)
    assert small.size < 0.5 * full.size
    assert "29 layers with weights of 8 bits" in small.report["notes"][0]
    (found,) = small.run(*samples[0])
    assert found.shape == tensors["0.out.0"].shape
    methods = {"forward": MODEL, "again": MODEL}
    both = kiln.compile(methods, quantize="int8", data={"forward": samples, "again": samples[:1]})
    assert [method["name"] for method in both.report["methods"]] == ["forward", "again"]
    with pytest.raises(kiln.Error, match="samples are for the method other; the program has forward, again"):
        kiln.compile(methods, quantize="int8", data={"other": samples})
    with pytest.raises(kiln.Error, match="needs samples"):
        kiln.compile(MODEL, quantize="int8")
    with pytest.raises(kiln.Error, match="expected int8, int8-dynamic or int4"):
        kiln.compile(MODEL, quantize="int2")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="quantize='int8'"):
        kiln.compile(MODEL, data=samples)


def test_a_refusal_is_an_error_with_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "no.pt2"
    path.write_bytes(b"no archive")
    with pytest.raises(kiln.Error, match="no.pt2"):
        kiln.compile(path)
    with pytest.raises(kiln.Error, match="there is no target ethos"):
        kiln.compile(MODEL, "ethos")
    with pytest.raises(kiln.Error, match="half is native or f32"):
        kiln.compile(MODEL, half="f64")  # type: ignore[arg-type]
    with pytest.raises(kiln.Error, match="precision is f16, bf16 or f32"):
        kiln.compile(MODEL, precision="f64")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="torch.export.export"):
        kiln.compile(3)  # type: ignore[arg-type]
    with pytest.raises(kiln.Error, match="sizes"):
        kiln.compile(MODEL).run(numpy.zeros(3, "float32"))


def test_messages_name_arguments_and_not_options() -> None:
    tensors = golden()
    samples = [(tensors["0.in.0"],)]
    with pytest.raises(kiln.Error, match=r"precision='f16' does not go with quantize") as both:
        kiln.compile(MODEL, precision="f16", quantize="int8", data=samples)
    with pytest.raises(kiln.Error, match=r"quantize='int8' needs samples .*; give data with ") as none:
        kiln.compile(MODEL, quantize="int8")
    with pytest.raises(kiln.Error, match="sizes={'batch': 4}") as dim:
        kiln.compile(MODEL, sizes={"batch": 4})
    with pytest.warns(UserWarning, match=r"quantise it \(quantize, or before the export\)") as warned:
        kiln.compile(MODEL, "tosa-int")
    texts = [str(error.value) for error in (both, none, dim)] + [str(warning.message) for warning in warned]
    texts += kiln.compile(MODEL, quantize="int8", data=samples).report["notes"]
    texts.append(kiln.compile(MODEL, "portable").explain().text)
    assert not [text for text in texts if "--" in text]


@pytest.mark.parametrize("target", ["portable", "tosa-fp", "host-c"])
def test_other_targets_run_too(target: str) -> None:
    assert target in kiln.TARGETS
    tensors = golden()
    found = kiln.compile(MODEL, target).run(tensors["0.in.0"])[0]
    assert numpy.allclose(found, tensors["0.out.0"], rtol=1e-3, atol=1e-4)


def test_threads_compile_side_by_side() -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(kiln.compile(MODEL).size)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1


def test_an_interruption_ends_runs_and_samples() -> None:
    tensors = golden()
    inputs = (tensors["0.in.0"],)
    program = kiln.compile(MODEL)
    works: list[Callable[[], object]] = [
        lambda: program.run_all([inputs] * 20_000),
        lambda: kiln.compile(MODEL, quantize="int8", data=[inputs] * 20_000),
    ]
    for work in works:
        timer = threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt) as interrupt:
            # The inputs are converted by then, and the work takes far longer.
            timer.start()
            work()
        assert isinstance(interrupt.value.__cause__, kiln.Error)
    assert program.run(*inputs)[0].shape == tensors["0.out.0"].shape


def test_an_interruption_is_the_main_threads() -> None:
    tensors = golden()
    inputs = (tensors["0.in.0"],)
    program = kiln.compile(MODEL)
    found: list[object] = []

    def work() -> None:
        found.append(len(program.run_all([inputs] * 2_000)))

    other = threading.Thread(target=work)
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        other.start()
        program.run_all([inputs] * 200_000)
    # The other thread goes on, and so does this one's next call.
    assert program.run(*inputs)[0].shape == tensors["0.out.0"].shape
    other.join()
    assert found == [2_000]


def test_signals_keep_their_effect() -> None:
    lines = "\n".join(
        (
            "import os, signal, sys, kiln",
            "signal.signal(signal.SIGINT, signal.SIG_DFL)",
            "program = kiln.compile(sys.argv[1])",
            "os.kill(os.getpid(), signal.SIGINT)",
            "print('still here')",
        )
    )
    done = subprocess.run([sys.executable, "-c", lines, str(MODEL)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-signal.SIGINT, "")


def test_paths_are_not_reworded(tmp_path: Path) -> None:
    missing = tmp_path / "x--fast-nan" / "a--target tosa-int.pt2"
    with pytest.raises(kiln.Error, match=re.escape(str(missing))):
        kiln.compile(missing)


def test_the_command_has_exit_statuses(tmp_path: Path) -> None:
    assert command("--version").stdout.startswith("kiln ")
    assert command("compile", tmp_path / "missing.pt2", "-o", tmp_path / "x.pte").returncode == 1
    assert command("compile", MODEL).returncode == 2
    assert command("run", MODEL, "--expect", MODEL.with_suffix(".safetensors"), "--sqnr", 1000).returncode == 3
