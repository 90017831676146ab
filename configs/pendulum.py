"""A driven pendulum, f(t) -> x(t), 200 labels of f = A sin 5t.

    python -m experiments.oscillators --config=configs/pendulum.py
    python -m experiments.oscillators --config=configs/pendulum.py:lno

What it reaches, beside other networks and LNO's published protocol (`:lno`), is in
docs/oscillators.md. Undamped: --config.problem.damping=0, which LNO was published with
20 poles and a rate of 5e-3 for.
"""

from experiments.config import driven_recipes
from experiments.config.driven_recipes import NODES
from experiments.config.problem_and_model import problem
from experiments.config.recipes import choose
from experiments.config.schema import RunConfig


def get_config(recipe: str = "staged") -> RunConfig:
    return choose(recipe, staged, fast, looped, lno, deepomamba)


def staged() -> RunConfig:
    return driven_recipes.staged_oscillator(problem("pendulum", num_t=NODES))


def fast() -> RunConfig:
    return driven_recipes.fast_oscillator(problem("pendulum", num_t=NODES))


def looped() -> RunConfig:
    return driven_recipes.looped_lno(
        problem("pendulum", num_t=NODES, own_scale=False, hard_constraints=False),
    )


def lno() -> RunConfig:
    return driven_recipes.published_lno(
        problem(
            "pendulum",
            num_t=NODES,
            own_scale=False,
            hard_constraints=False,
            show_time=True,
        ),
        {"learning_rate": 2e-3, "epochs": 1200, "batch": 40},
        poles=8,
        activation="sin",
    )


def deepomamba() -> RunConfig:
    return driven_recipes.with_deepomamba(fast(), token_width=48)
