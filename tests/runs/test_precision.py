"""The precision of a config holds wherever a trained run computes."""

import re

import jax
import jax.extend.core
import jax.numpy as jnp
import pytest
import toy

from pilno_jax.runs import load_operator
from pilno_jax.runs.refined_run import refine
from pilno_jax.runs.trained_run import TrainedRun

# What `jax.default_matmul_precision` makes of its names in a program.
LEVELS = {"bfloat16": "DEFAULT", "tensorfloat32": "HIGH", "float32": "HIGHEST"}


def products(jaxpr):
    """The precision of every matrix product in a program, nested ones too."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            # Unset, it is None and the back end's choice; set, it is one per operand.
            (level,) = set(equation.params["precision"] or ["unset"])
            yield getattr(level, "name", level)
        for inner in jax.extend.core.jaxprs_in_params(equation.params):
            yield from products(inner)


class Network:
    """The toy network, which has one product; notes its precision at every trace."""

    def __init__(self):
        self.traced = set()

    def apply(self, params, features, axes):
        program = jax.make_jaxpr(toy.apply)(params, features, axes)
        self.traced |= set(products(program.jaxpr))
        return toy.apply(params, features, axes)


@pytest.fixture(params=LEVELS)
def run(request) -> TrainedRun:
    config = {"matmul_precision": request.param}
    return TrainedRun(toy.decay(), Network(), toy.TAYLOR, step=0, config=config)


@pytest.fixture
def level(run) -> str:
    return LEVELS[run.config["matmul_precision"]]


INPUTS = {"u0": jnp.ones((2, toy.NUM_X))}


def test_the_network_alone(run, level):
    features = run.problem.features({"u0": INPUTS["u0"][0]})[None]
    program = jax.make_jaxpr(run.operator)(run.params, INPUTS)
    assert set(products(program.jaxpr)) == {level}
    bare = jax.make_jaxpr(toy.apply)(run.params, features, run.problem.grid.scaled)
    assert set(products(bare.jaxpr)) == {"unset"}


def test_predictions(run, level):
    run.predict(INPUTS)
    assert run.model.traced == {level}


def test_refining(run, level):
    refined, _ = refine(run, INPUTS, 2)
    refined.predict(INPUTS)
    assert run.model.traced == {level}


def test_the_exported_program(run, level, tmp_path):
    pytest.importorskip("flatbuffers")
    from jax import export

    from pilno_jax.runs import exporting

    folder = exporting.export(run, tmp_path)
    written = (folder / load_operator.PROGRAM).read_bytes()
    program = export.deserialize(bytearray(written)).mlir_module()
    dots = [line for line in program.splitlines() if "stablehlo.dot_general" in line]
    # StableHLO leaves its default unsaid.
    levels = [re.findall(r"precision = \[(\w+), (\w+)\]", dot) for dot in dots]
    unsaid = [("DEFAULT", "DEFAULT")]
    assert levels and all((found or unsaid) == [(level, level)] for found in levels)
