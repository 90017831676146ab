"""Vorticity in the plane, 25 labels: the example of three axes.

    python -m experiments.navier_stokes --config=configs/navier_stokes.py

The paper has no such problem; `:paper` takes its common settings and layer sizes. x and
y are periodic: their transient branch keeps the Fourier modes, only time has poles.
"""

from experiments.config.schema import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("navier_stokes", "alno", recipe)
    config.evaluation.vary = "length_scale"
    config.evaluation.over = (1.0, 2.0)
    model = config.model
    model.period = (1.0, 1.0, 1.5)
    if recipe == "paper":
        config.problem.hard_constraints = False
        model.update(
            width=32, num_layers=4, modes=(8, 8, 6), poles=(8, 8, 6), activation="tanh"
        )
        paper_training(config, num_virtual=1000, rate=5.0)
        return config
    model.update(
        width=16, num_layers=3, modes=(6, 6, 5), poles=(0, 0, 3), activation="gelu"
    )
    train = config.train
    train.batch_data, train.batch_physics, train.steps = 2, 6, 4000
    # Residuals are in units of sigma / T per vortex turned: ten times u's own.
    config.weights.update(data=1.0, pde=0.1, virtual=1.0)
    return config
