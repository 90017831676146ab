"""Laws of random input functions.

A draw is a pure function of its key and is a *function*, not a vector: the same key
gives the same function on every grid, because what is random are the coefficients
of a series and the grid only says where to evaluate it.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import i0e
from jaxtyping import Array, Float

from pilno_jax.checks import require_choice

Number = float | int | Float[Array, ""]  # the latter may be traced
EXP_SINE_MODES = 32
SHORTEST_LENGTH_SCALE = 0.2  # below it, 32 modes do not carry all the variance


@jax.jit
def exp_sine(
    key: jax.Array,
    x: Float[Array, " n"],
    length_scale: Number,
    sigma: Number = 0.2,
    period: Number = 1.0,
) -> Float[Array, " n"]:
    """A draw, at the points x, of the Gaussian field with the exp-sine kernel

        k(x, x') = sigma^2 exp(-2 sin^2(pi (x - x') / p) / l^2).

    Its Karhunen-Loeve series is known exactly: with 2 sin^2(z) = 1 - cos(2 z), the
    generating function of the Bessel functions gives the eigenvalues
    lambda_n = 2 sigma^2 e^{-1/l^2} I_n(1/l^2), half of that for n = 0, on
    cos(2 pi n x / p) and sin(2 pi n x / p). No Cholesky factor, no jitter, any grid.

    Args:
        key: of this draw.
        x: where it is evaluated.
        length_scale: l, at least `SHORTEST_LENGTH_SCALE`; 0.5 is oscillatory, 5 nearly
            constant. May be traced.
        sigma: standard deviation. Default 0.2.
        period: p. Default 1.
    """
    deviations = jnp.sqrt(exp_sine_eigenvalues(length_scale, sigma))
    normals = jax.random.normal(key, (2, EXP_SINE_MODES))
    waves = jnp.arange(EXP_SINE_MODES).astype(x.dtype)
    phases = (2 * jnp.pi / period) * jnp.outer(x, waves)
    cosines, sines = deviations[None] * normals
    return jnp.cos(phases) @ cosines + jnp.sin(phases) @ sines


@jax.jit
def planar_exp_sine(
    key: jax.Array,
    points: tuple[Float[Array, " n"], Float[Array, " m"]],
    length_scale: Number,
    sigma: Number = 0.2,
) -> Float[Array, "n m"]:
    """A draw at x times y of the field whose kernel is the product of `exp_sine`'s.

    Without the mode that is constant in both directions: every draw has mean zero. The
    period is 1.

    Args:
        key: of this draw.
        points: (x, y), where it is evaluated.
        length_scale: as in `exp_sine`, in both directions.
        sigma: standard deviation, before the constant mode is left out. Default 0.2.
    """
    deviations = jnp.sqrt(exp_sine_eigenvalues(length_scale, 1.0))
    deviations = jnp.concatenate([deviations, deviations])  # cosines, then sines
    normals = jax.random.normal(key, (2 * EXP_SINE_MODES, 2 * EXP_SINE_MODES))
    coefficients = sigma * jnp.outer(deviations, deviations) * normals
    coefficients = coefficients.at[0, 0].set(0.0)
    waves = 2 * jnp.pi * jnp.arange(EXP_SINE_MODES).astype(points[0].dtype)
    in_x, in_y = (
        jnp.concatenate([jnp.cos(phases), jnp.sin(phases)], 1)
        for phases in (jnp.outer(x, waves) for x in points)
    )
    rows = jnp.matmul(in_x, coefficients, precision="highest")
    return jnp.matmul(rows, in_y.T, precision="highest")


def exp_sine_eigenvalues(length_scale: Number, sigma: Number) -> Float[Array, " n"]:
    """lambda_0, ..., lambda_31 of `exp_sine`.

    Args:
        length_scale: l; may be traced.
        sigma: standard deviation.
    """
    argument = 1.0 / jnp.square(length_scale)
    scaled_bessel = bessel_ive(EXP_SINE_MODES, argument)
    return sigma**2 * scaled_bessel.at[1:].multiply(2.0)


def bessel_ive(count: int, argument: Float[Array, ""]) -> Float[Array, " {count}"]:
    """e^{-z} I_n(z) for n = 0, ..., count - 1.

    Miller's algorithm: the three-term recurrence is stable downwards, from a start
    high above `count`; the exact e^{-z} I_0(z) then fixes the scale. The recurrence
    runs on ratios I_n / I_{n-1}, which neither overflow nor underflow.

    Args:
        count: how many orders.
        argument: z > 0; may be traced.
    """
    start = count + 32

    def ratio_below(ratio, n):
        ratio = 1.0 / (ratio + 2.0 * n.astype(argument.dtype) / argument)
        return ratio, ratio

    orders = jnp.arange(start, 0, -1)
    first = jnp.zeros_like(argument)
    _, ratios = jax.lax.scan(ratio_below, first, orders)
    upward = jnp.cumprod(ratios[::-1][: count - 1])
    return i0e(argument) * jnp.concatenate([jnp.ones(1), upward])


# Modes per axis of a planar field. The series converges slowly (the field has barely
# a derivative), and PINO's own generator stops where its grid does. More modes change
# ever fewer nodes of the two-valued field, and cost time.
PLANAR_MODES = 128


def planar_gaussian(
    key: jax.Array,
    points: Float[np.ndarray, " n"],
    law: str = "neumann",
    tau: float = 3.0,
    num_modes: int = PLANAR_MODES,
) -> Float[Array, "n n"]:
    """A draw of N(0, (-Laplace + tau^2)^-2) on the unit square, at points x points.

    The Laplacian's eigenfunctions are products of one-dimensional ones, so a draw is
    two matrix products.

    Args:
        key: of this draw.
        points: concrete numbers in [0, 1], the same for both directions.
        law: "neumann" (the default): cosines cos(pi k x), the mode k = 0 left out, so
            that every draw has mean zero (PINO's generator, up to a constant factor).
            "periodic": 1, cos and sin of 2 pi k x, the mean included.
        tau: inverse length. Default 3.
        num_modes: cosines, or waves, in each direction. Default 128.
    """
    require_choice("law", law, PLANAR_LAWS)
    basis, frequencies = PLANAR_LAWS[law](np.asarray(points), num_modes)
    deviations = 1.0 / (frequencies[:, None] ** 2 + frequencies**2 + tau**2)
    if law == "neumann":
        deviations[0, 0] = 0.0
    normals = jax.random.normal(key, deviations.shape)
    coefficients = jnp.asarray(deviations, normals.dtype) * normals
    basis = jnp.asarray(basis, normals.dtype)
    # Full precision everywhere: a field rounded to three digits has other level sets.
    rows = jnp.matmul(basis, coefficients, precision="highest")
    return jnp.matmul(rows, basis.T, precision="highest")


def two_phase(
    key: jax.Array,
    points: Float[np.ndarray, " n"],
    values: tuple[float, float] = (3.0, 12.0),
    law: str = "neumann",
    tau: float = 3.0,
) -> Float[Array, "n n"]:
    """A two-valued medium: values[1] where a planar Gaussian is >= 0, else values[0].

    It is discontinuous, and half of it on average is either value.

    Args:
        key: of this draw.
        points: concrete numbers in [0, 1], the same for both directions.
        values: (low, high). Default (3, 12).
        law: of the Gaussian, see `planar_gaussian`. Default "neumann".
        tau: its inverse length. Default 3.
    """
    phi = planar_gaussian(key, points, law, tau)
    low, high = (jnp.asarray(value, phi.dtype) for value in values)
    return jnp.where(phi >= 0, high, low)


def _neumann_basis(points: np.ndarray, num_modes: int):
    """L2-orthonormal cosines, one per column, and their frequencies."""
    frequencies = np.pi * np.arange(num_modes)
    basis = np.sqrt(2.0) * np.cos(np.outer(points, frequencies))
    basis[:, 0] = 1.0
    return basis, frequencies


def _periodic_basis(points: np.ndarray, num_modes: int):
    """1, cosines, sines (L2-orthonormal, an odd number of them), and frequencies."""
    positive = 2 * np.pi * np.arange(1, (num_modes + 1) // 2)
    phases = np.outer(points, positive)
    waves = np.sqrt(2.0) * np.concatenate([np.cos(phases), np.sin(phases)], axis=1)
    basis = np.concatenate([np.ones((len(points), 1)), waves], axis=1)
    return basis, np.concatenate([[0.0], positive, positive])


PLANAR_LAWS = {"neumann": _neumann_basis, "periodic": _periodic_basis}
