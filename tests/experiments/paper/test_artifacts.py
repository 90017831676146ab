"""Artifacts on results made up for the purpose: runs, tables, claims, notes."""

import numpy as np
import pytest
from made_up_results import (
    built,
    findings,
    physics_is_ten_times_better,
    settings_of,
)

from experiments.pages import markdown
from experiments.paper import ARTIFACTS, benchmark_runs, causality, darcy, forced_kdv
from experiments.paper.artifact import (
    BETTER,
    NAME,
    NOT_REPRODUCED,
    REPRODUCED,
    Key,
    verdict,
)
from experiments.paper.baselines import LABELS, PILNO, deepomamba
from experiments.suite.protocols import PROTOCOLS
from experiments.suite.registry import BENCHMARKS, fields_of
from experiments.suite.run_spec import RunSpec
from experiments.suite.suite import unique
from pilno_jax.checks import ArgumentError
from pilno_jax.models import DeepOMamba

CPU, PAPER = PROTOCOLS["cpu"], PROTOCOLS["paper"]
SHAPED = [  # those that need no trained network, just results
    "table-main",
    "cost-table",
    "burgers-data",
    "burgers-ood",
    "darcy-table",
    "darcy-virtual",
    "darcy-resolution",
    "kdv-data",
    "kdv-errors",
    "cost-ablation",
    "rd-causality-no-virtual",
    "kdv-ablation",
]


def report_of(name, root, protocol=CPU, error=physics_is_ten_times_better):
    return ARTIFACTS[name].report(findings(name, root, protocol, error))


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_run_of_every_artifact_is_a_valid_config(protocol):
    """Fields exist, with type and range; a run that cannot start costs hours."""
    every = unique(
        run
        for artifact in ARTIFACTS.values()
        for run in artifact.runs(protocol).values()
    )
    for run in every:
        settings_of(run)


def test_a_field_that_does_not_exist_is_seen():
    """The test above fails for a field, a type or a range that is wrong."""
    for field, value in (("train.stepz", 3), ("train.steps", "many")):
        with pytest.raises(ArgumentError, match=field):
            settings_of(RunSpec("burgers").but({field: value}))
    with pytest.raises(ValueError, match="train.steps"):
        settings_of(RunSpec("burgers").but({"train.steps": -1}))


@pytest.mark.parametrize("config", BENCHMARKS)
def test_benchmark_runs_build_what_they_say(config):
    """Labels alone, every network in turn, with the first seed."""
    runs = benchmark_runs.runs(config, benchmark_runs.BASELINES, seeds=1)
    names = [built(run).config.model.name for run in runs]
    rival = BENCHMARKS[config].rival
    assert names == ["alno", "fno", "lno", *([rival] if rival else [])]
    first = built(runs[0])
    assert first.config.weights.pde == 0.0 and first.config.seed == 0
    assert first.problem.name == BENCHMARKS[config].problem_options["name"]


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
@pytest.mark.parametrize("name", SHAPED)
def test_reports_of_shaped_artifacts(name, protocol, tmp_path, no_figures):
    report = report_of(name, tmp_path, protocol)
    assert report.rows and (report.claims or report.notes)
    assert {c.verdict for c in report.claims} <= {BETTER, REPRODUCED, NOT_REPRODUCED}
    text = markdown.table(report.rows)
    assert len(text.splitlines()) == 2 + len(report.rows)
    assert "{" not in text and "nan" not in text


@pytest.fixture
def no_figures(monkeypatch):
    """Drawing is most of the time of a report; `test_a_curve_is_drawn` does it."""
    for module in ("label_curves", "length_scale_maps"):
        monkeypatch.setattr(f"experiments.paper.{module}.draw", lambda *_: None)
    monkeypatch.setattr("experiments.paper.cost.bars", lambda *_: None)


def test_a_curve_is_drawn(tmp_path):
    """With a marker at every printed error, and a logarithmic axis of labels."""
    (figure,) = report_of("burgers-data", tmp_path).figures.values()
    (ax,) = figure.axes
    points = {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in ax.lines
    }
    assert points["labels only, paper"] == ([25, 100], [9.386e-2, 1.1e-2])
    assert points["PILNO"][1] == pytest.approx([0.01] * 5)
    assert ax.get_xscale() == "log"


def test_maps_and_bars_are_drawn(tmp_path):
    (figure,) = report_of("diffusion-ood", tmp_path / "a").figures.values()
    first, second, _ = figure.axes  # the last is the scale of colours
    assert first.images[0].get_array().shape == (10, len(CPU.trained_lengths))
    assert np.all(first.images[0].get_array() > second.images[0].get_array())
    (figure,) = report_of("cost-ablation", tmp_path / "b").figures.values()
    errors = [bar.get_height() for bar in figure.axes[2].patches]
    assert errors == pytest.approx([0.1, 0.01, 0.01, 0.01])


def test_a_claim_is_judged_by_its_figures(tmp_path, no_figures):
    """Physics ten times better: the claim holds. No better: it does not."""
    report = report_of("burgers-data", tmp_path / "a")
    assert report.claims[0].verdict == BETTER
    assert report.claims[0].found == (
        "1.00e-01 against 1.00e-02, a factor of 10.0 (paper 9.4e-2 against 1.4e-2)"
    )
    even = report_of("burgers-data", tmp_path / "b", error=lambda key, run: 0.05)
    assert even.claims[0].verdict == NOT_REPRODUCED
    assert verdict(True) == REPRODUCED and verdict(False, True) == NOT_REPRODUCED


def test_heat_maps_of_the_paper_vary_the_virtual_length_scales():
    scales = "problem.virtual_length_scales"
    for config, name in (("burgers", "burgers-ood"), ("rd_forcing", "rd-ood")):
        for protocol, expected in ((PAPER, (0.5, 5.0)), (CPU, (0.5, 1.0))):
            recipe = fields_of(config, protocol.recipe)
            for run in ARTIFACTS[name].runs(protocol).values():
                used = dict(run.changes).get(scales, recipe[scales])
                assert tuple(used) == expected, (name, protocol.name)


def test_backbones_trained_for_longer_take_all_steps_of_the_recipe():
    runs = ARTIFACTS["burgers-backbones"].runs(CPU)
    for name in ("ALNO", "FNO"):
        short, long = (
            dict(runs[Key(variant)].changes) for variant in (name, f"{name}, all steps")
        )
        assert short.pop("train.steps") == 1200 and short == long


def test_physics_that_costs_nothing_measurable_is_not_said_to_cost(
    tmp_path, no_figures
):
    """All runs take the same time and memory."""
    claims = report_of("cost-ablation", tmp_path, error=lambda key, run: 0.01).claims
    costs = [claim for claim in claims if " cost" in claim.sentence]
    assert [claim.verdict for claim in costs] == [
        NOT_REPRODUCED,
        NOT_REPRODUCED,
        REPRODUCED,
    ]


def test_means_and_deviations_are_over_the_seeds(tmp_path):
    results = findings(
        "burgers-data", tmp_path, PAPER, lambda key, run: 0.1 + 0.01 * key.seed
    )
    error = results.error(Key(PILNO, labels=50))
    assert error["seeds"] == 5
    np.testing.assert_allclose(error["mean"], 0.12)
    np.testing.assert_allclose(error["std"], 0.01 * np.std(range(5)))


def test_only_what_counts_in_epochs_has_a_limit_of_steps():
    def steps(protocol, config, changes):
        return dict(PROTOCOLS[protocol].run(config, changes).changes)["train.steps"]

    assert steps("cpu", "burgers", {}) == 1200  # a fifth of the recipe's
    assert steps("cpu", "forced_kdv", deepomamba(2700)) == 1000
    assert steps("paper", "forced_kdv", deepomamba(2700)) == 16900


def test_a_long_training_is_compared_with_the_long_recipe(tmp_path):
    def error(key, run):
        long, soft = "all steps" in key.variant, "soft" in key.variant
        return (0.001 if long else 0.01) * (2 if soft else 1)

    rows = report_of("burgers-ablation", tmp_path, error=error).rows
    times = {row[NAME]: row["times"] for row in rows}
    assert times["soft constraints"] == times["soft constraints, all steps"] == 2.0
    assert times["tanh instead of gelu"] == times["the recipe, all steps"] == 1.0


def test_the_rival_has_its_own_size_and_not_that_of_the_recipe():
    *_, run = benchmark_runs.runs("forced_kdv", benchmark_runs.BASELINES, 1)
    assert built(run).model == DeepOMamba()


# Notes, under each protocol.


def notes_of(name, root, protocol, error=physics_is_ten_times_better):
    return " ".join(report_of(name, root, protocol, error).notes)


def test_a_limit_of_steps_is_noted_where_there_is_one(tmp_path, no_figures):
    short = notes_of("kdv-data", tmp_path / "a", CPU)
    # 1000 steps are 100 epochs of 135 labels, and 5.9 of 2700.
    assert "1000 steps at most here: its 100 epochs of up to 135 labels" in short
    assert "but 5.9 of them for 2700" in short
    full = notes_of("kdv-data", tmp_path / "b", PAPER)
    assert "at most" not in full
    for text in (short, full):
        tested = fields_of("forced_kdv", "fast")["data.num_test"]
        assert f"Tested on {tested} cases" in text
    assert forced_kdv.PAPERS_TEST_CASES == 3000


def test_the_solver_in_the_features_is_noted_where_they_have_it(tmp_path, no_figures):
    ours, papers = (notes_of("darcy-data", tmp_path / p.name, p) for p in (CPU, PAPER))
    assert "two steps of a solver" in ours and "a solver" not in papers
    assert "the 11 x 11 nodes" in ours and "the 11 x 11 nodes" in papers


def test_where_physics_helps_between_nodes_is_computed(tmp_path, no_figures):
    def helps_above(limit):
        def error(key, run):
            better = key.variant == darcy.LABELLED and key.labels > limit
            return 0.05 if better else 0.1

        return error

    texts = {
        limit: notes_of("darcy-virtual", tmp_path / str(limit), CPU, helps_above(limit))
        for limit in (0, 150, 1000)
    }
    assert "121 of 3721 nodes" in texts[0] and "helps at any N." in texts[0]
    assert "helps at N = 200, 400." in texts[150]
    assert "helps at no N." in texts[1000]


def test_seeds_are_counted_in_notes(tmp_path, no_figures):
    one = notes_of("cost-ablation", tmp_path / "a", CPU, lambda key, run: 0.01)
    assert "of one seed. Why TCW gains so little" in one

    def helped(key, run):
        return 0.005 if key.variant == "+ TCW" else 0.01

    five = notes_of("cost-ablation", tmp_path / "b", PAPER, helped)
    assert "of 5 seeds." in five and "gains so little" not in five


def test_what_plainer_training_gains_is_computed():
    even = dict.fromkeys(causality.OFTEN_SAVED, 0.1)
    assert "gains nothing from TCW" in causality._training_notes(even)[1]
    assert "no better than labels alone" in causality._training_notes(even)[1]
    better = even | {causality.PLAIN_WEIGHTED: 0.02, causality.PLAIN_EVEN: 0.05}
    note = causality._training_notes(better)[1]
    assert "gains from TCW: 5.00e-02 against 2.00e-02, a factor of 2.5" in note
    assert "it is better than labels alone" in note


def test_the_main_table_notes_steps_and_times_of_its_own_runs(tmp_path):
    main = notes_of("table-main", tmp_path / "a", CPU)
    assert "burgers 20%, darcy 20%, rd_forcing 20% of the steps" in main
    assert "at 20% of the steps" in main  # of the protocol
    assert "`burgers-data`" not in notes_of("table-main", tmp_path / "b", PAPER)
    times = notes_of("cost-table", tmp_path / "a", CPU)
    assert times == (
        "Times are those of the last seed, on 1 x cpu; between seeds of one benchmark "
        "they differ by up to a factor of 1.0 (burgers)."
    )


def test_smoother_inputs_are_noted_where_virtual_ones_lack_them(tmp_path, no_figures):
    ours, papers = (notes_of("burgers-ood", tmp_path / p.name, p) for p in (CPU, PAPER))
    assert "0.5 to 1.0" in ours and "smoother than 1.0 only the labels show" in ours
    assert "0.5 to 5.0" in papers and "only the labels show" not in papers


def test_labels_alone_are_a_row_of_their_own():
    runs = ARTIFACTS["burgers-worst"].runs(CPU)
    assert [key.variant for key in runs] == [LABELS, PILNO]
    assert dict(runs[Key(LABELS)].changes)["weights.pde"] == 0.0
    assert "weights.pde" not in dict(runs[Key(PILNO)].changes)
