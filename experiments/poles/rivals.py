"""Networks on driven systems, as fair as can be: which are compared, and how trained.

Deep networks of a system have the same labels, batches and steps, and about as many
parameters. Waves are linear, and some of the layers that learn them are too. LNO's
published protocol is a row of its own.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from experiments.config.command_line import read_config
from experiments.config.schema import RunConfig
from experiments.suite.protocols import Changes
from experiments.suite.registry import BENCHMARKS

LABELS, EQUATION = WAYS = ("labels", "equation")
PUBLISHED_LAW, RANDOM_LAW = LAWS = ("published", "random")
LNO_PROTOCOL, LOOPED, STAGED = "LNO, published", "looped LNO", "ALNO, in stages"
ONE_LAYER = "LNO, one layer"
NEAREST = "nearest label"  # no network, see `nearest_label`


class System(NamedTuple):
    """A driven system of a config.

    config: the name of its file in configs/.
    changes: of the config, for every network.
    protocol: of LNO's published protocol, where it differs from the config's.
    period_2: of FNO with period 2, whose modes are twice as dense.
    as_small: of FNO with as many parameters as LNO, or the next larger number.
    """

    config: str
    changes: Changes = {}
    protocol: Changes = {}
    period_2: Changes = {}
    as_small: Changes = {}


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
    "beam": System(
        "beam",
        period_2={"model.modes": (4, 64)},
        as_small={"model.modes": (4, 3)},
    ),
    "telegraph": System(
        "telegraph",
        period_2={"model.modes": (7, 64)},
        as_small={"model.modes": (7, 3)},
    ),
}
SYSTEMS = {**OSCILLATORS, **WAVES}


class Network(NamedTuple):
    """A recipe of every system's config, and what is changed of it."""

    recipe: str
    changes: Changes = {}


TIED: Changes = {"model.name": "lno", "model.modes": (96,), "model.period": (1.0,)}
DEEP: Changes = {**TIED, "model.width": 16}
WIDE: Changes = {**TIED, "model.width": 28, "model.num_layers": 1}
PERIOD_2: Changes = {"model.name": "fno", "model.modes": (64,)}
PERIOD_1: Changes = {**PERIOD_2, "model.period": (1.0,)}
ALONG_TIME: Mapping[str, Network] = {
    LOOPED: Network("looped"),
    "ALNO": Network("fast"),
    "LNO, deep": Network("fast", DEEP),
    ONE_LAYER: Network("fast", WIDE),
    "FNO, period 1": Network("fast", PERIOD_1),
    "FNO, period 2": Network("fast", PERIOD_2),
    "DeepOMamba": Network("deepomamba"),
    LNO_PROTOCOL: Network("lno"),
    STAGED: Network("staged"),
    "FNO, in stages": Network("staged", PERIOD_2),
    "LNO, in stages": Network("staged", DEEP),
    "FNO, period 1, in stages": Network("staged", PERIOD_1),
    f"{ONE_LAYER}, in stages": Network("staged", WIDE),
    "DeepOMamba, in stages": Network(
        "deepomamba", {"stages.steps": (1500,), "stages.last_applied": 3}
    ),
    NEAREST: Network("fast"),
}
LINEAR_FNO: Changes = {"model.name": "fno", "train.learning_rate": 1e-2}
WIDER: Changes = {"model.width": 2, "model.projection_width": 2}
AS_SMALL = "as small"
LINEAR: Mapping[str, Network] = {
    ONE_LAYER: Network("lno"),
    f"FNO, period 1, {AS_SMALL}": Network(
        "lno", {**LINEAR_FNO, "model.period": (1.0, 1.0)}
    ),
    f"FNO, period 2, {AS_SMALL}": Network("lno", LINEAR_FNO),
    "FNO, period 2": Network("lno", {**LINEAR_FNO, **WIDER}),
    "FNO, period 2, 128 modes": Network("lno", {**LINEAR_FNO, **WIDER}),
}
DEEP_FNO: Changes = {"model.name": "fno"}
DEEP_FNO_1: Changes = {**DEEP_FNO, "model.period": (1.0, 1.0)}
DEEP_LNO: Changes = {"model.name": "lno", "model.width": 12}
IN_SPACE_AND_TIME: Mapping[str, Network] = {
    **LINEAR,
    "ALNO": Network("fast"),
    "FNO, deep": Network("fast", DEEP_FNO),
    "FNO, deep, period 1": Network("fast", DEEP_FNO_1),
    "LNO, deep": Network("fast", DEEP_LNO),
    "DeepOMamba": Network("deepomamba"),
}
# Those of the same names where the equation teaches too: deep ones in stages.
WITH_EQUATION: Mapping[str, Network] = {
    # The distance to what f answers from rest sees the start, without derivatives.
    ONE_LAYER: Network(
        "lno", {"weights.pde": 1.0, "weights.ic": 0.0, "train.batch_physics": 2}
    ),
    "ALNO": Network("staged"),
    "FNO, deep": Network("staged", DEEP_FNO),
    "FNO, deep, period 1": Network("staged", DEEP_FNO_1),
    "LNO, deep": Network("staged", DEEP_LNO),
    "DeepOMamba": Network(
        "deepomamba",
        {"train.steps": 1500, "stages.steps": (1000,), "stages.last_applied": 3},
    ),
}
LABELS_ALONE: Changes = {
    "weights.pde": 0.0,
    "weights.ic": 0.0,
    "train.batch_physics": 0,
}
# From labels of one shape of forcing alone a network that sees each at the same size
# would learn a table: its strength on one side, the answer on the other.
ONE_SHAPE: Changes = {"problem.own_scale": False}
RANDOM_CHANGES: Changes = {
    "problem.law": "random",
    "problem.virtual_law": "random",
    "problem.amplitude": 1.0,
}


class Entry(NamedTuple):
    """A system, a law of forcings, a network, and a way to teach it."""

    system: str
    law: str
    network: str
    way: str

    @property
    def name(self) -> str:
        return "; ".join(self)


def entries() -> Iterator[Entry]:
    """All of them, the most telling first."""
    first = (NEAREST, LOOPED, LNO_PROTOCOL, "FNO, period 2", "ALNO", "LNO, deep")
    others = (ONE_LAYER, "FNO, period 1", "DeepOMamba")
    on_random = (LOOPED, "ALNO", "FNO, period 2", "LNO, deep", *others)
    staged = [name for name in ALONG_TIME if name.endswith(", in stages")]
    for network in IN_SPACE_AND_TIME:
        yield from _of(WAVES, RANDOM_LAW, network, LABELS)
    for network in (*first, *others):
        yield from _of(OSCILLATORS, PUBLISHED_LAW, network, LABELS)
    for network in on_random:
        yield from _of(OSCILLATORS, RANDOM_LAW, network, LABELS)
    for network in staged:
        yield from _of(OSCILLATORS, PUBLISHED_LAW, network, EQUATION)
    for network in WITH_EQUATION:
        yield from _of(WAVES, RANDOM_LAW, network, EQUATION)
    for network in staged:
        yield from _of(OSCILLATORS, RANDOM_LAW, network, EQUATION)


def _of(systems: Iterable[str], law: str, network: str, way: str) -> Iterator[Entry]:
    for system in systems:
        yield Entry(system, law, network, way)


def recipe_of(entry: Entry) -> tuple[str, dict[str, Any]]:
    """configs/FILE.py:recipe, and what is changed of it.

    Args:
        entry: which.
    """
    system = SYSTEMS[entry.system]
    network = _networks(entry)[entry.network]
    changes = {**system.changes, **network.changes}
    if entry.network == LNO_PROTOCOL:
        changes |= system.protocol
    elif entry.way == LABELS:
        changes |= LABELS_ALONE
    if entry.network == "FNO, period 2":
        changes |= system.period_2
    elif entry.network.endswith(AS_SMALL):
        changes |= system.as_small
    if entry.law == RANDOM_LAW and entry.system in OSCILLATORS:
        changes |= RANDOM_CHANGES
    one_shape = (entry.law, entry.way) == (PUBLISHED_LAW, LABELS)
    if one_shape and system.config != "lorenz":  # which sees f as it is anyway
        changes |= ONE_SHAPE
    return f"configs/{system.config}.py:{network.recipe}", changes


def _networks(entry: Entry) -> Mapping[str, Network]:
    """Those that an entry's is one of."""
    if entry.system in OSCILLATORS:
        return ALONG_TIME
    return WITH_EQUATION if entry.way == EQUATION else IN_SPACE_AND_TIME


def config_of(entry: Entry) -> RunConfig:
    """The config of an entry, for any seed."""
    file, changes = recipe_of(entry)
    return read_config(file).changed(changes)


def command_of(entry: Entry) -> str:
    """What trains one seed of an entry by itself, with a run folder and a report."""
    file, changes = recipe_of(entry)
    command = BENCHMARKS[SYSTEMS[entry.system].config].entry_point
    words = [f"--config.{field}={value}" for field, value in sorted(changes.items())]
    return shlex.join(
        ["python", "-m", f"experiments.{command}", f"--config={file}", *words]
    )


def tested_law(entry: Entry) -> dict[str, Any]:
    """How validation and test set differ from the training set.

    LNO's protocol judges, and validates, on another shape than it trains on.
    """
    return {"law": "decaying"} if entry.law == PUBLISHED_LAW else {}


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
