"""Exports with any value in any place are imported, or refused in our words; nothing is lost."""

import copy
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mabench.errors import MabenchError
from tests.chats.exports import (
    chatgpt_conversation,
    claude_conversation,
    imported,
    slack_files,
    write,
    zipped,
)
from tests.data.samples import DROP, corrupt, places

_VALUES = st.sampled_from(
    [
        DROP,
        None,
        True,
        0,
        -1,
        1.5,
        10**30,
        "",
        "x",
        "2024-05-03",
        [],
        {},
        [None],
        ["a", 1],
        {"a": {}},
        {"text": 7},
        [{"text": []}],
        "\ud83d",
        "1/2/3",
    ]
)


def _fresh(value: Any) -> Any:
    return value if value is DROP else copy.deepcopy(value)


def _slack(content: Any, folder: Path) -> Path:
    """Write the files of a workspace, which are pairs of a name and what is in it."""
    pairs = [each for each in content if isinstance(each, list) and len(each) == 2]
    files = {name: inner for name, inner in pairs if isinstance(name, str) and "." in name}
    return zipped(folder / "slack.zip", {name: json.dumps(inner) for name, inner in files.items()})


def _json(content: Any, folder: Path) -> Path:
    return write(folder / "conversations.json", json.dumps(content))


_EXPORTS: dict[str, tuple[Any, Callable[[Any, Path], Path]]] = {
    "slack": ([[name, content] for name, content in slack_files().items()], _slack),
    "chatgpt": ([chatgpt_conversation(), chatgpt_conversation("b")], _json),
    "claude": ([claude_conversation(), claude_conversation()], _json),
    "messages": (
        {
            "name": "n",
            "messages": [
                {
                    "author": {"name": "Ana"},
                    "date": "2024-05-03",
                    "content": [{"text": "Hi"}],
                    "files": [],
                },
                {"role": "user", "text": "Ho", "timestamp": 1714730400, "user_id": 7},
            ],
        },
        _json,
    ),
}


@pytest.mark.parametrize("name", _EXPORTS)
@given(data=st.data())
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_value_in_any_place(
    name: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole, put = _EXPORTS[name]
    content = copy.deepcopy(whole)
    for _ in range(data.draw(st.integers(1, 2))):
        if found := [*places(content)]:
            corrupt(content, data.draw(st.sampled_from(found)), _fresh(data.draw(_VALUES)))
    path = put(content, tmp_path_factory.mktemp("export"))
    with suppress(MabenchError):
        imported(path, layout=name)
