"""One call from a problem to an operator: it learns, goes on, and comes back."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import pilno_jax
from pilno_jax import problems, training
from pilno_jax.checks import ArgumentError
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.runs.train_stage import Kept

PROBLEM = problems.diffusion(num_x=16, num_t=9, length_scale=2.0)
ALONE = dataclasses.replace(PROBLEM, solve=None)
NETWORK = pilno_jax.ALNO(
    width=8, num_layers=1, modes=(4, 4), poles=(2, 2), period=(1.0, 1.5)
)
CALL = {"network": NETWORK, "steps": 60, "corrector_steps": (40,), "validation": 12}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """An operator of an equation without solver or label, its folder, its lines."""
    workdir, lines = tmp_path_factory.mktemp("run"), []
    operator = pilno_jax.train(ALONE, workdir=workdir, say=lines.append, **CALL)
    return operator, workdir, lines


def test_the_equation_alone_teaches_it(trained):
    operator, _, lines = trained
    test = pilno_jax.data.generate(PROBLEM, jax.random.key(7), 20)
    errors = operator.error(test["inputs"], test["labels"])
    u0 = np.broadcast_to(test["inputs"]["u0"][..., None], test["labels"].shape)
    at_rest = pilno_jax.relative_errors(u0, test["labels"])
    assert errors.mean() < at_rest.mean() / 2
    # What it says of itself is right within a factor of 3, for most.
    ratios = operator.error(test["inputs"]) / errors
    assert np.mean((ratios > 1 / 3) & (ratios < 3)) > 0.7
    assert "stage 2 of 2: step 40/40" in lines[-2] and "has not seen" in lines[-1]


def test_the_same_call_goes_on_and_the_folder_loads(trained):
    operator, workdir, _ = trained
    inputs = PROBLEM.sample(jax.random.key(1))
    lines = []
    again = pilno_jax.train(ALONE, workdir=workdir, say=lines.append, **CALL)
    assert len(lines) == 1  # nothing is left to be trained
    loaded = pilno_jax.load(workdir, ALONE)
    for other in (again, loaded):
        np.testing.assert_array_equal(other.predict(inputs), operator.predict(inputs))
    assert loaded.error(inputs) == operator.error(inputs)
    with pytest.raises(ArgumentError, match="another training .*batch: 12 there, 4"):
        pilno_jax.train(ALONE, workdir=workdir, batch=4, **CALL)


def test_another_equation_or_other_labels_are_another_training(trained):
    _, workdir, _ = trained
    faster = problems.diffusion(num_x=16, num_t=9, length_scale=2.0, diffusivity=0.5)
    faster = dataclasses.replace(faster, solve=None)
    with pytest.raises(ArgumentError, match="another training .*traits.residual"):
        pilno_jax.train(faster, workdir=workdir, **CALL)
    labels = pilno_jax.data.generate(PROBLEM, jax.random.key(1), 3)
    with pytest.raises(ArgumentError, match="another training .*num_train"):
        pilno_jax.train(ALONE, labels, workdir=workdir, **CALL)


def test_a_corrector_that_is_added_later_comes_back(tmp_path):
    short = {"network": NETWORK, "steps": 4, "validation": 3, "say": lambda line: None}
    pilno_jax.train(ALONE, workdir=tmp_path, corrector_steps=(), **short)
    longer = pilno_jax.train(ALONE, workdir=tmp_path, corrector_steps=(4,), **short)
    loaded = pilno_jax.load(tmp_path, ALONE)
    inputs = PROBLEM.sample(jax.random.key(1))
    assert len(loaded.correctors) == 1
    np.testing.assert_array_equal(loaded.predict(inputs), longer.predict(inputs))


def test_labels_may_be_on_the_whole_grid_or_on_their_nodes():
    darcy = problems.darcy(num_points=13, num_fine=13, label_points=4)
    labelled = pilno_jax.data.generate(darcy, jax.random.key(0), 3)
    on_nodes = {**labelled, "labels": darcy.restrict(labelled["labels"])}
    network = pilno_jax.ALNO(width=4, num_layers=1, modes=(2, 2), poles=(1, 1))
    call = {"network": network, "steps": 2, "corrector_steps": (), "validation": 0}
    operators = [
        pilno_jax.train(darcy, one, say=lambda line: None, **call)
        for one in (labelled, on_nodes)
    ]
    inputs = darcy.sample(jax.random.key(1))
    np.testing.assert_array_equal(*[one.predict(inputs) for one in operators])


def test_damaged_checkpoints_are_told_of_and_their_steps_saved_again(tmp_path):
    params = pilno_jax.initial_parameters(PROBLEM, NETWORK, jax.random.key(0))
    state = training.initial_state(params, optax.adam(1e-2), jax.random.key(1))
    folder, lines = RunFolder(tmp_path), []
    with Kept(folder, 1, state) as kept:
        for step in (1, 2):
            kept.keep(step, state._replace(step=jnp.int32(step)), 1.0 / step)
    for file in (folder.checkpoints_of(1) / "2" / "state").rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with Kept(folder, 1, state) as kept:
        assert kept.newest(state, lines.append).step == 1
        kept.keep(2, state._replace(step=jnp.int32(2)), 0.5)
    with Kept(folder, 1, state) as kept:
        assert kept.newest(state, lines.append).step == 2
    assert len(lines) == 1 and lines[0].endswith("going on from step 1")


def test_what_is_saved_comes_back(trained, tmp_path):
    operator, _, _ = trained
    inputs = PROBLEM.sample(jax.random.key(1))
    loaded = pilno_jax.load(operator.save(tmp_path / "saved"), ALONE)
    np.testing.assert_array_equal(loaded.predict(inputs), operator.predict(inputs))
    assert loaded.error_bar == operator.error_bar
    dataclasses.replace(operator, error_bar=None).save(tmp_path / "saved")
    assert pilno_jax.load(tmp_path / "saved", ALONE).error_bar is None
    assert (operator.export(tmp_path / "shipped") / "load_operator.py").exists()


def test_a_rate_that_explodes_is_named():
    with pytest.raises(ArgumentError, match="learning_rate = 1e.30.*a smaller one"):
        pilno_jax.train(
            ALONE, network=NETWORK, steps=40, corrector_steps=(), learning_rate=1e30
        )


@pytest.mark.parametrize(
    ("slip", "line"),
    [
        ({"problem": "burgers"}, "problem = 'burgers'.*such as problems.burgers"),
        ({"labelled": [1, 2]}, 'labelled = \'list\'.*dict of "inputs" and "labels"'),
        ({"steps": 1.5}, "steps = 1.5 .*a whole number above 0"),
        ({"corrector_steps": 300}, r"corrector_steps = 300 .*as in \(1000,\)"),
        ({"corrector_steps": (-5,)}, r"corrector_steps = \(-5,\)"),
    ],
)
def test_what_train_cannot_take_is_named(slip, line):
    with pytest.raises(ArgumentError, match=line):
        pilno_jax.train(**{"problem": ALONE, **slip})


def test_a_folder_whose_problem_has_no_name_asks_for_it(trained):
    _, workdir, _ = trained
    with pytest.raises(ArgumentError, match=r"load\(folder, problem\)"):
        pilno_jax.load(workdir)


def test_a_folder_is_not_loaded_as_another_problem(trained):
    _, workdir, _ = trained
    with pytest.raises(ArgumentError, match="problem = 'burgers' .* of this run"):
        pilno_jax.load(workdir, problems.burgers())


def test_a_default_network_fits_any_grid():
    from pilno_jax.runs.train import network_for

    plane = problems.navier_stokes(num_x=12, num_t=7)
    two_fields = problems.brusselator(num_x=12, num_t=9)
    for problem in (PROBLEM, plane, two_fields):
        network = network_for(problem)

        def first(key, problem=problem, network=network):
            params = pilno_jax.initial_parameters(problem, network, key)
            inputs = jax.tree.map(lambda x: x[None], problem.sample(key))
            return pilno_jax.predictor(problem, network.apply)(params, inputs)

        u = jax.eval_shape(first, jax.random.key(0))
        assert u.shape == (1, *problem.shape)
