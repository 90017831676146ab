"""Figures show the numbers they were given, with names on their axes."""

import jax
import numpy as np
import pytest
import toy
from matplotlib.image import imread

from pilno_jax import models, operators, plotting, problems
from pilno_jax.evaluation import error_estimate
from pilno_jax.numerics.grids import Axis
from pilno_jax.plotting.series import rivals
from pilno_jax.problems import Problem


@pytest.fixture(scope="module", params=["burgers", "darcy"])
def problem(request) -> Problem:
    small = {
        "burgers": {"num_x": 16, "num_t": 9},
        "darcy": {"num_points": 13, "num_fine": 25, "label_points": 5},
    }
    return problems.make(request.param, **small[request.param])


def a_field(problem, seed=0):
    return np.random.default_rng(seed).normal(size=problem.grid.shape)


def labelled(figure):
    """Every panel (colour bars apart) says what its axes are."""
    drawn = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    return all(ax.get_xlabel() and ax.get_ylabel() for ax in drawn)


def test_a_comparison_shares_its_scale_and_centres_its_error(problem):
    truth, prediction = a_field(problem), 3 * a_field(problem, 1)
    figure = plotting.comparison_figure(problem.grid, truth, prediction, "worst")
    first, second, error = [ax.images[0] for ax in figure.axes if ax.images]
    both = np.stack([truth, prediction])
    assert first.get_clim() == second.get_clim() == (both.min(), both.max())
    low, high = error.get_clim()
    assert low == -high == -np.abs(prediction - truth).max()
    assert labelled(figure)


def test_slices_are_the_field_at_the_places_named(problem):
    truth, prediction = a_field(problem), a_field(problem, 1)
    figure = plotting.slices_figure(problem, {"case 3": (truth, prediction)}, "worst")
    (ax,) = figure.axes
    steady = problem.time_axis is None
    cuts = [6] if steady else [0, 2, 4, 6, 8]
    drawn = [line.get_ydata() for line in ax.lines]
    for index, cut in enumerate(cuts):
        np.testing.assert_array_equal(drawn[2 * index], truth[:, cut])
        np.testing.assert_array_equal(drawn[2 * index + 1], prediction[:, cut])
    assert ax.lines[1].get_label() == ("y = 0.5" if steady else "t = 0")
    assert labelled(figure)


def test_a_function_of_time_alone_is_a_curve_with_a_spectrum():
    problem = problems.duffing(num_t=65, final_time=4.0)
    t = np.linspace(0.0, 4.0, 65)
    truth, prediction = np.sin(2 * np.pi * t), np.sin(2 * np.pi * t) + 0.1
    pair = {"case": (truth, prediction)}
    compared = plotting.comparison_figure(problem.grid, truth, prediction, "worst")
    series, error, spectrum = compared.axes
    np.testing.assert_array_equal(series.lines[1].get_ydata(), prediction)
    np.testing.assert_allclose(error.lines[0].get_ydata(), 0.1)
    frequency, size = spectrum.lines[0].get_data()
    # A sine of amplitude 1 at 2 pi, on nodes that are 2 pi / 4.06 apart.
    assert abs(frequency[np.argmax(size)] - 2 * np.pi) < 0.8
    assert 0.9 < np.max(size) < 1.01
    sliced = plotting.slices_figure(problem, pair, "worst")
    stages = plotting.stages_figure(problem.grid, truth, {"1": prediction}, "median")
    reference = plotting.reference_figure(problem, {"f": prediction}, truth)
    np.testing.assert_array_equal(sliced.axes[0].lines[0].get_ydata(), truth)
    np.testing.assert_allclose(stages.axes[1].lines[0].get_ydata(), 0.1)
    share = np.linalg.norm(prediction - truth) / np.linalg.norm(truth)
    assert stages.axes[1].lines[0].get_label() == f"1: {100 * share:.0f} %"
    np.testing.assert_array_equal(reference.axes[0].lines[0].get_ydata(), prediction)
    assert all(map(labelled, (compared, sliced, stages, reference)))


def test_rivals_are_drawn_case_by_case_and_as_spectra_of_the_last():
    axis = Axis("t", 0.0, 2 * np.pi, 64)
    t = axis.nodes()
    case = {"reference": np.sin(5 * t), "one": np.sin(5 * t + 1)}
    worst = {name: 2 * values for name, values in case.items()}
    drawn = rivals(axis, {"A": {"median": case, "worst": worst}})
    first, second, spectrum = drawn.axes
    assert (first.get_title(), second.get_title()) == ("A: median", "A: worst")
    np.testing.assert_array_equal(second.lines[1].get_ydata(), worst["one"])
    frequencies, sizes = spectrum.lines[0].get_data()
    peak = frequencies[np.argmax(sizes)]
    assert abs(peak - 5) < 0.1 and max(sizes) == pytest.approx(2, rel=0.1)


def test_fields_of_three_axes_are_cut():
    """Compared at the final time, sliced at the middle of y."""
    problem = problems.navier_stokes(num_x=8, num_y=6, num_t=9)
    truth, prediction = a_field(problem), a_field(problem, 1)
    compared = plotting.comparison_figure(problem.grid, truth, prediction, "worst")
    images = [ax.images[0].get_array() for ax in compared.axes if ax.images]
    np.testing.assert_array_equal(images[0], truth[..., -1].T)
    np.testing.assert_array_equal(images[1], prediction[..., -1].T)
    sliced = plotting.slices_figure(problem, {"case": (truth, prediction)}, "worst")
    np.testing.assert_array_equal(sliced.axes[0].lines[2].get_ydata(), truth[:, 3, 2])
    assert labelled(compared) and labelled(sliced)


INPUTS = {
    "burgers": ["input $u_0$"],
    "darcy": ["input $a$"],
    "forced_kdv": ["input $f_x$", "input $u_0$", "inputs along t"],
    "navier_stokes": ["input $u_0$"],
}


@pytest.mark.parametrize("name", INPUTS)
def test_a_reference_is_drawn_with_the_inputs_that_its_problem_describes(name):
    small = {
        "burgers": {"num_x": 8, "num_t": 7},
        # On the finest grid a_fine has the shape of a, and is not drawn all the same.
        "darcy": {"num_points": 13, "num_fine": 13, "label_points": 5},
        "forced_kdv": {"num_x": 12, "num_t": 8},
        "navier_stokes": {"num_x": 8, "num_y": 6, "num_t": 7},
    }
    problem = problems.make(name, **small[name])
    inputs = jax.jit(problem.sample)(jax.random.key(0))
    u = a_field(problem)
    figure = plotting.reference_figure(problem, inputs, u)
    drawn = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    titles = [ax.get_title() for ax in drawn]
    assert titles[:-2] == INPUTS[name]
    assert titles[-2] == "reference solution $u$" and labelled(figure)
    heading = figure.get_suptitle()
    assert heading.startswith(name.replace("_", " "))
    if name == "forced_kdv":
        assert rf"$\alpha$ = {float(inputs['alpha']):.3g}" in heading
        curves = drawn[2].lines
        assert [line.get_label() for line in curves] == [
            "$u(-L, t)$",
            "$u(L, t)$",
            "$u_x(L, t)$",
        ]
        np.testing.assert_array_equal(curves[1].get_ydata(), inputs["u_right"])
    if name == "navier_stokes":
        shown = drawn[-2].images[0].get_array()
        np.testing.assert_array_equal(shown, u[..., -1].T)
        np.testing.assert_array_equal(drawn[-1].lines[-1].get_ydata(), u[:, 3, -1])


def test_inputs_that_nobody_described_are_drawn_by_their_shapes():
    problem = toy.decay()
    u0 = np.arange(4.0)
    figure = plotting.reference_figure(problem, {"u0": u0}, a_field(problem))
    assert figure.axes[0].get_title() == "input u0"
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), u0)


def test_losses_and_errors_are_drawn_on_logarithmic_axes():
    losses = plotting.loss_figure([10, 20], {"loss": [1.0, 0.1], "pde": [None, 0.2]})
    history = plotting.validation_figure([10, 20], [0.1, 0.2], [1e-1, 1e-2])
    for ax in (*losses.axes, *history.axes):
        assert ax.get_yscale() == "log"
    assert labelled(losses) and labelled(history)


@pytest.mark.parametrize("errors", [[0.1, 0.2, 0.4], [0.3], [0.2, 0.2]])
def test_every_test_case_is_in_the_histogram(errors):
    figure = plotting.error_figure(errors)
    (ax,) = figure.axes
    assert sum(bar.get_height() for bar in ax.patches) == len(errors)
    assert labelled(figure)


@pytest.mark.parametrize("name", ["alno", "fno"])
def test_poles_are_in_physical_units(problem, name):
    sizes = {"width": 4, "num_layers": 2, "modes": 3}
    model = models.make(name, **sizes, **({"poles": 2} if name == "alno" else {}))
    params = operators.initial_parameters(problem, model, jax.random.key(1))
    figure = plotting.poles_figure(problem.grid, params)
    if name == "fno":
        assert figure is None
        return
    assert figure is not None and len(figure.axes) == 2 and labelled(figure)
    expected = models.poles(params, problem.grid.extents)[1][0]
    line = figure.axes[0].lines[1]
    np.testing.assert_allclose(line.get_xdata(), expected.decay)
    np.testing.assert_allclose(line.get_ydata(), expected.frequency)


def test_a_calibration_shows_every_sample_where_its_residual_predicts_it():
    residuals, errors = np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.1, 0.3, 0.2, 0.9])
    law = error_estimate.calibrate(residuals, errors)
    (ax,) = plotting.calibration_figure(residuals, errors, law).axes
    diagonal, dots = ax.lines
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    np.testing.assert_allclose(dots.get_xdata(), 100 * law(residuals))
    np.testing.assert_allclose(dots.get_ydata(), 100 * errors)
    # One pair of neighbours is out of order: 1 - 6 (1 + 1) / (4 (16 - 1)).
    assert "0.80" in ax.get_title()
    assert ax.get_xscale() == ax.get_yscale() == "log" and labelled(ax.figure)


def test_true_and_learned_poles_share_a_plane():
    figure, (ax,) = plotting.panels(1)
    plotting.pole_comparison(ax, np.array([-1 + 2j]), np.array([-3.0 + 0j]), "two")
    true, learned = (line.get_xydata().tolist() for line in ax.lines)
    assert true == [[-1.0, 2.0]] and learned == [[-3.0, 0.0]] and labelled(figure)


def test_a_saved_figure_is_an_image(tmp_path):
    figure = plotting.error_figure([0.1, 0.2])
    plotting.save(figure, tmp_path / "figures" / "errors.png")
    image = imread(tmp_path / "figures" / "errors.png")
    assert image.shape[1] > image.shape[0] > 100 and image.std() > 0
