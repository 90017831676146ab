"""The forced KdV equation, 27 labels, nine of each family.

    python -m experiments.forced_kdv --config=configs/forced_kdv.py

Three seeds: error 5.6e-02 after 22 minutes on two cores (results/forced_kdv_fast.json;
the paper 1.4e-01). The departures from the paper's recipe
(`configs/forced_kdv.py:paper`), in brackets the error without them over the error with
them after a tenth of the steps (results/reproduction/kdv-ablation.json):

- the residual goes through the inverse of the equation's linear part before it is
  measured, see `forced_kdv.norms` [1.49]; its root [2.37], and little weight on the
  labels [0.96].
- Muon [1.31], which orthogonalises the update of every mode's mixing matrix.
- features in the solution's own units, with integrals of the forcing [1.48]; hard
  initial and boundary values [2.6].
- periods of 1.2 in x and 1.5 in t: neither axis closes up. After a tenth of the steps
  it makes no difference [1].
- fresh virtual inputs every step, not a fixed set (of 1000 [1.06]); width 32, four
  layers of 16 x 12 modes and 4 poles.
- no weights in time [1.16]: the measure itself is causal.
"""

from experiments.config.schema import Config, base, paper_training


def get_config(recipe: str = "fast") -> Config:
    config = base("forced_kdv", "alno", recipe)
    config.train.num_train = 27
    config.data.num_test = 300
    config.evaluation.vary = "family"
    config.evaluation.over = ("A", "B", "C")
    if recipe == "paper":
        config.problem.update(measure="l2", features="paper", hard_constraints=False)
        config.model.update(width=24, num_layers=2, activation="gelu")
        config.model.update(modes=(20, 20), poles=(20, 20))
        paper_training(config, num_virtual=1800, rate=2.0)
        return config
    config.model.update(width=32, num_layers=4, activation="gelu")
    config.model.update(modes=(16, 12), poles=(4, 4), period=(1.2, 1.5))
    train = config.train
    train.batch_data, train.batch_physics, train.steps = 3, 9, 2500
    train.optimizer, train.learning_rate = "muon", 1e-2
    return config
