"""The benchmarks: everything about one that its config does not say.

A new benchmark is a problem, a config, an entry point, and an entry here. Suites,
pages, pictures and measurements iterate this registry; what a config says already
(labels, problem, options) is read from it. The paper's numbers are in `paper.printed`.
"""

import dataclasses
import enum
import functools
from collections.abc import Mapping
from typing import Any

from experiments.config.command_line import read_config
from pilno_jax import problems
from pilno_jax.problems.statement import Statement
from pilno_jax.runs import files


@functools.cache
def fields_of(config: str, recipe: str) -> dict[str, Any]:
    """The fields of a recipe: "section.field" -> value.

    Args:
        config: the name of a file in configs/, without ending.
        recipe: "fast" or "paper".
    """
    return files.flatten(read_config(f"configs/{config}.py:{recipe}").to_dict())


@dataclasses.dataclass(frozen=True)
class TestLaw:
    """A law of test inputs: the problem's own with one option changed.

    Args:
        option: of the problem, such as "length_scale".
        value: what the option is set to.
    """

    __test__ = False  # no test case, whatever pytest makes of the name

    option: str
    value: Any

    @property
    def key(self) -> str:
        """What a result calls this law in `relative_l2_by_law`."""
        return f"{self.option}={self.value}"

    @property
    def changes(self) -> dict[str, Any]:
        return {self.option: self.value}


@dataclasses.dataclass(frozen=True)
class Goal:
    """What our recipe is to reach: an error, and minutes on two CPU cores."""

    error: float
    minutes: int


class Floor(enum.Enum):
    """What `experiments.discretisation_floor` can measure of a problem."""

    ZERO_OF_RESIDUAL = "distance from the truth to the zero of the residual"
    CORRECTED_TRUTH = "how far the truth moves when its own residual corrects it"


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """A config in configs/ with its command, and how it is judged.

    Args:
        config: the name of its file in configs/.
        entry_point: its command is `python -m experiments.<entry_point>`.
        name: of the problem, in a few words.
        title: in tables and pictures, with what is special about the benchmark.
        goal: what one network is to reach; None if it is an example and trained by
            `experiments.benchmarks` only when named.
        in_stages: whether `experiments.benchmarks` trains our recipe in stages. Default
            True; driven systems have a suite of their own.
        stages_goal: the error that our recipe in stages is to reach in the same time;
            None where nothing is known to ask for.
        judged: on which inputs, in a few words, if not those of its training.
        law: the test law that counts; None for the recipe's own.
        worst_law: whether the worst of the recipe's test laws counts, instead of one.
        floor: what limits a perfect minimiser; None if it is not measured.
        ablation: the artifact that undoes the recipe's parts one by one.
        rival: a model with a recipe of its own that is trained beside the baselines.
        published: name of the recipe that follows a publication. Default "paper".
        baseline_share: of the recipe's steps, what baselines are given; None for the
            protocol's share.
        paper_steps: of the paper's recipe, those that two cores take in a few minutes.
    """

    config: str
    entry_point: str
    name: str
    title: str
    goal: Goal | None = None
    in_stages: bool = True
    stages_goal: float | None = None
    judged: str = ""
    law: TestLaw | None = None
    worst_law: bool = False
    floor: Floor | None = Floor.ZERO_OF_RESIDUAL
    ablation: str | None = None
    rival: str | None = None
    published: str = "paper"
    baseline_share: float | None = None
    paper_steps: int | None = None

    @property
    def labels(self) -> int:
        """Labelled samples of our recipe."""
        return fields_of(self.config, "fast")["train.num_train"]

    @property
    def problem_options(self) -> dict[str, Any]:
        """For `problems.make`: which problem it is, without a recipe's own choices."""
        fields = fields_of(self.config, "fast")
        options = {"name": fields["problem.name"]}
        if "problem.task" in fields:
            options["task"] = fields["problem.task"]
        return options

    @functools.cached_property
    def statement(self) -> Statement:
        """Equation and learned map, which the problem itself knows."""
        return problems.make(**self.problem_options).statement

    @property
    def call(self) -> str:
        """The call that makes the problem, as a reader would write it."""
        name, *task = self.problem_options.values()
        return f'{name}(task="{task[0]}")' if task else name


_ALL = (
    Benchmark(
        config="burgers",
        entry_point="burgers",
        name="Burgers",
        title="Burgers, l = 0.5",
        goal=Goal(3.5e-3, minutes=15),
        stages_goal=1.5e-4,
        ablation="burgers-ablation",
        baseline_share=1.0,
        paper_steps=600,
    ),
    Benchmark(
        config="darcy",
        entry_point="darcy",
        name="Darcy",
        title="Darcy 61 x 61",
        goal=Goal(6e-3, minutes=25),
        stages_goal=1.7e-3,
        ablation="darcy-ablation",
        paper_steps=20,
    ),
    Benchmark(
        config="rd_forcing",
        entry_point="reaction_diffusion",
        name="Reaction-diffusion, forcing",
        title="Reaction-diffusion, forcing, l = 0.5",
        goal=Goal(3e-3, minutes=15),
        stages_goal=1.2e-4,
        ablation="rd-ablation",
        paper_steps=50,
    ),
    Benchmark(
        config="rd_ic",
        entry_point="reaction_diffusion",
        name="Reaction-diffusion, initial condition",
        title="Reaction-diffusion, initial condition, l = 5 to 0.5",
        judged="from l = 5 to 0.5",
        goal=Goal(1e-2, minutes=10),
        stages_goal=1.5e-4,
        law=TestLaw("length_scale", 0.5),
        ablation="rd-ic-ablation",
        paper_steps=1000,
    ),
    Benchmark(
        config="forced_kdv",
        entry_point="forced_kdv",
        name="Forced KdV",
        title="Forced KdV",
        goal=Goal(7e-2, minutes=45),
        stages_goal=8e-3,
        floor=Floor.CORRECTED_TRUTH,
        ablation="kdv-ablation",
        rival="deepomamba",
        paper_steps=60,
    ),
    Benchmark(
        config="diffusion",
        entry_point="diffusion",
        name="Diffusion",
        title="Diffusion, the worst of l = 0.5, 1, 2, 5",
        judged="the worst l",
        goal=Goal(3e-3, minutes=5),
        stages_goal=8e-5,
        worst_law=True,
        ablation="diffusion-ablation",
        paper_steps=600,
    ),
    Benchmark(
        config="navier_stokes",
        entry_point="navier_stokes",
        name="Navier-Stokes",
        title="Navier-Stokes in the plane",
        floor=None,  # its Jacobian would have tens of thousands of columns
    ),
    Benchmark(
        config="duffing",
        entry_point="oscillators",
        name="Duffing",
        title="Duffing's oscillator",
        published="lno",
        in_stages=False,
        floor=None,
    ),
    Benchmark(
        config="pendulum",
        entry_point="oscillators",
        name="Pendulum",
        title="Driven pendulum",
        published="lno",
        in_stages=False,
        floor=None,
    ),
    Benchmark(
        config="lorenz",
        entry_point="oscillators",
        name="Lorenz",
        title="Forced Lorenz system",
        published="lno",
        in_stages=False,
        floor=None,
    ),
    Benchmark(
        config="beam",
        entry_point="waves",
        name="Beam",
        title="Damped beam",
        published="lno",
        in_stages=False,
        floor=None,
    ),
    Benchmark(
        config="telegraph",
        entry_point="waves",
        name="Telegraph",
        title="Telegraph equation",
        published="lno",
        in_stages=False,
        floor=None,
    ),
    Benchmark(
        config="brusselator",
        entry_point="brusselator",
        name="Brusselator",
        title="Brusselator, two fields in x",
        floor=None,  # measured for one field alone
    ),
    Benchmark(
        config="brusselator_2d",
        entry_point="brusselator",
        name="Brusselator in the plane",
        title="Brusselator, two fields in the plane",
        floor=None,  # its Jacobian would have tens of thousands of columns
    ),
)

BENCHMARKS: Mapping[str, Benchmark] = {one.config: one for one in _ALL}
WITH_GOAL = [config for config, one in BENCHMARKS.items() if one.goal]
# Systems and vorticity, of which the paper has none.
EXAMPLES = [c for c, one in BENCHMARKS.items() if one.in_stages and not one.goal]
