"""Where a training step's time goes, for Burgers at the paper's size:

    python -m benchmarks.train_step

network      forward and backward of the prediction alone, on the same batch
physics      what residuals, causality weights and drawing virtual inputs add
optimiser    what the update adds
outside      what one step of `fit` costs beyond the compiled step: dispatch, metrics

Times are minima over repeats within one run: read them as ratios.
"""

import itertools
import time
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks import command, timing
from pilno_jax import data, models, operators, problems, training
from pilno_jax.runs import environment
from pilno_jax.training import batches, causality, objective, optimizers

STEPS_PER_CALL = 10


def measure(repeats: int) -> dict[str, float]:
    """Milliseconds of a step and of its parts."""
    problem = problems.burgers(hard_constraints=False, moving_frame=False)
    # Any: a Flax module names the arguments of `init` otherwise than `Network` does.
    model: Any = models.ALNO(
        width=32, num_layers=4, modes=14, poles=14, activation="tanh"
    )
    labelled = data.generate(problem, jax.random.key(0), 25)
    params = operators.initial_parameters(problem, model, jax.random.key(1))
    predict = operators.predictor(problem, model.apply)
    loss = objective.objective(
        problem, model.apply, rule=causality.exponential(5.0), data_loss="squared"
    )
    adam = optimizers.optimizer("adam", optimizers.schedule("constant", 1e-3, 1))
    state = training.initial_state(params, adam, jax.random.key(2))
    draw = batches.batches(
        problem, num_train=25, batch_data=3, batch_physics=50, num_virtual=1000
    )
    batch = jax.jit(draw)(labelled, state.key, state.step)
    together = jax.tree.map(
        lambda *x: jnp.concatenate(x), batch["inputs"], batch["virtual"]
    )

    @jax.jit
    def network(params):
        return jax.grad(lambda params: jnp.mean(predict(params, together) ** 2))(params)

    @jax.jit
    def physics(params, step):
        drawn = draw(labelled, state.key, step)
        return jax.grad(lambda params: loss(params, drawn)[0])(params)

    step = training.training_step(loss, draw, adam)
    whole = jax.jit(step)
    times = timing.interleaved(
        {
            "network_ms": lambda: network(params),
            "network_and_physics_ms": lambda: physics(params, 7),
            "compiled_step_ms": lambda: whole(state, labelled),
        },
        repeats,
    )
    return {
        **{name: 1e3 * taken.fastest for name, taken in times.items()},
        "fit_step_ms": fit_time(step, state, labelled, repeats),
    }


def fit_time(step: Any, state: training.State, labelled: Any, repeats: int) -> float:
    """Milliseconds per step of `fit`, callbacks included, once it is compiled.

    Read off a callback's clock, since `fit` compiles anew whenever it is called.
    """
    moments: list[float] = []
    training.fit(
        step,
        jax.tree.map(jnp.copy, state),
        labelled,
        num_steps=(repeats + 1) * STEPS_PER_CALL,
        steps_per_call=STEPS_PER_CALL,
        callbacks=(lambda progress: moments.append(time.perf_counter()),),
    )
    spans = [after - before for before, after in itertools.pairwise(moments)]
    return 1e3 * min(spans) / STEPS_PER_CALL


def main() -> None:
    options = command.parser(__doc__, "train_step", repeats=10).parse_args()
    started = time.perf_counter()
    times = measure(options.repeats)
    physics_share = times["network_and_physics_ms"] / times["network_ms"] - 1
    outside_share = times["fit_step_ms"] / times["compiled_step_ms"] - 1
    peak = environment.peak_memory_mb()
    for name, value in times.items():
        print(f"{name:24s} {value:8.1f}")
    print(f"physics adds {physics_share:.1%} to the network (goal: at most 25 %)")
    print(f"outside the compiled step {outside_share:.1%} (goal: below 5 %)")
    print(f"peak memory {peak:.0f} MB (goal: below 2000)")
    command.write(
        options.output,
        {
            **times,
            "physics_share": physics_share,
            "outside_share": outside_share,
            "peak_memory_mb": round(peak),
            "wall_clock_seconds": round(time.perf_counter() - started, 1),
        },
    )


if __name__ == "__main__":
    main()
