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
def test_every_command_names_an_agent_and_settings_and_options_that_there_are(
    row: PaperRow,
) -> None:
    program, verb, agent, *options = shlex.split(row.command or "")
    assert (program, verb) == ("mabench", "run")
    assert agent in {info.name for info in available()}
    # Nothing is asked: the estimate reads all the same options.
    small = ["synthetic:small" if option == "hub" else option for option in options]
    done = CliRunner().invoke(app, ["run", agent, *small, "--estimate", "--source", "eventqa_full"])
    assert done.exit_code == 0, done.output
    settings = [options[place + 1] for place, word in enumerate(options) if word == "--set"]
    taken = inspect.signature(factory_named(agent)).parameters
    assert {setting.partition("=")[0] for setting in settings} <= {*taken, "k"}


def test_the_published_settings_are_those_of_the_paper() -> None:
    commands = {row.agent: row.command or "" for row in PAPER_ROWS}
    assert "--set k=100" in commands["Mem0"]
    assert all("--chunk-tokens 4096" in commands[name] for name in ("Mem0", "Cognee", "Zep"))
    assert "--chunk-tokens" not in commands["BM25"]
    expected = {
        "BM25": "run bm25 --set recipe=published",
        "Contriever": "facebook/contriever --set pooling=cls --set long_texts=cut",
        "Qwen3-Embedding-4B": "Qwen3-Embedding-4B --set pooling=mean --set long_texts=cut",
        "text-embedding-3-small": "text-embedding-3-small --set long_texts=mean",
        "text-embedding-3-large": "text-embedding-3-large --set long_texts=mean",
    }
    assert all(settings in commands[agent] for agent, settings in expected.items())
    assert all("--protocol paper --prompts paper" in row.command for row in RUNNABLE if row.command)
    assert all(row.note for row in PAPER_ROWS if row.command is None)
