# Two commands set everything up: `make run` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: run test format clean

run: $(STAMP)
	$(BIN)/python -m experiments.burgers --config=configs/burgers.py --workdir=runs/burgers

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/pytest -n auto --dist worksteal

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Reinstalled whenever the requirements change; the versions are the tested ones.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache
