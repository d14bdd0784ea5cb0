"""Commands that are given an export of chats name the one that reads it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import mabench
from mabench.data.writing.importing import import_published
from mabench.errors import UsageError
from mabench.results import score_files
from tests.chats.exports import chatgpt_conversation, slack_files, write, zipped
from tests.command_line import mabench as run_command


def _exports(folder: Path) -> list[Path]:
    slack = folder / "slack"
    for name, content in slack_files().items():
        write(slack / name, content)
    return [
        slack,
        zipped(folder / "slack.zip", slack_files()),
        write(folder / "conversations.json", [chatgpt_conversation()]),
        write(folder / "messages.json", [{"author": "Ana", "text": "Hi"}]),
        write(folder / "chat.jsonl", '{"author": "Ana", "text": "Hi"}\n'),
        write(folder / "table one.csv", "author,text\nAna,Hi\n"),
        write(folder / "chat.txt", "03/05/2024, 10:00 - Ana: Hi\n"),
    ]


def test_each_names_the_command_that_imports_chats(tmp_path: Path) -> None:
    for path in _exports(tmp_path):
        quoted = f"'{path}'" if " " in str(path) else str(path)
        command = f"mabench data import chats {quoted}"
        readers: list[Callable[[], object]] = [
            partial(mabench.load, path),
            partial(import_published, "locomo", path, tmp_path / "out"),
            partial(score_files, [path]),
        ]
        for read in readers:
            with pytest.raises(UsageError) as caught:
                read()
            assert command in str(caught.value)
            assert "looks like an export of chats" in str(caught.value)


def test_rows_of_ones_own_are_no_chats(tmp_path: Path) -> None:
    row = {"context": "x", "questions": ["q"], "answers": [["a"]], "metadata": {"source": "s"}}
    dataset = mabench.load(
        write(tmp_path / "rows.json", [row]), sources={"s": {"family": "answer"}}
    )
    assert len(dataset) == 1


def test_the_command_line_says_so_too(tmp_path: Path) -> None:
    path = _exports(tmp_path)[1]
    for words in (["run", "bm25", "--data", str(path)], ["data", "show", str(path)]):
        done = run_command(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert f"mabench data import chats {path}" in done.stderr
