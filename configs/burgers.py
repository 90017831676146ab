"""Burgers' equation, 25 labels."""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("burgers", "alno", recipe)
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (0.5, 1.0, 2.0, 5.0)
    model = config.model
    if recipe == "paper":
        config.problem.update(hard_constraints=False, moving_frame=False)
        config.problem.virtual_length_scales = (0.5, 0.5)
        model.update(width=32, num_layers=4, modes=14, poles=14, activation="tanh")
        paper_training(config, num_virtual=1000, rate=5.0)
        return config
    model.update(width=32, num_layers=4, modes=10, poles=4, activation="gelu")
    model.period = (1.0, 1.5)
    train = config.train
    train.batch_data, train.batch_physics, train.steps = 4, 12, 7000
    config.weights.update(data=0.2, virtual=3.0)
    return config
