from __future__ import annotations

import inspect
import shlex

import pytest
from typer.testing import CliRunner

from mabench.cli.app import app
from mabench.lookup import available
from mabench.lookup.names import factory_named
from mabench_site.paper_settings import PAPER_ROWS, PaperRow

RUNNABLE = [row for row in PAPER_ROWS if row.command]


@pytest.mark.parametrize("row", RUNNABLE, ids=lambda row: row.agent)
def test_every_command_names_an_agent_and_options_that_there_are(row: PaperRow) -> None:
    program, verb, agent, *options = shlex.split(row.command or "")
    assert (program, verb) == ("mabench", "run")
    assert agent in {info.name for info in available()}
    # Nothing is asked: the estimate reads all the same options.
    small = ["synthetic:small" if option == "hub" else option for option in options]
    done = CliRunner().invoke(app, ["run", agent, *small, "--estimate", "--source", "eventqa_full"])
    assert done.exit_code == 0, done.output


def test_what_has_no_command_says_why() -> None:
    assert all(row.note for row in PAPER_ROWS if row.command is None)


def test_the_depth_of_mem0_and_the_chunks_of_the_services_are_the_published_ones() -> None:
    commands = {row.agent: row.command or "" for row in PAPER_ROWS}
    assert "--set k=100" in commands["Mem0"]
    assert all("--chunk-tokens 4096" in commands[name] for name in ("Mem0", "Cognee", "Zep"))
    assert "--chunk-tokens" not in commands["BM25"]


def test_the_published_retrievers_run_by_their_published_recipes() -> None:
    commands = {row.agent: row.command or "" for row in PAPER_ROWS}
    expected = {
        "BM25": "run bm25 --set recipe=published",
        "Contriever": "facebook/contriever --set pooling=cls --set long_texts=cut",
        "Qwen3-Embedding-4B": "Qwen3-Embedding-4B --set pooling=mean --set long_texts=cut",
        "text-embedding-3-small": "text-embedding-3-small --set long_texts=mean",
        "text-embedding-3-large": "text-embedding-3-large --set long_texts=mean",
    }
    assert all(settings in commands[agent] for agent, settings in expected.items())
    assert all("--protocol paper --prompts paper" in row.command for row in RUNNABLE if row.command)


@pytest.mark.parametrize("row", RUNNABLE, ids=lambda row: row.agent)
def test_the_settings_are_those_that_the_agent_has(row: PaperRow) -> None:
    words = shlex.split(row.command or "")
    settings = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    taken = inspect.signature(factory_named(words[2])).parameters
    assert {setting.partition("=")[0] for setting in settings} <= {*taken, "k"}
