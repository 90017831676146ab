"""Steady Darcy flow through a random two-phase medium (paper, Eq. darcy):

    -div(a grad u) = f  in (0, 1)^2,    u = 0 on the boundary,    f = 1.

The operator maps the permeability a to the pressure u. a takes the value 12 where a
Gaussian field N(0, (-Laplace + 9)^-2) is >= 0 and 3 elsewhere; the field is PINO's
(cosine basis, no mean mode). law="periodic" is the law the paper prints, which makes
29 % of the media constant. One sees one smooth bump, about 0.013 high, steeper where
a is small and with kinks along the interfaces. Good values: 61 training points in each
direction, labels on 11, the medium and the reference on 241.

Everything is the 5-point flux form on nodes: fluxes a_face (u' - u) / h through the
faces halfway between neighbours. What a coarse grid needs of the fine medium are its
face coefficients, so `inputs` carries

    a_fine (N, N)         nodal values on the fine grid; only `solve` reads them
    a      (n, n)         nodal values on the training grid
    a_x    (n - 1, n - 2) faces between (i, j) and (i + 1, j), j an interior node
    a_y    (n - 2, n - 1) faces between (i, j) and (i, j + 1), i an interior node

and `inputs_from` makes that from any positive medium.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from pilno_jax.checks import (
    require,
    require_choice,
    require_fields,
    require_finite,
    require_positive,
)
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.norms import mean_square
from pilno_jax.numerics.poisson import (
    laplacian_eigenvalues,
    sine_transform,
    solve_poisson,
    unit_membrane,
)
from pilno_jax.numerics.random_fields import PLANAR_LAWS, two_phase
from pilno_jax.problems.base import Inputs, Problem


def darcy(
    *,
    num_points: int = 61,
    num_fine: int = 241,
    label_points: int = 11,
    values: tuple[float, float] = (3.0, 12.0),
    law: str = "neumann",
    tau: float = 3.0,
    source: float = 1.0,
    measure: str = "h-1",
    hard_constraints: bool = True,
    output_scale: float = 0.01,
    features: str = "rich",
) -> Problem:
    """Darcy flow on (num_points, num_points) nodes; see the module for the equation.

    law: "neumann" (PINO's) or "periodic" (the paper's print); tau its inverse length.
    measure: "h-1", "energy" or "l2", see `MEASURES`. The strong "l2" is the paper's
        and by far the slowest to train; "energy" needs the hard boundary condition.
    features: "paper" shows the network a alone, "rich" the face coefficients and the
        `first_responses` as well.
    """
    options: dict[str, Any] = dict(locals())
    require_choice("law", law, PLANAR_LAWS)
    require_choice("measure", measure, MEASURES)
    require_choice("features", features, ("rich", "paper"))
    allowed = "two different positive numbers"
    valid = len(values) == 2 and min(values) > 0 and values[0] != values[1]
    require(valid, "values", values, allowed)
    require_positive(tau=tau, source=source, output_scale=output_scale)
    _require_divides("num_points", num_points, "num_fine", num_fine)
    _require_divides("label_points", label_points, "num_points", num_points)
    allowed = "'h-1' or 'l2' with soft constraints: the energy has no minimum there"
    require(hard_constraints or measure != "energy", "measure", measure, allowed)

    n = num_points
    grid = Grid((Axis("x", 0.0, 1.0, n), Axis("y", 0.0, 1.0, n)))
    fine_nodes = np.linspace(0.0, 1.0, num_fine)
    stride = (num_fine - 1) // (n - 1)
    label_stride = (n - 1) // (label_points - 1)
    bump = np.sin(np.pi * np.linspace(0.0, 1.0, n))
    bump[[0, -1]] = 0.0  # not 1e-16
    centre = np.log(values[0] * values[1]) / 2
    half_range = np.abs(np.log(values[1] / values[0])) / 2
    faces = {"a_x": (n - 1, n - 2), "a_y": (n - 2, n - 1)}

    def sample(key: jax.Array) -> Inputs:
        return inputs_from(two_phase(key, fine_nodes, values, law, tau), n)

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"a_fine": (num_fine, num_fine)})
        a_x, a_y = face_coefficients(inputs["a_fine"], num_fine)
        return source * solve_flow(a_x, a_y)[::stride, ::stride]

    def channels_of(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"a": (n, n)} | faces)
        channels = [_log_scaled(inputs["a"])]
        if features == "rich":
            a_x, a_y = inputs["a_x"], inputs["a_y"]
            channels += [_on_nodes(_log_scaled(a_x), 0), _on_nodes(_log_scaled(a_y), 1)]
            responses = first_responses(a_x, a_y)
            channels += [source / output_scale * response for response in responses]
        scaled = zip(grid.scaled, (0, 1), strict=True)
        channels += [grid.broadcast(points, axis) for points, axis in scaled]
        return jnp.stack(channels, axis=-1)

    def _log_scaled(a: jax.Array) -> jax.Array:
        # -1 and 1 at the two values; the logarithm because a and 1 / a matter alike.
        return (jnp.log(a) - centre) / half_range

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        if not hard_constraints:
            return output_scale * raw
        return output_scale * jnp.asarray(np.outer(bump, bump), raw.dtype) * raw

    def boundary(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        sides = [u[0], u[-1], u[1:-1, 0], u[1:-1, -1]]
        return jnp.concatenate(sides) / output_scale

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        require(u.shape == (n, n), "shape of u", u.shape, f"{(n, n)}, one sample")
        require_fields(inputs, faces)
        return flow(u, inputs["a_x"], inputs["a_y"]) - source

    def measured(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
        return MEASURES[measure](residual, u, inputs, source)

    def rebuild(other: Grid) -> Problem:
        rows, columns = other.shape
        require(rows == columns, "grid shape", other.shape, "a square grid")
        resized: dict[str, Any] = options | {"num_points": rows}
        return darcy(**resized)

    return Problem(
        name="darcy",
        grid=grid,
        sample=sample,
        # The paper draws its virtual inputs from the labelled law.
        sample_virtual=sample,
        solve=solve,
        features=channels_of,
        residual=residual,
        constrain=constrain,
        measure=measured,
        constraints={} if hard_constraints else {"bc": boundary},
        label_stride=(label_stride, label_stride),
        rebuild=rebuild,
    )


def inputs_from(a_fine: Any, num_points: int = 61) -> Inputs:
    """The inputs on `num_points` nodes a side of a medium given on a finer grid."""
    shape = np.shape(a_fine)
    square = len(shape) == 2 and shape[0] == shape[1]
    require(square, "shape of a_fine", shape, "(N, N), one sample")
    _require_divides("num_points", num_points, "points of a_fine", shape[0])
    require_finite("a_fine", a_fine)
    if not isinstance(a_fine, Tracer):
        lowest = np.min(a_fine)
        require(lowest > 0, "minimum of a_fine", lowest, "a positive number")
    a_fine = jnp.asarray(a_fine, jnp.result_type(float))
    stride = (shape[0] - 1) // (num_points - 1)
    a_x, a_y = face_coefficients(a_fine, num_points)
    return {"a": a_fine[::stride, ::stride], "a_x": a_x, "a_y": a_y, "a_fine": a_fine}


def face_coefficients(a_fine: jax.Array, num_points: int):
    """a_x (n - 1, n - 2) and a_y (n - 2, n - 1) of the coarse grid's faces.

    Between two coarse nodes the fine faces conduct in series, so their mean is
    harmonic; across the width of a coarse face (one coarse cell, centred on the node)
    they conduct in parallel, so it is arithmetic. The exact solution of the coarse
    equations is then within 0.13-0.26 % of the fine one; faces averaged from coarse
    nodal values leave 0.6-1.1 %. A fine face is the mean of its two nodes, as in the
    reference solver of PINO; on num_points = len(a_fine) it is the coarse face too.
    """
    return _x_faces(a_fine, num_points), _x_faces(a_fine.T, num_points).T


def _x_faces(a_fine: jax.Array, num_points: int) -> jax.Array:
    fine = a_fine.shape[0]
    ratio = (fine - 1) // (num_points - 1)
    resistances = 2.0 / (a_fine[1:] + a_fine[:-1])
    series = 1.0 / resistances.reshape(num_points - 1, ratio, fine).mean(axis=1)
    parallel = jnp.asarray(_dual_average(fine, num_points), a_fine.dtype)
    return jnp.matmul(series, parallel.T, precision="highest")


def _dual_average(fine: int, num_points: int) -> np.ndarray:
    """Means over the dual cell of each interior coarse node, (n - 2, N).

    The cell is `ratio` fine cells wide; when that is even its two ends cut a fine cell
    in half.
    """
    ratio = (fine - 1) // (num_points - 1)
    centres = ratio * np.arange(1, num_points - 1)
    distances = np.abs(np.arange(fine) - centres[:, None])
    return np.clip((ratio + 1) / 2 - distances, 0.0, 1.0) / ratio


def flow(u: jax.Array, a_x: jax.Array, a_y: jax.Array) -> jax.Array:
    """-div(a grad u) at the interior nodes, (n - 2, n - 2).

    Differences of neighbours come first: they are exact in floating point, which is
    what keeps the float32 reference accurate to 1e-7 despite the division by h^2.
    """
    flux_x = a_x * jnp.diff(u[:, 1:-1], axis=0)
    flux_y = a_y * jnp.diff(u[1:-1], axis=1)
    squared_spacing = 1.0 / (u.shape[0] - 1) ** 2
    return -(jnp.diff(flux_x, axis=0) + jnp.diff(flux_y, axis=1)) / squared_spacing


def first_responses(a_x: jax.Array, a_y: jax.Array) -> tuple[jax.Array, jax.Array]:
    """How the flow answers a unit source, to lowest order, and the first correction.

    Two steps of steepest descent in the energy, each along the answer of the medium
    a = 1 to what is left of the source. Their sum is 18 % from the solution (mean of 20
    media), but it has the solution's kinks along the interfaces, which a few global
    modes cannot make from a's jumps.
    """
    n = a_x.shape[0] + 1
    left = jnp.ones((n - 2, n - 2), a_x.dtype)
    responses = []
    for _ in range(2):
        direction = solve_poisson(left)
        image = flow(jnp.pad(direction, 1), a_x, a_y)
        length = jnp.vdot(left, direction) / jnp.vdot(direction, image)
        responses.append(length * jnp.pad(direction, 1))
        left = left - length * image
    return responses[0], responses[1]


@functools.partial(jax.jit, static_argnames="max_steps")
def solve_flow(a_x: jax.Array, a_y: jax.Array, max_steps: int = 1000) -> jax.Array:
    """u (n, n), zero on the boundary, with -div(a grad u) = 1. NaN if not converged.

    Conjugate gradients, preconditioned by the constant-coefficient Laplacian. They
    converge like ((sqrt(c) - 1) / (sqrt(c) + 1))^steps where c is the contrast
    max a / min a: ~12 steps (float32) or ~24 (float64) at contrast 4. Being a linear
    solve to JAX, it is differentiable in a, at the price of one more solve.
    """
    n = a_x.shape[0] + 1
    unit_source = jnp.ones((n - 2, n - 2), a_x.dtype)

    def apply(v: jax.Array) -> jax.Array:
        return flow(jnp.pad(v, 1), a_x, a_y)

    def solve(apply: Callable, right: jax.Array) -> jax.Array:
        return _conjugate_gradients(apply, right, max_steps)

    solution = jax.lax.custom_linear_solve(apply, unit_source, solve, symmetric=True)
    return jnp.pad(solution, 1)


def _conjugate_gradients(
    apply: Callable, right: jax.Array, max_steps: int
) -> jax.Array:
    """Solve apply(v) = right until the residual's H^-1 norm, which is equivalent to
    the energy norm of the error, has fallen by the factor `tolerance`."""
    tolerance = max(10 * float(jnp.finfo(right.dtype).eps), 1e-12)

    def going_on(state):
        *_, squared, step = state
        return (squared > target) & (step < max_steps)

    def advance(state):
        v, residual, direction, squared, step = state
        image = apply(direction)
        length = squared / jnp.vdot(direction, image)
        v = v + length * direction
        residual = residual - length * image
        correction = solve_poisson(residual)
        new_squared = jnp.vdot(residual, correction)
        direction = correction + (new_squared / squared) * direction
        return v, residual, direction, new_squared, step + 1

    # The barrier keeps XLA from folding the transform of a constant while compiling.
    right = jax.lax.optimization_barrier(right)
    correction = solve_poisson(right)
    squared = jnp.vdot(right, correction)
    target = tolerance**2 * squared
    start = (jnp.zeros_like(right), right, correction, squared, 0)
    v, *_, squared, _ = jax.lax.while_loop(going_on, advance, start)
    return jnp.where(squared <= target, v, jnp.nan)


def _mean_square(r: jax.Array, u: Any, inputs: Any, source: float) -> jax.Array:
    return mean_square(r) / source**2


def _h_minus_one(r: jax.Array, u: Any, inputs: Any, source: float) -> jax.Array:
    """<r, (-Laplace_h)^-1 r> / <f, (-Laplace_h)^-1 f>, by Parseval one transform."""
    n = r.shape[0] + 2
    weights = jnp.asarray(1.0 / laplacian_eigenvalues(n), r.dtype)
    scale = source**2 * float(unit_membrane(n).sum())
    return jnp.sum(weights * sine_transform(r) ** 2) / scale


def _energy(r: jax.Array, u: Any, inputs: Any, source: float) -> jax.Array:
    """1 + 2 E(u) / M, with the Ritz functional E(u) = sum(a |grad u|^2 / 2 - f u) h^2.

    E(u) = |u - u*|^2 / 2 - |u*|^2 / 2 in the energy norm. M >= |u*|^2 is the
    complementary energy of the flux that solves the problem for a = 1, so the measure
    is never negative: at the solution it is 1 - |u*|^2 / M, about 0.2 and different
    from medium to medium, and an error adds its square, relative to M.
    """
    missing = [name for name, x in (("u", u), ("inputs", inputs)) if x is None]
    require(not missing, "missing", missing, "u and inputs: energy is no norm of r")
    n = u.shape[0]
    squared_spacing = 1.0 / (n - 1) ** 2
    a_x, a_y = inputs["a_x"], inputs["a_y"]
    membrane = source * unit_membrane(n)
    flux_x = jnp.asarray(np.diff(membrane[:, 1:-1], axis=0) ** 2, u.dtype)
    flux_y = jnp.asarray(np.diff(membrane[1:-1], axis=1) ** 2, u.dtype)
    bound = jnp.sum(flux_x / a_x) + jnp.sum(flux_y / a_y)
    gradient_x = jnp.sum(a_x * jnp.diff(u[:, 1:-1], axis=0) ** 2)
    gradient_y = jnp.sum(a_y * jnp.diff(u[1:-1], axis=1) ** 2)
    work = source * squared_spacing * jnp.sum(u[1:-1, 1:-1])
    return 1.0 + (gradient_x + gradient_y - 2 * work) / bound


# All three are 1 at u = 0. Of u = (1 - e) u*, with u* the solution, the first two are
# e^2: "l2" in the strong norm, which sees little but the roughest part of an error,
# "h-1" in a norm equivalent to the energy's. "energy" is e^2 above its own minimum.
MEASURES = {"h-1": _h_minus_one, "energy": _energy, "l2": _mean_square}


def _on_nodes(faces: jax.Array, axis: int) -> jax.Array:
    """Means of the two faces at each interior node, repeated onto the boundary."""
    before = jax.lax.slice_in_dim(faces, 0, -1, axis=axis)
    after = jax.lax.slice_in_dim(faces, 1, None, axis=axis)
    return jnp.pad((before + after) / 2, 1, mode="edge")


def _require_divides(name: str, points: int, finer_name: str, finer: int) -> None:
    intervals = finer - 1
    allowed = f">= 3 with {name} - 1 dividing {finer_name} - 1 = {intervals}"
    require(points >= 3 and intervals % (points - 1) == 0, name, points, allowed)
