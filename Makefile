# `make` builds everything and runs every study; `make test` proves it. See README.md.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Where results go.
RESULTS ?= results
# Where it is set, as in many containers, every process compiles the package's source again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: all setup run rtl test test-rust test-python test-slow test-vm test-rtl test-wheel models fuzz lint format bench wheel docs clean prerequisites

all: run

prerequisites:
	@PYTHON="$(PYTHON)" sh scripts/prerequisites.sh

# The stamp is newer than the lock file exactly if the environment holds what it says.
$(VENV)/.installed: requirements.lock | prerequisites
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

setup: prerequisites $(VENV)/.installed
	@# Into this environment, even if another one is active.
	env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" PIP_QUIET=1 \
		$(BIN)/maturin develop --release --locked --quiet
	@echo "built: $(BIN)/ciphermark --help"

run: setup
	@$(BIN)/ciphermark run --fetch --results $(RESULTS)

# Simulators of every core's usual machine; what runs on one builds it anyway.
rtl: setup
	$(BIN)/ciphermark rtl build ibex,cva6,rocket

test: setup test-rust test-python

test-rust: prerequisites
	cargo test --workspace --locked --quiet

test-python: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not vm and not rtl and not slow and not wheel"

# Whole studies, and clusters.
test-slow: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m slow

# Boots Debian kernels in emulated machines.
test-vm: setup
	$(BIN)/python -m pytest -m vm tests/vm

# Cores in RTL, and generated datapaths in Verilator and Yosys.
test-rtl: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m rtl tests/rtl

# The page that compares models of cores with what is recorded of their RTL.
models: setup
	PYTHONPATH=tests $(BIN)/python -m rtl.micro page

# Random files of every kind for CIPHERMARK_FUZZ_SECONDS (120); prints the seed that CIPHERMARK_FUZZ_SEED repeats.
fuzz: setup
	PYTHONPATH=tests $(BIN)/python -m fuzz

lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format:
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup
	$(BIN)/python scripts/reference.py

# All of them, whichever bar is missed.
bench: setup
	@missed=; for bench in startup speed timing shadow studies vector; do \
		$(BIN)/python benches/$$bench.py || missed="$$missed $$bench"; \
	done; if [ -n "$$missed" ]; then echo "bars missed:$$missed"; exit 1; fi

# Wheels for x86-64 and AArch64, whichever this machine is, and the source distribution.
wheel: prerequisites $(VENV)/.installed
	PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/wheels.sh dist

# An environment made from a wheel alone.
test-wheel: setup wheel
	$(BIN)/python -m pytest -n 2 -m wheel tests/wheel

clean:
	rm -rf $(VENV) target dist $(RESULTS)
