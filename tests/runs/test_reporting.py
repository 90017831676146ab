"""Files that are whole, strict JSON, and a page that needs nothing else."""

import json
import math
import resource
import types

import pytest

from pilno_jax.runs import environment, files, metrics_log, report_page
from pilno_jax.runs.run_folder import RunFolder

RESULT = {
    "problem": "burgers",
    "model": "a<b",
    "recipe": "fast",
    "command": "run 'x y'",
}
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


def test_the_report_is_one_escaped_page(tmp_path):
    figure = tmp_path / "loss_terms.png"
    figure.write_bytes(PIXEL)
    path = tmp_path / "report.html"
    config = {"train": {"rate": 0.012345678}}
    report_page.write_report(path, RESULT, config, [figure])
    page = path.read_text()
    assert "a&lt;b" in page and "a<b" not in page
    assert "train.rate" in page and "0.01235" in page
    assert 'alt="loss terms" src="data:image/png;base64,iVBORyBub3Q' in page
    assert "<script" not in page and 'src="http' not in page


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
