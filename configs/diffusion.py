"""The diffusion equation, 25 labels."""

from configs.base import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("diffusion", "alno", recipe)
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (0.5, 1.0, 2.0, 5.0)
    if recipe == "paper":
        config.problem.hard_constraints = False
        config.model.update(
            width=32, num_layers=4, modes=(14, 14), poles=(14, 14), activation="tanh"
        )
        # Appendix B gives no sizes of its own: Burgers' are used.
        paper_training(config, num_virtual=1000, rate=5.0)
        return config
    config.model.update(
        width=32, num_layers=2, modes=(10, 10), poles=(4, 4), activation="gelu"
    )
    return config
