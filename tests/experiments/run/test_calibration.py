"""What labelled inputs tell of errors is kept by the run, and true of others."""

import dataclasses

import jax
import numpy as np
import pytest

import pilno_jax
from experiments.run import calibration
from pilno_jax import data, models, operators, problems
from pilno_jax.runs import files
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.runs.trained_run import TrainedRun


def test_an_error_bar_of_fresh_inputs_is_what_load_reads(tmp_path):
    options = {"name": "diffusion", "num_x": 8, "num_t": 9}
    network = {"name": "fno", "width": 2, "num_layers": 1, "modes": (2, 2)}
    problem, model = problems.make(**options), models.make(**network)
    params = operators.initial_parameters(problem, model, jax.random.key(0))
    config = {"problem": options, "model": network}
    run = TrainedRun(problem, model, params, step=0, config=config)
    labelled = data.generate(problem, jax.random.key(1), 40)
    answers = calibration.answered(run, labelled)
    assert sorted([*answers.known, *answers.unknown]) == list(range(40))
    bar, judged = calibration.error_bar(answers)
    # Conformal: nine of ten, up to what twenty inputs may differ from twenty others.
    assert judged["coverage"] >= 0.7
    # The error of a network that knows nothing is all of the solution's change.
    assert judged["within_3"] == 1.0

    folder = RunFolder(run.save(tmp_path))
    with pytest.raises(ValueError, match="error_bar"):
        pilno_jax.load(tmp_path).predict(labelled["inputs"], with_error=True)
    files.write_json(folder.error_bar, bar.to_dict())
    loaded = pilno_jax.load(tmp_path).predict(labelled["inputs"], with_error=True)
    sizes = answers.measured(operators.error_sizes(problem))
    np.testing.assert_allclose(loaded.error, bar.expected(sizes), rtol=1e-4)

    few = dataclasses.replace(answers, known=answers.known[:9])
    assert calibration.error_bar(few) is None
