"""Strict numerics: ranks and dtypes that are promoted silently are errors in tests.

So are arrays whose shapes are not those of a signature: see pyproject.toml.
"""

import functools
import gc
import os
import shutil
from pathlib import Path

# Most of a test is compiling a program that runs once: let XLA optimise it less, emit
# fusions without MLIR, which alone takes half of it, in one piece, which takes less
# work than many, and without the notes on memory that only optimisers read. Set before
# JAX is imported, and in the environment, where processes of tests find it too.
FAST_TO_COMPILE = (
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1 "
    "--xla_llvm_enable_alias_scope_metadata=false "
    "--xla_llvm_enable_noalias_metadata=false "
    "--xla_llvm_enable_invariant_load_metadata=false"
)
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FAST_TO_COMPILE}".strip()

# Threads of NumPy's linear algebra that wait for each other keep workers from working.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import jax  # noqa: E402
import pytest  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402

from experiments.run.compiled_programs import default_folder  # noqa: E402

# What one test compiled, other tests, workers, processes and later sessions load. A
# folder that has collected the programs of many versions of the code starts anew.
LARGEST = 1e9  # bytes
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit the folder
    programs = default_folder("tests")
    size = sum(path.stat().st_size for path in programs.glob("*"))
    if size > LARGEST:
        shutil.rmtree(programs, ignore_errors=True)  # another session may be at it
    for name, value in {
        "jax_compilation_cache_dir": str(programs),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }.items():
        jax.config.update(name, value)
        os.environ[name.upper()] = str(value)

# JAX sets up MLIR anew for every program, which for a small one is much of its work.
mlir.make_ir_context = functools.cache(mlir.make_ir_context)

jax.config.update("jax_numpy_rank_promotion", "raise")

# Tracing makes many objects that stay: to look through all of them for garbage less
# often saves a twelfth of the time.
gc.freeze()
gc.set_threshold(200_000, 20, 100)

HERE = Path(__file__).parent
# Optax promotes dtypes silently, so tests that train cannot forbid it.
PROMOTES = (
    *("experiments", "runs", "benchmarks", "docs"),
    *("training/test_loop.py", "training/test_optimizers.py"),
    "evaluation/test_refinement.py",
)


@pytest.fixture(scope="module", autouse=True)
def strict_dtypes(request):
    """Whoever means a float of an integer, or a complex of a float, has to say so."""
    promotes = any(request.path.is_relative_to(HERE / path) for path in PROMOTES)
    with jax.numpy_dtype_promotion("standard" if promotes else "strict"):
        yield


@pytest.fixture(scope="module", autouse=True)
def forget_programs():
    """A process that keeps every program it compiled slows down by and by."""
    yield
    jax.clear_caches()


@pytest.fixture
def x64():
    """Double precision, for tests that measure an order or a floor."""
    with jax.enable_x64(True):
        yield
