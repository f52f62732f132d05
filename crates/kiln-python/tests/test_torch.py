"""The package on modules and exported programs, with torch."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import kiln
import pytest

torch = pytest.importorskip("torch")
nn = torch.nn


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.norm(self.stem(x)))
        return self.head(x.mean((2, 3)))


class Counter(nn.Module):
    """State, a dict, a None and an input that changes."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x: Any, *, scale: Any) -> Any:
        self.total.add_(x)
        x.mul_(2)
        return {"total": self.total * scale, "none": None, "count": (x + 1, 7)}


def test_check_compares_with_the_module() -> None:
    found = kiln.check(Network().eval(), (torch.randn(1, 3, 8, 8),))
    assert found and found.ok and found.failure is None
    assert [row["ok"] for row in found.outputs] == [True]
    assert found.program.report["methods"][0]["delegates"] == 1
    assert "right" in str(found)


def test_check_fails_where_more_is_asked_than_there_is() -> None:
    found = kiln.check(Network().eval(), (torch.randn(1, 3, 8, 8),), rtol=0.0, atol=0.0)
    assert not found
    assert found.failure is not None and "WRONG" in str(found)


def test_threads_compile_exported_programs() -> None:
    inputs = (torch.randn(1, 3, 8, 8),)
    programs = [torch.export.export(Network().eval(), inputs) for _ in range(2)]
    with ThreadPoolExecutor(8) as pool:
        sizes = list(pool.map(lambda i: kiln.compile(programs[i % 2]).size, range(32)))
    assert len(set(sizes)) == 1


def test_inputs_by_position_are_not_given_by_name() -> None:
    x = torch.randn(1, 3, 8, 8)
    program = kiln.compile(torch.export.export(Network().eval(), (x,)))
    with pytest.raises(TypeError, match="by position only, and x is given by name"):
        program.run(x=x)
    with pytest.raises(kiln.Error, match="input 0 of run 0 is no tensor; give one"):
        program.run(None)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves(dtype: Any) -> None:
    found = kiln.check(Network().eval().to(dtype), (torch.randn(1, 3, 8, 8, dtype=dtype),))
    assert found, found
    assert found.program.run(torch.zeros(1, 3, 8, 8, dtype=dtype))[0].dtype == dtype


def test_state_and_changed_inputs_are_compared_and_kept() -> None:
    module, x = Counter().eval(), torch.ones(3)
    found = kiln.check(module, (x,), kwargs={"scale": torch.full((3,), 3.0)})
    assert found, found
    assert {row["kind"] for row in found.outputs} == {"output", "input after"}, found.outputs
    assert torch.equal(module.total, torch.zeros(3)) and torch.equal(x, torch.ones(3))


def test_state_carries_over_between_runs() -> None:
    scale = torch.ones(3)
    exported = torch.export.export(Counter().eval(), (torch.ones(3),), {"scale": scale})
    runs = kiln.compile(exported).run_all([kiln.Inputs(torch.ones(3), scale=scale)] * 3)
    assert [run[0].tolist() for run in runs] == [[1.0] * 3, [2.0] * 3, [3.0] * 3]
    assert [run[1] for run in runs] == [None] * 3


def test_arrays_come_back_as_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    module, x = Network().eval(), torch.randn(1, 3, 8, 8)
    found = kiln.compile(torch.export.export(module, (x,))).run(x.numpy())[0]
    assert isinstance(found, numpy.ndarray)
    assert numpy.allclose(found, module(x).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_dynamic_sizes_are_bound_and_fixed() -> None:
    batch = {0: torch.export.Dim("batch")}
    exported = torch.export.export(Network().eval(), (torch.randn(2, 3, 8, 8),), dynamic_shapes=(batch,))
    symbol = kiln.compile(exported).report["methods"][0]["assumed_bounds"][0]["symbol"]
    assert not kiln.compile(exported, bounds={symbol: 4}).report["methods"][0]["assumed_bounds"]
    fixed = kiln.compile(exported, sizes={symbol: 1})
    assert fixed.run(torch.randn(1, 3, 8, 8))[0].shape == (1, 4)
    with pytest.raises(kiln.Error, match="sizes"):
        fixed.run(torch.randn(2, 3, 8, 8))


def test_integers_bools_and_numbers() -> None:
    class Pick(nn.Module):
        def forward(self, table: Any, rows: Any, mask: Any, factor: float) -> Any:
            return torch.where(mask, table[rows] * factor, 0), rows + 1, ~mask

    inputs = (torch.randn(5, 3), torch.tensor([4, 0]), torch.tensor([[True], [False]]), 2.5)
    found = kiln.check(Pick().eval(), inputs, "portable")
    assert found, found
    assert len(found.outputs) == 3


def test_what_the_compilation_warns_of_is_a_warning() -> None:
    exported = torch.export.export(Network().eval(), (torch.randn(2, 3, 8, 8),))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = kiln.compile(exported, "host-c")
    assert program.warnings
    assert [str(warning.message) for warning in caught if warning.filename == __file__] == program.warnings


def test_misuse_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="eval"):
        kiln.check(Network().train(), (torch.randn(1, 3, 8, 8),))
    with pytest.raises(TypeError, match="torch.export.export"):
        kiln.compile(Network())


def test_an_exported_program_brings_its_samples() -> None:
    network, inputs = Network().eval(), (torch.randn(2, 3, 16, 16),)
    exported = torch.export.export(network, inputs)
    program = kiln.compile(exported, quantize="int8")
    assert "2 layers with weights of 8 bits" in program.report["notes"][0]
    (found,) = program.run(*inputs)
    expected = network(*inputs)
    noise = (found - expected).norm() / expected.norm()
    assert noise < 0.05
    assert kiln.check(network, inputs, quantize="int8", sqnr=25)


class Named(nn.Module):
    """Inputs by name, whose order matters, and a text."""

    def forward(self, d: Any, *, y: Any, z: Any, mode: str) -> Any:
        return d["a"] - 2 * d["b"] + 10 * y + 100 * z if mode == "sum" else d["a"]


def test_inputs_go_by_name_in_whatever_order() -> None:
    one = torch.ones(1)
    exported = torch.export.export(Named(), ({"b": one + 1, "a": one + 2},), {"z": one + 3, "mode": "sum", "y": one + 4})
    program = kiln.compile(exported)
    (out,) = program.run({"a": 5 * one, "b": one}, y=2 * one, z=3 * one, mode="sum")
    assert out.item() == 5 - 2 + 20 + 300
    with pytest.raises(ValueError, match="fixed"):
        program.run({"a": one, "b": one}, y=one, z=one, mode="product")
    with pytest.raises(TypeError, match="keys"):
        program.run({"a": one, "c": one}, y=one, z=one, mode="sum")
    with pytest.raises(TypeError, match="by name"):
        program.run({"a": one, "b": one}, one, one, mode="sum")


class Ticks(nn.Module):
    """State without inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("n", torch.zeros(1))

    def forward(self) -> Any:
        return self.n.add_(1.0) * 1.0


def test_runs_without_inputs_are_runs() -> None:
    program = kiln.compile(torch.export.export(Ticks(), ()))
    assert [outputs[0].item() for outputs in program.run_all([(), (), ()])] == [1.0, 2.0, 3.0]
    assert program.run_all([]) == []


def test_a_file_may_be_written_again(tmp_path: Any) -> None:
    path, x = tmp_path / "model.pt2", torch.randn(1, 64)
    first, second = nn.Linear(64, 64).eval(), nn.Linear(64, 8).eval()
    torch.export.save(torch.export.export(first, (x,)), path)
    program = kiln.compile(path)
    torch.export.save(torch.export.export(second, (x,)), path)
    (out,) = program.run(x)
    assert torch.allclose(out, first(x), atol=1e-5)
    assert program.save(tmp_path / "model.pte") == program.size


class Writes(nn.Module):
    """Changes a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x: Any) -> Any:
        with torch.no_grad():
            self.weight.add_(1.0)
        return x * self.weight


def test_check_leaves_the_module_as_it_is() -> None:
    module = Writes().eval()
    grown = torch.ones(2, requires_grad=True) * 2
    assert kiln.check(module, (grown,))
    assert module.weight.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("precision", ["f16", "bf16"])
def test_precision_is_judged_by_its_own_rule(precision: Any) -> None:
    found = kiln.check(Network().eval(), (torch.randn(1, 3, 8, 8),), precision=precision)
    assert found, found


@pytest.mark.parametrize("target", ["xnnpack", "tosa-int", "host-c"])
def test_a_quantised_program_has_a_rule_of_its_own(target: Any) -> None:
    inputs = (torch.randn(1, 3, 8, 8),)
    assert kiln.check(Network().eval(), inputs, target, quantize="int8", data=[inputs])
    found = kiln.check(Network().eval(), inputs, target, quantize="int8", data=[inputs], sqnr=100)
    assert not found and "100" in str(found.failure)


def test_a_module_that_pt2e_converted_is_checked() -> None:
    inputs = (torch.randn(1, 3, 8, 8),)
    converted = torch.export.export(Network().eval(), inputs).module()
    converted.training = True
    assert kiln.check(converted, inputs)


def test_a_tensor_is_no_tuple_of_inputs() -> None:
    x = torch.randn(1, 3, 8, 8)
    for misuse in (lambda: kiln.check(Network().eval(), x), lambda: kiln.compile(b"", custom_ops="mine"), lambda: kiln.check(torch.relu, (x,))):
        with pytest.raises(TypeError):
            misuse()


@pytest.mark.parametrize("target", ["xnnpack", "tosa-fp", "host-c"])
def test_axes_in_another_order_are_those_of_the_model(target: Any) -> None:
    # Of equal sizes, so that no check of sizes finds them exchanged.
    conv = nn.Conv2d(4, 4, 3, padding=1).eval()
    found = kiln.check(conv, (torch.randn(1, 4, 4, 4).to(memory_format=torch.channels_last),), target)
    assert found, found


def test_an_integer_file_takes_and_gives_the_models_floats() -> None:
    x = torch.randn(1, 3, 8, 8)
    assert kiln.check(Network().eval(), (x,), "tosa-int", quantize="int8", data=[(x,)], sqnr=20)


def test_a_module_that_cannot_be_copied_is_checked() -> None:
    module = torch.nn.utils.weight_norm(nn.Linear(4, 4)).eval()
    assert kiln.check(module, kiln.Inputs(torch.randn(2, 4)))


class Absent(nn.Module):
    """Nones and a number between tensors and behind them."""

    def forward(self, x: Any) -> Any:
        return None, x + 1, 7, None


@pytest.mark.parametrize("target", ["xnnpack", "tosa-fp", "host-c"])
def test_each_output_has_its_place(target: str) -> None:
    x = torch.ones(2)
    first, found, number, last = kiln.compile(torch.export.export(Absent(), (x,)), target).run(x)
    assert (first, found.tolist(), number.item(), last) == (None, [2.0, 2.0], 7, None)


def test_runs_are_tuples() -> None:
    x = torch.ones(2)
    program = kiln.compile(torch.export.export(Absent(), (x,)))
    with pytest.raises(TypeError, match="expected a tuple of inputs"):
        program.run_all([5])
