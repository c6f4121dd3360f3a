# Needs CPython 3.11 or newer, its venv module, and make. Everything else goes into .venv.
#
#   make demo    run examples/demo.py, which writes to demo-output/
#   make test    run every test and doctest (more arguments for pytest: make test ARGS="-x -k links")
#   make dev     the developers' tools as well, and the commit hooks
#   make clean   remove .venv and everything that was made
#
# Another interpreter: make PYTHON=/path/to/python3.12 test

ifeq ($(origin PYTHON),command line)
CANDIDATES := $(PYTHON)
else
CANDIDATES := $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11
endif
VENV := .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
RIGHT := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11) or sys.implementation.name != "cpython")

.PHONY: help demo test dev clean

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.demo
	$(VENV)/bin/python examples/demo.py

test: $(VENV)/.test
	$(VENV)/bin/python -m pytest $(ARGS)

dev: $(VENV)/.dev
	@if test -d .git; then $(VENV)/bin/pre-commit install; fi

$(VENV)/.made:
	@for python in $(CANDIDATES); do \
		if "$$python" -c '$(RIGHT)' >/dev/null 2>&1; then found=$$python; break; fi; \
	done; \
	if test -z "$$found"; then \
		echo "Coterie needs CPython 3.11 or newer with its venv module, and found none among: $(CANDIDATES)."; \
		echo "Install one (on Debian and Ubuntu also the package python3-venv), or say where it is: make PYTHON=/path/to/python3.11 test"; \
		exit 1; \
	fi; \
	echo "Making $(VENV) with $$found."; \
	"$$found" -m venv --clear $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml
	@echo "Installing Coterie and matplotlib into $(VENV)."
	@$(PIP) install --editable '.[plot]'
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml
	@echo "Installing Coterie and what its tests need into $(VENV)."
	@$(PIP) install --editable . --group test
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml
	@echo "Installing Coterie and the developers' tools into $(VENV)."
	@$(PIP) install --editable '.[plot]' --group dev
	@touch $@ $(VENV)/.demo $(VENV)/.test

clean:
	rm -rf $(VENV) .venv-* .nox demo-output dist build
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks .coverage
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
