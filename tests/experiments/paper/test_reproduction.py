"""Artifacts on results made up for the purpose: tables, claims, figures, pages."""

import numpy as np
import pytest

from experiments import benchmarks, reproduction_report
from experiments.config.build import build
from experiments.config.command_line import read_config
from experiments.pages import benchmark_page, markdown
from experiments.paper import ARTIFACTS
from experiments.paper.ablations import RECIPE
from experiments.paper.artifact import BETTER, NOT, REPRODUCED, Findings, verdict
from experiments.paper.forced_kdv import deepomamba
from experiments.suite.protocols import LENGTH_SCALES, PROTOCOLS, fields_of
from experiments.suite.suite import unique
from pilno_jax.models import DeepOMamba
from pilno_jax.runs import files

SHAPED = [  # those that need no trained network, just results
    "table-main",
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


def made_up(run, error):
    laws = {f"length_scale={s}": {"mean": error * (1 + s)} for s in LENGTH_SCALES}
    laws |= {f"family={name}": {"mean": error} for name in "ABC"}
    return {
        "command": f"python -m experiments.{run.config}",
        "config": run.config,
        "recipe": run.recipe,
        "changes": dict(run.changes),
        "model": dict(run.changes).get("model.name", "alno"),
        "seed": dict(run.changes).get("seed", 0),
        "steps": 10,
        "relative_l2": {"mean": error, "std": 0.0, "max": error},
        "relative_l2_global": 0.9 * error,
        "relative_l2_on_labels": {"mean": error / 2},
        "relative_l2_by_law": laws,
        "wall_clock_seconds": 60.0,
        "step_ms": 5.0,
        "peak_memory_mb": 100,
        "num_params": 1000,
        "versions": {},
        "device": "1 x cpu",
    }


def findings(name, root, protocol, error):
    """Every run of the artifact finished, with error(key, run)."""
    found = Findings(ARTIFACTS[name].runs(protocol), root, root, protocol)
    for key, run in found.runs.items():
        workdir = run.workdir(root)
        workdir.mkdir(parents=True, exist_ok=True)
        result = made_up(run, error(key, run))
        files.write_json(workdir / "result.json", result)
        (workdir / "report.html").touch()
    return found


def physics_is_ten_times_better(key, run):
    fields = dict(run.changes)
    alone = fields.get("weights.pde") == 0.0
    better_with_labels = 25 / fields.get("train.num_train", 25)
    return 0.1 * better_with_labels if alone else 0.01


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_run_of_every_artifact_is_a_valid_config(protocol):
    """Fields exist and have the right type; a run that cannot start costs hours."""
    every = unique(
        run
        for artifact in ARTIFACTS.values()
        for run in artifact.runs(protocol).values()
    )
    fields = {}
    for run in every:
        for field, value in run.changes:
            fields.setdefault((run.config, field, str(value)), run)
    for run in {id(run): run for run in fields.values()}.values():
        read_config(f"configs/{run.config}.py:{run.recipe}").changed(dict(run.changes))


@pytest.mark.parametrize("name", SHAPED)
def test_reports_of_shaped_artifacts(name, tmp_path):
    found = findings(name, tmp_path, PROTOCOLS["cpu"], physics_is_ten_times_better)
    report = ARTIFACTS[name].report(found)
    assert report.rows and (report.claims or report.notes)
    assert {claim.verdict for claim in report.claims} <= {BETTER, REPRODUCED, NOT}
    text = markdown.table(report.rows)
    assert len(text.splitlines()) == 2 + len(report.rows)
    assert "{" not in text and "nan" not in text


def test_a_claim_is_judged_by_its_figures(tmp_path):
    """Physics ten times better: the claim holds. No better: it does not."""
    name, protocol = "burgers-data", PROTOCOLS["cpu"]
    report = ARTIFACTS[name].report(
        findings(name, tmp_path / "a", protocol, physics_is_ten_times_better)
    )
    assert report.claims[0].verdict == BETTER
    assert "1.00e-01 against 1.00e-02, a factor of 10.0" in report.claims[0].found
    even = ARTIFACTS[name].report(
        findings(name, tmp_path / "b", protocol, lambda key, run: 0.05)
    )
    assert even.claims[0].verdict == NOT
    assert verdict(True) == REPRODUCED and verdict(False, True) == NOT


def test_heat_maps_of_the_paper_vary_the_virtual_length_scales():
    scales = "problem.virtual_length_scales"
    for config, name in (("burgers", "burgers-ood"), ("rd_forcing", "rd-ood")):
        for protocol, expected in (
            (PROTOCOLS["paper"], (0.5, 5.0)),
            (PROTOCOLS["cpu"], (0.5, 1.0)),
        ):
            recipe = fields_of(config, protocol.recipe)
            for run in ARTIFACTS[name].runs(protocol).values():
                found = dict(run.changes).get(scales, recipe[scales])
                assert tuple(found) == expected, (name, protocol.name)


def test_backbones_trained_for_longer_take_all_steps_of_the_recipe():
    runs = ARTIFACTS["burgers-backbones"].runs(PROTOCOLS["cpu"])
    for name in ("ALNO", "FNO"):
        short, long = (
            dict(runs[key, 0].changes) for key in (name, f"{name}, all steps")
        )
        assert short.pop("train.steps") == 1200 and short == long


def test_physics_that_costs_nothing_measurable_is_not_said_to_cost(tmp_path):
    """All runs take the same time and memory."""
    found = findings("cost-ablation", tmp_path, PROTOCOLS["cpu"], lambda key, run: 0.01)
    claims = ARTIFACTS["cost-ablation"].report(found).claims
    costs = [claim for claim in claims if " cost" in claim.sentence]
    assert [claim.verdict for claim in costs] == [NOT, NOT, REPRODUCED]


def test_means_and_deviations_are_over_the_seeds(tmp_path):
    protocol = PROTOCOLS["paper"]
    found = findings(
        "burgers-data", tmp_path, protocol, lambda key, run: 0.1 + 0.01 * key[2]
    )
    error = found.error("PILNO", 50)
    assert error["seeds"] == 5
    np.testing.assert_allclose(error["mean"], 0.12)
    np.testing.assert_allclose(error["std"], 0.01 * np.std(range(5)))


def test_the_page_tells_what_ran_and_what_did_not():
    content = {
        "artifact": "burgers-data",
        "title": "Some title",
        "protocol": "protocol `cpu`",
        "rows": [{"labels": 25, "PILNO": {"mean": 0.0123, "std": 0.0, "seeds": 1}}],
        "claims": [{"sentence": "It wins.", "found": "yes", "verdict": BETTER}],
        "notes": ["A note."],
        "figures": ["docs/figures/burgers-data.png"],
        "runs": [{"wall_clock_seconds": 60.0, "steps": s} for s in (200, 500)],
    }
    text = reproduction_report.page({"burgers-data": content})
    for part in (
        "| 25 | 1.23e-02 |",
        "- **better**: It wins. Found: yes.",
        "- A note.",
        "(figures/burgers-data.png)",
        "All of it by protocol `cpu`.",
        "2 runs of 200 to 500 steps, 2 min in all.",
        "1 claims tested: 1 better",
        "`table-main`",  # among those not run
    ):
        assert part in text, part
    other = {**content, "artifact": "burgers-ood", "protocol": "protocol `paper`"}
    both = reproduction_report.page({"burgers-data": content, "burgers-ood": other})
    assert "in all; protocol `paper`." in both and "All of it" not in both


def test_the_benchmark_page(tmp_path):
    results = {}
    for config in ("burgers", "rd_ic", "diffusion"):
        every = [benchmarks.runs(config, part, 3) for part in benchmarks.PARTS]
        for run in (run for part in every for run in part):
            error = physics_is_ten_times_better((), run)
            rows = results.setdefault(f"{config}_{run.recipe}", [])
            rows.append(made_up(run, error))
    text = benchmark_page.page(results)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    ours = next(line for line in rows if line.startswith("| Burgers"))
    assert "1.42e-02 | 1.00e-02 ± 0.0e+00 | 9.00e-03 ± 0.0e+00 | 3 | 1.0 min" in ours
    table = benchmark_page.overview(results).splitlines()
    assert len(table) == 2 + 3 and "u0 → u(x, t) | 25 | 1.42e-02 | 1.00e-02" in table[2]
    assert "(missed)" in ours  # the goal is 3.5e-3
    assert "1.50e-02" in next(line for line in rows if "l = 5 to 0.5" in line)
    assert "6.00e-02" in next(line for line in rows if line.startswith("| Diffusion"))
    assert any("ALNO | FNO | LNO" in line for line in rows)


def test_minutes_are_told_by_the_cores_that_a_run_had():
    devices = ("1 x cpu (cpu)", "1 x cpu (2 cores)", "1 x cpu (1 core)")
    found = [
        {"device": device, "wall_clock_seconds": 60.0 * minutes}
        for minutes, device in enumerate(devices, 3)
    ]
    assert benchmark_page.minutes_by_cores(found) == {2: 4.0, 1: 5.0}


def test_the_pages_are_those_of_the_committed_results():
    results = benchmark_page.read_results()
    assert benchmark_page.PAGE.read_text() == benchmark_page.page(results)
    readme = benchmark_page.README.read_text()
    assert readme == benchmark_page.in_readme(readme, results)
    every = reproduction_report.read_artifacts()
    assert reproduction_report.PAGE.read_text() == reproduction_report.page(every)
    guide = reproduction_report.GUIDE.read_text()
    assert guide == reproduction_report.in_guide(guide, every)


def test_what_undoing_costs_is_one_table():
    def rows(**times):
        error = {"mean": 0.02, "std": 0.0, "seeds": 1}
        return [{"": name, "error": error, "times": t} for name, t in times.items()]

    found = {
        "darcy-ablation": {
            "title": "Darcy: parts",
            "rows": rows(**{RECIPE: 1.0, "adam": 1.5}),
        },
        "rd-ablation": {
            "title": "RD: parts",
            "rows": rows(**{RECIPE: 1.0, "soft": 1.0}),
        },
    }
    assert reproduction_report.ablation_table(found).splitlines() == [
        "| undone | RD | Darcy |",
        "| --- | --- | --- |",
        "| the recipe | 2.00e-02 | 2.00e-02 |",
        "| soft | x 1.0 |  |",
        "| adam |  | x 1.5 |",
    ]
    with pytest.raises(ValueError, match="the page lacks <!-- made by"):
        markdown.fill("no marks", "some command", "a table")


def built(run):
    config = read_config(f"configs/{run.config}.py:{run.recipe}")
    return build(config.changed(dict(run.changes)))


@pytest.mark.parametrize("config", benchmark_page.BENCHMARKS)
def test_benchmark_runs_build(config):
    for run in benchmarks.runs(config, "baselines", 1)[:1]:
        assert built(run).batches is not None


def test_only_what_counts_in_epochs_has_a_limit_of_steps():
    def steps(protocol, config, changes):
        return dict(PROTOCOLS[protocol].run(config, changes).changes)["train.steps"]

    assert steps("cpu", "burgers", {}) == 1200  # a fifth of the recipe's
    assert steps("cpu", "forced_kdv", deepomamba(2700)) == 1000
    assert steps("paper", "forced_kdv", deepomamba(2700)) == 16900


def test_a_long_training_is_compared_with_the_long_recipe(tmp_path):
    def error(key, run):
        long, soft = "all steps" in key[0], "soft" in key[0]
        return (0.001 if long else 0.01) * (2 if soft else 1)

    found = findings("burgers-ablation", tmp_path, PROTOCOLS["cpu"], error)
    times = {
        r[""]: r["times"] for r in ARTIFACTS["burgers-ablation"].report(found).rows
    }
    assert times["soft constraints"] == times["soft constraints, all steps"] == 2.0
    assert times["tanh instead of gelu"] == times["the recipe, all steps"] == 1.0


def test_the_rival_has_its_own_size_and_not_that_of_the_recipe():
    *_, run = benchmarks.runs("forced_kdv", "baselines", 1)
    assert built(run).model == DeepOMamba()
