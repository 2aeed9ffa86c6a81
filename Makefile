# SPDX-License-Identifier: Apache-2.0
# Everything one does with a checkout. Each target sets up what it needs; doing it again costs nothing.

PY := .venv/bin/python
INSTALLED := .venv/.installed
PLOTTING := .venv/.plotting
BUILD_INPUTS := pyproject.toml setup.py scripts/setup.sh $(wildcard pancam/vm/build.py vm_c/*.c vm_c/*.h vm_c/*.def vm_c/search/*.h)
C_SOURCES = $(shell find vm_c tests examples benchmarks -name '*.[ch]')
N ?= 1000
SEED ?= 1
JOBS ?= $(shell nproc)
MUTATIONS ?= 100000
# Arguments of the benchmark: names of parts, --against OLD.json, or --record to renew docs/performance.md.
BENCH ?=
FIGURES ?=

.PHONY: demo test lint fuzz fuzz-liveness fuzz-native agree sanitize bench bench-quick figures docs format clean tools-demo tools-test tools-bench

demo: tools-demo $(INSTALLED)
	@scripts/demo.sh

test: tools-test $(INSTALLED) lint
	$(PY) -m pytest -q -n $(JOBS) </dev/null

# Style, types and layout: nothing is run but the checkers.
lint: $(INSTALLED)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/clang-format --dry-run -Werror $(C_SOURCES)

# Random multithreaded programs: steps of all sizes must lead to the same verdicts and final states, and find the races
# that there are by definition.
fuzz: tools-test $(INSTALLED)
	$(PY) tests/search/reduction.py --count $(N) --seed $(SEED) --jobs $(JOBS)
	$(PY) tests/search/memory.py --count $(N) --seed $(SEED) --jobs $(JOBS)
	$(PY) tests/search/races.py --count $(N) --seed $(SEED) --jobs $(JOBS)
	$(PY) tests/search/nondet_values.py --count $(N) --seed $(SEED) --jobs $(JOBS)

# Random programs that go on for ever, formulas about them: steps of all sizes, and another checker.
fuzz-liveness: tools-test $(INSTALLED)
	$(PY) tests/search/temporal.py --count $(N) --seed $(SEED) --jobs $(JOBS)

# Random programs of one thread: the machine against native code.
fuzz-native: tools-test $(INSTALLED)
	$(PY) tests/differential/fuzz.py --count $(N) --seed $(SEED) --jobs $(JOBS)

# SPIN's searches against an explorer in Python; WHAT='--examples --most-states N' for the examples.
agree: tools-test $(INSTALLED)
	$(PY) tests/search/agree.py --count $(N) --seed $(SEED) --jobs $(JOBS) $(WHAT)

sanitize: tools-test $(INSTALLED)
	$(PY) tests/sanitize/mutate.py --count $(MUTATIONS)

# Searches beside the ceiling, two cores, little and much memory, other checkers, small checks, the machine's own speed.
bench: tools-bench $(INSTALLED) $(PLOTTING)
	$(PY) benchmarks/bench.py $(BENCH)

bench-quick: tools-demo $(INSTALLED)
	$(PY) benchmarks/bench.py --quick $(BENCH)

# The experiments of docs/experiments.md; FIGURES='robots --limit 10' for one of them, with less time for a search.
figures: tools-demo $(INSTALLED) $(PLOTTING)
	$(PY) benchmarks/figures.py $(FIGURES)

# What the documentation takes from the sources.
docs: $(INSTALLED)
	$(PY) scripts/generate_docs.py

format: $(INSTALLED)
	.venv/bin/ruff check --fix-only .
	.venv/bin/ruff format .
	.venv/bin/clang-format -i $(C_SOURCES)

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis fuzz-failures
	rm -f pancam/vm/*.so pancam/vm/_machine.c
	find . -name __pycache__ -prune -exec rm -rf {} +

tools-demo tools-test tools-bench:
	@scripts/setup.sh tools $(@:tools-%=%)

$(INSTALLED): $(BUILD_INPUTS) | tools-demo
	scripts/setup.sh python
	@touch $@

# Only plots need it, so other targets do without.
$(PLOTTING): pyproject.toml | $(INSTALLED)
	$(PY) -m pip install -q --no-build-isolation -e '.[figures]' </dev/null
	@touch $@
