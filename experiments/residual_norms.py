"""How far each norm of the forced KdV residual is from the norm of the error:

    python -m experiments.residual_norms

writes results/residual_norms.json. To first order an error e of the solution u has the
residual r = e_t + (u e)_x + beta e_xxx, and training sees |r| in one of the norms of
`pilno_jax.problems.forced_kdv.norms`. A norm is good if |r| / |e| is nearly the same
for every e. Three numbers say how nearly, each a mean over draws:

ripples: the largest over the smallest ratio for e of half a wave to twelve in x and
    none to eight in t;
all_smooth: the same over all e in a space of 16 x 16 smooth functions;
left_after_descent: what part of a smooth error in that space is left after 1000 steps
    of gradient descent on |r|^2, with the longest stable step.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from absl import flags

from experiments.run.command import run_command
from experiments.run.outputs import require_file
from pilno_jax import problems
from pilno_jax.problems.forced_kdv import MEASURES
from pilno_jax.runs import files

OUTPUT = flags.DEFINE_string(
    "output", "results/residual_norms.json", "Where the numbers go."
)
DRAWS = flags.DEFINE_integer("draws", 12, "Samples to average over.", lower_bound=1)

MODES = 16
STEPS = 1000
WAVES_IN_X = (0.5, 1.0, 2.0, 4.0, 8.0, 12.0)
WAVES_IN_T = (0.0, 1.0, 2.0, 4.0, 8.0)


def smooth_space(problem: problems.Problem) -> np.ndarray:
    """Products of cosines that obey all homogeneous conditions, (modes^2, x, t)."""
    x, t = (np.asarray(scaled) for scaled in problem.grid.scaled)
    waves = np.pi * np.arange(MODES)[:, None]
    in_x = x * (1 - x) ** 2 * np.cos(waves * x)
    in_t = t * np.cos(waves * t)
    return np.einsum("ix,jt->ijxt", in_x, in_t).reshape(-1, len(x), len(t))


def ripples(problem: problems.Problem) -> np.ndarray:
    """Waves under an envelope that obeys the same conditions, (ripples, x, t)."""
    x, t = (np.asarray(scaled) for scaled in problem.grid.scaled)
    in_x = [x * (1 - x) ** 2 * np.sin(2 * np.pi * n * x) for n in WAVES_IN_X]
    in_t = [t * np.cos(2 * np.pi * n * t) for n in WAVES_IN_T]
    return np.einsum("ix,jt->ijxt", in_x, in_t).reshape(-1, len(x), len(t))


def squared_norms(measure: Any, responses: jax.Array, u: Any, inputs: Any) -> Any:
    """The matrix Q with |sum_i c_i r_i|^2 = c' Q c, of a quadratic measure."""

    def squared(coefficients: jax.Array) -> jax.Array:
        return measure(jnp.tensordot(coefficients, responses, 1), u, inputs)

    return jax.hessian(squared)(jnp.zeros(len(responses))) / 2


def spread_of_ripples(of_residual: np.ndarray, errors: np.ndarray) -> float:
    ratios = np.sqrt(np.diag(of_residual) / np.mean(errors**2, (1, 2)))
    return float(ratios.max() / ratios.min())


def conditioning(of_residual: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """`all_smooth` and `left_after_descent` of the module's docstring."""
    flat = errors.reshape(len(errors), -1)
    mass = flat @ flat.T / flat.shape[1]
    # Coordinates in which the error's norm is Euclidean: c = inverse(root') y.
    root = np.linalg.cholesky(mass)
    whitened = np.linalg.solve(root, np.linalg.solve(root, of_residual).T)
    eigenvalues, modes = np.linalg.eigh((whitened + whitened.T) / 2)
    orders = np.add.outer(np.arange(MODES), np.arange(MODES)).ravel()
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(orders))
    start = modes.T @ root.T @ (signs / (1.0 + orders) ** 2)
    left = (1.0 - eigenvalues / eigenvalues.max()) ** STEPS * start
    worst = np.sqrt(eigenvalues.max() / eigenvalues.min())
    return float(worst), float(np.linalg.norm(left) / np.linalg.norm(start))


def measured(name: str, draws: int) -> dict[str, float]:
    """The three numbers of one norm."""
    problem = problems.forced_kdv(measure=name)
    families = {"smooth": smooth_space(problem), "ripples": ripples(problem)}

    @jax.jit
    def matrices(key: jax.Array, families: dict[str, Any]) -> dict[str, jax.Array]:
        inputs = problem.sample(key)
        u = problem.solver()(inputs)

        def response(e: jax.Array) -> jax.Array:
            return jax.jvp(lambda u: problem.residual(u, inputs), (u,), (e,))[1]

        return {
            kind: squared_norms(problem.measure, jax.vmap(response)(errors), u, inputs)
            for kind, errors in families.items()
        }

    rows = []
    for seed in range(draws):
        squares = jax.tree.map(np.asarray, matrices(jax.random.key(seed), families))
        spread = spread_of_ripples(squares["ripples"], families["ripples"])
        rows.append((spread, *conditioning(squares["smooth"], families["smooth"])))
    means = np.mean(rows, 0)
    names = ("ripples", "all_smooth", "left_after_descent")
    return {key: float(f"{mean:.3g}") for key, mean in zip(names, means, strict=True)}


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    with jax.enable_x64(True):
        norms = {name: measured(name, DRAWS.value) for name in MEASURES}
    for name, numbers in norms.items():
        print(name, numbers)
    files.write_json(output, {"draws": DRAWS.value, "norms": norms})


if __name__ == "__main__":
    run_command(main)
