"""Linear systems whose poles are known, and one-layer linear networks fitted to them.

A bank of damped oscillators, x'' + 2 zeta w x' + w^2 x = w^2 f, summed up, which a
one-layer LNO without activation can represent exactly; and the diffusion equation,
whose wave k decays at D (2 pi k)^2, for a one-layer ALNO with Fourier modes in x and
poles in t.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from pilno_jax import models
from pilno_jax.operators import Network

FREQUENCIES, DAMPING = np.array([5.0, 11.0, 18.0]), np.array([0.2, 0.1, 0.15])
DIFFUSIVITY = 0.05
LINEAR: dict[str, Any] = {
    "width": 1,
    "num_layers": 1,
    "activation": "identity",
    "projection_width": None,
}
# One of each kind, for the bank of oscillators.
MODES, POLES = 8, len(FREQUENCIES)  # of the forcings, of the oscillators
LAYERS: dict[str, Network] = {
    "FNO": models.FNO(modes=MODES, **LINEAR),
    "FNO, 32 modes": models.FNO(modes=32, **LINEAR),
    "FNO, period 2": models.FNO(modes=MODES, period=2.0, **LINEAR),
    "FNO, period 2, 16 modes": models.FNO(modes=16, period=2.0, **LINEAR),
    "FNO, period 2, 32 modes": models.FNO(modes=32, period=2.0, **LINEAR),
    "ALNO": models.ALNO(modes=MODES, poles=POLES, **LINEAR),
    "LNO": models.LNO(modes=MODES, poles=POLES, **LINEAR),
}


@dataclasses.dataclass(frozen=True)
class System:
    """Input-output pairs of a linear system and the poles behind them.

    poles: those with frequency >= 0; the others are their conjugates.
    """

    name: str
    model: Any
    axes: tuple[np.ndarray, ...]
    features: np.ndarray
    u: np.ndarray
    poles: np.ndarray


def oscillators(seed: int = 0, count: int = 16, num_t: int = 129) -> System:
    """Forcings are random Fourier series; the response has a closed form."""
    t = np.linspace(0.0, 1.0, num_t)
    above = -DAMPING * FREQUENCIES + 1j * FREQUENCIES * np.sqrt(1 - DAMPING**2)
    mu = np.concatenate([above, above.conj()])
    residues = np.tile(FREQUENCIES**2, 2) / (mu - mu.conj())
    omega = 2 * np.pi * np.arange(MODES)
    parts = np.random.default_rng(seed).normal(size=(2, count, MODES))
    alpha = (parts[0] + 1j * parts[1]) / np.sqrt(MODES)
    alpha[:, 0] = alpha[:, 0].real
    # f = Re sum_l alpha_l e^{i w_l t}; pole n answers each of them with
    # (e^{i w_l t} - e^{mu_n t}) / (i w_l - mu_n): driven and free oscillation.
    driven = np.exp(1j * np.outer(omega, t))
    free = np.exp(np.outer(mu, t))
    response = driven[:, None] - free[None]
    response /= (1j * omega[:, None] - mu[None])[..., None]
    u = np.einsum("bl,n,lnt->bt", alpha, residues, response).real
    features = (alpha @ driven).real[..., None]
    return System("oscillators", LAYERS["LNO"], (t,), features, u, above)


def diffusion(seed: int = 0, count: int = 16) -> System:
    """u0 of waves 0 ... 3 on 16 nodes: three decaying waves, three poles."""
    waves, x, t = np.arange(4), np.arange(16) / 16, np.linspace(0.0, 1.0, 33)
    parts = np.random.default_rng(seed).normal(size=(count, 2, len(waves)))
    angles = 2 * np.pi * np.outer(waves, x)
    shapes = np.stack([np.cos(angles), np.sin(angles)])
    rates = DIFFUSIVITY * (2 * np.pi * waves) ** 2
    u = np.einsum("bck,ckx,kt->bxt", parts, shapes, np.exp(-np.outer(rates, t)))
    features = np.repeat(u[:, :, :1], len(t), axis=2)[..., None]
    model = models.ALNO(modes=(len(waves), 1), poles=(0, 3), **LINEAR)
    return System("diffusion", model, (x, t), features, u, -rates[1:] + 0j)


def fit(system: System, steps: int, polish: int, starts: int) -> tuple[Any, np.ndarray]:
    """The parameters of the best start, and the relative misfit of every start.

    Sums of exponentials are badly conditioned: hence L-BFGS, and double precision.
    """
    axes = tuple(jnp.asarray(x) for x in system.axes)
    features, u = jnp.asarray(system.features), jnp.asarray(system.u)

    def misfit(params: Any) -> jax.Array:
        answer = system.model.apply(params, features, axes)[..., 0]
        # The logarithm keeps its slope as the misfit falls over many decades.
        return jnp.log(jnp.sum((answer - u) ** 2) / jnp.sum(u**2))

    def descend(optimizer: optax.GradientTransformationExtraArgs, params, steps: int):
        def step(carry: Any, _: None):
            params, state = carry
            value, slope = jax.value_and_grad(misfit)(params)
            updates, state = optimizer.update(
                slope, state, params, value=value, grad=slope, value_fn=misfit
            )
            return (optax.apply_updates(params, updates), state), None

        start = params, optimizer.init(params)
        return jax.lax.scan(step, start, length=steps)[0][0]

    def train(key: jax.Array) -> tuple[Any, jax.Array]:
        params = system.model.init(key, features[0], axes)
        adam = optax.adam(optax.cosine_decay_schedule(3e-2, steps))
        params = descend(optax.with_extra_args_support(adam), params, steps)
        params = descend(optax.lbfgs(memory_size=30), params, polish)
        return params, jnp.exp(misfit(params) / 2)

    keys = jax.random.split(jax.random.key(0), starts)
    every, misfits = jax.jit(jax.vmap(train))(keys)
    best = int(jnp.nanargmin(misfits))
    return jax.tree.map(lambda x: x[best], every), np.asarray(misfits)


def learned_poles(params: Any) -> np.ndarray:
    """Of the time axis, those below the real axis replaced by their conjugates."""
    in_time = models.poles(params)[0][-1]
    frequency = np.abs(np.asarray(in_time.frequency))
    return -np.asarray(in_time.decay) + 1j * frequency


def compare(true: np.ndarray, learned: np.ndarray) -> list[dict[str, Any]]:
    """Every true pole, the learned one nearest to it, and their relative distance."""
    rows = []
    for mu in true:
        nearest = learned[np.argmin(np.abs(learned - mu))]
        rows.append(
            {
                "true": [float(mu.real), float(mu.imag)],
                "learned": [float(nearest.real), float(nearest.imag)],
                "relative_distance": float(abs(nearest - mu) / abs(mu)),
            }
        )
    return rows
