"""The record of a problem: what it says of inputs that nobody described."""

import dataclasses

import jax.numpy as jnp
import pytest
import toy

from pilno_jax import problems
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems import InputField

FLAT = Grid(
    (Axis("x", 0.0, 1.0, 4, True), Axis("y", 0.0, 1.0, 6), Axis("t", 0.0, 1.0, 5))
)


def with_inputs(shapes, grid=FLAT, **fields):
    """A user's own problem: the shapes of its draws are all that is known."""

    def sample(key):
        return {name: jnp.zeros(shape) for name, shape in shapes.items()}

    return dataclasses.replace(toy.decay(), grid=grid, sample=sample, **fields)


def test_undescribed_inputs_live_on_the_axes_of_their_shape():
    shapes = {
        "plane": (4, 6),
        "strip": (4, 5),
        "everywhere": (4, 6, 5),
        "history": (5,),
        "number": (),
        "other": (3,),
        "code": (6,),
    }
    fields = with_inputs(shapes, solver_inputs=("code",)).input_fields()
    assert {name: field.axes for name, field in fields.items()} == {
        "plane": ("x", "y"),
        "strip": ("x", "t"),
        "everywhere": ("x", "y", "t"),
        "history": ("t",),
        "number": (),
        "other": None,
        "code": ("y",),
    }
    editable = {name for name, field in fields.items() if field.editable}
    assert editable == {"plane", "strip", "everywhere", "history", "number"}
    assert fields["plane"].symbol == "plane"


def test_of_two_axes_that_fit_the_first_is_taken():
    square = Grid((Axis("x", 0.0, 1.0, 5), Axis("t", 0.0, 1.0, 5)))
    fields = with_inputs({"u0": (5,), "f": (5, 5)}, square).input_fields()
    assert fields["u0"].axes == ("x",) and fields["f"].axes == ("x", "t")


def test_described_inputs_are_taken_at_their_word():
    described = {"f": InputField(("t",), "$f$", editable=True)}
    problem = with_inputs({"f": (5,), "g": (5,)}, inputs=described)
    assert problem.input_fields() is described


def test_without_a_completion_edited_inputs_are_all_there_is():
    problem = toy.decay()
    edited = {"u0": jnp.ones(4)}
    assert problem.complete(edited) is edited and problem.solvable(edited)
    needing = dataclasses.replace(problem, solver_inputs=("code",))
    assert not needing.solvable(edited) and needing.solvable({**edited, "code": 1})
    alone = dataclasses.replace(problem, solve=None)
    assert not alone.solvable(edited)
    with pytest.raises(ValueError, match=f"`solve` of '{problem.name}'.*solver"):
        alone.solver()


def test_impossible_descriptions_are_named():
    with pytest.raises(ValueError, match=r"axes of input 'f' = \('z',\).*\['t', 'x'\]"):
        dataclasses.replace(toy.decay(), inputs={"f": InputField(("z",))})
    with pytest.raises(ValueError, match="axes of input 'f' = None.*editable"):
        dataclasses.replace(toy.decay(), inputs={"f": InputField(editable=True)})


def test_a_problem_without_another_grid_says_so():
    with pytest.raises(ValueError, match="'decay' has no other grid: set `rebuild`"):
        toy.decay().on(8, 9)


def grids(*axes):
    """A grid of 4 x 9 nodes of the unit square, with some of its axes replaced."""
    given = {axis.name: axis for axis in axes}
    unit = Axis("x", 0.0, 1.0, 4, periodic=True), Axis("t", 0.0, 1.0, 9)
    return Grid(tuple(given.get(axis.name, axis) for axis in unit))


@pytest.mark.parametrize(
    "grid",
    [
        grids(Axis("x", 0.0, 2.0, 4, periodic=True)),
        grids(Axis("x", 0.0, 1.0, 4)),
        grids(Axis("t", 0.0, 0.5, 9)),
        Grid((*grids().axes, Axis("z", 0.0, 1.0, 4))),
        Grid(grids().axes[:1]),
    ],
    ids=str,
)
def test_a_grid_of_another_domain_is_not_taken_for_one_of_ours(grid):
    """A problem that only knows how many points to take must not drop the rest."""
    with pytest.raises(
        ValueError, match=r"grid = .* 8 x in \[0, 1\) x 9 t in \[0, 1\]"
    ):
        problems.diffusion(num_x=8, num_t=9).on(grid)


def test_a_problem_that_knows_other_domains_is_rebuilt_on_them():
    longer = grids(Axis("t", 0.0, 3.0, 9))
    problem = dataclasses.replace(
        toy.decay(), rebuild=lambda grid: dataclasses.replace(toy.decay(), grid=grid)
    )
    assert problem.on(longer).grid == longer
