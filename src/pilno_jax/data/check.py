"""What is wrong with a problem, told before anything is trained on it:

    for finding in pilno_jax.check(problem):
        print(finding)

Each finding is a line that says what was seen and what to do. None is a good sign, and
no proof.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import ArgumentError
from pilno_jax.data.user_arrays import labelled
from pilno_jax.problems.base import Inputs, Problem

NUM_DRAWS = 4
# What the truth may leave of the residual, relative to u without any network: a coarse
# grid leaves a tenth, a wrong sign all of it.
LARGEST_RESIDUAL = 0.5
LARGEST_MISMATCH = 1e-3
# The second difference of neighbouring nodes, relative to the field: 1 is a wave of six
# nodes, and beyond that there is little to be differentiated.
ROUGHEST = 1.0
LARGEST_UNIT = 100.0


def check(problem: Problem) -> list[str]:
    """Findings, each with its remedy; an empty list if there are none.

    Args:
        problem: any. With a `solve`, its solutions are held against residual and
            constraints; without, these are checked for shapes and numbers alone.
    """
    keys = jax.random.split(jax.random.key(0), NUM_DRAWS)
    inputs = jax.jit(jax.vmap(problem.sample))(keys)
    findings = _shapes(problem)
    if findings:
        return findings
    solutions = _solutions(problem, inputs)
    start = jax.vmap(lambda one: _without_network(problem, one))(inputs)
    features = jax.jit(jax.vmap(problem.features))(inputs)
    fields = {"u without any network": start, "solutions": solutions}
    known = {name: field for name, field in fields.items() if field is not None}
    residuals = {
        name: np.asarray(jax.jit(jax.vmap(problem.residual))(field, inputs))
        for name, field in known.items()
    }
    numbers = {"features": features, **known}
    numbers |= {f"the residual of {name}": r for name, r in residuals.items()}
    findings = _not_finite({**inputs, **numbers})
    if findings:
        return findings
    findings = _never_varies(problem, inputs) + _units(features)
    if solutions is not None:
        findings += _against_solver(problem, inputs, solutions, residuals)
        findings += _rough(problem, np.asarray(solutions))
        findings += _scales(problem, inputs, np.asarray(solutions - start))
    return findings


def _without_network(problem: Problem, inputs: Inputs) -> jax.Array:
    return problem.constrain(jnp.zeros(problem.shape), inputs)


def _solutions(problem: Problem, inputs: Inputs) -> jax.Array | None:
    if problem.solve is None:
        return None
    return jax.jit(jax.vmap(problem.solve))(inputs)


def _shapes(problem: Problem) -> list[str]:
    """Found by tracing, before any number is computed."""
    grid = problem.shape
    inputs = jax.eval_shape(problem.sample, jax.random.key(0))
    virtual = jax.eval_shape(problem.sample_virtual, jax.random.key(0))
    u = jax.ShapeDtypeStruct(grid, jnp.result_type(float))
    findings = []
    if virtual != inputs:
        findings.append(
            f"`sample_virtual` gives {_told(virtual)} and `sample` {_told(inputs)}: "
            "let both give the same names and shapes"
        )
    shapes = {
        "features": jax.eval_shape(problem.features, inputs).shape[:-1],
        "constrain": jax.eval_shape(problem.constrain, u, inputs).shape,
    }
    if problem.solve is not None:
        shapes["solve"] = jax.eval_shape(problem.solve, inputs).shape
    nodes = problem.grid.shape
    for name, shape in shapes.items():
        is_seen = name == "features"
        if shape != (nodes if is_seen else grid):
            wanted = f"{nodes} and channels behind" if is_seen else f"{grid}"
            findings.append(
                f"`{name}` has the shape {shape} on a grid of {nodes}: return {wanted}"
            )
    residual = jax.eval_shape(problem.residual, u, inputs).shape
    fits = len(residual) == len(grid)
    if not fits or any(n > m for n, m in zip(residual, grid, strict=True)):
        findings.append(
            f"`residual` has the shape {residual} on a grid of {grid}: return a number "
            "for every node, or for the inner ones"
        )
    return findings


def _told(inputs: Any) -> str:
    return ", ".join(f"{name} {value.shape}" for name, value in sorted(inputs.items()))


def _not_finite(fields: dict[str, Any]) -> list[str]:
    return [
        f"{name} has NaN or infinite numbers: look for a division by zero, a root or "
        "logarithm of a negative number, or too long a time step"
        for name, field in fields.items()
        if not np.isfinite(np.asarray(field, float)).all()
    ]


def _never_varies(problem: Problem, inputs: Inputs) -> list[str]:
    """The law as a whole: single inputs may well be constants."""
    arrays = [np.asarray(value, float) for value in inputs.values()]
    if any(np.ptp(array, axis=0).max() > 0 for array in arrays):
        return []
    return [
        f"`sample` of {problem.name!r} gives the same inputs for every key: draw them "
        "with the key"
    ]


def _units(features: jax.Array) -> list[str]:
    channels = np.asarray(features).reshape(-1, features.shape[-1])
    sizes = np.sqrt(np.mean(channels**2, 0))
    return [
        f"channel {number} of `features` has the size {size:.1e}: divide it by its "
        "scale, networks like numbers of size 1"
        for number, size in enumerate(sizes)
        if size > LARGEST_UNIT or 0 < size < 1 / LARGEST_UNIT
    ]


def _against_solver(
    problem: Problem, inputs: Inputs, solutions: Any, residuals: dict[str, np.ndarray]
) -> list[str]:
    """Residual and hard constraints of what the solver says is the truth."""
    findings = []
    wrong, truth = (np.linalg.norm(residual) for residual in residuals.values())
    field = "u without any network"
    if not wrong:  # u = 0, where nothing is built in, solves many an equation
        wrong, field = _backwards(problem, inputs, solutions), "its mirror image"
    if truth > LARGEST_RESIDUAL * wrong:
        findings.append(
            f"what `solve` returns leaves a residual of {truth:.1e}, {field} one of "
            f"{wrong:.1e}: compare signs, coefficients and the order of axes in "
            "`solve` and `residual`"
        )
    given = {k: v for k, v in inputs.items() if k not in problem.solver_inputs}
    try:
        mismatches = labelled(problem, given, solutions).mismatches
    except ArgumentError:  # inputs that are no arrays of real numbers
        return findings
    if mismatches is not None and mismatches.max() > LARGEST_MISMATCH:
        findings.append(
            f"`constrain` prescribes values that are {mismatches.max():.1e} from those "
            "of `solve`: let it build in the initial and boundary values of the solver"
        )
    return findings


def _backwards(problem: Problem, inputs: Inputs, solutions: Any) -> float:
    """The largest residual of solutions with an axis reversed."""
    residual = jax.jit(jax.vmap(problem.residual))
    axes = range(1, len(problem.grid.axes) + 1)
    turned = [residual(jnp.flip(solutions, axis), inputs) for axis in axes]
    return max(float(np.linalg.norm(np.asarray(one))) for one in turned)


def _rough(problem: Problem, solutions: np.ndarray) -> list[str]:
    findings = []
    for number, axis in enumerate(problem.grid.axes, 1):
        second = np.diff(solutions, 2, axis=number)
        roughness = np.sqrt(np.mean(second**2) / np.mean(solutions**2))
        if roughness > ROUGHEST:
            findings.append(
                f"solutions change from node to node along {axis.name} (second "
                f"differences of {roughness:.1f} times their size): take more points"
            )
    return findings


def _scales(problem: Problem, inputs: Inputs, changes: np.ndarray) -> list[str]:
    scales = np.asarray(jax.vmap(lambda one: jnp.asarray(problem.scale(one)))(inputs))
    size = np.sqrt(np.mean(changes**2)) / np.mean(np.abs(scales))
    if not (size > LARGEST_UNIT or 0 < size < 1 / LARGEST_UNIT):
        return []
    return [
        f"the network has to make changes of {size:.1e} times `scale`: multiply its "
        "output in `constrain` by the size of u, and let `scale` return that"
    ]
