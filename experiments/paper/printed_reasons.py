"""Where the paper leaves a choice that an error as printed may depend on.

Each table changes one thing at a time; what it starts from is in `as_printed`.
"""

from collections.abc import Mapping

from experiments.suite.protocols import Changes

MEANS, SUMS = "means over nodes", "sums over nodes"
SMALL = "kernels start small"  # SMALL_START, in names
FNO: Changes = {"model.name": "fno"}
SUMMED: Changes = {"weights.data": 832.0}  # nodes of the grid of Burgers' equation
UNDECAYED: Changes = {"train.weight_decay": 0.0}
RATE: Changes = {"train.learning_rate": 1e-3}
SMALL_START: Changes = {"model.kernel_start": "by tensor"}
IN_TIME: Changes = {"model.poles": (0, 14)}
DFT_SUM: Changes = {"model.transient_analysis": "dft"}
NARROW: Changes = {"model.width": 12}
PAIRWISE: Changes = {"model.pole_sharing": "pairwise"}
RELATIVE: Changes = {"train.data_loss": "relative"}
# Of 200 labels of Burgers' equation; means over nodes unless it says otherwise.
MANY_LABELS: Mapping[str, Changes] = {
    MEANS: {},
    SUMS: SUMMED,
    f"{SUMS}, a tenth of the rate": {**SUMMED, **RATE},
    f"{SUMS}, {SMALL}": {**SUMMED, **SMALL_START},
    f"{SUMS}, both": {**SUMMED, **RATE, **SMALL_START},
    f"{SUMS}, poles in time alone": {**SUMMED, **IN_TIME},
    f"{SUMS}, the paper's DFT sum": {**SUMMED, **DFT_SUM},
    f"{SUMS}, sin": {**SUMMED, "model.activation": "sin"},
    f"{SUMS}, 12 channels": {**SUMMED, **NARROW},
    f"{SUMS}, 12 channels, own poles for each pair": {**SUMMED, **NARROW, **PAIRWISE},
    f"{SUMS}, FNO": {**SUMMED, **FNO},
    f"{SUMS}, FNO, {SMALL}": {**SUMMED, **FNO, **SMALL_START},
    "no weight decay": UNDECAYED,
    "no weight decay, FNO": {**UNDECAYED, **FNO},
    "no weight decay, relative errors as loss": {**UNDECAYED, **RELATIVE},
    f"no weight decay, relative errors as loss, {SMALL}": {
        **UNDECAYED,
        **RELATIVE,
        **SMALL_START,
    },
    "no weight decay, a tenth of the rate": {**UNDECAYED, **RATE},
    "no weight decay, period 1.5 in time": {**UNDECAYED, "model.period": (1.0, 1.5)},
    "no weight decay, the paper's DFT sum": {**UNDECAYED, **DFT_SUM},
}
# Of 25 labels of any equation; sums over nodes.
_FEW_LABELS: Mapping[str, Changes] = {
    "as printed": {},
    "a tenth of the rate": RATE,
    SMALL: SMALL_START,
    "both": {**RATE, **SMALL_START},
    "FNO": FNO,
}
FEW_LABELS: Mapping[str, Changes] = {
    **_FEW_LABELS,
    "batches of all labels": {"train.batch_data": 25},
    "relative errors as loss": {**RELATIVE, "weights.data": 1.0},
    "poles in time alone": IN_TIME,
    f"FNO, {SMALL}": {**FNO, **SMALL_START},
}
# Of reaction-diffusion under a forcing, whose activation is the sine.
FORCED: Mapping[str, Changes] = {
    **_FEW_LABELS,
    "tanh": {"model.activation": "tanh"},
    "4 poles": {"model.poles": (4, 4)},
}
