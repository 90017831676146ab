"""Norms of the KdV residual: the dispersive one resembles the norm of the error."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.problems import forced_kdv


def norm(field):
    return float(jnp.sqrt(jnp.mean(field**2)))


def test_dispersive_measure_recovers_the_error(x64):
    """r = e_t + e + beta e_xxx, with an e that obeys all homogeneous conditions."""

    def e(x, t):
        return jnp.sin(2.0 * t) * (x + 5.0) * (x - 5.0) ** 2 * jnp.cos(x) / 50.0

    e_t, e_xxx = jax.grad(e, 1), jax.grad(jax.grad(jax.grad(e)))
    r = jax.jit(jnp.vectorize(lambda x, t: e_t(x, t) + e(x, t) + 0.3 * e_xxx(x, t)))
    deviations = []
    for n in (51, 101):
        problem = forced_kdv(measure="dispersive", num_x=n, num_t=n)
        x, t = problem.grid.coordinates
        xx, tt = jnp.meshgrid(x, t, indexing="ij")
        found = jax.jit(problem.measure)(r(xx, tt), None, {"beta": jnp.asarray(0.3)})
        deviations.append(abs(found / jnp.mean(e(xx, tt) ** 2) - 1.0))
    assert deviations[0] < 0.1
    assert deviations[1] < 0.6 * deviations[0]


def test_dispersive_measure_bears_single_precision():
    problem = forced_kdv(measure="dispersive")
    r = jax.random.normal(jax.random.key(0), problem.grid.shape)
    single = problem.measure(r, None, {"beta": jnp.float32(0.2)})
    with jax.enable_x64(True):
        double = forced_kdv(measure="dispersive").measure(
            jnp.asarray(np.asarray(r), float), None, {"beta": jnp.asarray(0.2)}
        )
    assert float(single) == pytest.approx(float(double), rel=1e-3)


def test_dispersive_measure_is_better_conditioned_than_l2(x64):
    """|residual| / |error| over ripples: a good measure changes little with them."""
    problem = forced_kdv(family="A")
    inputs = jax.jit(problem.sample)(jax.random.key(2))
    truth = jax.jit(problem.solve)(inputs)

    @jax.jit
    def response(e):
        return jax.jvp(lambda u: problem.residual(u, inputs), (truth,), (e,))[1]

    x, t = problem.grid.scaled
    envelope = (x * (1 - x) ** 2)[:, None] * t[None, :]
    ratios = {"l2": [], "dispersive": []}
    measures = {name: jax.jit(forced_kdv(measure=name).measure) for name in ratios}
    for waves in (1.0, 3.0, 6.0, 10.0):
        e = envelope * jnp.sin(2 * jnp.pi * waves * x)[:, None]
        change = response(e)
        for name, of_waves in ratios.items():
            value = measures[name](change, truth, inputs)
            of_waves.append(float(jnp.sqrt(value)) / norm(e))
    spread = {name: max(values) / min(values) for name, values in ratios.items()}
    assert spread["dispersive"] < 5.0 < 20.0 < spread["l2"]


def test_simple_measures():
    field = jax.random.normal(jax.random.key(0), (50, 50))
    l2 = forced_kdv(measure="l2", num_x=50, num_t=50).measure
    smoothed = forced_kdv(measure="smoothed", num_x=50, num_t=50).measure
    assert l2(field) == jnp.mean(field**2)
    constant = jnp.full_like(field, 3.0)
    assert smoothed(constant) == pytest.approx(9.0, rel=1e-4), "constants pass"
    assert smoothed(field) < 0.05 * l2(field), "noise does not"


def test_the_dispersive_measure_needs_beta():
    with pytest.raises(ValueError, match="inputs = None.*'beta'"):
        forced_kdv().measure(jnp.zeros((100, 100)))
