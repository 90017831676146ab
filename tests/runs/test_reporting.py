"""Files that are whole, strict JSON, and a page that needs nothing else."""

import json
import math
import resource
import types

import pytest

from pilno_jax.problems.statement import UNSTATED, Statement
from pilno_jax.runs import environment, files, metrics_log, report_page
from pilno_jax.runs.run_folder import RunFolder

PIXEL = b"\x89PNG not really"


def test_json_has_no_nan(tmp_path):
    path = tmp_path / "x.json"
    files.write_json(path, {"a": math.nan, "b": [1.0, math.inf], "c": (1, "NaN")})
    assert "NaN," not in path.read_text()
    found = files.read_json(path)
    assert found == {"a": None, "b": [1.0, None], "c": [1, "NaN"]}


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    files.write_json(path, {"a": 1})

    def full(self, text):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space"):
        files.write_json(path, {"a": 2})
    assert json.loads(path.read_bytes()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_rows_past_the_checkpoint_are_written_once(tmp_path):
    path = tmp_path / "metrics.jsonl"
    log = metrics_log.MetricsLog(path, 0)
    for step in (10, 20, 30):
        log.append({"step": step, "loss": math.nan if step == 20 else 1.0})
    with path.open("a") as file:
        file.write('{"step": 40, "lo')  # the process was killed here
    log = metrics_log.MetricsLog(path, 20)
    log.append({"step": 30, "loss": 2.0})
    assert metrics_log.read_metrics(path) == [
        {"step": 10, "loss": 1.0},
        {"step": 20, "loss": None},
        {"step": 30, "loss": 2.0},
    ]


def test_flatten_names_fields_as_flags_do():
    tree = {"a": {"b": 1, "c": {"d": (1, 2)}}, "e": None}
    assert files.flatten(tree) == {"a.b": 1, "a.c.d": [1, 2], "e": None}


def test_a_page_needs_nothing_else_and_is_escaped(tmp_path):
    figure = tmp_path / "loss_terms.png"
    figure.write_bytes(PIXEL)
    page = report_page.page(
        "a<b",
        report_page.paragraph("1.5 % of a<b"),
        report_page.fields({"train": {"rate": 0.012345678}}),
        report_page.pictures({figure: "c & d"}),
        report_page.section("nothing"),
    )
    assert "<title>a&lt;b" in page and "1.5&nbsp;% of a&lt;b" in page
    assert "<td>train.rate</td><td>0.01235</td>" in page
    assert 'alt="loss terms" src="data:image/png;base64,iVBORyBub3Q' in page
    assert "c &amp; d" in page and "nothing" not in page
    assert "<script" not in page and 'src="http' not in page


def test_an_equation_is_set_and_what_is_not_stated_is_left_out():
    stated = Statement("Decay", "u_t = -u", "u(0) = 1", r"1 \mapsto u", "all $1$")
    head = report_page.heading("Decay", stated)
    assert head.count("<math") == 4 and "Inputs are all" in head
    assert report_page.heading("own", UNSTATED) == "<h1>own</h1>"


@pytest.mark.parametrize(
    ("system", "reported"), [("linux", 3 << 10), ("darwin", 3 << 20)]
)
def test_peak_memory_knows_the_unit_of_the_system(monkeypatch, system, reported):
    """Linux reports kilobytes, macOS bytes: three megabytes in either."""
    usage = types.SimpleNamespace(ru_maxrss=reported)
    monkeypatch.setattr(resource, "getrusage", lambda who: usage)
    monkeypatch.setattr("sys.platform", system)
    assert environment.peak_memory_mb() == 3.0


def test_peak_memory_is_that_of_this_process():
    assert 10 < environment.peak_memory_mb() < 1e6


def test_a_run_is_finished_when_it_has_a_result_and_a_report(tmp_path):
    folder = RunFolder(tmp_path)
    assert not folder.is_finished
    folder.result.touch()
    assert not folder.is_finished  # cut off before its report
    folder.report.touch()
    assert folder.is_finished
    assert {path.name for path in tmp_path.iterdir()} == {"result.json", "report.html"}
