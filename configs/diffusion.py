"""The diffusion equation, 25 labels at length scale 0.5.

    python -m experiments.diffusion --config=configs/diffusion.py

Errors and times of three seeds, for length scales from 0.5 to 5:
results/diffusion_fast.json and docs/benchmarks.md. The paper's recipe
(`configs/diffusion.py:paper`) is Burgers', as Appendix B gives no sizes of its own; the
default departs from it as configs/rd_ic.py does, for the same reasons.
"""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("diffusion", "alno", recipe)
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (0.5, 1.0, 2.0, 5.0)
    if recipe == "paper":
        config.problem.hard_constraints = False
        config.model.update(width=32, num_layers=4, activation="tanh")
        config.model.update(modes=(14, 14), poles=(14, 14))
        paper_training(config, num_virtual=1000, rate=5.0)
        return config
    config.problem.virtual_length_scales = (0.5, 1.0)
    config.model.update(width=32, num_layers=2, activation="gelu")
    config.model.update(modes=(10, 10), poles=(4, 4), period=(1.0, 1.5))
    config.train.steps = 2500
    return config
