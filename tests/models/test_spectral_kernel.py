"""The kernel: known operators in the weights, against closed forms."""

import logging

import jax
import numpy as np
import pytest
from networks import KEY, TWO_PI, fresh, mesh, nodes, normal, random_complex, run

from pilno_jax.models.bases import frequencies
from pilno_jax.models.spectral_kernel import SpectralKernel, tied_multiplier


def inverse_softplus(decay):
    return np.log(np.expm1(decay))


def system(mus, beta, pairwise: bool):
    """Parameters of a kernel with the given poles (p,) per axis and residues."""
    params = {"residues": np.stack([beta.real, beta.imag], -2)}
    for axis, mu in enumerate(mus):
        if mu is None:
            continue
        if pairwise:
            mu = np.broadcast_to(mu, (*beta.shape[-2:], mu.size))
        params[f"decay_{axis}"] = inverse_softplus(-mu.real)
        params[f"frequency_{axis}"] = mu.imag
    return {"params": params}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
def test_lno_layer_solves_its_ode_from_rest(sharing):
    """u' = mu u + beta v, u(0) = 0 for v = sum of waves: transient and steady part.

    The quadrature error O(h^8) is below 1e-10 on 241 nodes.
    """
    mu, rng = np.array([-0.5, -3.0 - 7.0j, -6.0 + 1.0j]), np.random.default_rng(0)
    beta = random_complex(rng, mu.size, 2, 2)
    x = nodes(241)
    waves = [(0, 0.7, 0.0), (1, -1.3, 0.4), (3, 0.5, 1.1)]  # mode, amplitude, phase
    fields, exact = [], np.zeros((x.size, 2))
    for channel in range(2):
        v = np.zeros(x.size)
        for k, amplitude, phase in waves:
            amplitude = amplitude * (1 + channel)
            v += amplitude * np.cos(TWO_PI * k * x + phase)
            for sign in (1, -1):
                s = 1j * sign * TWO_PI * k
                alpha = amplitude / 2 * np.exp(1j * sign * phase)
                rise = (np.exp(s * x)[:, None] - np.exp(np.outer(x, mu))) / (s - mu)
                exact += (alpha * rise @ beta[:, channel]).real
        fields.append(v)
    v = np.stack(fields, -1)[:, None]
    kernel = SpectralKernel((6,), (1.0,), (mu.size,), sharing, tied=True)
    u = run(kernel, system([mu], beta, sharing == "pairwise"), v, [x])
    np.testing.assert_allclose(u[:, 0], exact, atol=1e-10)
    np.testing.assert_allclose(u[0, 0], 0, atol=1e-10)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
def test_lno_layer_in_two_dimensions(sharing):
    """For e^{i(w x + z t)} the response is the product of those along x and t:

    steady 1/((i w - mu)(i z - nu)), transient 1/((mu - i w)(nu - i z)).
    """
    rng = np.random.default_rng(1)
    mu, nu = np.array([-1.0 + 2j, -2.0 - 4j]), np.array([-3.0 + 1j, -0.8, -2 + 5j])
    beta = random_complex(rng, 2, 3, 1, 2)
    x, t = nodes(160, periodic=True), nodes(161)
    omega, zeta = TWO_PI * 2, TWO_PI * -1
    v = np.cos(omega * x[:, None] + zeta * t[None] + 0.3)
    exact = np.zeros((x.size, t.size, 2))
    for sign in (1, -1):
        w, z = 1j * sign * omega, 1j * sign * zeta
        steady = np.exp(w * x[:, None] + z * t[None])[..., None, None]
        free = np.exp(np.multiply.outer(x, mu))[:, None, :, None]
        free = free * np.exp(np.multiply.outer(t, nu))[None, :, None, :]
        response = (steady + free) / ((mu - w)[:, None] * (nu - z)[None])
        response = np.einsum("xtpq,pqo->xto", response, beta[:, :, 0])
        exact += (np.exp(1j * sign * 0.3) / 2 * response).real
    # A single channel in and two out, as a square system with an idle input.
    square = np.concatenate([beta, np.zeros_like(beta)], 2)
    field = np.stack([v, np.zeros_like(v)], -1)[:, :, None]
    kernel = SpectralKernel((4, 3), (1.0, 1.0), (2, 3), sharing, tied=True)
    u = run(kernel, system([mu, nu], square, sharing == "pairwise"), field, [x, t])
    np.testing.assert_allclose(u[:, :, 0], exact, atol=1e-10)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
@pytest.mark.parametrize("swapped", [False, True])
def test_lno_layer_with_poles_in_time_only(sharing, swapped):
    """Per frequency w of x an ODE of its own: u' = nu u + beta(w) v, u(., 0) = 0."""
    rng = np.random.default_rng(4)
    nu = np.array([-3.0 + 1j, -0.8, -2 + 5j])
    beta = random_complex(rng, 7, 3, 1, 2)  # frequencies -3 ... 3 of x, poles of t
    x, t = nodes(32, periodic=True), nodes(161)
    wave, zeta = 2, TWO_PI * -1
    v = np.cos(TWO_PI * wave * x[:, None] + zeta * t[None] + 0.3)
    exact = np.zeros((x.size, t.size, 2))
    for sign in (1, -1):
        z = 1j * sign * zeta
        rise = np.exp(z * t)[:, None] - np.exp(np.multiply.outer(t, nu))
        rise = rise / (z - nu) @ beta[3 + sign * wave, :, 0]
        along_x = np.exp(1j * sign * (TWO_PI * wave * x + 0.3)) / 2
        exact += (along_x[:, None, None] * rise[None]).real
    square = np.concatenate([beta, np.zeros_like(beta)], 2)
    field = np.stack([v, np.zeros_like(v)], -1)[:, :, None]
    axes, modes, poles, mus = [x, t], (4, 3), (0, 3), [None, nu]
    if swapped:
        # Time first: the other axis then is the signed one of the multiplier.
        axes, modes, poles, mus = [t, x], (3, 4), (3, 0), [nu, None]
        field, square = np.swapaxes(field, 0, 1), np.swapaxes(square, 0, 1)
        exact = np.swapaxes(exact, 0, 1)
    kernel = SpectralKernel(modes, (1.0, 1.0), poles, sharing, tied=True)
    u = run(kernel, system(mus, square, sharing == "pairwise"), field, axes)
    np.testing.assert_allclose(u[:, :, 0], exact, atol=1e-10)


@pytest.mark.usefixtures("x64")
def test_lno_layer_with_own_poles_for_every_wave():
    """Wave k of x has an ODE of its own: u' = nu_k u + beta_k v, u(., 0) = 0.

    Those of wave -k are others too: what is real has the conjugates besides.
    """
    rng = np.random.default_rng(4)
    nu = -1 - rng.uniform(size=(7, 2)) + 5j * rng.normal(size=(7, 2))
    beta = random_complex(rng, 7, 2, 1, 1)
    x, t = nodes(32, periodic=True), nodes(161)
    zeta, exact = TWO_PI * -1, np.zeros((32, 161))
    v = np.zeros_like(exact)
    for wave in (1, 3):
        v += np.cos(TWO_PI * wave * x[:, None] + zeta * t[None] + 0.3)
        for sign in (1, -1):
            z, own = 1j * sign * zeta, 3 + sign * wave
            rise = np.exp(z * t)[:, None] - np.exp(np.outer(t, nu[own]))
            rise = rise / (z - nu[own]) @ beta[own, :, 0, 0]
            along_x = np.exp(1j * sign * (TWO_PI * wave * x + 0.3)) / 2
            exact += np.outer(along_x, rise).real
    kernel = SpectralKernel((4, 3), (1.0, 1.0), (0, 2), "by wave", tied=True)
    u = run(kernel, system([None, nu], beta, False), v[..., None, None], [x, t])
    np.testing.assert_allclose(u[..., 0, 0], exact, atol=1e-10)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("analysis", ["quadrature", "dft"])
@pytest.mark.parametrize("tied", [True, False])
def test_equal_poles_of_every_wave_are_shared_ones(analysis, tied):
    """On three axes, the second of which has signed waves in both branches."""
    axes = [nodes(8, periodic=True), nodes(9, periodic=True), nodes(17)]
    v = normal(8, 9, 17, 2, 3)
    sizes = dict(modes=(3, 2, 4), period=(1.0, 1.0, 1.5), poles=(0, 0, 2), tied=tied)
    sizes |= dict(transient_analysis=analysis)
    shared = SpectralKernel(**sizes)
    by_wave = SpectralKernel(**sizes, pole_sharing="by wave")
    params = fresh(shared, v, axes)["params"]
    for_each = {
        name: np.broadcast_to(leaf, (5, 3, 2)) if leaf.ndim == 1 else leaf
        for name, leaf in params.items()
    }
    u = run(by_wave, {"params": for_each}, v, axes)
    np.testing.assert_allclose(u, run(shared, {"params": params}, v, axes), atol=1e-12)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
def test_dft_option_is_the_papers_sum(sharing):
    """The separable form of FACTS section 1, on the untruncated FFT."""
    rng = np.random.default_rng(2)
    axes = [nodes(12), nodes(9)]
    v = rng.normal(size=(12, 9, 2, 3))
    mus = [random_complex(rng, 3, 3, 2), random_complex(rng, 3, 3, 4)]
    if sharing == "shared":
        mus = [np.broadcast_to(mu[0, 0], mu.shape) for mu in mus]
    mus = [-1 - np.abs(mu.real) + 1j * mu.imag for mu in mus]
    beta = random_complex(rng, 2, 4, 3, 3)
    omegas = [TWO_PI * np.fft.fftfreq(x.size, float(x[1] - x[0])) for x in axes]
    alpha = np.fft.fft2(v, axes=(0, 1))
    a = [1 / (mu[..., None] - 1j * w) for mu, w in zip(mus, omegas, strict=True)]
    s = np.einsum("xybi,iopx,ioqy,pqio->biopq", alpha, *a, beta, optimize=True)
    e = [np.exp(np.multiply.outer(mu, x)) for mu, x in zip(mus, axes, strict=True)]
    exact = np.einsum("biopq,iopz,ioqt->ztbo", s, *e, optimize=True).real / (12 * 9)

    params = system([mu[0, 0] for mu in mus], beta, False)
    if sharing == "pairwise":
        for axis, mu in enumerate(mus):
            params["params"][f"decay_{axis}"] = inverse_softplus(-mu.real)
            params["params"][f"frequency_{axis}"] = mu.imag
    params["params"]["multiplier"] = np.zeros((1, 1, 3, 2, 3))
    kernel = SpectralKernel((1, 1), (1.0, 1.0), (2, 4), sharing, "dft")
    np.testing.assert_allclose(run(kernel, params, v, axes), exact, atol=1e-11)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
def test_alno_with_the_tied_multiplier_is_lno(sharing):
    axes = [nodes(20, periodic=True), nodes(17)]
    sizes = dict(modes=(4, 3), period=(1.0, 1.2), poles=(3, 2), pole_sharing=sharing)
    v = normal(20, 17, 2, 3)
    lno, alno = SpectralKernel(**sizes, tied=True), SpectralKernel(**sizes)
    params = fresh(lno, v, axes)["params"]
    mus = [
        jax.lax.complex(
            -jax.nn.softplus(params[f"decay_{j}"]), params[f"frequency_{j}"]
        )
        for j in range(2)
    ]
    omegas = [frequencies(4, 1.0, signed=False), frequencies(3, 1.2, signed=True)]
    multiplier = jax.jit(lambda *x: tied_multiplier(*x, omegas))(
        params["residues"], mus
    )
    u = run(alno, {"params": {**params, "multiplier": multiplier}}, v, axes)
    np.testing.assert_allclose(u, run(lno, {"params": params}, v, axes), atol=1e-13)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_multiplier_differentiates(axis, order):
    """H(w) = (i w)^n; band-limited fields, on a periodic and a closed axis."""
    axes = [nodes(16, periodic=True), nodes(15)]
    x, t = mesh(axes)

    def phases(shift):
        return np.cos(TWO_PI * 2 * x + shift * (axis == 0)) * np.sin(
            TWO_PI * 3 * t + 0.2 + shift * (axis == 1)
        )

    omegas = [frequencies(5, 1.0, signed=j > 0) for j in range(2)]
    h = (1j * np.meshgrid(*omegas, indexing="ij")[axis]) ** order
    weights = np.stack([h.real, h.imag], -1)[:, :, None, :, None]
    kernel = SpectralKernel((5, 5), (1.0, 1.0))
    v = phases(0.0)[..., None, None]
    u = run(kernel, {"params": {"multiplier": weights}}, v, axes)
    exact = (TWO_PI * (2, 3)[axis]) ** order * phases(order * np.pi / 2)
    np.testing.assert_allclose(u[..., 0, 0], exact, rtol=1e-10, atol=1e-8)


@pytest.mark.usefixtures("x64")
def test_fno_layer_agrees_with_fft():
    axes = [nodes(16, periodic=True), nodes(12, periodic=True)]
    v = normal(16, 12, 2, 3)
    kernel = SpectralKernel((5, 4), (1.0, 1.0))
    params = fresh(kernel, v, axes)
    w = np.asarray(params["params"]["multiplier"])
    h = w[..., 0, :] + 1j * w[..., 1, :]
    coefficients = np.fft.rfftn(v, axes=(1, 0))
    mixed = np.zeros_like(coefficients)
    for j, k in enumerate(range(-3, 4)):
        mixed[:5, k] = np.einsum("xbi,xio->xbo", coefficients[:5, k], h[:, j])
    exact = np.fft.irfftn(mixed, s=(12, 16), axes=(1, 0))
    np.testing.assert_allclose(run(kernel, params, v, axes), exact, atol=1e-13)


@pytest.mark.usefixtures("x64")
def test_three_axes_agree_with_the_full_sum():
    """One unseparated sum over all modes and nodes, for both branches."""
    axes = [nodes(8, periodic=True), nodes(7), nodes(9)]
    v = normal(8, 7, 9, 2, 3)
    kernel = SpectralKernel((2, 3, 2), (1.0,) * 3, (2, 1, 3), transient_analysis="dft")
    params = fresh(kernel, v, axes)
    p = params["params"]

    def full(analysis, weights, synthesis, count):
        w = np.asarray(weights)[..., 0, :] + 1j * np.asarray(weights)[..., 1, :]
        u = np.einsum(
            "pu,qv,rw,uvwbi,pqrio,xp,yq,zr->xyzbo",
            *analysis,
            v,
            w,
            *synthesis,
            optimize=True,
        )
        return u.real / count

    trapezoid = [np.full(8, 1 / 8), np.full(7, 1 / 6), np.full(9, 1 / 8)]
    for weights in trapezoid[1:]:
        weights[[0, -1]] /= 2
    omegas = [frequencies(k, 1.0, signed=j > 0) for j, k in enumerate((2, 3, 2))]
    waves = [np.exp(1j * np.outer(w, x)) for w, x in zip(omegas, axes, strict=True)]
    analysis = [w.conj() * q for w, q in zip(waves, trapezoid, strict=True)]
    synthesis = [w.T * np.array([1, 2] if j == 0 else 1) for j, w in enumerate(waves)]
    exact = full(analysis, p["multiplier"], synthesis, 1)
    analysis, synthesis = [], []
    for j, x in enumerate(axes):
        mu = -np.logaddexp(p[f"decay_{j}"], 0) + 1j * np.asarray(p[f"frequency_{j}"])
        w = TWO_PI * np.fft.fftfreq(x.size, float(x[1]))
        analysis.append(1 / (mu[:, None] - 1j * w) @ np.exp(-1j * np.outer(w, x)))
        synthesis.append(np.exp(np.outer(x, mu)))
    exact = exact + full(analysis, p["residues"], synthesis, v[..., 0, 0].size)
    np.testing.assert_allclose(run(kernel, params, v, axes), exact, atol=1e-12)


@pytest.mark.parametrize("width, size", [(4, 20), (64, 4)])
def test_fresh_branches_are_of_order_one(width, size):
    """Whatever the sizes: each branch keeps the scale of a smooth field."""
    axes = (nodes(48, periodic=True), nodes(41))
    x, t = mesh(axes)
    waves = [np.ones_like(x), np.sin(TWO_PI * x), np.cos(TWO_PI * (x - t)), t - 0.5]
    v = np.stack(waves, -1) @ normal(4, width, seed=0)
    v = (v / np.std(v))[:, :, None]
    kernel = SpectralKernel((size, size), (1.0, 1.0), (size, size))
    params = jax.jit(kernel.init)(KEY, v, axes)["params"]
    for silent in ("residues", "multiplier"):
        one = {**params, silent: np.zeros_like(params[silent])}
        spread = np.std(run(kernel, {"params": one}, v, axes))
        assert 0.1 < spread < 2, (silent, spread)


def test_clipping_keeps_the_low_modes_and_says_so_once(caplog):
    """More modes than a grid can hold: as if the network had just those it holds."""
    axes = (nodes(8, periodic=True), nodes(7))
    v = normal(8, 7, 1, 2)
    large = SpectralKernel((9, 6), (1.0, 1.0), (12, 3))
    with caplog.at_level(logging.WARNING):
        params = fresh(large, v, axes)
        u = run(large, params, v, axes)
        run(large, params, v, axes)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert "modes = (9, 6) clipped to the grid's (4, 3)" in lines[0]
    assert "poles = (12, 3) clipped to the grid's (8, 3)" in lines[1]
    cut = {name: np.asarray(leaf) for name, leaf in params["params"].items()}
    cut["multiplier"] = cut["multiplier"][:4, 3:8]
    cut["residues"] = cut["residues"][:8]
    cut["decay_0"], cut["frequency_0"] = cut["decay_0"][:8], cut["frequency_0"][:8]
    small = SpectralKernel((4, 3), (1.0, 1.0), (8, 3))
    expected = run(small, {"params": cut}, v, axes)
    np.testing.assert_allclose(u, expected, atol=1e-6)
