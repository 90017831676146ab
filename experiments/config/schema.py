"""The fields every config has, with defaults; a benchmark's file overrides some.

The `problem` and `model` sections hold every argument of the factory they name, so
that each can be set from the command line: --config.problem.viscosity=0.02.
"""

import dataclasses
import inspect
import typing
from typing import Any

from ml_collections import ConfigDict, config_dict

from pilno_jax import models, problems
from pilno_jax.checks import require_choice

RECIPES = ("fast", "paper")

Config = Any  # a ConfigDict: its fields are known at run time only


def base(problem: str, model: str, recipe: str, **problem_options: Any) -> Config:
    """A complete config for the named problem and model."""
    require_choice("recipe", recipe, RECIPES)
    config: Config = ConfigDict()
    config.recipe = recipe
    config.seed = 0
    config.devices = 1  # of each process
    config.weight_shards = 1  # of these, how many share the mixing weights
    config.matmul_precision = "default"  # of the network; residuals are float32

    config.problem = ConfigDict({"name": problem, **_arguments(problem)})
    config.problem.update(problem_options)
    config.model = model_section(model)

    config.data = ConfigDict()
    config.data.num_validation = 50
    config.data.num_test = 100
    # Validation and test sets are the same for every training seed.
    config.data.seed = 2026

    train = config.train = ConfigDict()
    train.num_train = 25
    train.batch_data = 4
    train.batch_physics = 12
    train.accumulate = 1  # pieces a batch is cut into, one in memory at a time
    train.num_virtual = config_dict.placeholder(int)  # unset: fresh draws every step
    train.steps = 4000
    train.data_loss = "relative"
    train.physics_loss = "root"
    train.optimizer = "adam"
    train.learning_rate = 1e-2
    train.schedule = "cosine"
    train.warmup = 100
    train.decay_every = 2000
    train.decay_factor = 0.5
    train.weight_decay = 0.0
    train.clip_norm = config_dict.placeholder(float)
    train.averaging = 0.0
    train.polish_steps = 0
    train.patience = config_dict.placeholder(int)  # in steps; unset: never stop early
    train.steps_per_call = 10
    train.log_every = 50
    train.checkpoint_every = 500
    train.max_skipped_in_a_row = 50

    # A handful of labels is soon known by heart; fresh virtual inputs never are.
    config.weights = ConfigDict({"data": 0.2, "pde": 1.0, "ic": 10.0, "bc": 1.0})
    config.weights.virtual = 3.0
    config.causality = ConfigDict(
        {"name": "uniform", "rate": 5.0, "cutoff": 0.5, "ratio": 10.0, "epsilon": 1.0}
    )

    # Further test laws: one problem option, and the values it takes.
    config.evaluation = ConfigDict({"vary": "", "over": ()})
    return config


def model_section(name: str, **options: Any) -> ConfigDict:
    fields = {
        field.name: _settable(field.default, field.type)
        for field in dataclasses.fields(models.MODELS[name])
        if field.init and field.name not in ("parent", "name")
    }
    # One value per axis: a config field has but one type.
    per_axis = fields.keys() & {"modes", "poles", "period"}
    fields |= {name: (fields[name],) * 2 for name in per_axis}
    return ConfigDict({"name": name, **fields, **options})


def settle_model(config: Config) -> None:
    """Make the model section that of the model it names, after an override.

    Fields the named model shares keep their values, others take their defaults.
    """
    chosen = config.model.to_dict()
    require_choice("model.name", chosen["name"], sorted(models.MODELS))
    section = model_section(chosen["name"])
    section.update({k: v for k, v in chosen.items() if k in section})
    with config.unlocked():
        config.model = section


def _arguments(problem: str) -> dict[str, Any]:
    signature = inspect.signature(problems.FACTORIES[problem])
    return {
        name: _settable(parameter.default, parameter.annotation)
        for name, parameter in signature.parameters.items()
    }


def _settable(default: Any, annotation: Any) -> Any:
    """A default of None would fix the field's type to NoneType: leave it open."""
    if default is not None:
        return default
    (kind,) = set(typing.get_args(annotation)) - {type(None)}
    return config_dict.placeholder(kind)


def paper_training(config: Config, *, num_virtual: int, rate: float | None) -> None:
    """The paper's common optimisation settings (Appendix E), epochs turned into steps.

    An epoch is one pass over the virtual inputs. `rate` is that of the exponential
    causality weights, None for a steady problem.
    """
    train = config.train
    train.batch_data, train.batch_physics, train.num_virtual = 3, 50, num_virtual
    epoch = -(-num_virtual // train.batch_physics)
    train.steps = 1000 * epoch
    train.optimizer, train.learning_rate, train.weight_decay = "adam", 1e-2, 1e-4
    train.schedule, train.decay_every, train.decay_factor = "step", 100 * epoch, 0.5
    train.patience = 500 * epoch
    train.data_loss = train.physics_loss = "squared"
    config.weights.update(data=1.0, virtual=1.0)
    if rate is not None:
        config.causality.update(name="exponential", rate=rate)
