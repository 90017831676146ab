"""Layers that add their input or not: which runs, and what is read off them."""

from experiments.suite import blocks
from pilno_jax.runs import files
from pilno_jax.runs.run_folder import RunFolder


def test_what_is_read_off_a_finished_run(tmp_path):
    without, with_sum = blocks.runs("burgers")
    assert without.workdir(tmp_path) != with_sum.workdir(tmp_path)
    assert blocks.row_of(with_sum, tmp_path) is None
    folder = RunFolder(with_sum.workdir(tmp_path))
    folder.metrics.parent.mkdir(parents=True)
    rows = [
        '{"step": 10, "loss": 1.0}',
        '{"step": 20, "validation": 0.01, "stage": 1}',
        '{"step": 30, "validation": 0.02, "stage": 1}',
        '{"step": 40, "validation": 0.003, "stage": 2}',
    ]
    folder.metrics.write_text("\n".join(rows) + "\n")
    result = {"validation": 0.003, "seed": 0, "wall_clock_seconds": 60.0}
    more = {"command": "python ...", "code": {}, "device": "cpu", "format_version": 2}
    files.write_json(folder.metrics.with_name("result.json"), result | more)
    folder.metrics.with_name("report.html").write_text("")
    row = blocks.row_of(with_sum, tmp_path)
    assert row is not None and row["adds_input"] is True
    # The best of the first network, which the correctors start from.
    assert (row["first_network"], row["in_stages"]) == (0.01, 0.003)
