"""The package on modules and exported programs, with torch."""

import warnings
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
    runs = kiln.compile(exported).run_all([(torch.ones(3), scale)] * 3)
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
