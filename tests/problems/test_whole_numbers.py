"""A step drawn as 0 and 1 is the step 0.0 and 1.0."""

import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.numerics.derivatives import along, derivative

SMALL = {
    "diffusion": {"num_x": 16, "num_t": 9},
    "burgers": {"num_x": 16, "num_t": 9},
    "duffing": {},
    "telegraph": {"num_x": 16, "num_t": 193},
    "brusselator": {"num_x": 16, "num_t": 9},
}


def test_derivatives_of_whole_numbers():
    axis = problems.make("diffusion", **SMALL["diffusion"]).grid.axes[0]
    step = np.arange(axis.num_points) // 5
    slope = along(derivative(axis), step, 0)
    np.testing.assert_array_equal(
        slope, along(derivative(axis), step.astype(np.float32), 0)
    )


@pytest.mark.parametrize("name", SMALL)
def test_solutions_and_their_measure(name):
    problem = problems.make(name, **SMALL[name])
    inputs = {}
    for one, field in problem.inputs.items():
        sizes = {axis.name: axis.num_points for axis in problem.grid.axes}
        shape = tuple(sizes[axis] for axis in field.axes)
        inputs[one] = (np.indices(shape).sum(0) // 5) % 2
    floats = {name: jnp.asarray(value, jnp.float32) for name, value in inputs.items()}
    solution = problem.solve(floats)
    np.testing.assert_array_equal(problem.solve(inputs), solution)
    residual = problem.residual(solution, floats)
    measured = [problem.measure(residual, solution, one) for one in (inputs, floats)]
    assert jnp.array_equal(*measured)
