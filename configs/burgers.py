"""Burgers' equation, 25 labels."""

from ml_collections import ConfigDict

from configs.base import base, paper_training


def get_config(recipe: str = "fast") -> ConfigDict:
    config = base("burgers", "alno", recipe)
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (0.5, 1.0, 2.0, 5.0)
    train, model = config.train, config.model
    if recipe == "paper":
        config.problem.hard_constraints = False
        config.problem.virtual_length_scales = (0.5, 0.5)
        model.update(width=32, num_layers=4, modes=14, poles=14, activation="tanh")
        paper_training(config, num_virtual=1000, rate=5.0)
        return config
    model.update(width=32, num_layers=4, modes=10, poles=4, activation="tanh")
    return config
