"""Laws of a forcing f(t): those that LNO was published with, and random ones.

    "sine"      A sin(w t)                     LNO's training
    "decaying"  A e^{-t/20} sin(w t)           LNO's test: another shape
    "fading"    A e^{-d t} sin(w t)            both, with any d from 0 to 1/10
    "gaussian"  A times a smooth Gaussian field of deviation 1/2
    "chirps"    A sin, whose frequency goes from one value to another, up or down
    "steps"     A times three smooth steps up or down
    "random"    one of the last three

A is uniform between a two-hundredth of `amplitude` and `amplitude`. A draw is a
function: its key gives the same one on every grid.
"""

import dataclasses
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp

from pilno_jax.checks import require, require_choice, require_positive
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.random_fields import exp_sine
from pilno_jax.problems.base import Inputs

Sampler = Callable[[jax.Array], Inputs]
Shape = Callable[[jax.Array], jax.Array]  # key -> a function of size one at the nodes

WEAKEST = 1 / 200  # of the largest amplitude
DECAY = 1 / 20
NODES_PER_PERIOD = 8
RANDOM = ("gaussian", "chirps", "steps")
# The laws as pages describe them; W is the frequency.
IN_WORDS = {
    "sine": r"sines $f = A\,\text{sin}(Wt)$",
    "decaying": r"decaying sines $f = A\,e^{-t/20}\,\text{sin}(Wt)$",
    "fading": r"fading sines $f = A\,e^{-dt}\,\text{sin}(Wt)$ with $d$ up to 0.1",
    "gaussian": "smooth Gaussian functions $f$",
    "chirps": "sines $f$ whose frequency rises or falls",
    "steps": "smooth steps $f$ up and down",
    "random": "Gaussian functions, chirps and steps $f$",
}
LAWS = tuple(IN_WORDS)


@dataclasses.dataclass(frozen=True)
class Forcings:
    """Samplers of {"f": f at the nodes}.

    Args:
        times: the axis of time, which begins at 0.
        amplitude: the largest A.
        frequency: w; no law has a faster one.
    """

    times: Axis
    amplitude: float
    frequency: float

    def __post_init__(self):
        require_positive(amplitude=self.amplitude, frequency=self.frequency)
        periods = self.frequency * self.times.extent / (2 * math.pi)
        needed = math.ceil(NODES_PER_PERIOD * periods) + 1
        allowed = f"at least {needed}: {NODES_PER_PERIOD} nodes in a period of the "
        allowed += f"forcing, whose frequency is {self.frequency:g}"
        nodes = self.times.num_points
        require(nodes >= needed, "num_t", nodes, allowed)

    def sampler(self, law: str, name: str = "law") -> Sampler:
        """key -> a forcing of that law.

        Args:
            law: one of `LAWS`.
            name: what an error message calls it. Default "law".
        """
        require_choice(name, law, LAWS)
        shapes = self._shapes()
        draws = [shapes[one] for one in (RANDOM if law == "random" else (law,))]

        def sample(key: jax.Array) -> Inputs:
            kind_key, size_key, shape_key = jax.random.split(key, 3)
            if len(draws) == 1:
                shape = draws[0](shape_key)
            else:
                kind = jax.random.randint(kind_key, (), 0, len(draws))
                shape = jax.lax.switch(kind, draws, shape_key)
            spread = jax.random.uniform(size_key, minval=WEAKEST)
            return {"f": self.amplitude * spread * shape}

        return sample

    def strata(self, law: str) -> tuple[Sampler, ...]:
        """What a labelled set takes in turn: of "random" the three kinds."""
        kinds = RANDOM if law == "random" else (law,)
        return tuple(self.sampler(kind) for kind in kinds)

    def described(self, law: str, virtual_law: str) -> str:
        """Both laws in words, for `Statement.law`.

        Args:
            law: of the labelled forcings.
            virtual_law: of the virtual ones.
        """
        words, others = (
            IN_WORDS[one].replace("W", f"{self.frequency:g}")
            for one in (law, virtual_law)
        )
        labelled = f"{words}, of amplitudes up to {self.amplitude:g}"
        if law == virtual_law:
            return labelled
        return f"{labelled}; {others} where the equation alone teaches"

    def _shapes(self) -> dict[str, Shape]:
        t, last, w = self.times.coordinates, self.times.high, self.frequency
        uniform = jax.random.uniform

        def sine(key: jax.Array) -> jax.Array:
            del key
            return jnp.sin(w * t)

        def decaying(key: jax.Array) -> jax.Array:
            return jnp.exp(-DECAY * t) * sine(key)

        def fading(key: jax.Array) -> jax.Array:
            return jnp.exp(-uniform(key, maxval=2 * DECAY) * t) * sine(key)

        def gaussian(key: jax.Array) -> jax.Array:
            # On a longer circle: nothing ties the end to the start.
            return exp_sine(key, t, length_scale=0.2, sigma=0.5, period=1.25 * last)

        def chirps(key: jax.Array) -> jax.Array:
            ends_key, phase_key = jax.random.split(key)
            low, high = uniform(ends_key, (2,), minval=0.1 * w, maxval=w)
            phase = uniform(phase_key, maxval=2 * math.pi)
            return jnp.sin(phase + low * t + (high - low) * t**2 / (2 * last))

        def steps(key: jax.Array) -> jax.Array:
            place_key, height_key = jax.random.split(key)
            places = uniform(place_key, (3,), maxval=last)
            heights = jax.random.normal(height_key, (3,)) / 2
            rises = jax.nn.sigmoid(w * (t[:, None] - places[None]))
            return rises @ heights

        every = (sine, decaying, fading, gaussian, chirps, steps)
        return {shape.__name__: shape for shape in every}
