"""Flux into Darcy flow through the side x = 0 as an input: Neumann's condition.

    -a u_x = q(y) at x = 0,   u = 0 on the other three sides.

Values at x = 0 are unknown, and their cells are half as wide as others. With a mirror
at x = 0 they are whole cells, into which twice the flux flows: so the 5-point scheme of
the medium and its mirror image has one more row, and a source 2 q / h in it. The
condition is part of the equation, as it is of the weak form; no lifting is needed.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require, require_fields
from pilno_jax.numerics.poisson import mirrored_membrane_sum, solve_mirrored_poisson
from pilno_jax.problems.base import InputField, Inputs, Measure, Problem
from pilno_jax.problems.boundary_data import with_boundary_data
from pilno_jax.problems.darcy.boundary_law import BoundaryLaw, constrain_by
from pilno_jax.problems.darcy.medium import (
    face_coefficients,
    face_shapes,
    side_coefficients,
)
from pilno_jax.problems.darcy.solver import conjugate_gradients

DECLARED = {
    "q": InputField(symbol="$q$"),
    "q_fine": InputField(symbol="$q$ on the fine grid"),
    "a_left": InputField(symbol="$a$ along the side"),
}


def mirrored_flow(
    u: Float[Array, "n n"],
    a_x: Float[Array, "n-1 n-2"],
    a_y: Float[Array, "n-2 n-1"],
    a_left: Float[Array, " n-1"],
) -> Float[Array, "n-1 n-2"]:
    """-div(a grad u) at the free nodes, those of x = 0 with their mirror image.

    Args:
        u: pressure on all nodes.
        a_x: coefficients of the faces across x.
        a_y: coefficients of the faces across y.
        a_left: those along the side x = 0.
    """
    flux_x = a_x * jnp.diff(u[:, 1:-1], axis=0)
    flux_x = jnp.concatenate([-flux_x[:1], flux_x])
    flux_y = jnp.concatenate([a_left[None], a_y]) * jnp.diff(u[:-1], axis=1)
    squared_spacing = 1.0 / (u.shape[0] - 1) ** 2
    return -(jnp.diff(flux_x, axis=0) + jnp.diff(flux_y, axis=1)) / squared_spacing


class BoundaryFlux(BoundaryLaw):
    """The law of q; see `BoundaryLaw` for the arguments."""

    name: ClassVar[str] = "q"
    stated: ClassVar[str] = (
        r"-a\,u_x = q \text{ at } x = 0,\quad u = 0 \text{ on the other sides}"
    )

    def __post_init__(self):
        fits = 0 < self.sigma < float("inf")
        allowed = "a positive number with boundary = 'neumann'"
        require(fits, "boundary_sigma", self.sigma, allowed)

    def nodes(self, num_points: int) -> int:
        return num_points

    def imposed_on(self, problem: Problem, source: float) -> Problem:
        n = self.num_points
        shapes = face_shapes(n) | {"q": (n,), "a_left": (n - 1,)}

        def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
            require(u.shape == (n, n), "shape of u", u.shape, f"{(n, n)}, one sample")
            require_fields(inputs, shapes)
            faces = (inputs[name] for name in ("a_x", "a_y", "a_left"))
            return mirrored_flow(u, *faces) - _sources(inputs["q"], source)

        def with_side(inputs: Inputs) -> Inputs:
            return inputs | {"a_left": side_coefficients(inputs["a_fine"], n)}

        def channels(inputs: Inputs) -> jax.Array:
            require_fields(inputs, shapes)
            faces = inputs["a_x"], inputs["a_y"], inputs["a_left"]
            answers = [
                _first_response(right, faces)
                for right in (
                    _sources(jnp.zeros_like(inputs["q"]), source),
                    _sources(inputs["q"], 0.0),
                )
            ]
            return jnp.stack(answers, -1) / self.unit

        def complete(edited: Inputs) -> Inputs:
            return with_side(problem.complete(edited)) | self.completed(edited)

        hard = not problem.constraints
        flat = dataclasses.replace(
            problem,
            sample=lambda key: with_side(problem.sample(key)),
            sample_virtual=lambda key: with_side(problem.sample_virtual(key)),
            residual=residual,
            constrain=constrain_by(_vanishing(n), self.unit, hard),
            constraints={} if hard else {"bc": _other_sides(self.unit)},
            measure=_h_minus_one(n, source),
            error_of=lambda residual, u, inputs: _answer(residual),
        )
        with_data = with_boundary_data(
            flat,
            draw=self.draw,
            lifting=lambda inputs: jnp.zeros((1, 1)),
            channels=channels,
            declared=DECLARED,
        )
        return dataclasses.replace(
            with_data,
            solve=_reference(self.num_fine, n, source),
            complete=complete,
            enough=(*problem.enough, "q_fine"),
        )


def _sources(q: jax.Array, source: float) -> jax.Array:
    """f on the free nodes, and what flows into the cells of the side."""
    n = len(q)
    everywhere = jnp.full((n - 1, n - 2), source, q.dtype)
    return everywhere.at[0].add(2 * (n - 1) * q[1:-1])


def _answer(residual: jax.Array) -> jax.Array:
    """The answer of the medium a = 1, on all nodes."""
    return jnp.pad(solve_mirrored_poisson(residual), ((0, 1), (1, 1)))


def _half_the_side(rows: int) -> np.ndarray:
    """Shares of the cells that lie inside the square."""
    return np.where(np.arange(rows) == 0, 0.5, 1.0)[:, None]


def _inner_product(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.sum(jnp.asarray(_half_the_side(len(a)), a.dtype) * a * b)


def _first_response(
    right: jax.Array, faces: tuple[jax.Array, jax.Array, jax.Array]
) -> jax.Array:
    """One step of steepest descent in the energy: it has kinks along interfaces."""
    direction = _answer(right)
    image = mirrored_flow(direction, *faces)
    inside = direction[:-1, 1:-1]
    work = _inner_product(inside, image)
    length = _inner_product(right, inside) / jnp.where(work > 0, work, 1.0)
    return length * direction


def _h_minus_one(n: int, source: float) -> Measure:
    """As `norms.h_minus_one`, of the nodes that are free."""

    scale = source**2 * mirrored_membrane_sum(n)

    def measure(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
        del u, inputs
        return _inner_product(residual, solve_mirrored_poisson(residual)) / scale

    return measure


def _reference(
    num_fine: int, num_points: int, source: float
) -> Callable[[Inputs], jax.Array]:
    fine, stride = num_fine, (num_fine - 1) // (num_points - 1)
    shapes = {"a_fine": (fine, fine), "q_fine": (fine,)}

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, shapes)
        medium = inputs["a_fine"]
        faces = (*face_coefficients(medium, fine), side_coefficients(medium, fine))
        # Of cells as wide as they are, the equations are symmetric.
        shares = jnp.asarray(_half_the_side(fine - 1), faces[0].dtype)

        def apply(v: jax.Array) -> jax.Array:
            return shares * mirrored_flow(jnp.pad(v, ((0, 1), (1, 1))), *faces)

        def invert(apply: Callable, right: jax.Array) -> jax.Array:
            def precondition(r: jax.Array) -> jax.Array:
                return solve_mirrored_poisson(r / shares)

            return conjugate_gradients(apply, right, precondition)

        right = shares * _sources(jnp.asarray(inputs["q_fine"]), source)
        v = jax.lax.custom_linear_solve(apply, right, invert, symmetric=True)
        return jnp.pad(v, ((0, 1), (1, 1)))[::stride, ::stride]

    return solve


def _vanishing(n: int) -> np.ndarray:
    """Zero on the other sides, and nowhere else."""
    s = np.linspace(0.0, 1.0, n)
    across, along = np.cos(np.pi / 2 * s), np.sin(np.pi * s)
    across[-1], along[[0, -1]] = 0.0, 0.0  # not 1e-16
    return np.outer(across, along)


def _other_sides(output_scale: float) -> Callable[[jax.Array, Inputs], jax.Array]:
    def sides(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        return jnp.concatenate([u[-1], u[:-1, 0], u[:-1, -1]]) / output_scale

    return sides
