"""Darcy flow, 10 labels on 11 x 11 nodes."""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("darcy", "alno", recipe)
    config.train.num_train = 10
    if recipe == "paper":
        config.problem.update(measure="l2", subgrid_features=False)
        config.model.update(
            width=64, num_layers=4, modes=(20, 20), poles=(20, 20), activation="gelu"
        )
        paper_training(config, num_virtual=900, rate=None)
        config.train.batch_data = 1
        config.weights.data = 5.0
        return config
    config.problem.measure = "energy"
    config.model.update(
        width=32, num_layers=4, modes=(12, 12), poles=(4, 4), activation="gelu"
    )
    train = config.train
    train.batch_data, train.batch_physics = 2, 8
    train.optimizer, train.learning_rate = "muon", 1e-2
    return config
