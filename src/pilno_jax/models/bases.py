"""Analysis and synthesis bases of the spectral layers, on one scaled axis.

Both branches of a layer are synthesis . mixing . analysis. The steady branch uses the
exponentials e^{i w_k x}, w_k = 2 pi k / P, the transient one e^{mu x} with learned
poles mu. Frequencies, poles and the period P belong to the axis and not to its nodes;
an analysis is a quadrature of a continuous integral. So a layer is the same operator
on every grid.

Whether the axis is periodic is read off its nodes on [0, 1]: the endpoint 1 is a node
of a closed axis and is left out on a periodic one, where the node 0 is also the node 1.
A closed one may have its nodes clustered, as a smooth function of their number
(`numerics.grids.Axis`). All matrices are complex, tiny and made of static shapes.

Nodes may be JAX's or NumPy's. Weights of NumPy's are known while a program is traced,
and are no part of it.
"""

import math
from collections.abc import Callable
from types import ModuleType

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Complex, Float, Inexact

from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.derivatives import finite_difference
from pilno_jax.numerics.grids import Axis

Nodes = Float[np.ndarray | Array, " n"]
Weights = Float[np.ndarray | Array, " m"]
Frequencies = Float[np.ndarray, " k"]

# Nodes corrected at either end of the interval; the rule's error is O(h^8).
GREGORY_NODES = 8
# B_{k+1} / (k+1) for k = 1, 2, ...: the Euler-Maclaurin coefficients.
_EULER_MACLAURIN = (1 / 12, 0, -1 / 120, 0, 1 / 252, 0, -1 / 240)


def namespace(x: Nodes) -> ModuleType:
    """The library whose array it is."""
    return np if isinstance(x, np.ndarray) else jnp


def is_periodic(x: Nodes) -> Bool[np.ndarray | np.bool | Array, ""]:
    """Whether the nodes leave the endpoint 1 out; a traced value if the nodes are."""
    return x[-1] - x[0] < 1 - 0.5 / x.size


def circle_weights(x: Nodes) -> Weights:
    """The trapezoid rule on the circle of length 1, cut at x = 0.

    The interval that closes the circle, [x_{N-1}, x_0 + 1], has length h on a periodic
    axis, which makes this the rectangle rule and the analysis the DFT, and length 0 on
    a closed one, which makes it the ordinary trapezoid rule. Exact in both cases for
    periodic integrands that the nodes resolve, if these are equidistant; for others the
    end-corrected rule is the accurate one.
    """
    xp = namespace(x)
    lengths = xp.diff(x, append=x[:1] + 1)
    even = (lengths + xp.roll(lengths, 1)) / 2
    return xp.where(is_even(x), even, clustered_weights(x))


def interval_weights(x: Nodes) -> Weights:
    """Gregory's rule on [0, 1] for the N+1 nodes x_0, ..., x_{N-1}, x_0 + 1.

    For integrands that are smooth on the interval but do not close up. On a closed
    axis the last of these nodes repeats x_{N-1} and has weight 0.
    """
    n, xp = x.size, namespace(x)
    periodic = _gregory(n + 1) / n
    closed = np.append(_gregory(n) / (n - 1), 0.0)
    even = xp.where(is_periodic(x), periodic, closed).astype(x.dtype)
    clustered = xp.append(clustered_weights(x), xp.zeros(1, x.dtype))
    return xp.where(is_even(x), even, clustered)


def is_even(x: Nodes) -> Bool[np.ndarray | np.bool | Array, ""]:
    """Whether nodes are equidistant; clustered ones are farther from it than that."""
    xp = namespace(x)
    spacing = x[-1] / (x.size - 1)
    numbers = xp.arange(x.size).astype(x.dtype)
    return xp.max(xp.abs(x - spacing * numbers)) < 0.01 * spacing


def clustered_weights(x: Nodes) -> Weights:
    """Gregory's rule on [0, 1] for nodes that are a smooth function of their number.

    It integrates over the number, where dx is a factor, to the same order.
    """
    n, xp = x.size, namespace(x)
    if n < 3:  # no cluster
        return xp.full_like(x, 1 / n)
    accuracy = min(GREGORY_NODES, 2 * ((n - 1) // 2))
    by_number = finite_difference(Axis("number", 0.0, n - 1.0, n), 1, accuracy)
    # A sum and no matrix product: weights do not follow the precision of a config's.
    lengths = xp.sum(xp.asarray(by_number, x.dtype) * x[None], axis=1)
    return xp.asarray(_gregory(n), x.dtype) * lengths


def _gregory(nodes: int) -> Float[np.ndarray, " {nodes}"]:
    """Weights for unit spacing: 1 inside and, at both ends, the corrections d_j with

        sum_j d_j j^k = B_{k+1} / (k+1),    sum_j d_j = -1/2,

    which cancel the first terms of the Euler-Maclaurin series.
    """
    order = min(GREGORY_NODES, nodes // 2)
    moments = np.array((-0.5, *_EULER_MACLAURIN)[:order])
    powers = np.arange(order)[None, :] ** np.arange(order, dtype=float)[:, None]
    corrections = np.linalg.solve(powers, moments)
    weights = np.ones(nodes)
    weights[:order] += corrections
    weights[-order:] += corrections[::-1]
    return weights


def frequencies(modes: int, period: float, *, signed: bool) -> Frequencies:
    """w_k = 2 pi k / P for k < modes, on a signed axis also their negatives, ordered.

    One axis of a real field needs the non-negative ones only; all others need both.
    """
    first = 1 - modes if signed else 0
    return 2 * math.pi / period * np.arange(first, modes)


def fourier_analysis(
    x: Nodes, omega: Frequencies, period: float
) -> Complex[Array, "k n"]:
    """v -> alpha_k = 1/P int_0^1 v(x) e^{-i w_k x} dx.

    With P = 1 the integrand lives on the circle and the trapezoid rule is exact up to
    the grid's limit (a jump of v across x = 0 counts with its mean, as in the Fourier
    series itself). With P > 1 the field is continued by zero; then the integrand ends
    at x = 1 and the end-corrected rule is the accurate one.
    """
    if period == 1:
        return as_complex(circle_weights(x)[None]) * _waves(-omega, x)
    return _on_interval(x, lambda nodes: _waves(-omega, nodes)) / period


def fourier_synthesis(x: Nodes, omega: Frequencies) -> Complex[Array, "n k"]:
    """Coefficients -> sum_k c_k e^{i w_k x}."""
    return _waves(omega, x).T


def hermitian_weights(omega: Frequencies) -> Float[np.ndarray, " k"]:
    """How often a non-negative frequency occurs: 2 for each but 0, for +w and -w."""
    return np.where(omega == 0, 1.0, 2.0)


def pole_analysis(
    x: Nodes, mu: Complex[Array, "*pairs p"], period: float
) -> Complex[Array, "*pairs p n"]:
    """v -> sum_l alpha_l / (mu - i w_l), summed over all l in Z.

    The inner sum of Eq. lno_transient_steady has the closed form

        - 1/(1 - e^{mu P})  int_0^P e^{mu (P - tau)} v(tau) dtau,

    minus the steady response at 0, as it must be for a response starting from rest.
    The kernel is smooth on [0, P] and jumps where the circle closes.
    """
    kernel = _on_interval(x, lambda nodes: jnp.exp(_outer(mu, period - nodes)))
    return kernel / jnp.expm1(mu * period)[..., None]


def pole_analysis_dft(
    x: Nodes, mu: Complex[Array, "*pairs p"]
) -> Complex[Array, "*pairs p n"]:
    """The paper's sum over the N frequencies of the DFT,

        A[p, j] = 1/N sum_l e^{-i w_l x_j} / (mu_p - i w_l).

    Its period is N h, so it depends on the grid, whose nodes must be equidistant;
    `pole_analysis` is its limit.
    """
    waves = _waves(-_dft_frequencies(x), x)
    return jnp.einsum("...pl,lj->...pj", dft_fractions(x, mu), waves) / x.size


def dft_fractions(
    x: Nodes, mu: Complex[Array, "*pairs p"]
) -> Complex[Array, "*pairs p n"]:
    """1 / (mu_p - i w_l) at the frequencies of the DFT, in its order."""
    return -jnp.swapaxes(transfer(_dft_frequencies(x), mu), -1, -2)


def _dft_frequencies(x: Nodes) -> Nodes:
    return 2 * jnp.pi * jnp.fft.fftfreq(x.size, x[1] - x[0])


def pole_synthesis(
    x: Nodes, mu: Complex[Array, "*pairs p"]
) -> Complex[Array, "*pairs n p"]:
    """Coefficients -> sum_p c_p e^{mu_p x}."""
    return jnp.exp(jnp.swapaxes(_outer(mu, x), -1, -2))


def transfer(
    omega: Float[np.ndarray | Array, " k"], mu: Complex[Array, "*pairs p"]
) -> Complex[Array, "*pairs k p"]:
    """1 / (i w_k - mu_p), the partial fractions of K_phi (Eq. K_phi)."""
    omega = jnp.asarray(omega).reshape(*[1] * (mu.ndim - 1), -1, 1)
    return 1 / (1j * as_complex(omega) - mu[..., None, :])


def _waves(
    omega: Float[np.ndarray | Array, " k"], x: Float[np.ndarray | Array, " m"]
) -> Complex[Array, "k m"]:
    return jnp.exp(1j * as_complex(_outer(jnp.asarray(omega, x.dtype), x)))


def _outer(
    a: Inexact[Array, "*pairs p"], x: Float[np.ndarray | Array, " m"]
) -> Inexact[Array, "*pairs p m"]:
    return jnp.einsum("...p,j->...pj", a, x.astype(a.dtype))


def _on_interval(
    x: Nodes, kernel: Callable[[Nodes], Array]
) -> Complex[Array, "*rows n"]:
    """The rows that integrate kernel(x) v(x) over [0, 1]."""
    values = kernel(namespace(x).append(x, x[:1] + 1))
    weights = as_complex(interval_weights(x))
    values = jnp.einsum("...j,j->...j", values, weights)
    # The extra node carries the value of v at x_0 and is used on periodic axes only.
    first = values[..., :1] + values[..., -1:]
    return jnp.concatenate([first, values[..., 1:-1]], -1)
