# Everything runs from .venv, which `make install` fills from the two locks; after that nothing needs a network.
# Variables: PYTHON (the Python that makes .venv, 3.11 or later), VENV (a conda environment's folder is used as it is),
# SUITE (what `make report` renders), JOBS (processes of the unit tests and of those with a browser), DATA (files of the record).
PYTHON ?= python3
VENV ?= .venv
SUITE ?= parameters/suites/demo.yaml
JOBS ?= 2
DATA ?= ../shared/data

BIN := $(VENV)/bin
STAMP := $(VENV)/.srlib-installed
NOTEBOOKS := $(filter-out notebooks/explore.ipynb,$(wildcard notebooks/*.ipynb))
export JUPYTER_PLATFORM_DIRS = 1
export PYDEVD_DISABLE_FILE_VALIDATION = 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
ifndef BESIDE
.NOTPARALLEL:
endif
.PHONY: help install report record test test-all docs lint style types unit nbval browser glance refresh picture explore fuzz bench floors lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /|/' | awk -F'|' '{printf "make %-12s %s\n", $$1, $$2}'

# requirements.lock has what judging, reports and JupyterLab need; .ci/test.lock what is missing for methods, tests and manual
LOCKS := requirements.lock .ci/test.lock

install: $(STAMP) ## install into .venv from the two locks (again only when one of them or pyproject.toml changes)

$(STAMP): $(LOCKS) pyproject.toml
	@if [ ! -d $(VENV)/conda-meta ]; then \
	  command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) was not found; name a Python 3.11 or later: make PYTHON=python3.12"; exit 1; }; \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: Python 3.11 or later is needed, $(PYTHON) is $$($(PYTHON) -V 2>&1); name another: make PYTHON=python3.12"; exit 1; }; \
	  [ -x $(BIN)/pip ] || $(PYTHON) -m venv $(VENV) || exit 1; \
	  echo "installing what $(LOCKS) name into $(VENV): a minute or two"; \
	  $(BIN)/python -m pip install -qq --require-hashes $(LOCKS:%=-r %) || exit 1; \
	fi
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q srlib
	@touch $@

report: $(STAMP) ## render the demo suite into reports/demo
	$(BIN)/srlib report $(SUITE)

# What `make test` looks at in a kernel and in a browser; `make test-all` looks at everything.
QUICK_NOTEBOOKS := notebooks/synthetic.ipynb notebooks/benchmark.ipynb
QUICK_BROWSER := tests/browser/test_hostile.py

# Types, notebooks and the browser have one process each, so they run beside one another (BESIDE lets make do that), and
# what each prints stays together where make can do that.
TOGETHER := $(if $(filter output-sync,$(.FEATURES)),--output-sync)

record: $(STAMP) ## render the record of public results from the files in DATA, whose hashes are checked
	cd $(DATA) && sha256sum --check --quiet $(CURDIR)/parameters/suites/record.sha256
	mkdir -p build/record && cp parameters/suites/record.yaml build/record && ln -sfn $(abspath $(DATA)) build/record/data
	$(BIN)/srlib report build/record/record.yaml --out reports/record

test: style ## minutes: lint, types, layers, the quick unit tests, two notebooks, one file in a browser
	$(MAKE) --no-print-directory $(TOGETHER) BESIDE=1 -j $(JOBS) types nbval glance NOTEBOOKS="$(QUICK_NOTEBOOKS)"
	$(BIN)/pytest -q -m "not slow and not browser" -n $(JOBS) --dist worksteal

test-all: lint docs nbval browser unit ## everything: lint, types, manual, all notebooks, browser and unit tests

lint: style types ## ruff, pyright, and the layers of imports

style: $(STAMP) ## ruff and the layers of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/lint-imports

types: $(STAMP) ## pyright on srlib
	PYRIGHT_PYTHON_GLOBAL_NODE=0 $(BIN)/pyright --pythonpath $(BIN)/python

docs: $(STAMP) ## build the manual into build/docs; a broken link or a request to the net is an error
	$(BIN)/python docs/rules_page.py
	$(BIN)/python docs/files_page.py
	$(BIN)/python -m sphinx -q -W --keep-going docs build/docs

unit: $(STAMP) ## all unit tests and doctests
	$(BIN)/python -m compileall -q srlib
	$(BIN)/pytest -m "not browser" -n $(JOBS) --dist worksteal

nbval: $(STAMP) ## run the committed notebooks again and compare every output
	@if [ -z "$(NOTEBOOKS)" ]; then echo "nbval: there are no notebooks yet"; \
	else set -x; $(BIN)/pytest -o addopts= -p no:xdist --nbval --nbval-current-env $(NOTEBOOKS); fi

browser: $(STAMP) ## look at rendered reports in a browser (skipped, with a word, where there is none)
	$(BIN)/pytest -m browser -n $(JOBS) --dist worksteal tests || [ $$? -eq 5 ]

glance: $(STAMP) ## look at one rendered report in a browser
	$(BIN)/pytest -q -m browser -n 0 $(QUICK_BROWSER) || [ $$? -eq 5 ]

refresh: $(STAMP) ## run the committed notebooks and write their outputs
	$(BIN)/python .ci/refresh.py

picture: report ## take the README's pictures of a report and of the explorer with a browser (SUITE has to be the demo)
	PYTHONPATH=. $(BIN)/python .ci/picture.py

explore: $(STAMP) ## open the notebook to explore in (JupyterLab)
	$(BIN)/jupyter lab notebooks/explore.ipynb

fuzz: $(STAMP) ## verdicts on random pairs beside an oracle (PAIRS, SEED), tables with a hostile team (TABLES, SEED)
	$(BIN)/python -m tests.fuzz.verdicts --pairs $${PAIRS:-10000} --seed $${SEED:-0}
	$(BIN)/python -m tests.fuzz.hostile --tables $${TABLES:-600} --seed $${SEED:-0}

bench: $(STAMP) ## measure speed
	$(BIN)/python .ci/bench.py

# What reads, arranges and scores: here a floor that is too low would change numbers and not only fail.
FLOORS := tests/test_tables.py tests/test_yaml_files.py tests/readers tests/problems/test_load.py \
  tests/tools/inference/test_uai_files.py tests/tools/inference/test_scoring.py \
  tests/judging/test_scoring.py tests/judging/test_verdict.py tests/comparing/test_paired_tests.py \
  tests/expressions/test_simplify.py tests/displays/test_aspects.py tests/rendering/test_html.py

floors: ## read, score and draw with the lowest versions that pyproject.toml allows (their own warnings aside)
	$(PYTHON) -m venv build/floors
	build/floors/bin/pip install --quiet uv
	build/floors/bin/uv pip compile --no-config --resolution lowest-direct --extra report --no-header --quiet -o build/floors/floors.txt pyproject.toml
	build/floors/bin/uv pip install --no-config --quiet -p build/floors/bin/python -r build/floors/floors.txt pytest hypothesis -e .
	build/floors/bin/python -m pytest -q -W ignore $(FLOORS)

# Versions and hashes for every platform, no addresses.
COMPILE = build/lock/bin/uv pip compile --no-config --universal --upgrade --generate-hashes \
  --no-header --no-emit-index-url --no-emit-find-links --quiet

lock: ## write both locks again: newest versions that pyproject.toml allows, the same in both
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet uv
	$(COMPILE) --extra report --extra lab -o build/lock/requirements.lock pyproject.toml
	$(COMPILE) --all-extras -c build/lock/requirements.lock -o build/lock/test.lock pyproject.toml \
	  $$(sed -nE 's/^([a-z0-9._-]+)==.*/--no-emit-package \1/p' build/lock/requirements.lock)
	{ echo '# Made by `make lock` from pyproject.toml: the base and the extras report and lab.'; \
	  cat build/lock/requirements.lock; } > requirements.lock
	{ echo '# Made by `make lock` from pyproject.toml: what the other extras need beside requirements.lock.'; \
	  cat build/lock/test.lock; } > .ci/test.lock

clean: ## remove what can be made again, .venv included
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	if [ -d reports ]; then find reports -mindepth 1 ! -name README.md -delete; fi
