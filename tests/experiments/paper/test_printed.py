"""The paper's numbers stand in one module, and agree where the paper agrees."""

import ast
import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from experiments.paper import printed
from experiments.suite.registry import BENCHMARKS

ROOT = Path(__file__).parents[3]


def numbers(value):
    """Every number in a constant of the module."""
    if dataclasses.is_dataclass(value):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return [n for part in value.values() for n in numbers(part)]
    return [value] if isinstance(value, float) else []


def test_no_other_module_writes_a_printed_error():
    """Those of three digits or more: 0.05 may be anything."""
    constants = [value for name, value in vars(printed).items() if name.isupper()]
    errors = {n for value in constants for n in numbers(value)}
    unmistakable = {n for n in errors if len(f"{n:.3e}".split("e")[0].rstrip("0")) > 3}
    assert {1.420e-2, 1.467e-1, 1.499e-1} <= unmistakable
    for path in (ROOT / "experiments").rglob("*.py"):
        if path.name == "printed.py":
            continue
        nodes = ast.walk(ast.parse(path.read_text()))
        written = {n.value for n in nodes if isinstance(n, ast.Constant)}
        assert not unmistakable & {n for n in written if isinstance(n, float)}, path


def test_two_tables_differ_in_the_baseline_of_darcy_alone():
    for config, few in printed.FEW_LABELS.items():
        cost = printed.COSTS[config]
        assert cost.pilno.error == few.pilno
        assert (cost.baseline.error == few.baseline) == (config != "darcy")
    assert printed.FEW_LABELS["darcy"].baseline == 1.467e-1
    assert printed.COSTS["darcy"].baseline.error == 1.499e-1


def test_captions_round_what_the_tables_print():
    few = printed.FEW_LABELS
    assert printed.DARCY_FIELDS.pilno == pytest.approx(few["darcy"].pilno, rel=0.01)
    assert printed.DARCY_FIELDS.baseline == few["darcy"].baseline
    fields, table = printed.RD_FIELDS, few["rd_forcing"]
    assert fields.baseline == pytest.approx(table.baseline, rel=0.01)
    assert fields.pilno == pytest.approx(table.pilno, rel=0.03)


def test_every_config_named_is_a_benchmark():
    assert printed.BENCHMARK_ERRORS.keys() <= BENCHMARKS.keys()
    assert printed.COSTS.keys() == printed.FEW_LABELS.keys()


def test_numbers_are_written_as_the_paper_writes_them():
    assert printed.short(0.0142) == "1.4e-2" and printed.short(0.04, 0) == "4e-2"
    assert printed.against(printed.FEW_LABELS["burgers"]) == (
        "paper 9.4e-2 against 1.4e-2"
    )
