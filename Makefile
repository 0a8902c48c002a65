# Each line can be typed as it stands; .ci/run runs the same. Windows: .venv\Scripts for .venv/bin.
PYTHON = .venv/bin/python
PYTEST = $(PYTHON) -m pytest -q
LIMIT = timeout -s INT -k 60
LANES = browser contract engines faults fuzz

help:  ## these lines
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 10

.venv:
	python3 -m venv .venv && .venv/bin/pip install -q -e ".[dev]"

run: .venv  ## the app on this machine
	.venv/bin/streamlit run app.py

test: .venv  ## the README's command: quick tests of everything, one browser journey
	$(PYTEST) -n auto

quick: .venv  ## quick tests of one package: make quick ROOM=services
	$(LIMIT) 20m $(PYTEST) -n auto -m "not slow" tests/$(ROOM)

formats: .venv  ## lists in bulk: every format with every feature, workbooks by LibreOffice
	$(LIMIT) 60m $(PYTEST) -n auto -m slow tests/lists

slow: .venv  ## what else is marked slow in the packages
	$(LIMIT) 60m $(PYTEST) -n auto --dist loadfile --no-loadscope-reorder -m slow --ignore=tests/lists $(LANES:%=--ignore=tests/%) tests

browser: .venv  ## a real Chromium on a real server, but for the journey of make test
	$(LIMIT) 60m $(PYTEST) -n auto --dist loadfile -m slow tests/browser

contract: .venv  ## clients and judges of the HTTP API that others wrote
	$(LIMIT) 30m $(PYTEST) -n 1 tests/contract

engines: .venv  ## Dask, Ray Data, PySpark: needs pip install -e ".[engines,test-cluster]"
	$(LIMIT) 60m $(PYTEST) -n 1 tests/engines

faults: .venv  ## killed processes, full and failing disks, storms of requests
	$(LIMIT) 90m $(PYTEST) -n 1 tests/faults

fuzz: .venv  ## hostile files and requests
	$(LIMIT) 60m $(PYTEST) -n 1 tests/fuzz

lint: .venv  ## ruff, mypy (oldest and newest Python, three systems), import contracts
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/mypy --python-version 3.14 --platform win32
	.venv/bin/mypy --python-version 3.14 --platform darwin
	.venv/bin/lint-imports

wheel: .venv  ## sdist and wheel, into dist/
	$(PYTHON) -m hatchling build

ci:  ## all that CI does, in a fresh environment
	.ci/run

.PHONY: help run test quick formats slow $(LANES) lint wheel ci words roles

roles: .venv  ## write docs/roles.tsv: each use case with its role and its audit event
	PYTHONPATH=. $(PYTHON) -m tests.roles

words: .venv  ## gather every text that people read (messages.pot), and bring the translations in step
	PYTHONPATH=. .venv/bin/pybabel -q extract --no-default-keywords -k say -k say_many:2,3 -k translatable -k translatable_many:2,3 -F winnow/locale/babel.cfg --no-location --omit-header --sort-output -w 100 -o winnow/locale/messages.pot winnow components pages
	for language in winnow/locale/*.po; do .venv/bin/pybabel -q update -N --ignore-obsolete -w 100 -i winnow/locale/messages.pot -l $$(basename $$language .po) -o $$language; done
