"""The forced KdV equation, 27 labels, nine of each family.

    python -m experiments.forced_kdv --config=configs/forced_kdv.py

In stages, the default: error 5.0e-03 (results/forced_kdv_staged.json). Differences in x
have `ends="stable"`, so that what the residual tells of a small error is right.
What follows is of one network alone (`configs/forced_kdv.py:fast`).

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

from experiments.config.problem_and_model import model, problem
from experiments.config.recipes import (
    PAPER_WEIGHTS,
    choose,
    exponential_causality,
    in_stages,
    paper_training,
)
from experiments.config.schema import Data, Evaluation, RunConfig, Train

NUM_TRAIN = 27  # nine of each family
TEST_SETS = Data(num_test=300)
EACH_FAMILY = Evaluation(vary="family", over=("A", "B", "C"))


def get_config(recipe: str = "staged") -> RunConfig:
    return choose(recipe, staged, fast, paper)


def staged() -> RunConfig:
    """The network of `fast`, trained for less time, and a corrector of what it left."""
    stages = in_stages(fast(), steps=900, corrector_steps=(400,))
    return stages.changed({"problem.ends": "stable"})


def fast() -> RunConfig:
    return RunConfig(
        recipe="fast",
        problem=problem("forced_kdv"),
        model=model(
            "alno",
            width=32,
            num_layers=4,
            activation="gelu",
            modes=(16, 12),
            poles=(4, 4),
            period=(1.2, 1.5),
        ),
        data=TEST_SETS,
        train=Train(
            num_train=NUM_TRAIN,
            batch_data=3,
            batch_physics=9,
            steps=2500,
            optimizer="muon",
            learning_rate=1e-2,
        ),
        evaluation=EACH_FAMILY,
    )


def paper() -> RunConfig:
    return RunConfig(
        recipe="paper",
        problem=problem(
            "forced_kdv", measure="l2", features="paper", hard_constraints=False
        ),
        model=model(
            "alno",
            width=24,
            num_layers=2,
            activation="gelu",
            modes=(20, 20),
            poles=(20, 20),
        ),
        data=TEST_SETS,
        train=paper_training(num_virtual=1800, num_train=NUM_TRAIN),
        weights=PAPER_WEIGHTS,
        causality=exponential_causality(rate=2.0),
        evaluation=EACH_FAMILY,
    )
