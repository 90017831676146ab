"""Reaction-diffusion, Task B: f -> u, 25 labels."""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("reaction_diffusion", "alno", recipe, task="forcing")
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (0.5, 1.0, 2.0, 5.0)
    if recipe == "paper":
        config.problem.virtual_length_scales = (0.5, 0.5)
        config.model.update(
            width=64, num_layers=4, modes=(20, 20), poles=(20, 20), activation="sin"
        )
        paper_training(config, num_virtual=500, rate=0.5)
        return config
    config.model.update(
        width=32, num_layers=4, modes=(10, 10), poles=(4, 4), activation="gelu"
    )
    return config
