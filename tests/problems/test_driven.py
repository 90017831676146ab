"""Oscillators, Lorenz' system and waves: what only they promise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.problems import forcings
from pilno_jax.problems.lorenz import DECAY

KEY = jax.random.key(5)
SHORT = {"num_t": 65, "final_time": 4.0}


def test_a_weak_forcing_is_answered_linearly(x64):
    """Duffing's and the pendulum's terms of third order are below 1e-9 of x = 1e-5."""
    sample = {"amplitude": 1e-4, **SHORT}
    inputs = jax.jit(problems.duffing(**sample).sample)(KEY)
    answers = [
        jax.jit(problem.solve)(inputs)
        for problem in (
            problems.duffing(cubic=0.0, **sample),
            problems.duffing(**sample),
            problems.pendulum(**sample),
        )
    ]
    scale = np.abs(answers[0]).max()
    for nonlinear in answers[1:]:
        np.testing.assert_allclose(nonlinear, answers[0], atol=1e-6 * scale)


@pytest.mark.parametrize("name", ["duffing", "pendulum", "lorenz"])
def test_residual_of_a_polynomial(x64, name):
    """Of x = t^2 and f = 0, by hand: signs and factors of every term."""
    problem = problems.make(name, **SHORT)
    t = problem.grid.coordinates[0]
    found = jax.jit(problem.residual)(t**2, {"f": jnp.zeros_like(t)})
    if name == "lorenz":
        # y = t^2 + t/5; z' + 8/3 z = t^4 + t^3/5 from 0.
        source = np.polynomial.Polynomial([0, 0, 0, 0.2, 1])
        z, rate = np.polynomial.Polynomial([0.0]), DECAY
        for order in range(5):
            z = z + (-1) ** order * (source.deriv(order) if order else source) / (
                rate ** (order + 1)
            )
        z_of_t = z(np.asarray(t)) - z(0.0) * np.exp(-rate * np.asarray(t))
        expected = 2 * t + 0.2 - t**2 * (5.0 - z_of_t) + t**2 + t / 5
    else:
        force = t**2 + t**6 if name == "duffing" else jnp.sin(t**2)
        expected = 2 + 0.5 * 2 * t + force
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("name", ["beam", "telegraph"])
def test_waves_ring_at_their_poles(x64, name):
    """After a short blow wave k is e^{mu t} alone, mu being the pole of the module."""
    problem = problems.make(name, damping=1.0)
    x, t = problem.grid.coordinates
    for k in (1, 2):
        fast = {"beam": 0.1 * (2 * np.pi * k) ** 2, "telegraph": 2 * np.pi * k}[name]
        mu = -0.5 + 1j * np.sqrt(fast**2 - 0.25)
        blow = jnp.exp(-(((t - 0.5) / 0.1) ** 2))
        f = jnp.outer(jnp.cos(2 * np.pi * k * x), blow)
        u = np.asarray(jax.jit(problem.solve)({"f": f}))
        later = np.asarray(t) > 1.2
        basis = np.exp(np.outer(np.asarray(t)[later], [mu, mu.conjugate()]))
        weights, *_ = np.linalg.lstsq(basis, u[0, later].astype(complex))
        miss = np.linalg.norm(basis @ weights - u[0, later])
        # The blow is 1e-21 there; interpolation between nodes leaves 1e-7.
        assert miss < 1e-6 * np.linalg.norm(u[0])
        np.testing.assert_allclose(
            u, np.outer(np.cos(2 * np.pi * k * x), u[0]), atol=1e-12
        )


@pytest.mark.parametrize("name", ["beam", "duffing", "pendulum", "lorenz"])
def test_error_of_resembles_a_small_error(x64, name):
    """Rough ones too: it is made without derivatives. The truth has none."""
    # Duffing's is linearised about u by a rule of second order; Lorenz' knows the
    # system next to its points of rest alone.
    missed = {"beam": 1e-9, "duffing": 0.03, "pendulum": 0.03, "lorenz": 0.8}[name]
    problem = problems.make(name)

    @jax.jit
    def shares(key):
        inputs = problem.sample(key)
        u = problem.solve(inputs)
        raw = jnp.asarray(np.random.default_rng(1).normal(size=u.shape)).cumsum(-1)
        lifting = problem.constrain(jnp.zeros_like(u), inputs)
        error = 1e-4 * (problem.constrain(raw, inputs) - lifting)
        told = [
            problem.error_of(jnp.zeros_like(u), u + e, inputs)
            for e in (error, 0 * error)
        ]
        size = jnp.linalg.norm(error)
        return jnp.linalg.norm(told[0] - error) / size, jnp.linalg.norm(told[1]) / size

    share, of_truth = shares(KEY)
    assert share < missed and of_truth < 1e-2


@pytest.mark.parametrize("name", ["duffing", "beam"])
def test_what_rings_by_itself_is_seen(x64, name):
    """A slope at the start leaves no residual, and is measured all the same."""
    linear = {"cubic": 0.0} if name == "duffing" else {}
    problem = problems.make(name, damping=0.0, **linear)
    t = problem.grid.coordinates[-1]
    if name == "duffing":
        ringing = jnp.sin(t)
    else:
        x, w = problem.grid.coordinates[0], 0.1 * (2 * np.pi) ** 2
        ringing = jnp.outer(jnp.cos(2 * np.pi * x), jnp.sin(w * t))
    inputs = {"f": jnp.zeros(problem.grid.shape)}
    residual = problem.residual(ringing, inputs)
    assert np.abs(residual).max() < 1e-3
    told = problem.error_of(residual, ringing, inputs)
    np.testing.assert_allclose(told, ringing, atol=1e-4)


def test_every_law_is_drawn_and_bounded():
    laws = forcings.Forcings(problems.duffing(**SHORT).grid.axes[0], 10.0, 5.0)
    draws = {law: laws.sampler(law) for law in forcings.LAWS}

    @jax.jit
    def every(keys):
        return {law: jax.vmap(draw)(keys)["f"] for law, draw in draws.items()}

    drawn = jax.tree.map(np.asarray, every(jax.random.split(KEY, 64)))
    for law, f in drawn.items():
        assert np.isfinite(f).all() and 5.0 < np.abs(f).max() < 40.0, law
    t = np.linspace(0, 4, 65)
    sine, decaying = drawn["sine"][0], drawn["decaying"][0]
    np.testing.assert_allclose(decaying, np.exp(-t / 20) * sine, atol=1e-5)
    shape = np.sin(5 * t)
    np.testing.assert_allclose(
        sine, shape * (sine @ shape) / (shape @ shape), atol=1e-5
    )


def test_the_network_sees_every_strength_alike_and_answers_in_proportion():
    problem = problems.beam(num_waves=1, num_t=65)
    inputs = jax.jit(problem.sample)(KEY)
    strong = {"f": 50 * inputs["f"]}
    seen, more = (np.asarray(problem.features(one)) for one in (inputs, strong))
    np.testing.assert_allclose(seen[..., 0], more[..., 0], rtol=1e-5)
    raw = jnp.ones(problem.grid.shape)
    one, fifty = (np.asarray(problem.constrain(raw, i)) for i in (inputs, strong))
    np.testing.assert_allclose(fifty, 50 * one, rtol=1e-5)


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("duffing", {"damping": -0.1}, "damping = -0.1 .* >= 0: it takes energy out"),
        ("beam", {"damping": -1.0}, "damping = -1.0 .* >= 0: it takes energy out"),
        ("duffing", {"num_t": 100}, "num_t = 100 .* at least 132: 8 nodes in a period"),
        ("lorenz", {"frequency": 50.0}, "num_t = 512 .* at least 1305: 8 nodes"),
        ("telegraph", {"num_t": 64}, "num_t = 64 .* at least 193: .* wave 6"),
        ("beam", {"num_x": 6}, "num_x = 6 .* more than twice num_waves = 3"),
        ("pendulum", {"law": "square"}, "law = 'square' .* one of .*'sine'"),
        ("pendulum", {"virtual_law": "all"}, "virtual_law = 'all' .* 'fading'"),
        ("lorenz", {"rho": 28.0}, r"rho = 28.0 .* in \(0, 24\]"),
        ("telegraph", {"length_scale": 0.1}, "length_scale = 0.1 .* at least 0.2"),
    ],
)
def test_what_cannot_be_is_named(name, options, message):
    with pytest.raises(ValueError, match=message):
        problems.make(name, **options)


def test_a_forcing_of_another_length_is_named():
    problem = problems.duffing(**SHORT)
    for call in (problem.solve, problem.features):
        with pytest.raises(ValueError, match=r"shape of f = \(64,\) .* \(65,\)"):
            call({"f": jnp.zeros(64)})
