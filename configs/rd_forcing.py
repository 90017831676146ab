"""Reaction-diffusion, Task B: f -> u, 25 labels at length scale 0.5.

    python -m experiments.reaction_diffusion --config=configs/rd_forcing.py

Errors and times of three seeds: results/rd_forcing_fast.json and docs/benchmarks.md.
What each departure from the paper's recipe (`configs/rd_forcing.py:paper`) is worth:
results/reproduction/rd-ablation.json. The departures:

- hard constraints that carry the boundary layer of the start from rest, see
  `reaction_diffusion.start_from_rest`; the paper's are a product of sines.
- periods of 1.2 in x and 1.5 in t: neither axis closes up.
- fresh virtual inputs every step, their length scales log-uniform in [0.5, 1].
- physics as the root of the residual's norm, and little weight on the labels.
- Muon with a cosine schedule; width 32, 10 modes and 4 poles, gelu, small batches.
- no weights in time; the ablation has the paper's, rate 0.5.
"""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("reaction_diffusion", "alno", recipe, task="forcing")
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (0.5, 1.0, 2.0, 5.0)
    if recipe == "paper":
        config.problem.virtual_length_scales = (0.5, 0.5)
        config.model.update(width=64, num_layers=4, activation="sin")
        config.model.update(modes=(20, 20), poles=(20, 20))
        paper_training(config, num_virtual=500, rate=0.5)
        return config
    config.problem.virtual_length_scales = (0.5, 1.0)
    config.model.update(width=32, num_layers=4, activation="gelu")
    config.model.update(modes=(10, 10), poles=(4, 4), period=(1.2, 1.5))
    config.train.steps = 4000
    config.train.optimizer, config.train.learning_rate = "muon", 1e-2
    return config
