"""ALNO, FNO, LNO: known operators in the weights, against closed forms."""

import logging
import math
import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import models
from pilno_jax.models import ALNO, FNO, LNO
from pilno_jax.models.activations import sine
from pilno_jax.models.bases import frequencies
from pilno_jax.models.spectral_kernel import SpectralKernel, tied_multiplier

TWO_PI = 2 * np.pi
KEY = jax.random.key(0)


def nodes(n: int, periodic: bool = False) -> jax.Array:
    return jnp.linspace(0, 1, n, endpoint=not periodic)


# Compiling is nearly all the time these tests take, and they run each program once.
jit = partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


@partial(jit, static_argnums=0)
def run(net, params, v, axes):
    return net.apply(params, v, axes)


def fresh(net, v, axes, seed=0):
    """Random parameters; compiling the initialisers would cost most of the test."""
    rng = np.random.default_rng(seed)

    def values(leaf):
        return jnp.asarray(rng.normal(size=leaf.shape) / leaf.shape[-1], leaf.dtype)

    return jax.tree.map(values, jax.eval_shape(net.init, KEY, v, axes))


def mesh(axes):
    return jnp.meshgrid(*axes, indexing="ij")


def inverse_softplus(decay):
    return np.log(np.expm1(decay))


def system(mus, beta, pairwise: bool):
    """Parameters of a kernel with the given poles (p,) per axis and residues."""
    params = {"residues": jnp.stack([beta.real, beta.imag], -2)}
    for axis, mu in enumerate(mus):
        if mu is None:
            continue
        if pairwise:
            mu = np.broadcast_to(mu, (*beta.shape[-2:], mu.size))
        params[f"decay_{axis}"] = jnp.asarray(inverse_softplus(-mu.real))
        params[f"frequency_{axis}"] = jnp.asarray(mu.imag)
    return {"params": params}


def random_complex(rng, *shape):
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
@pytest.mark.parametrize("mu", [[-2.0 + 3.0j], [-0.5 + 0.0j, -3.0 - 7.0j, -6.0 + 1.0j]])
def test_lno_layer_solves_its_ode_from_rest(mu, sharing):
    """u' = mu u + beta v, u(0) = 0 for v = sum of waves: transient and steady part.

    The quadrature error O(h^8) is below 1e-10 on 241 nodes.
    """
    mu, rng = np.array(mu), np.random.default_rng(0)
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
    v = jnp.stack(fields, -1)[:, None]
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
    v = jnp.cos(omega * x[:, None] + zeta * t[None] + 0.3)
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
    field = jnp.stack([v, jnp.zeros_like(v)], -1)[:, :, None]
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
    v = jnp.cos(TWO_PI * wave * x[:, None] + zeta * t[None] + 0.3)
    exact = np.zeros((x.size, t.size, 2))
    for sign in (1, -1):
        z = 1j * sign * zeta
        rise = np.exp(z * t)[:, None] - np.exp(np.multiply.outer(t, nu))
        rise = rise / (z - nu) @ beta[3 + sign * wave, :, 0]
        along_x = np.exp(1j * sign * (TWO_PI * wave * x + 0.3)) / 2
        exact += (along_x[:, None, None] * rise[None]).real
    square = np.concatenate([beta, np.zeros_like(beta)], 2)
    field = jnp.stack([v, jnp.zeros_like(v)], -1)[:, :, None]
    axes, modes, poles, mus = [x, t], (4, 3), (0, 3), [None, nu]
    if swapped:
        # Time first: the other axis then is the signed one of the multiplier.
        axes, modes, poles, mus = [t, x], (3, 4), (3, 0), [nu, None]
        field, square = jnp.swapaxes(field, 0, 1), np.swapaxes(square, 0, 1)
        exact = np.swapaxes(exact, 0, 1)
    kernel = SpectralKernel(modes, (1.0, 1.0), poles, sharing, tied=True)
    u = run(kernel, system(mus, square, sharing == "pairwise"), field, axes)
    np.testing.assert_allclose(u[:, :, 0], exact, atol=1e-10)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("model", [ALNO, LNO])
def test_poles_in_time_only_commute_with_shifts_in_space(model):
    """A deep network, and with poles in x it does not: there x = 0 is a start."""
    axes = (nodes(16, periodic=True), nodes(9))
    v = jax.random.normal(KEY, (16, 9, 2))

    def gap(poles):
        net = model(width=4, num_layers=2, modes=3, poles=poles, projection_width=None)
        params = fresh(net, v, axes)
        moved = run(net, params, jnp.roll(v, 5, 0), axes)
        still = run(net, params, v, axes)
        return jnp.abs(moved - jnp.roll(still, 5, 0)).max() / jnp.std(still)

    assert gap((0, 2)) < 1e-12 < 1e-3 < gap((2, 2))


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
    params["params"]["multiplier"] = jnp.zeros((1, 1, 3, 2, 3))
    kernel = SpectralKernel((1, 1), (1.0, 1.0), (2, 4), sharing, "dft")
    np.testing.assert_allclose(run(kernel, params, v, axes), exact, atol=1e-11)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("sharing", ["shared", "pairwise"])
def test_alno_with_the_tied_multiplier_is_lno(sharing):
    axes = [nodes(20, periodic=True), nodes(17)]
    sizes = dict(modes=(4, 3), period=(1.0, 1.2), poles=(3, 2), pole_sharing=sharing)
    v = jax.random.normal(KEY, (20, 17, 2, 3))
    lno, alno = SpectralKernel(**sizes, tied=True), SpectralKernel(**sizes)
    params = fresh(lno, v, axes)["params"]
    mus = [
        jax.lax.complex(
            -jax.nn.softplus(params[f"decay_{j}"]), params[f"frequency_{j}"]
        )
        for j in range(2)
    ]
    omegas = [frequencies(4, 1.0, signed=False), frequencies(3, 1.2, signed=True)]
    multiplier = tied_multiplier(params["residues"], mus, omegas)
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
        return jnp.cos(TWO_PI * 2 * x + shift * (axis == 0)) * jnp.sin(
            TWO_PI * 3 * t + 0.2 + shift * (axis == 1)
        )

    omegas = [frequencies(5, 1.0, signed=j > 0) for j in range(2)]
    h = (1j * np.meshgrid(*omegas, indexing="ij")[axis]) ** order
    weights = np.stack([h.real, h.imag], -1)[:, :, None, :, None]
    kernel = SpectralKernel((5, 5), (1.0, 1.0))
    v = phases(0.0)[..., None, None]
    u = run(kernel, {"params": {"multiplier": jnp.asarray(weights)}}, v, axes)
    exact = (TWO_PI * (2, 3)[axis]) ** order * phases(order * np.pi / 2)
    np.testing.assert_allclose(u[..., 0, 0], exact, rtol=1e-10, atol=1e-8)


@pytest.mark.usefixtures("x64")
def test_fno_layer_agrees_with_fft():
    axes = [nodes(16, periodic=True), nodes(12, periodic=True)]
    v = jax.random.normal(KEY, (16, 12, 2, 3))
    kernel = SpectralKernel((5, 4), (1.0, 1.0))
    params = fresh(kernel, v, axes)
    w = params["params"]["multiplier"]
    h = jax.lax.complex(w[..., 0, :], w[..., 1, :])
    coefficients = jnp.fft.rfftn(v, axes=(1, 0))
    kept = jnp.zeros_like(coefficients)
    for j, k in enumerate(range(-3, 4)):
        mixed = jnp.einsum("xbi,xio->xbo", coefficients[:5, k], h[:, j])
        kept = kept.at[:5, k].set(mixed)
    exact = jnp.fft.irfftn(kept, s=(12, 16), axes=(1, 0))
    np.testing.assert_allclose(run(kernel, params, v, axes), exact, atol=1e-13)


@pytest.mark.usefixtures("x64")
def test_three_axes_agree_with_the_full_sum():
    """One unseparated sum over all modes and nodes, for both branches."""
    axes = list(map(np.asarray, (nodes(8, periodic=True), nodes(7), nodes(9))))
    v = jax.random.normal(KEY, (8, 7, 9, 2, 3))
    kernel = SpectralKernel((2, 3, 2), (1.0,) * 3, (2, 1, 3), transient_analysis="dft")
    params = fresh(kernel, v, axes)
    p = params["params"]

    def full(analysis, weights, synthesis, count):
        w = jax.lax.complex(weights[..., 0, :], weights[..., 1, :])
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


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("model, period", [(ALNO, 1.0), (LNO, (1.0, 1.25)), (FNO, 1.0)])
def test_resolution(model, period):
    """The same weights are the same function on a grid twice as fine.

    Random weights and a band-limited input that closes up. The fields inside do not
    close up in t after the transient branch, so the Fourier quadrature of period 1,
    second order there, would dominate in deeper layers: one layer measures the layer.
    """
    net = model(width=6, num_layers=1, modes=4, period=period, projection_width=None)
    if model is not FNO:
        net = net.clone(poles=4)

    def evaluate(factor, params=None):
        axes = (nodes(56 * factor, periodic=True), nodes(56 * factor + 1))
        x, t = mesh(axes)
        u0 = jnp.sin(TWO_PI * x + 1) * jnp.cos(TWO_PI * 2 * t) + 0.3 * jnp.cos(
            TWO_PI * t
        )
        params = fresh(net, u0[..., None], axes) if params is None else params
        return run(net, params, u0[..., None], axes), params

    coarse, params = evaluate(1)
    fine, _ = evaluate(2, params)
    np.testing.assert_allclose(fine[::2, ::2], coarse, atol=1e-5 * jnp.std(fine))


def small(model=ALNO, **kwargs):
    sizes = dict(width=5, num_layers=2, modes=(4, 3), projection_width=7)
    poles = {} if model is FNO else {"poles": (2, 3)}
    net = model(**sizes | poles | kwargs)
    axes = (nodes(10, periodic=True), nodes(8))
    features = jax.random.normal(jax.random.key(1), (3, 10, 8, 2))
    return net, fresh(net, features, axes), features, axes


def test_batch_is_one_sample_at_a_time():
    net, params, features, axes = small(normalize=True, num_layers=1)
    batch = run(net, params, features, axes)
    assert batch.dtype == jnp.float32 and batch.shape == (3, 10, 8, 1)
    each = jnp.stack([run(net, params, f, axes) for f in features])
    np.testing.assert_allclose(batch, each, atol=2e-6)
    mapped = jax.vmap(lambda f: run(net, params, f, axes))(features)
    np.testing.assert_allclose(batch, mapped, atol=2e-6)


@pytest.mark.usefixtures("x64")
def test_normalized_layers_ignore_scale_and_offset():
    """Without the skip connection a layer sees the shape of its input only."""
    net, params, features, axes = small(FNO, num_layers=1, normalize=True)
    params["params"]["skip_0_weights"] *= 0
    plain = run(net, params, features, axes)
    shifted = run(net, params, 3 * features + 2, axes)
    # Up to the small constant that guards the division by the deviation.
    np.testing.assert_allclose(plain, shifted, atol=1e-3 * np.std(plain))


@pytest.mark.usefixtures("x64")
def test_derivatives_of_both_modes_and_second_order_agree():
    """d/dp |d loss / d features|^2, reverse over reverse, against a difference."""
    net, params, features, axes = small(num_layers=1)

    def loss(p, f):
        return jnp.sum(jnp.sin(net.apply(p, f, axes)))

    def squared_slope(p):
        return jnp.sum(jax.grad(loss, 1)(p, features) ** 2)

    direction = fresh(net, features, axes, seed=5)
    reverse = jit(jax.grad(squared_slope))(params)
    products = jax.tree.map(lambda g, d: jnp.sum(g * d), reverse, direction)
    slope = sum(jax.tree.leaves(products))
    forward = jit(lambda p, d: jax.jvp(squared_slope, (p,), (d,))[1])
    np.testing.assert_allclose(forward(params, direction), slope, rtol=1e-10)
    step = 1e-4
    ahead, behind = (
        jax.tree.map(lambda p, d, s=s: p + s * d, params, direction)
        for s in (step, -step)
    )
    value = jit(squared_slope)
    difference = (value(ahead) - value(behind)) / (2 * step)
    np.testing.assert_allclose(difference, slope, rtol=1e-5)


def test_no_field_is_transposed_in_either_direction():
    """The layout's point, counted in the compiled gradient of a deep network.

    Only the features are moved, into the layout; contracting the axes with `einsum`
    instead moves over fifty fields.
    """
    net, params, features, axes = small(num_layers=4)
    loss = lambda p, f: jnp.sum(net.apply(p, f, axes) ** 2)  # noqa: E731
    program = jax.jit(jax.grad(loss)).lower(params, features).compile().as_text()
    shapes = re.findall(r"f32\[([\d,]+)\]\S* transpose\(", program)
    # Smaller ones are bases and weights.
    moved = [s for s in shapes if math.prod(map(int, s.split(","))) > 200]
    assert moved == ["10,8,3,2"]


@pytest.mark.parametrize(
    "model, options",
    [
        (ALNO, dict(lift_width=3)),
        (ALNO, dict(pole_sharing="pairwise")),
        (ALNO, dict(poles=(0, 3))),
        (LNO, {}),
        (FNO, {}),
    ],
)
def test_every_parameter_is_used(model, options):
    """A gradient in every array, and every array changes the output."""
    net, params, features, axes = small(model, **options)
    loss = lambda p: jnp.mean(net.apply(p, features, axes) ** 2)  # noqa: E731
    gradients = jit(jax.grad(loss))(params)
    for path, g in jax.tree.leaves_with_path(gradients):
        # The imaginary part of the multiplier of the mean is the only idle one.
        share = jnp.mean(g != 0)
        assert share > 0.9, (jax.tree_util.keystr(path), share)
    base = run(net, params, features, axes)
    for path, _ in jax.tree.leaves_with_path(params):
        changed = jax.tree_util.tree_map_with_path(
            lambda q, leaf, path=path: leaf + 0.1 * (q == path), params
        )
        moved = jnp.abs(run(net, changed, features, axes) - base).max()
        assert moved > 1e-5, jax.tree_util.keystr(path)


@pytest.mark.parametrize("slowest", [0.1, 1.0, 100.0])
def test_poles_start_within_a_decade_of_the_given_rate(slowest):
    net, _, features, axes = small(ALNO, initial_decay=slowest)
    for axis in models.poles(net.init(KEY, features, axes))[0]:
        np.testing.assert_allclose(axis.decay[0], slowest, rtol=1e-6)
        assert np.all((axis.decay >= 0.999 * slowest) & (axis.decay < 10 * slowest))


@pytest.mark.parametrize("width, size", [(4, 20), (64, 4)])
def test_fresh_branches_are_of_order_one(width, size):
    """Whatever the sizes: each branch keeps the scale of a smooth field."""
    axes = (nodes(48, periodic=True), nodes(41))
    x, t = mesh(axes)
    waves = [jnp.ones_like(x), jnp.sin(TWO_PI * x), jnp.cos(TWO_PI * (x - t)), t - 0.5]
    channels = np.random.default_rng(0).normal(size=(4, width))
    v = jnp.stack(waves, -1) @ jnp.asarray(channels, x.dtype)
    v = (v / jnp.std(v))[:, :, None]
    kernel = SpectralKernel((size, size), (1.0, 1.0), (size, size))
    params = jit(kernel.init)(KEY, v, axes)["params"]
    for silent in ("residues", "multiplier"):
        one = {**params, silent: jnp.zeros_like(params[silent])}
        spread = jnp.std(run(kernel, {"params": one}, v, axes))
        assert 0.1 < spread < 2, (silent, spread)


def test_clipping_keeps_the_low_modes_and_says_so_once(caplog):
    """More modes than a grid can hold: as if the network had just those it holds."""
    axes = (nodes(8, periodic=True), nodes(7))
    v = jax.random.normal(KEY, (8, 7, 1, 2))
    large = SpectralKernel((9, 6), (1.0, 1.0), (12, 3))
    with caplog.at_level(logging.WARNING):
        params = fresh(large, v, axes)
        u = run(large, params, v, axes)
        run(large, params, v, axes)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert "modes = (9, 6) clipped to the grid's (4, 3)" in lines[0]
    assert "poles = (12, 3) clipped to the grid's (8, 3)" in lines[1]
    cut = dict(params["params"])
    cut["multiplier"] = cut["multiplier"][:4, 3:8]
    cut["residues"] = cut["residues"][:8]
    cut["decay_0"], cut["frequency_0"] = cut["decay_0"][:8], cut["frequency_0"][:8]
    held = run(SpectralKernel((4, 3), (1.0, 1.0), (8, 3)), {"params": cut}, v, axes)
    np.testing.assert_allclose(u, held, atol=1e-6)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(width=0), "width = 0"),
        (dict(num_layers=-1), "num_layers = -1"),
        (dict(modes=(4, 0)), r"modes = \(4, 0\)"),
        (dict(poles=0), "poles = 0"),
        (dict(poles=(0, 0)), r"poles = \(0, 0\)"),
        (dict(poles=(4, -1)), r"poles = \(4, -1\)"),
        (dict(poles=2.5), "poles = 2.5"),
        (dict(period=0.5), "period = 0.5"),
        (dict(activation="relu"), "activation = 'relu'.*tanh.*gelu.*sin"),
        (dict(pole_sharing="none"), "pole_sharing = 'none'.*shared.*pairwise"),
        (dict(transient_analysis="fft"), "transient_analysis.*quadrature.*dft"),
        (dict(initial_decay=0.0), "initial_decay = 0.0"),
    ],
)
def test_errors_name_the_field_and_the_choices(options, message):
    with pytest.raises(ValueError, match=message):
        ALNO(**options)


def test_shape_errors_say_what_was_expected():
    net, params, features, axes = small()
    with pytest.raises(ValueError, match="shape of features"):
        run(net, params, features[:, :9], axes)
    with pytest.raises(ValueError, match="modes"):
        ALNO(modes=(1, 2, 3)).init(KEY, features, axes)
    with pytest.raises(ValueError, match="name = 'cnn'.*alno.*fno.*lno.*deepomamba"):
        models.make("cnn")
    assert isinstance(models.make("lno", width=8), LNO)


def test_poles_in_physical_units():
    _, params, *_ = small(ALNO)
    scaled, physical = models.poles(params), models.poles(params, extents=(2.0, 5.0))
    assert len(scaled) == 2 and [p.decay.size for p in scaled[0]] == [2, 3]
    for layer, (one, other) in enumerate(zip(scaled, physical, strict=True)):
        raw = params["params"][f"kernel_{layer}"]["decay_1"]
        np.testing.assert_allclose(one[1].decay, jnp.logaddexp(raw, 0), rtol=1e-6)
        np.testing.assert_allclose(other[0].decay * 2, one[0].decay, rtol=1e-6)
        np.testing.assert_allclose(other[1].frequency * 5, one[1].frequency, rtol=1e-6)
    _, params, *_ = small(ALNO, poles=(0, 3))
    assert [p.decay.size for p in models.poles(params, (2.0, 5.0))[0]] == [0, 3]
    _, params, *_ = small(FNO)
    assert models.poles(params) == []


def test_bfloat16_mixing_is_close():
    net, params, features, axes = small()
    low = run(net.clone(mixing_dtype="bfloat16"), params, features, axes)
    high = run(net, params, features, axes)
    assert low.dtype == jnp.float32
    gap = float(jnp.abs(low - high).max() / jnp.std(high))
    assert 1e-6 < gap < 3e-2


def test_remat_changes_memory_alone():
    """The same parameters, values and gradients, and fewer bytes to keep."""
    net, params, features, axes = small(ALNO)
    found = []
    for chosen in (net, net.clone(remat=True)):
        made = jax.eval_shape(chosen.init, jax.random.key(0), features, axes)
        assert jax.tree.structure(made) == jax.tree.structure(params)

        def loss(params, chosen=chosen):
            return jnp.mean(chosen.apply(params, features, axes) ** 2)

        # What JAX keeps for the backward pass. What XLA then plans on a CPU is no less.
        kept = jax.eval_shape(lambda p, loss=loss: jax.vjp(loss, p)[1], params)
        size = sum(leaf.size for leaf in jax.tree.leaves(kept))
        found.append((jax.jit(jax.value_and_grad(loss))(params), size))
    (plain, more), (again, less) = found
    for one, two in zip(jax.tree.leaves(plain), jax.tree.leaves(again), strict=True):
        # The second computation may be fused, so rounded, differently.
        scale = float(jnp.abs(one).max())
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5 * scale)
    assert less < 0.7 * more


@pytest.mark.parametrize("name", ["int32", "complex64", "half"])
def test_mixing_dtypes_that_mean_nothing_are_refused(name):
    with pytest.raises(ValueError, match=f"mixing_dtype = '{name}'.*bfloat16"):
        ALNO(mixing_dtype=name)


def test_sine_and_its_derivatives():
    x = jnp.linspace(-30, 30, 20001)
    exact = np.sin(np.asarray(x, np.float64))
    np.testing.assert_allclose(sine(x), exact, atol=4e-6)
    near = x[jnp.abs(x) < 4]
    np.testing.assert_allclose(sine(near), jnp.sin(near), atol=4e-7)
    slope = jax.vmap(jax.grad(sine))
    np.testing.assert_allclose(slope(near), jnp.cos(near), atol=1e-6)
    curvature = jax.vmap(jax.grad(jax.grad(sine)))
    np.testing.assert_allclose(curvature(near), -jnp.sin(near), atol=1e-6)
