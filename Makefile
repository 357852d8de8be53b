# Everything runs from a virtual environment beside this file: `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Extras are installed once each; a stamp remembers with which pyproject.toml and constraints.txt.
LOCAL := $(VENV)/.installed-local
TEST := $(VENV)/.installed-test
EXPORT := $(VENV)-export/.installed

.PHONY: help demo up test extras check check-long export-tools bench bench-peers eval eval-parsing lint format types contracts documents docs clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(LOCAL) ## Start everything, ingest examples/, ask three questions, stop
	$(BIN)/python examples/demo.py

up: $(LOCAL) ## Serve until Ctrl-C
	$(BIN)/skillnet up

test: $(TEST) ## All tests against real servers and the real model
	$(BIN)/pytest tests/unit tests/docs tests/contracts tests/manifests tests/integration -n 2 --dist loadfile -m "not long"
	$(BIN)/pytest tests/e2e tests/chaos -m "not long"

extras: $(TEST) ## Install each service by itself, start it, send a document through
	$(BIN)/pytest tests/install -m extras

check: lint types contracts test extras ## What CI runs

check-long: $(TEST) $(EXPORT) ## The long chaos runs
	EXPORT_PYTHON="$(CURDIR)/$(VENV)-export/bin/python" $(BIN)/pytest -m long -p no:xdist

export-tools: $(EXPORT) ## An environment for `skillnet models export` and `verify`, with torch

bench: $(TEST) $(EXPORT) ## Speed and memory as ratios; run it with nothing else running
	EXPORT_PYTHON="$(CURDIR)/$(VENV)-export/bin/python" $(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(TEST) ## How well passages are found against LlamaIndex, Haystack and txtai (docs/peers.md)
	@$(BIN)/python -m benchmarks.peers $(ARGS)

eval-parsing: $(TEST) ## How well documents are read; JSON=1 for one object, ARGS='--only headings' for a part
	@PYTHONPATH=evaluation $(BIN)/python -m skillnet_parsing_evaluation $(if $(JSON),--json) $(ARGS)

eval: $(LOCAL) ## How well passages are found: the golden questions through the running services (JSON=1 for one object)
	@$(BIN)/skillnet eval $(if $(JSON),--json) $(ARGS)

lint: $(TEST) ## Style, dead imports, dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/deptry .

format: $(TEST) ## Rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(TEST) ## Static types, strict
	$(BIN)/mypy

contracts: $(TEST) ## Who may import whom
	$(BIN)/lint-imports

documents: $(LOCAL) ## Build examples/documents from their sources
	$(BIN)/python examples/build_documents.py

docs: $(TEST) ## Generate what describes the code (messages, NATS accounts), and check the pages
	$(BIN)/python -m skillnet_common.messaging.asyncapi > docs/asyncapi.json
	$(BIN)/python -m skillnet_common.messaging.server_config > deploy/nats/nats.conf
	$(BIN)/pytest -q tests/docs tests/contracts

clean: ## Remove the environment and every cache
	rm -rf $(VENV) $(VENV)-export $(VENV)-peers .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(LOCAL): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local]'
	@touch $@

$(TEST): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lint]'
	@touch $@ $(LOCAL)

# What exports models, and what is measured against, lives in an environment of its own: it needs torch.
$(EXPORT): pyproject.toml constraints-export.txt
	$(PYTHON) -m venv $(VENV)-export
	$(VENV)-export/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-export.txt -e '.[export]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; point PYTHON at one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
