"""The systems are what they say, and a layer with their poles is the system itself."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.pages import markdown
from experiments.poles import linear_systems
from pilno_jax.models import poles
from pilno_jax.runs import files


def test_the_bank_of_oscillators_solves_its_equations():
    """Poles, residues and closed form against s^2 + 2 zeta w s + w^2, by Laplace."""
    system = linear_systems.oscillators(count=2, num_t=2001)
    (t,), f = system.axes, system.features[..., 0]
    total = np.zeros_like(system.u)
    for w, zeta in zip(linear_systems.FREQUENCIES, linear_systems.DAMPING, strict=True):
        # The impulse response of each oscillator, convolved by the trapezoidal rule.
        damped = w * np.sqrt(1 - zeta**2)
        impulse = w**2 / damped * np.exp(-zeta * w * t) * np.sin(damped * t)
        for row, forcing in zip(total, f, strict=True):
            whole = np.convolve(impulse, forcing)[: len(t)]
            row += (whole - impulse[0] * forcing / 2 - impulse * forcing[0] / 2) * t[1]
    # The rule's error, (w_l dt)^2 / 12 of waves up to 44 / s at dt = 5e-4.
    np.testing.assert_allclose(total, system.u, atol=1e-3 * np.abs(system.u).max())


def test_a_layer_with_the_true_poles_and_residues_is_the_bank(x64):
    system = linear_systems.oscillators(count=3)
    mu = system.poles
    # The layer takes the real part, which adds the conjugates: twice the residues.
    residues = 2 * linear_systems.FREQUENCIES**2 / (mu - mu.conj())
    one, none = jnp.ones((1, 1)), jnp.zeros((1, 1))
    kernel = {
        "decay_0": jnp.asarray(np.log(np.expm1(-mu.real))),
        "frequency_0": jnp.asarray(mu.imag),
        "residues": jnp.stack([residues.real, residues.imag], -1)[:, None, :, None],
    }
    weights = {"lift": one, "skip_0": none, "projection": one}
    params = {f"{name}_weights": value for name, value in weights.items()}
    params |= {f"{name}_bias": jnp.zeros(1) for name in weights}
    params = {"params": {**params, "kernel_0": kernel}}
    axes = tuple(map(jnp.asarray, system.axes))
    apply = jax.jit(system.model.apply)
    found = apply(params, jnp.asarray(system.features), axes)[..., 0]
    # The transient's quadrature is of order 8 on 128 intervals.
    np.testing.assert_allclose(found, system.u, atol=1e-4 * np.abs(system.u).max())
    learned = linear_systems.learned_poles(params)
    rows = linear_systems.compare(mu, learned[::-1])
    assert all(row["relative_distance"] < 1e-12 for row in rows)


def test_waves_of_the_diffusion_equation_decay_at_their_poles():
    system = linear_systems.diffusion(count=2)
    t = system.axes[1]
    waves = (
        np.fft.rfft(system.u, axis=1)[:, 1:4]
        / np.fft.rfft(system.u[..., :1], axis=1)[:, 1:4]
    )
    np.testing.assert_allclose(waves[0], np.exp(np.outer(system.poles, t)), atol=1e-9)


def test_distances_are_to_the_nearest():
    (row,) = linear_systems.compare(np.array([-1 + 2j]), np.array([5j, -1 + 2.1j]))
    assert row["learned"] == [-1.0, 2.1]
    assert row["relative_distance"] == pytest.approx(0.1 / np.sqrt(5))


def test_fitting_keeps_the_best_start(x64):
    system = linear_systems.diffusion(count=2)
    params, misfits = linear_systems.fit(system, steps=30, polish=3, starts=2)
    assert misfits.shape == (2,) and np.all(misfits < 1)
    axes = tuple(map(jnp.asarray, system.axes))
    apply = jax.jit(system.model.apply)
    found = apply(params, jnp.asarray(system.features), axes)[..., 0]
    misfit = np.linalg.norm(found - system.u) / np.linalg.norm(system.u)
    assert misfit == pytest.approx(misfits.min(), rel=1e-6)
    assert jax.tree.leaves(poles(params)[0][1])[0].shape == (3,)


def test_what_a_constant_forcing_tells_the_layers_apart():
    """A closed Fourier axis knows no start: it answers rest with rest."""
    t = jnp.linspace(0, 1, 33)
    spread = {}
    for name in ("FNO", "FNO, period 2", "ALNO", "LNO"):
        model, constant = linear_systems.LAYERS[name], jnp.ones((33, 1))

        @jax.jit
        def answer_of(key, model=model, constant=constant):
            return model.apply(model.init(key, constant, (t,)), constant, (t,))[..., 0]

        answer = answer_of(jax.random.key(1))
        spread[name] = float(jnp.ptp(answer) / jnp.abs(answer).max())
    assert spread.pop("FNO") < 1e-5
    assert min(spread.values()) > 1e-2


def test_the_page_has_the_measured_table():
    rows = files.read_json(Path("results/when_poles_pay.json"))["rows"]
    page = Path("docs/oscillators.md").read_text()
    command = "python -m experiments.when_poles_pay"
    assert page == markdown.fill(page, command, markdown.table(rows))
