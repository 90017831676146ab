"""Newton's method along time reaches what Newton's method all at once does not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.checks import ArgumentError
from pilno_jax.evaluation import newton_in_time as module
from pilno_jax.evaluation.newton_in_time import newton_in_time

SWING = problems.duffing(damping=0.0, num_t=128, final_time=12.0)
T = np.linspace(0.0, 12.0, 128)
STRONG = {"f": 9 * np.sin(5 * T)[None]}


def relative(u, truth):
    return float(np.linalg.norm(u - truth) / np.linalg.norm(truth))


def reference(size=1.0):
    """Of a forcing so many times as strong, which is soon out of phase."""
    with jax.enable_x64(True):
        return np.asarray(jax.jit(SWING.solve)({"f": size * STRONG["f"][0]}))[None]


def test_a_start_out_of_phase_is_led_back():
    truth, start = reference(), reference(1.05)
    assert relative(start, truth) > 0.2
    assert relative(newton_in_time(SWING)(STRONG, start), truth) < 2e-3


def test_whole_steps_would_lead_away(monkeypatch):
    truth, start = reference(), reference(1.05)
    monkeypatch.setattr(module, "TRUSTED", 1e9)
    assert relative(newton_in_time(SWING)(STRONG, start), truth) > 0.05


def test_what_comes_after_a_large_step_is_taken_in_part_even_if_it_is_small():
    change = jnp.array([0.1, -0.4, 2.0, 0.1, -4.0, 0.0])
    share = module.share_taken(change, jnp.float32(0.5))
    np.testing.assert_allclose(share, [1, 1, 0.25, 0.25, 0.125, 0.125])


def test_the_solution_stays():
    truth = reference()
    assert relative(newton_in_time(SWING, steps=2)(STRONG, truth), truth) < 2e-3


def test_a_start_is_kept_where_steps_only_harm(monkeypatch):
    start = reference(1.05)
    monkeypatch.setattr(module, "TRUSTED", 1e9)
    found = newton_in_time(SWING, steps=1)(STRONG, start)
    np.testing.assert_array_equal(found, start)


def test_weak_forcings_need_no_start():
    weak = {"f": 0.1 * STRONG["f"]}
    found = newton_in_time(SWING)(weak, 0 * weak["f"])
    assert relative(found, reference(0.1)) < 2e-3


def test_time_comes_last():
    with pytest.raises(ArgumentError, match="time_axis = None"):
        newton_in_time(problems.darcy())
