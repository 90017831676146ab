"""Where a training step's time goes, for Burgers at the paper's size:

python -m benchmarks.train_step

network      forward and backward of the prediction alone, on the same batch
physics      what residuals, causality weights and drawing virtual inputs add
optimiser    what the update adds
outside      what one step of `fit` costs beyond the compiled step: dispatch, metrics

Times are minima over repeats within one run: read them as ratios.
"""

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from absl import app, flags

from pilno_jax import data, models, operators, problems, training
from pilno_jax.runs import environment, files
from pilno_jax.training import batches, causality, objective, optimizers

OUTPUT = flags.DEFINE_string("output", "results/train_step.json", "Where to write.")
REPEATS = flags.DEFINE_integer("repeats", 10, "Timed calls of each part.")
STEPS_PER_CALL = 10


def fastest(call: Callable[[], Any], repeats: int) -> float:
    """Milliseconds of the fastest of several calls, after one to compile."""
    jax.block_until_ready(call())
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main(_: list[str]) -> None:
    started = time.perf_counter()
    problem = problems.burgers(hard_constraints=False, moving_frame=False)
    model = models.ALNO(width=32, num_layers=4, modes=14, poles=14, activation="tanh")
    labelled = data.generate(problem, jax.random.key(0), 25)
    sizes: dict[str, Any] = {"num_train": 25, "batch_data": 3, "batch_physics": 50}
    draw = batches.batches(problem, **sizes, num_virtual=1000)
    sample = jax.tree.map(lambda x: x[0], labelled["inputs"])
    grid = problem.grid.scaled
    params = model.init(jax.random.key(1), problem.features(sample), grid)
    predict = operators.predictor(problem, model.apply)
    loss = objective.objective(
        problem, model.apply, rule=causality.exponential(5.0), data_loss="squared"
    )
    adam = optimizers.optimizer("adam", optimizers.schedule("constant", 1e-3, 1))
    state = training.initial_state(params, adam, jax.random.key(2))
    batch = jax.jit(draw)(labelled, state.key, state.step)
    together = jax.tree.map(
        lambda *x: jnp.concatenate(x), batch["inputs"], batch["virtual"]
    )

    network = jax.jit(jax.grad(lambda params: jnp.mean(predict(params, together) ** 2)))

    @jax.jit
    def physics(params, step):
        drawn = draw(labelled, state.key, step)
        return jax.grad(lambda params: loss(params, drawn)[0])(params)

    step = training.training_step(loss, draw, adam)
    whole = jax.jit(step)
    repeats = REPEATS.value
    found = {
        "network_ms": fastest(lambda: network(params), repeats),
        "network_and_physics_ms": fastest(lambda: physics(params, 7), repeats),
        "compiled_step_ms": fastest(lambda: whole(state, labelled), repeats),
        "fit_step_ms": fit_time(step, state, labelled, repeats),
    }
    physics_share = found["network_and_physics_ms"] / found["network_ms"] - 1
    outside_share = found["fit_step_ms"] / found["compiled_step_ms"] - 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name, value in found.items():
        print(f"{name:24s} {value:8.1f}")
    print(f"physics adds {physics_share:.1%} to the network (goal: at most 25 %)")
    print(f"outside the compiled step {outside_share:.1%} (goal: below 5 %)")
    print(f"peak memory {peak:.0f} MB (goal: below 2000)")
    report = {
        **found,
        "physics_share": physics_share,
        "outside_share": outside_share,
        "peak_memory_mb": round(peak),
        "wall_clock_seconds": round(time.perf_counter() - started, 1),
        **environment.environment(),
    }
    files.write_json(Path(OUTPUT.value), report)


def fit_time(step: Any, state: training.State, labelled: Any, repeats: int) -> float:
    """Milliseconds per step of `fit`, callbacks included, once it is compiled."""
    looks: list[float] = []
    training.fit(
        step,
        jax.tree.map(jnp.copy, state),
        labelled,
        num_steps=(repeats + 1) * STEPS_PER_CALL,
        steps_per_call=STEPS_PER_CALL,
        callbacks=(lambda progress: looks.append(time.perf_counter()),),
    )
    spans = [after - before for before, after in zip(looks, looks[1:], strict=False)]
    return 1e3 * min(spans) / STEPS_PER_CALL


if __name__ == "__main__":
    app.run(main)
