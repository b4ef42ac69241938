# Every target sets up what it needs in $(VENV) first. `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
VENV36 ?= .venv36
# More for pip, for example an index that offers the CPU build of torch.
PIP_ARGS ?=
# More for pytest, for example PYTEST_ARGS="-k launch -x".
PYTEST_ARGS ?=
JOBS ?= 2

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXAMPLES := examples/triton
TESTS36 := tests/unit/ttir tests/unit/capture $(addprefix tests/integration/test_,block_pointers.py examples_proved.py \
  ir_of_triton.py shared_cases.py traps.py)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup prove prove-examples test test-slow test-triton36 lint types format check architecture golden bench trust clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1|\2/' | \
	  while IFS='|' read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done

setup: $(STAMP) ## make .venv and install Argus with the tested versions

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "error: Argus needs Python 3.10 or newer; '$(PYTHON)' is not. Try: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "error: '$(PYTHON)' cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(VENV): about 2 GB with the CPU build of torch, a minute or more the first time"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off $(PIP_ARGS) \
	  -c constraints.txt -e '.[test,dev]'
	@touch $@

prove: $(STAMP) ## prove a shipped example
	$(BIN)/argus prove $(EXAMPLES)/vector_add.py

prove-examples: $(STAMP) ## prove all shipped examples
	$(BIN)/argus prove $(EXAMPLES)

test: $(STAMP) ## the fast tests
	$(BIN)/python -m pytest -m "not slow" -n $(JOBS) $(PYTEST_ARGS)

test-slow: $(STAMP) ## the slow tests
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

# Triton 3.6 has its own spellings, and block pointers, which 3.9 has dropped. Its interpreter does not run with the NumPy that
# is tested here, so what compares with that interpreter stays with `make test`.
test-triton36: $(VENV36)/.installed ## slow: import, capture and proofs with Triton 3.6, in an environment of its own
	$(VENV36)/bin/python -m pytest $(TESTS36) $(PYTEST_ARGS)

$(VENV36)/.installed: pyproject.toml constraints.txt
	@echo "setting up $(VENV36): about 2 GB with the CPU build of torch, a minute or more the first time"
	@test -x $(VENV36)/bin/python || $(PYTHON) -m venv $(VENV36)
	@sed 's/^triton[<>=].*/triton==3.6.0/' constraints.txt > $(VENV36)/constraints.txt
	@$(VENV36)/bin/python -m pip install --disable-pip-version-check --progress-bar off $(PIP_ARGS) \
	  -c $(VENV36)/constraints.txt -e '.[test]'
	@touch $@

lint: $(STAMP) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy, strict
	$(BIN)/mypy

format: $(STAMP) ## let ruff rewrite what it can
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

check: lint types test prove-examples ## all that a change must pass

architecture: $(STAMP) ## bring the tables of ARCHITECTURE.md up to date
	$(BIN)/python docs/architecture.py --write

golden: $(STAMP) ## rewrite the expected texts of tests/golden from what is printed now
	$(BIN)/python -m pytest -m "not slow" --update-golden $(PYTEST_ARGS)

bench: $(STAMP) ## measure, and write benchmarks/results.md
	$(BIN)/python benchmarks/prove.py --write

trust: $(STAMP) ## slow: attack Argus's own verdicts, and write docs/trust.md
	$(BIN)/python benchmarks/trust.py --jobs $(JOBS)

clean: ## remove what the targets made
	rm -rf .venv .venv36 build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
