"""What the recipes in configs/ share."""

from collections.abc import Callable, Mapping

from experiments.config.problem_and_model import ProblemSection, model
from experiments.config.schema import Causality, Evaluation, RunConfig, Train, Weights
from pilno_jax.checks import require_choice

LENGTH_SCALES = Evaluation(vary="length_scale", over=(0.5, 1.0, 2.0, 5.0))
PAPER_WEIGHTS = Weights(data=1.0, virtual=1.0)


def choose(recipe: str, *recipes: Callable[[], RunConfig]) -> RunConfig:
    """The config of the function that is called like the recipe."""
    by_name = {make.__name__: make for make in recipes}
    require_choice("recipe", recipe, by_name)
    return by_name[recipe]()


def in_stages(
    one_network: RunConfig,
    *,
    steps: int,
    corrector_steps: tuple[int, ...],
    last_applied: int = 3,
) -> RunConfig:
    """The recipe of one network cut up: a first guess, then correctors of its error.

    Args:
        one_network: network, data and optimiser of every stage.
        steps: of the first network.
        corrector_steps: of each corrector; their steps take about 1.4 times as long.
        last_applied: how often the last corrector is applied. Default 3: corrections
            go on to shrink, for the time of a network each.
    """
    return one_network.changed(
        {
            "recipe": "staged",
            "train.steps": steps,
            "stages.steps": corrector_steps,
            "stages.last_applied": last_applied,
        }
    )


def in_few_stages(one_network: RunConfig) -> RunConfig:
    """`in_stages` by Muon and in few steps, for problems whose steps take long.

    Args:
        one_network: network and data of every stage; layers add their input.
    """
    stages = in_stages(one_network, steps=1200, corrector_steps=(600,))
    return stages.changed({"train.optimizer": "muon", "model.add_input": True})


def over_coefficients(
    one_value: RunConfig,
    recipe: str,
    laws: Mapping[str, tuple[float, ...]],
    tested: tuple[float, ...],
) -> RunConfig:
    """The recipe of one value of a coefficient, for a whole law of it.

    Args:
        one_value: the recipe.
        recipe: name of the new one.
        laws: (lowest, highest) of each coefficient that becomes an input; with a
            length scale as third number, a field.
        tested: values of the first of them, each of which is a law of test inputs.
    """
    problem = {f"problem.{name}": law for name, law in laws.items()}
    vary = {"evaluation.vary": next(iter(laws)), "evaluation.over": tested}
    return one_value.changed({"recipe": recipe, **problem, **vary})


def with_boundary_data(
    zero_data: RunConfig, *, sigma: float, recipe: str = "boundary"
) -> RunConfig:
    """The recipe with random data on the boundary, tested at half and twice their size.

    Args:
        zero_data: the recipe without.
        sigma: their standard deviation in training.
        recipe: name of the new one. Default "boundary".
    """
    return zero_data.changed(
        {
            "recipe": recipe,
            "problem.boundary_sigma": sigma,
            "evaluation.vary": "boundary_sigma",
            "evaluation.over": (sigma / 2, sigma, 2 * sigma),
        }
    )


def fast_initial_value(problem: ProblemSection) -> RunConfig:
    """The fast recipe where two small layers learn what follows from u0."""
    return RunConfig(
        recipe="fast",
        problem=problem,
        model=model(
            "alno",
            width=32,
            num_layers=2,
            activation="gelu",
            modes=(10, 10),
            poles=(4, 4),
            period=(1.0, 1.5),
        ),
        train=Train(steps=2500),
        evaluation=LENGTH_SCALES,
    )


def paper_initial_value(
    problem: ProblemSection, *, num_layers: int, activation: str, num_virtual: int
) -> RunConfig:
    """The paper's recipe for what follows from u0.

    Args:
        problem: the equation.
        num_layers: of width 32, with 14 modes and 14 poles an axis.
        activation: between the layers.
        num_virtual: how many virtual inputs there are.
    """
    return RunConfig(
        recipe="paper",
        problem=problem,
        model=model(
            "alno",
            width=32,
            num_layers=num_layers,
            activation=activation,
            modes=(14, 14),
            poles=(14, 14),
        ),
        train=paper_training(num_virtual=num_virtual),
        weights=PAPER_WEIGHTS,
        causality=exponential_causality(rate=5.0),
        evaluation=LENGTH_SCALES,
    )


def paper_training(
    *, num_virtual: int, num_train: int = 25, batch_data: int = 3
) -> Train:
    """The paper's common optimisation settings (Appendix E), epochs turned into steps.

    An epoch is one pass over the virtual inputs.

    Args:
        num_virtual: how many virtual inputs there are.
        num_train: how many labelled ones.
        batch_data: how many labelled ones a batch has.
    """
    batch_physics = 50
    epoch = -(-num_virtual // batch_physics)
    return Train(
        num_train=num_train,
        batch_data=batch_data,
        batch_physics=batch_physics,
        num_virtual=num_virtual,
        steps=1000 * epoch,
        data_loss="squared",
        physics_loss="squared",
        optimizer="adam",
        learning_rate=1e-2,
        weight_decay=1e-4,
        schedule="step",
        decay_every=100 * epoch,
        decay_factor=0.5,
        patience=500 * epoch,
    )


def exponential_causality(rate: float) -> Causality:
    """The paper's weights in time, exp(-rate t)."""
    return Causality(name="exponential", rate=rate)
