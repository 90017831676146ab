"""The forced KdV equation, 27 labels, nine of each family."""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("forced_kdv", "alno", recipe)
    config.train.num_train = 27
    config.data.num_test = 300
    config.evaluation.vary = "family"
    config.evaluation.over = ("A", "B", "C")
    if recipe == "paper":
        config.problem.update(measure="l2", features="paper", hard_constraints=False)
        config.model.update(
            width=24, num_layers=2, modes=(20, 20), poles=(20, 20), activation="gelu"
        )
        paper_training(config, num_virtual=1800, rate=2.0)
        return config
    config.model.update(
        width=32, num_layers=4, modes=(20, 20), poles=(4, 4), activation="gelu"
    )
    config.train.batch_data, config.train.batch_physics = 3, 9
    return config
