"""Results name the code they come from: its own, and as it was."""

import subprocess

import pytest

import pilno_jax
from pilno_jax.runs import environment
from pilno_jax.runs.environment import checkout


def git(folder, *arguments) -> str:
    identity = "-c", "user.name=n", "-c", "user.email=e@example.org"
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def package(tmp_path):
    """A package in the src/ of a fresh checkout."""
    folder = tmp_path / "checkout" / "src" / "package"
    folder.mkdir(parents=True)
    (folder / "module.py").write_text("x = 1\n")
    root = tmp_path / "checkout"
    (root / ".gitignore").write_text("installed/\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return folder


def test_a_clean_checkout_has_its_commit(package):
    commit = git(package, "rev-parse", "HEAD")
    assert len(commit) == 40
    assert checkout(package) == (commit, False)


def test_changed_and_new_python_files_make_it_dirty(package):
    commit = git(package, "rev-parse", "HEAD")
    # Commands write these beside the code, and are not changed by them.
    (package.parents[1] / "results.json").write_text("{}")
    assert checkout(package) == (commit, False)
    recipe = package.parents[1] / "configs" / "mine.py"
    recipe.parent.mkdir()
    recipe.write_text("")
    assert checkout(package) == (commit, True)
    recipe.unlink()
    (package / "module.py").write_text("x = 2\n")
    assert checkout(package) == (commit, True)
    git(package, "commit", "-q", "-a", "-m", "second")
    assert checkout(package) == (git(package, "rev-parse", "HEAD"), False)


def test_a_package_installed_within_a_checkout_is_not_of_its_commit(package):
    installed = package.parents[1] / "installed" / "package"
    installed.mkdir(parents=True)
    (installed / "module.py").write_text("x = 1\n")
    assert checkout(installed) == (None, None)


def test_no_checkout_no_commit_and_no_git_are_no_error(package, tmp_path, monkeypatch):
    assert checkout(tmp_path) == (None, None)
    git(tmp_path, "init", "-q")
    (tmp_path / "module.py").write_text("")
    git(tmp_path, "add", "module.py")
    assert checkout(tmp_path) == (None, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checkout(package) == (None, None)


def test_neither_the_current_folder_nor_a_hook_of_git_is_asked(
    package, tmp_path, monkeypatch
):
    expected = checkout(package)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.chdir(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert checkout(package) == expected


def test_the_environment_says_code_versions_device_and_command():
    content = environment.environment()
    assert content["code"]["version"] == pilno_jax.__version__
    assert content["code"] == environment.source()
    assert set(content["versions"]) >= {"python", "jax", "flax", "optax"}
    assert "cpu" in content["device"] or "gpu" in content["device"]
    assert content["command"].startswith("python -m ")


def test_the_code_is_that_of_the_start(package, monkeypatch):
    monkeypatch.setattr(environment, "SOURCE", package)
    environment._checkout_of_this_package.cache_clear()
    try:
        at_start = environment.source()
        (package / "module.py").write_text("x = 3\n")
        assert at_start["dirty"] is False and environment.source() == at_start
        assert checkout(package)[1] is True
    finally:
        environment._checkout_of_this_package.cache_clear()
