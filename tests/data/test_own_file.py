"""Labelled sets from files: the right nodes and samples, or one line that says why."""

import dataclasses
import types

import jax.numpy as jnp
import numpy as np
import pytest
import toy

from experiments.run.own_sets import own_sets
from pilno_jax.checks import ArgumentError
from pilno_jax.data.own_file import labelled_file

COUNT = 6


def exact(u0, times):
    return u0[:, :, None] * np.exp(-times)


def problem():
    """u' = -u with its initial value built in."""
    soft = toy.decay()
    times = soft.grid.axes[1].scaled

    def constrain(raw, inputs):
        return inputs["u0"][:, None] + times[None] * raw

    return dataclasses.replace(soft, constrain=constrain, constraints={})


def plain(num_x=toy.NUM_X, num_t=toy.NUM_T):
    u0 = 1 + np.random.default_rng(0).random((COUNT, num_x))
    return {"u0": u0, "u": exact(u0, np.linspace(0, 1, num_t))}


def pdebench(path, num_x=8, more_times=1, turned=False):
    """Cell centres and, as in some of PDEBench's files, a time more than values."""
    h5py = pytest.importorskip("h5py")
    times = np.linspace(0, 2, 33)
    u0 = 1 + np.random.default_rng(0).random((COUNT, num_x))
    u = exact(u0, times).astype(np.float32)
    with h5py.File(path, "w") as file:
        file["tensor"] = u if turned else np.swapaxes(u, 1, 2)
        file["x-coordinate"] = (np.arange(num_x, dtype=np.float32) + 0.5) / num_x
        further = 2 + np.arange(1, more_times + 1) / 16
        file["t-coordinate"] = np.append(times, further).astype(np.float32)
    return u0


@pytest.mark.parametrize("more_times", [0, 1])
def test_pdebench_s_layout(tmp_path, more_times):
    """Every other cell of eight, and the times up to 1 out of those up to 2."""
    path = tmp_path / "a.hdf5"
    u0 = pdebench(path, more_times=more_times)[2:5, ::2]
    mine = labelled_file(problem(), path, first=2, count=3)
    np.testing.assert_allclose(mine.data["inputs"]["u0"], u0, rtol=1e-6)
    expected = exact(u0, np.linspace(0, 1, toy.NUM_T))
    np.testing.assert_allclose(mine.data["labels"], expected, rtol=1e-6)
    # The stencil's error for exp(-t) on nine points.
    assert mine.residuals.max() < 1e-2


def test_nodes_of_a_plain_file_are_those_of_the_problem(tmp_path):
    fine = plain(12, 17)
    np.savez(tmp_path / "a.npz", **fine, x=np.arange(12) / 12, t=np.linspace(0, 1, 17))
    mine = labelled_file(problem(), tmp_path / "a.npz")
    np.testing.assert_allclose(mine.data["labels"], fine["u"][:, ::3, ::2], rtol=1e-6)


def test_the_fields_of_a_system_are_arrays_of_the_file(tmp_path):
    one = problem()
    both = dataclasses.replace(
        one,
        fields=("u", "v"),
        constrain=lambda raw, inputs: raw,
        residual=lambda u, inputs: jnp.stack(
            [one.residual(u[..., 0], inputs), one.residual(u[..., 1], inputs)], -1
        ),
    )
    arrays = plain()
    np.savez(tmp_path / "a.npz", **arrays, v=2 * arrays["u"])
    labels = labelled_file(both, tmp_path / "a.npz").data["labels"]
    expected = np.stack([arrays["u"], 2 * arrays["u"]], -1)
    np.testing.assert_allclose(labels, expected, rtol=1e-6)


def test_sets_of_one_file_share_no_sample(tmp_path):
    arrays, path = plain(), str(tmp_path / "a.npz")
    np.savez(path, **arrays)
    lines = []
    sets = own_sets(config(path, 3, 1, 2), problem(), lines.append)
    found = np.concatenate([one["labels"] for one in sets.values()])
    np.testing.assert_allclose(found, arrays["u"], rtol=1e-6)
    assert [len(one["labels"]) for one in sets.values()] == [3, 1, 2]
    assert len(lines) == 3 and "residual per size of u" in lines[0]
    with pytest.raises(ArgumentError, match=r"^data\.test_file: .* = 7 .* at most 6"):
        own_sets(config(path, 3, 1, 3), problem(), lines.append)


def config(path, num_train, num_validation, num_test):
    """What `own_sets` asks a config for."""
    files = dict.fromkeys(("train_file", "validation_file", "test_file"), path)
    counts = {"num_validation": num_validation, "num_test": num_test}
    return types.SimpleNamespace(
        train=types.SimpleNamespace(num_train=num_train),
        data=types.SimpleNamespace(**files, **counts),
    )


def backwards(arrays):
    """The last values as initial ones: what is prescribed is met, u' = u instead."""
    return {"u0": arrays["u"][..., -1], "u": arrays["u"][..., ::-1]}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (backwards, r"u seems to have its axis t reversed: .* as given 2\.0e\+00"),
        (lambda a: a | {"u": a["u"][::-1]}, "distance of labels .* same order"),
        (lambda a: {"u0": a["u0"], "v": a["u"]}, "has no 'u': expected .*'u0', 'u'"),
        (lambda a: a | {"u": a["u"].swapaxes(1, 2)}, r"looks like \(samples, t, x\)"),
        (lambda a: a | {"t": np.linspace(0, 2, 9)}, "t in a.npz = '9 nodes from 0 to"),
        (lambda a: a | {"x": np.arange(4) / 2}, "x in a.npz = '4 nodes from 0 to 1.5"),
    ],
)
def test_slips_are_one_line(tmp_path, change, line):
    """Hard initial values find pairs out of order, the residual what has the shape."""
    np.savez(tmp_path / "a.npz", **change(plain()))
    with pytest.raises(ArgumentError, match=line) as slip:
        labelled_file(problem(), tmp_path / "a.npz")
    assert "\n" not in str(slip.value)


def test_slips_of_pdebench_s_layout(tmp_path):
    path = tmp_path / "a.h5"
    pdebench(path, turned=True)
    with pytest.raises(ArgumentError, match=r"shape of tensor .*\(samples, t, x\) = "):
        labelled_file(problem(), path)
    pdebench(path, num_x=6)
    with pytest.raises(ArgumentError, match="x in a.h5 = '6 nodes .* 4 x in"):
        labelled_file(problem(), path)
    forced = dataclasses.replace(problem(), sample=lambda key: {"f": jnp.zeros((4, 9))})
    with pytest.raises(ArgumentError, match=r"inputs of 'decay' = \['f'\].*initial"):
        labelled_file(forced, path)
    path.write_bytes(b"\x89HDF")
    with pytest.raises(ArgumentError, match=r"a\.h5 cannot be read: "):
        labelled_file(problem(), path)
