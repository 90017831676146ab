"""Own arrays: what fits is kept, what does not is told with the way out."""

import sys

import jax
import numpy as np
import pytest
import toy

from pilno_jax import problems
from pilno_jax.data import user_arrays
from pilno_jax.evaluation import error_estimate

COUNT = 3


@pytest.fixture(scope="module")
def arrays():
    problem = toy.decay()
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), COUNT))
    u = jax.vmap(problem.solve)(inputs)
    # Double precision, as files tend to be.
    return {"u0": np.asarray(inputs["u0"], float), "u": np.asarray(u, float)}


def write_npz(path, arrays):
    np.savez(path, **arrays)


def write_mat(path, arrays):
    pytest.importorskip("scipy.io").savemat(path, arrays)


def write_hdf5(path, arrays):
    with pytest.importorskip("h5py").File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array


def test_what_only_the_reference_knows_is_not_asked_for():
    """Measured waves have no family; a batch mixes them with drawn ones that have."""
    problem = problems.forced_kdv(num_x=32, num_t=16)
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), COUNT))
    labels = jax.vmap(problem.solve)(inputs)
    own = {k: v for k, v in inputs.items() if k not in ("family", "constants")}
    mine = user_arrays.labelled(problem, own, labels)
    assert jax.tree.structure(mine.data["inputs"]) == jax.tree.structure(inputs)
    expected = error_estimate.residuals(problem)(labels, inputs)
    np.testing.assert_allclose(mine.residuals, expected, rtol=1e-5)
    with pytest.raises(ValueError, match=r"names of inputs = .*'family'.*expected"):
        user_arrays.labelled(problem, inputs, labels)


@pytest.mark.parametrize(
    ("name", "write"),
    [("a.npz", write_npz), ("a.mat", write_mat), ("a.h5", write_hdf5)],
)
def test_files_come_back_as_they_were_written(tmp_path, arrays, name, write):
    write(tmp_path / name, arrays)
    found = user_arrays.read(tmp_path / name)
    assert found.keys() == arrays.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(found[key], array)


def test_a_new_mat_file_is_hdf5_with_its_axes_reversed(tmp_path, arrays):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["u"] = arrays["u"].T
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    with path.open("r+b") as file:
        file.write(header)
    np.testing.assert_array_equal(user_arrays.read(path)["u"], arrays["u"])


@pytest.mark.parametrize(
    ("name", "package"), [("a.mat", "scipy"), ("a.h5", "h5py"), ("a.hdf5", "h5py")]
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ImportError, match=rf"{package}.*pilno-jax\[data\]"):
        user_arrays.read(tmp_path / name)


def test_other_files_are_told(tmp_path):
    with pytest.raises(ValueError, match=r"'\.csv'.*npz"):
        user_arrays.read(tmp_path / "a.csv")
    with pytest.raises(FileNotFoundError, match=r"no file .*a\.npz"):
        user_arrays.read(tmp_path / "a.npz")


def test_good_data_is_kept_in_the_library_s_precision(arrays):
    found = user_arrays.labelled(toy.decay(), {"u0": arrays["u0"]}, arrays["u"])
    np.testing.assert_allclose(found.data["labels"], arrays["u"], rtol=1e-6)
    assert found.data["labels"].dtype == found.data["inputs"]["u0"].dtype == np.float32
    # The stencil's error for exp(-t) on nine points, and no hard constraints here.
    assert found.residuals.max() < 1e-2 and found.mismatches is None
    assert "3 labelled samples" in str(found) and "residual" in str(found)


def test_a_reversed_axis_shows_in_the_residual(arrays):
    found = user_arrays.labelled(
        toy.decay(), {"u0": arrays["u0"]}, arrays["u"][..., ::-1]
    )
    assert found.residuals.min() > 1


def test_pairs_out_of_order_show_in_the_prescribed_values():
    problem = problems.diffusion(num_x=8, num_t=9)
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), COUNT))
    u = np.asarray(jax.vmap(problem.solve)(inputs))
    right = user_arrays.labelled(problem, inputs, u)
    wrong = user_arrays.labelled(problem, inputs, u[::-1])
    assert right.mismatches.max() < 1e-5
    assert wrong.mismatches[0] > 0.1
    np.testing.assert_allclose(right.residuals, wrong.residuals[::-1], rtol=1e-3)


def test_no_alarm_where_the_prescribed_values_are_met():
    """In 2000 samples some probe is nearly zero at a node that is not prescribed."""
    problem = problems.burgers(num_x=16, num_t=9)
    keys = jax.random.split(jax.random.key(0), 2000)
    inputs = jax.vmap(problem.sample)(keys)
    raw = jax.random.normal(jax.random.key(1), (len(keys), *problem.grid.shape))
    labels = jax.vmap(problem.constrain)(raw, inputs)
    found = user_arrays.labelled(problem, inputs, labels)
    # Rounding of sums over 16 nodes, relative to u: nothing near a wrong value.
    assert found.mismatches.max() < 1e-5
    shifted = user_arrays.labelled(problem, inputs, np.roll(labels, 1, axis=2))
    assert np.median(shifted.mismatches) > 0.1


def test_labels_of_part_of_the_grid_are_taken_as_they_are():
    problem = problems.darcy(num_points=13, num_fine=25, label_points=5)
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), 2))
    found = user_arrays.labelled(problem, inputs, np.ones((2, 5, 5)))
    assert found.data["labels"].shape == (2, 5, 5)
    assert found.residuals is None and found.mismatches is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda a: {"u": a["u"][:, :, :-1]}, r"\(samples, x, t\) = \(samples, 4, 9\)$"),
        (lambda a: {"u": a["u"].transpose(0, 2, 1)}, r"\(samples, t, x\): .*\(0, 2, 1"),
        (lambda a: {"u": a["u"].transpose(1, 2, 0)}, r"\(x, t, samples\): .*\(2, 0, 1"),
        (lambda a: {"u": a["u"][0]}, r"\(4, 9\)"),
        (lambda a: {"u": a["u"] * np.nan}, "NaN"),
        (lambda a: {"u": a["u"] + 0j}, "complex128.*real numbers"),
        (lambda a: {"u": a["u"].astype(object)}, "object.*real numbers"),
        (lambda a: {"u0": a["u0"][:2]}, r"shape of u0 = \(2, 4\).*\(3, 4\)"),
        (lambda a: {"f": a["u0"]}, r"names of inputs = \['f', 'u0'\].*\['u0'\]"),
    ],
)
def test_what_does_not_fit_is_told(arrays, change, told):
    changed = {**arrays, **change(arrays)}
    labels = changed.pop("u")
    with pytest.raises(ValueError, match=told):
        user_arrays.labelled(toy.decay(), changed, labels)
