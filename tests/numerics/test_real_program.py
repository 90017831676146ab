"""Programs of real numbers answer what those of complex ones do."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.real_program import real_program

UNKNOWN = ("fft", "stack", "lu", "triangular_solve", "custom_linear_solve")


def translated(v, shift):
    """v(x - shift), by the phases of its waves."""
    waves = 2 * jnp.pi * jnp.arange(v.shape[0] // 2 + 1).astype(v.dtype)
    phases = jnp.exp(-1j * as_complex(shift * waves))
    return jnp.fft.irfft(jnp.fft.rfft(v, axis=0) * phases[:, None], len(v), axis=0)


def in_the_plane(v, shift):
    """A convolution by transforms of both axes, and one with complex ones."""
    modes = jnp.fft.rfftn(v) / as_complex(1.0 + shift**2)
    back = jnp.fft.irfftn(modes * jnp.conj(modes), v.shape)
    return back, jnp.fft.ifft(jnp.fft.fft(as_complex(v)) / (2 + 1j)).imag


def with_constants(v, shift):
    """What depends on no argument may do anything."""
    basis = jnp.expm1(1j * as_complex(jnp.linspace(0.0, 1.0, len(v)).astype(v.dtype)))
    both = jnp.stack([basis @ as_complex(v), as_complex(v[0])])
    return jnp.stack([both.real, both.imag]), shift * v


def in_a_loop(v, shift):
    """Waves that are turned and collected, three times."""

    def turn(modes, factor):
        modes = modes * jnp.exp(1j * as_complex(factor))
        return modes, jnp.stack([modes.real[0], modes.imag[0]])

    factors = shift * jnp.arange(3).astype(v.dtype)
    modes, seen = jax.lax.scan(turn, jnp.fft.rfft(v), factors)
    return jnp.fft.irfft(modes, v.shape[1]), seen


def until_small(v, shift):
    """Waves that are turned and damped until none is larger than the shift."""
    start = jnp.fft.rfft(v)

    def large(state):
        return jnp.max(jnp.abs(state[0].real)) > shift

    def damp(state):
        return state[0] * jnp.exp(1j * as_complex(shift)) / 2, state[1] + 1

    modes, count = jax.lax.while_loop(large, damp, (start, 0))
    return jnp.fft.irfft(modes, v.shape[1]), count


def with_systems(v, shift):
    """A dense system at every step, for each of several samples."""

    def step(x, row):
        matrix = jnp.roll(jnp.eye(len(x)), 1, axis=0) + shift * jnp.diag(jnp.tanh(x))
        return jnp.linalg.solve(matrix, x + row), x

    return jax.vmap(lambda x: jax.lax.scan(step, x, v))(v[:2])


def operations(jaxpr):
    for operation in jaxpr.eqns:
        yield operation
        for value in operation.params.values():
            yield from operations(value.jaxpr) if hasattr(value, "jaxpr") else ()


# An even number of nodes has a Nyquist wave, an odd one has none.
@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (translated, (8, 5)),
        (translated, (7, 5)),
        (in_the_plane, (7, 6)),
        (with_constants, (8, 5)),
        (in_a_loop, (4, 5)),
        (until_small, (4, 5)),
        (with_systems, (4, 5)),
    ],
)
def test_answers_are_equal_and_no_number_is_complex(function, shape):
    v = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    shift = np.float32(0.3)
    program = real_program(function, v, shift)
    expected = jax.tree.leaves(jax.jit(function)(v, shift))
    answers = jax.jit(jaxpr_as_fun(program))(v, shift)
    for answer, truth in zip(answers, expected, strict=True):
        # Single precision, of sums of forty numbers of size one.
        np.testing.assert_allclose(answer, truth, atol=1e-5)
    for operation in operations(program.jaxpr):
        assert operation.primitive.name not in UNKNOWN
        for atom in (*operation.invars, *operation.outvars):
            assert not jnp.issubdtype(atom.aval.dtype, jnp.complexfloating)


def test_copies_of_a_matrix_are_not_kept():
    matrix = jnp.ones((3, 4))

    def every(v):
        return jnp.broadcast_to(matrix, (100, 3, 4)) @ v

    program = real_program(every, jnp.ones((100, 4, 2)))
    assert sum(np.size(constant) for constant in program.consts) <= 12


def test_what_has_no_real_form_is_named():
    with pytest.raises(NotImplementedError, match="log of complex arrays"):
        real_program(lambda x: jnp.log(as_complex(x)).real, jnp.ones(3))
    with pytest.raises(NotImplementedError, match="of a matrix's factors"):
        real_program(jnp.linalg.det, jnp.ones((5, 5)))
    with pytest.raises(NotImplementedError, match="one right side"):
        real_program(jnp.linalg.inv, jnp.ones((5, 5)))
