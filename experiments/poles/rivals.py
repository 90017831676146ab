"""Networks of about equal size on driven systems: which runs, and what they found.

Every network of a system has the same labels, batches, steps and learning rate, and
about as many parameters as its ALNO; LNO's published protocol is a row of its own.
"""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.paper.baselines import LABELS_ONLY
from experiments.poles import linear_systems
from experiments.suite.protocols import Changes
from experiments.suite.run_spec import RunSpec
from pilno_jax import models
from pilno_jax.runs.loading import load

LABELS, EQUATION = WAYS = ("labels", "equation")
PUBLISHED_LAW, RANDOM_LAW = LAWS = ("published", "random")
LNO_PROTOCOL, STAGED = "LNO, published protocol", "ALNO, in stages"


class System(NamedTuple):
    """A driven system of a config.

    config: the name of its file in configs/.
    changes: of the config, in every run.
    protocol: of LNO's published protocol, where it differs from the config's.
    fno: of FNO, which has more modes in place of poles.
    """

    config: str
    changes: Changes = {}
    protocol: Changes = {}
    fno: Changes = {}


OSCILLATORS: Mapping[str, System] = {
    "Duffing, c = 0": System("duffing", {"problem.damping": 0.0}),
    "Duffing, c = 0.5": System("duffing"),
    "pendulum, c = 0": System(
        "pendulum",
        {"problem.damping": 0.0},
        {"model.poles": (20,), "train.learning_rate": 5e-3},
    ),
    "pendulum, c = 0.5": System("pendulum"),
    "Lorenz, rho = 5": System("lorenz"),
    "Lorenz, rho = 10": System(
        "lorenz",
        {"problem.rho": 10.0},
        {
            "model.poles": (84,),
            "train.learning_rate": 2e-3,
            "train.batch_data": 10,
            "train.steps": 20000,
            "train.decay_every": 2000,
        },
    ),
}
WAVES: Mapping[str, System] = {
    "beam": System("beam", fno={"model.modes": (4, 39)}),
    "telegraph": System("telegraph", fno={"model.modes": (7, 39)}),
}
SYSTEMS = {**OSCILLATORS, **WAVES}

ALONG_TIME: Mapping[str, Changes] = {
    "ALNO": {},
    "LNO, deep": {
        "model.name": "lno",
        "model.width": 16,
        "model.modes": (128,),
        "model.period": (1.0,),
    },
    "LNO, one layer": {
        "model.name": "lno",
        "model.width": 28,
        "model.num_layers": 1,
        "model.modes": (128,),
        "model.period": (1.0,),
    },
    "FNO, period 1": {
        "model.name": "fno",
        "model.modes": (64,),
        "model.period": (1.0,),
    },
    "FNO, period 2": {"model.name": "fno", "model.modes": (64,)},
    "DeepOMamba": {},
}
IN_SPACE_AND_TIME: Mapping[str, Changes] = {
    "ALNO": {},
    "LNO, deep": {"model.name": "lno", "model.poles": (0, 43)},
    "FNO, period 1": {"model.name": "fno", "model.period": (1.0, 1.0)},
    "FNO, period 2": {"model.name": "fno"},
    "DeepOMamba": {},
}
SHORT_LIST = ("ALNO", "LNO, deep", "FNO, period 2")
WAY_CHANGES: Mapping[str, Changes] = {
    LABELS: {**LABELS_ONLY, "train.batch_physics": 0},
    EQUATION: {},
}
# From labels of one shape of forcing alone a network that sees each at the same size
# would learn a table: its strength on one side, the answer on the other.
ONE_SHAPE: Changes = {"problem.own_scale": False}
RANDOM_CHANGES: Changes = {
    "problem.law": "random",
    "problem.virtual_law": "random",
    "problem.amplitude": 1.0,
    "evaluation.vary": "",
}


class Entry(NamedTuple):
    """What a run is an entry of: a system, a law of forcings, a network, a way."""

    system: str
    law: str
    network: str
    way: str


def entries() -> Iterator[Entry]:
    """All of them, the most telling first."""
    own_law = {name: RANDOM_LAW if name in WAVES else PUBLISHED_LAW for name in SYSTEMS}
    for system, law in own_law.items():
        yield Entry(system, law, STAGED, EQUATION)
    for system, law in own_law.items():
        for network in (*networks_of(system), LNO_PROTOCOL):
            yield Entry(system, law, network, LABELS)
    for system, network in itertools.product(SYSTEMS, SHORT_LIST):
        yield Entry(system, own_law[system], network, EQUATION)
    for system, network in itertools.product(OSCILLATORS, SHORT_LIST):
        yield Entry(system, RANDOM_LAW, network, LABELS)


def networks_of(system: str) -> Mapping[str, Changes]:
    """What each network changes of the config of a system."""
    return IN_SPACE_AND_TIME if system in WAVES else ALONG_TIME


def run_of(entry: Entry, seed: int) -> RunSpec:
    """The run of an entry.

    Args:
        entry: which.
        seed: of training set, parameters and batches.
    """
    system = SYSTEMS[entry.system]
    own = {"seed": seed} if seed else {}
    if entry.network == LNO_PROTOCOL:
        return RunSpec(system.config, "lno").but(
            {**system.changes, **system.protocol, **own}
        )
    if entry.network == STAGED:
        return RunSpec(system.config, "staged").but({**system.changes, **own})
    changes = {**system.changes, **WAY_CHANGES[entry.way]}
    changes |= networks_of(entry.system)[entry.network]
    if entry.network.startswith("FNO"):
        changes |= system.fno
    if entry.system in OSCILLATORS:
        one_shape = (entry.law, entry.way) == (PUBLISHED_LAW, LABELS)
        changes |= RANDOM_CHANGES if entry.law == RANDOM_LAW else {}
        if one_shape and system.config != "lorenz":  # which has one scale for all
            changes |= ONE_SHAPE
    recipe = "deepomamba" if entry.network == "DeepOMamba" else "fast"
    return RunSpec(system.config, recipe).but({**changes, **own})


def runs(seeds: int) -> list[RunSpec]:
    """Every run, all entries of a seed before the next seed.

    Args:
        seeds: how many.
    """
    return [run_of(entry, seed) for seed in range(seeds) for entry in entries()]


def gather(root: Path, seeds: int) -> list[dict[str, Any]]:
    """A row for every finished run.

    Args:
        root: where the runs live.
        seeds: how many to look for.
    """
    rows = []
    for entry, seed in itertools.product(entries(), range(seeds)):
        run = run_of(entry, seed)
        if result := run.result(root):
            row = {**entry._asdict(), "seed": seed, **_of_result(result)}
            if entry.system in WAVES and entry.network == LNO_PROTOCOL:
                row["poles"] = learned_poles(run.workdir(root))
            rows.append(row)
    return rows


def learned_poles(workdir: Path) -> list[dict[str, Any]]:
    """Each true pole of a wave equation and the nearest of a run's linear layer.

    Args:
        workdir: of the run.
    """
    run = load(workdir)
    options, extents = run.config["problem"], run.problem.grid.extents
    unit = run.config["model"]["pole_unit"]
    in_time = models.poles(run.params, extents, unit)[0][-1]
    turning = np.abs(np.asarray(in_time.frequency))  # the layer has conjugates too
    learned = -np.asarray(in_time.decay) + 1j * turning
    return linear_systems.compare(true_poles(options), learned)


def true_poles(options: Mapping[str, Any]) -> np.ndarray:
    """Those of the waves that the forcing has, with frequencies above 0.

    Args:
        options: of the problem "beam" or "telegraph", its name included.
    """
    angles = 2 * np.pi * np.arange(1, options["num_waves"] + 1)
    if options["name"] == "beam":
        frequencies = np.sqrt(options["stiffness"]) * angles**2
    else:
        frequencies = options["speed"] * angles
    half = options["damping"] / 2
    return -half + 1j * np.sqrt(frequencies**2 - half**2)


def _of_result(result: Mapping[str, Any]) -> dict[str, Any]:
    laws = {"own": result["relative_l2"], **result["relative_l2_by_law"]}
    return {
        "errors": {
            name.removeprefix("law="): one["mean"] for name, one in laws.items()
        },
        "largest": {
            name.removeprefix("law="): one["max"] for name, one in laws.items()
        },
        "parameters": result["num_params"],
        "steps": result["steps"],
        "seconds": result["wall_clock_seconds"],
        "command": result["command"],
        "code": result["code"],
    }


def _plain(law: str) -> str:
    return law.removeprefix("law=")
