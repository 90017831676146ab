"""The registry and the folders name the same benchmarks: none is left out anywhere."""

import ast
from pathlib import Path

import pytest

from experiments.config.command_line import read_config
from experiments.paper.benchmark_runs import PARTS, runs
from experiments.suite.registry import BENCHMARKS, WITH_GOAL, TestLaw, fields_of
from pilno_jax import problems

ROOT = Path(__file__).parents[3]
CONFIGS = {path.stem for path in (ROOT / "configs").glob("[!_]*.py")}


def launched(path):
    """(name, default config) of an entry point: of its call of `launch`, if any."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("launch"):
            return tuple(ast.literal_eval(argument) for argument in node.args)
    return None


ENTRY_POINTS = {
    path.stem: arguments
    for path in (ROOT / "experiments").glob("*.py")
    # experiments.train has no benchmark of its own: it takes any config.
    if path.stem != "train" and (arguments := launched(path))
}


def test_every_config_is_a_benchmark_and_every_benchmark_has_a_config():
    assert set(BENCHMARKS) == CONFIGS
    assert all(one.config == name for name, one in BENCHMARKS.items())


def test_every_entry_point_belongs_to_a_benchmark_and_the_other_way_round():
    assert ENTRY_POINTS  # the search finds them
    assert {one.entry_point for one in BENCHMARKS.values()} == set(ENTRY_POINTS)
    for name, (launched_as, config) in ENTRY_POINTS.items():
        assert launched_as == name
        assert BENCHMARKS[Path(config).stem].entry_point == name


def test_every_problem_of_the_library_has_a_benchmark():
    named = {one.problem_options["name"] for one in BENCHMARKS.values()}
    assert named == set(problems.FACTORIES)


@pytest.mark.parametrize("config", BENCHMARKS)
def test_what_the_config_says_is_read_from_it(config):
    settings, one = read_config(f"configs/{config}.py"), BENCHMARKS[config]
    assert one.labels == settings.train.num_train
    for option, value in one.problem_options.items():
        assert settings.problem.to_dict()[option] == value
    problem = eval(f"problems.{one.call if '(' in one.call else one.call + '()'}")
    assert problem.name == settings.problem.name
    if one.law:
        assert one.law.option == settings.evaluation.vary
        assert one.law.value in settings.evaluation.over
    if one.worst_law:
        assert len(settings.evaluation.over) > 1


def test_every_benchmark_has_runs_of_every_part_that_it_asks_for():
    for config, one in BENCHMARKS.items():
        each = [runs(config, part, seeds=2) for part in PARTS]
        staged, unlabelled, one_network, baselines, papers = each
        assert len(staged) == len(unlabelled) == 2 * one.in_stages
        assert len(one_network) == 2 and len(baselines) == 3 + bool(one.rival)
        assert len(papers) == bool(one.paper_steps)
        for run in (run for part in each for run in part):
            assert f"experiments.{one.entry_point}" in run.command(ROOT, ROOT)
    driven = {"duffing", "pendulum", "lorenz", "beam", "telegraph"}
    examples = {"brusselator", "brusselator_2d", "navier_stokes"}
    assert set(WITH_GOAL) == CONFIGS - examples - driven


def test_a_test_law_is_named_as_results_name_it():
    law = TestLaw("length_scale", 0.5)
    assert law.key == "length_scale=0.5" and law.changes == {"length_scale": 0.5}
    assert fields_of("rd_ic", "fast")["problem.length_scale"] == 5.0
