# Each line can be typed as it stands; .ci/run runs the same. Windows: .venv\Scripts for .venv/bin.
PYTHON = .venv/bin/python

help:  ## these lines
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 10

.venv:
	python3 -m venv .venv && .venv/bin/pip install -q -e ".[dev]"

run: .venv  ## the app on this machine
	.venv/bin/streamlit run app.py

fast: .venv  ## the fast lane of tests: no browser, nothing slow
	$(PYTHON) -m pytest -q -n auto -m "not browser and not slow"

test: .venv  ## all tests
	$(PYTHON) -m pytest -q -n auto

lint: .venv  ## ruff, mypy (oldest and newest Python), import contracts
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/mypy --python-version 3.14
	.venv/bin/lint-imports

wheel: .venv  ## sdist and wheel, into dist/
	$(PYTHON) -m hatchling build

ci:  ## all that CI does, in a fresh environment
	.ci/run

.PHONY: help run fast test lint wheel ci

words: .venv  ## gather every text that people read, and bring the translations in step
	PYTHONPATH=. .venv/bin/pybabel -q extract --no-default-keywords -k say -k say_many:2,3 -k mark -k Sentence -F winnow/locale/babel.cfg --no-location --omit-header --sort-output -w 100 -o winnow/locale/messages.pot winnow components pages
	for language in winnow/locale/*.po; do .venv/bin/pybabel -q update -N --ignore-obsolete -w 100 -i winnow/locale/messages.pot -l $$(basename $$language .po) -o $$language; done
