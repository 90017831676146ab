"""What each departure of a default recipe from the paper's is worth: one undone at a
time, everything else as it is."""

from collections.abc import Mapping

from experiments.paper.artifact import NAME, Artifact, Findings, Key, Report, Row
from experiments.suite.protocols import Changes, Protocol
from experiments.suite.registry import TestLaw
from experiments.suite.run_spec import RunSpec

# Names of rows, by which pages find them in committed results.
RECIPE = "the recipe"
WIDER, MORE_MODES = "width 48", "14 modes, 14 poles"
LARGER_NETWORKS = (WIDER, MORE_MODES)

COMMON: Mapping[str, Changes] = {
    "squared physics loss": {"train.physics_loss": "squared"},
    "equal weights for labels and virtual inputs": {
        "weights.data": 1.0,
        "weights.virtual": 1.0,
    },
    "1000 fixed virtual inputs": {"train.num_virtual": 1000},
    WIDER: {"model.width": 48},
}
PERIODIC: Mapping[str, Changes] = {"Fourier period 1": {"model.period": (1.0, 1.0)}}
SMOOTHER: Mapping[str, Changes] = {
    "virtual length scales 0.5 to 5": {"problem.virtual_length_scales": (0.5, 5.0)}
}
SOFT: Mapping[str, Changes] = {"soft constraints": {"problem.hard_constraints": False}}
ADAM: Mapping[str, Changes] = {
    "Adam instead of Muon": {"train.optimizer": "adam", "train.learning_rate": 5e-3}
}
PAPERS_SIZES: Mapping[str, Changes] = {
    MORE_MODES: {"model.modes": (14, 14), "model.poles": (14, 14)}
}
FEATURES: Mapping[str, Changes] = {
    "the paper's features": {"problem.features": "paper"}
}


def causal(rate: float) -> Mapping[str, Changes]:
    weights = {"causality.name": "exponential", "causality.rate": rate}
    return {f"weights in time, rate {rate:g}": weights}


BURGERS = {
    **COMMON,
    **PERIODIC,
    **SMOOTHER,
    **SOFT,
    "no moving frame": {"problem.moving_frame": False},
    "tanh instead of gelu": {"model.activation": "tanh"},
    **PAPERS_SIZES,
    "poles in t only": {"model.poles": (0, 4)},
    "no poles (FNO)": {"model.name": "fno"},
    **causal(5.0),
}
DARCY = {
    **COMMON,
    **ADAM,
    **FEATURES,
    "L2 residual": {"problem.measure": "l2"},
    "energy instead of H^-1": {"problem.measure": "energy"},
}
RD_FORCING = {
    **COMMON,
    **ADAM,
    **PERIODIC,
    **SMOOTHER,
    **SOFT,
    "the paper's product of sines": {"problem.mollifier": "sines"},
    **causal(0.5),
}
RD_IC = DIFFUSION = {
    **COMMON,
    **PERIODIC,
    **SMOOTHER,
    **SOFT,
    **PAPERS_SIZES,
    **causal(5.0),
}
KDV = {
    **COMMON,
    **ADAM,
    **FEATURES,
    **PERIODIC,
    "L2 residual": {"problem.measure": "l2"},
    **SOFT,
    **causal(2.0),
}


def ablation(
    title: str,
    config: str,
    undone: Mapping[str, Changes],
    law: TestLaw | None = None,
    repeated: Mapping[str, Changes] | None = None,
) -> Artifact:
    """An artifact of one row for each part that is undone.

    Args:
        title: of the artifact.
        config: the name of a file in configs/.
        undone: what is changed, by the name of its row.
        law: the test law that counts, where it is not the recipe's own.
        repeated: parts that are undone in a training of full length as well.
    """
    short: dict[str, Changes] = {RECIPE: {}, **undone}
    long: dict[str, Changes] = {RECIPE: {}, **repeated} if repeated else {}

    def runs(protocol: Protocol) -> dict[Key, RunSpec]:
        start = protocol.at(protocol.ablation_share).run
        specs: dict[Key, RunSpec] = {}
        for seed in protocol.seeds:
            for name, changes in short.items():
                specs[Key(name, seed=seed)] = start(config, changes, seed)
            for name, changes in long.items():
                key = Key(_all_steps(name), seed=seed)
                specs[key] = protocol.full_run(config, changes, seed)
        return specs

    def report(findings: Findings) -> Report:
        def row(name: str, recipe: str) -> Row:
            error, base = (findings.error(Key(n), law) for n in (name, recipe))
            times = round(error["mean"] / base["mean"], 2)
            return {NAME: name, "error": error, "times": times}

        rows = [row(name, RECIPE) for name in short]
        idle = [one[NAME] for one in rows[1:] if one["times"] < 1.05]
        steps = findings.result(Key(RECIPE))["steps"]
        note = f"Undone at no loss (less than 5 %) after {steps} steps: "
        note += f"{', '.join(idle) or 'none'}."
        rows += [row(_all_steps(name), _all_steps(RECIPE)) for name in long]
        return Report(rows, notes=[note])

    return Artifact(title, runs, report)


def _all_steps(name: str) -> str:
    return f"{name}, all steps"


ROUGH = TestLaw("length_scale", 0.5)

ABLATIONS: Mapping[str, Artifact] = {
    # After a tenth of the steps a soft condition is far ahead; it does not stay so.
    "burgers-ablation": ablation(
        "Burgers: the recipe's parts", "burgers", BURGERS, repeated=SOFT
    ),
    "rd-ablation": ablation(
        "Reaction-diffusion, forcing: the recipe's parts", "rd_forcing", RD_FORCING
    ),
    "darcy-ablation": ablation("Darcy: the recipe's parts", "darcy", DARCY),
    "kdv-ablation": ablation("Forced KdV: the recipe's parts", "forced_kdv", KDV),
    "rd-ic-ablation": ablation(
        "Reaction-diffusion, initial condition, tested at l = 0.5: the recipe's parts",
        "rd_ic",
        RD_IC,
        law=ROUGH,
    ),
    "diffusion-ablation": ablation(
        "Diffusion, tested at l = 0.5: the recipe's parts",
        "diffusion",
        DIFFUSION,
        law=ROUGH,
    ),
}
