"""Nobody overwrites what another process has just added."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from experiments.pages import oscillators_page
from experiments.poles import kept_rows, rivals
from pilno_jax.runs import files


def test_processes_that_keep_rows_at_once_lose_none(tmp_path, monkeypatch):
    """Each waits until what the one before it added is written."""
    results = tmp_path / "oscillators.json"
    files.write_json(results, [])
    monkeypatch.setattr(oscillators_page, "RESULTS", results)
    monkeypatch.setattr(oscillators_page, "write", lambda rows: None)
    slow = lambda path: (files.read_json(path), time.sleep(0.02))[0]  # noqa: E731
    monkeypatch.setattr(
        kept_rows, "files", SimpleNamespace(**vars(files) | {"read_json": slow})
    )
    rows = [one._asdict() for one, _ in zip(rivals.entries(), range(6), strict=False)]
    with ThreadPoolExecutor(len(rows)) as pool:
        list(pool.map(kept_rows.keep, rows))
    assert files.read_json(results) == rows
