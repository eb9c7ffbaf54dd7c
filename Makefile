# The commands of CONTRIBUTING.md; each sets up the environment that it needs.
PYTHON ?= python3
ENV = .venv/bin
# Where tools look for each other: pyright for its Python, a test for oxlint.
export PATH := $(CURDIR)/$(ENV):$(PATH)

.PHONY: run test thorough lint docs article stills mutants hostile bench wheels

run: .venv/run
	$(ENV)/streamlit run app.py

test: .venv/test
	$(ENV)/pytest -n 3

thorough: .venv/thorough
	HYPOTHESIS_PROFILE=thorough $(ENV)/pytest -m 'thorough or hypothesis'

lint: .venv/test
	$(ENV)/ruff format --check .
	$(ENV)/ruff check .
	npx --yes prettier@3.10.1 --check '**/*.js' '**/*.css'
	$(ENV)/pyright
	$(ENV)/pytest -q -m '' tests/test_javascript.py

docs: .venv/test
	$(ENV)/python docs/api.py

article: .venv/test
	$(ENV)/python -m docs.article

stills: .venv/test
	$(ENV)/python -m docs.first_pictures
	$(ENV)/python -m docs.article --stills

mutants: .venv/test
	$(ENV)/python -m tests.mutants

hostile: .venv/test
	$(ENV)/python -m tests.hostile

wheels:  # for this system; .ci/wheels.yml builds them for the usual ones
	$(PYTHON) -m venv .venv-wheels
	.venv-wheels/bin/pip install -q cibuildwheel build
	.venv-wheels/bin/cibuildwheel --output-dir dist
	.venv-wheels/bin/python -m build --sdist --outdir dist .
	.venv-wheels/bin/python -m build --wheel --outdir dist assets/taggers

bench: .venv/bench
	.venv-bench/bin/python -m benchmarks.core

.venv/run: requirements.txt
	$(PYTHON) -m venv .venv
	$(ENV)/pip install -q -r requirements.txt
	touch $@

.venv/test: requirements.txt requirements-test.txt
	$(PYTHON) -m venv .venv
	$(ENV)/pip install -q -r requirements-test.txt
	touch $@

.venv/thorough: .venv/test requirements-thorough.txt
	$(ENV)/pip install -q -r requirements-thorough.txt
	touch $@

.venv/bench: benchmarks/requirements.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install -q -r benchmarks/requirements.txt
	mkdir -p .venv
	touch $@
