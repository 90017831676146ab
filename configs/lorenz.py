"""Lorenz' system under a forcing, f(t) -> x(t), 200 labels of f = A sin 5t.

    python -m experiments.oscillators --config=configs/lorenz.py
    python -m experiments.oscillators --config=configs/lorenz.py:lno

What it reaches, beside other networks and LNO's published protocol (`:lno`), is in
docs/oscillators.md. With lobes that switch: --config.problem.rho=10, which LNO was
published with 84 poles, a rate of 2e-3 and batches of 10 for.
"""

from experiments.config import driven_recipes
from experiments.config.driven_recipes import NODES
from experiments.config.problem_and_model import problem
from experiments.config.recipes import choose
from experiments.config.schema import RunConfig


def get_config(recipe: str = "staged") -> RunConfig:
    return choose(recipe, staged, fast, looped, lno, deepomamba)


def staged() -> RunConfig:
    return driven_recipes.staged_oscillator(problem("lorenz", num_t=NODES))


def fast() -> RunConfig:
    return driven_recipes.fast_oscillator(problem("lorenz", num_t=NODES))


def looped() -> RunConfig:
    return driven_recipes.looped_lno(
        problem("lorenz", num_t=NODES, hard_constraints=False),
        learned_start=True,
    )


def lno() -> RunConfig:
    return driven_recipes.published_lno(
        problem("lorenz", num_t=NODES, hard_constraints=False, show_time=True),
        {"learning_rate": 5e-3, "epochs": 1000, "batch": 20},
        poles=16,
        activation="tanh",
    )


def deepomamba() -> RunConfig:
    return driven_recipes.with_deepomamba(fast(), token_width=48)
