"""The telegraph equation under a random forcing, f(x, t) -> u(x, t), 200 labels.

    python -m experiments.waves --config=configs/telegraph.py

What it reaches, beside other networks, is in docs/oscillators.md; its poles are known,
and there compared with the learned ones.
"""

from experiments.config import driven_recipes
from experiments.config.problem_and_model import problem
from experiments.config.recipes import choose
from experiments.config.schema import RunConfig

WAVES = 7  # with the mean, as many as the forcing has


def get_config(recipe: str = "staged") -> RunConfig:
    return choose(recipe, staged, fast, lno, deepomamba)


def staged() -> RunConfig:
    return driven_recipes.staged_wave(problem("telegraph"), WAVES)


def fast() -> RunConfig:
    return driven_recipes.fast_wave(problem("telegraph"), WAVES)


def lno() -> RunConfig:
    from_rest = problem("telegraph", hard_constraints=False)
    return driven_recipes.linear_lno(from_rest, WAVES)


def deepomamba() -> RunConfig:
    return driven_recipes.with_deepomamba(fast(), token_width=88)
