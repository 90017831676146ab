"""Windows are held against the solver over the whole time."""

import types

import jax
import jax.numpy as jnp
import numpy as np

from experiments.long_times import growth, solved
from experiments.pages import long_times_page
from pilno_jax import problems

OPTIONS = {
    "name": "diffusion",
    **{"num_x": 8, "num_t": 9, "final_time": 0.2, "length_scale": 2.0},
    "diffusivity": (0.01, 0.1),
}


def test_errors_of_every_window():
    """The solver, off by 1 % in the third window, which the fourth inherits."""
    problem = problems.make(**OPTIONS)
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), 3))
    truths = solved(OPTIONS, inputs, windows=4, refine=2)
    assert truths.dtype == np.float64 and truths.shape == (3, 8, 33)

    def exact(inputs):
        return jax.vmap(problem.solve)(inputs)

    def apply(inputs):
        # In single precision the third window begins with these values.
        third = jnp.asarray(truths[:, :, 16], jnp.float32)
        there = jnp.all(jnp.abs(inputs["u0"] - third) < 1e-5)
        return exact(inputs) * jnp.where(there, 1.01, 1.0)

    right = growth(
        types.SimpleNamespace(problem=problem, apply=exact), inputs, truths, 4
    )
    assert right["errors"].shape == (3, 4) and right["errors"].max() < 1e-5
    wrong = growth(
        types.SimpleNamespace(problem=problem, apply=apply), inputs, truths, 4
    )
    np.testing.assert_allclose(wrong["errors"][:, 2:], 0.01, rtol=0.01)
    assert wrong["errors"][:, :2].max() < 1e-5


def test_the_table_has_a_column_for_windows_that_there_are():
    numbers = {"error": 1e-3, "largest_error": 2e-3, "estimate": 1e-3, "kept": 0.5}
    content = {name: [value] * 3 for name, value in numbers.items()}
    content |= {"windows": 3, "tolerance": 0.05}
    first, *_, kept = long_times_page.rows_of("burgers", content)
    assert list(first) == ["benchmark", "", "1 T", "2 T", "3 T"]
    assert first["1 T"] == "1.0e-03" and kept[""] == "kept at 0.05"
    assert kept["3 T"] == "50%"


def test_the_committed_page_is_what_the_results_say():
    text = long_times_page.PAGE.read_text()
    assert long_times_page.page(text) == text
