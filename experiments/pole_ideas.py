"""Two ideas that might make poles pay more, tried on three oscillators, labels alone:

python -m experiments.pole_ideas

- damped input: a layer analyses e^{-st} v and answers with e^{st} K v, s learned, as
  GLNO's exponentials e^{-(s + i w) t} do.
- poles from the spectrum: frequencies of poles start at quantiles of the labels' power
  spectrum, and not evenly apart.

Everything else is as in `experiments.oscillator_rivals`, whose rows are what they are
compared with. Writes results/pole_ideas.json after every entry, and goes on from it.
"""

import itertools
from pathlib import Path
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from absl import flags
from flax import linen as nn

from experiments.poles import measure, rivals
from experiments.run.command import run_command
from experiments.run.data_sets import labelled_set
from experiments.run.terminal import Console
from pilno_jax.models import learned_poles, spectral_operators
from pilno_jax.models.spectral_kernel import SpectralKernel
from pilno_jax.runs import files

CACHE = flags.DEFINE_string("cache", "runs/cache", "Where data sets are kept.")
SEEDS = flags.DEFINE_integer("seeds", 5, "Of every network.", lower_bound=1)
RESULTS = Path("results/pole_ideas.json")
SYSTEMS = ("Duffing, c = 0.5", "pendulum, c = 0", "Lorenz, rho = 5")
DAMPED, SPECTRUM = "damped input", "poles from the spectrum"
NETWORKS = {
    DAMPED: ("LNO, deep", "FNO, period 1", "ALNO"),
    SPECTRUM: ("LNO, deep", "ALNO"),
}
INITIAL_DAMPING = 3.0  # what wraps around then counts e^-3


class DampedKernel(SpectralKernel):
    """e^{st} K e^{-st}, along the last axis."""

    @nn.compact
    def __call__(self, v, axes):
        raw = float(np.log(np.expm1(INITIAL_DAMPING)))
        s = jax.nn.softplus(self.param("damping", nn.initializers.constant(raw), ()))
        factor = jnp.exp(-s * jnp.asarray(axes[-1], v.dtype))[:, None, None]
        return SpectralKernel.__call__(self, v * factor, axes) / factor


def spectral_start(labels: np.ndarray, unit: float):
    """In the place of `learned_poles.initial_poles`."""
    power = np.mean(np.abs(np.fft.rfft(labels, axis=-1)) ** 2, axis=0)
    share = np.concatenate([[0.0], np.cumsum(power)]) / power.sum()
    edges = 2 * np.pi * (np.arange(power.size + 1) - 0.5).clip(0)

    def initial_poles(count, slowest, first=0):
        evenly, _ = REGULAR(count, slowest, first)
        wanted = (np.arange(count) + 0.5) / count
        return evenly, np.interp(wanted, share, edges) / unit

    return initial_poles


REGULAR = learned_poles.initial_poles


def changed(idea: str, entry: rivals.Entry, cache: Path):
    """What is patched while an entry is trained."""
    if idea == DAMPED:
        return mock.patch.object(spectral_operators, "SpectralKernel", DampedKernel)
    config = rivals.config_of(entry)
    labels = np.asarray(labelled_set(config, "train", cache)["labels"])
    start = spectral_start(labels, config.model.options["pole_unit"])
    return mock.patch.object(learned_poles, "initial_poles", start)


def main(words: list[str]) -> int:
    del words
    console, cache = Console(), Path(CACHE.value)
    rows = files.read_json(RESULTS) if RESULTS.exists() else []
    for idea, networks in NETWORKS.items():
        for network, system in itertools.product(networks, SYSTEMS):
            entry = rivals.Entry(system, rivals.PUBLISHED_LAW, network, rivals.LABELS)
            if any((r["idea"], measure.of_row(r)) == (idea, entry) for r in rows):
                continue
            console.line(f"{idea}: {entry.name}")
            with changed(idea, entry, cache):
                row = measure.measure(entry, SEEDS.value, cache)
            rows.append({"idea": idea, **row})
            console.line(f"errors: {', '.join(f'{e:.3g}' for e in row['errors'])}")
            files.write_json(RESULTS, rows)
    return 0


if __name__ == "__main__":
    run_command(main)
