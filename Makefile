# Every target sets up what it needs: `make run`, `make test`, `make quick`, `make docs`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
WORKERS := $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")
# Where arrays are held against the shapes of signatures, which takes a fifth of the
# time: tests that between them call all of the mathematics. Others do not ask again.
SHAPES := $(addprefix tests/,numerics models operators evaluation \
                    $(addprefix training/test_,batches.py causality.py label_misfits.py \
                    objective.py stage_objective.py) \
                    problems/test_every_problem.py test_strictness.py)
# What `make quick` tests: numerics, training and layering. Devices need processes of
# their own, and are left to `make test`.
QUICK  := tests/numerics tests/training tests/test_import_direction.py tests/test_checks.py \
          tests/docs/test_documents.py --ignore=tests/training/test_devices.py

.PHONY: run demo test tested shapes suite quick lint types docs format clean

run: $(STAMP)
	$(BIN)/python -m experiments.burgers --config=configs/burgers.py --workdir=runs/burgers

# The page of the operators that come with the package; nothing is trained.
demo: $(STAMP)
	$(BIN)/python -m experiments.demo --open

# Everything, as CI runs it. Some tests wait for processes of their own: meanwhile types
# and pages are checked. Files of the second session keep to one worker each, since
# tests of a file share what they have compiled.
test: $(STAMP)
	$(MAKE) --jobs=2 tested types docs lint

tested: suite
	$(MAKE) shapes

shapes: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) --dist loadfile $(SHAPES)

suite: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(addprefix --ignore=,$(SHAPES)) \
	    --jaxtyping-packages=

# The inner loop, under a minute: style, layering and the mathematics that compiles fast.
quick: lint
	$(BIN)/pytest -n auto --dist worksteal $(QUICK)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/pyright

# The pages of docs/ with an API reference, in site/; a broken link is an error. Not
# --quiet, which hides warnings from --strict too.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Reinstalled whenever the requirements change; the versions are the tested ones.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache site
