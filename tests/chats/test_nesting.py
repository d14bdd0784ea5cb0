"""JSON that is nested too deeply is refused by its file; brackets in texts are no nesting."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data.chats import ImportOptions, import_chats
from mabench.errors import DataError
from mabench.formats import ReadingOptions
from mabench_chats.nesting import NestingError, NestingGuard
from tests.chats.exports import imported, write

_DEEP = "[" * 100_000 + "]" * 100_000
_MESSAGE = '{"author": "Ana", "text": "Hi"}'
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.text('a"\\[]{}:,é', max_size=8) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\[{'), inner),
)


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inner), default=0)


def _read_by(content: bytes, size: int) -> bytes:
    guard, read = NestingGuard(io.BytesIO(content)), b""
    while part := guard.read(size):
        read += part
    return read


@given(_VALUES, st.integers(1, 7))
def test_only_the_nesting_of_values_counts(value: Any, size: int) -> None:
    around = 1_000 - _depth(value)
    content = b"[" * around + json.dumps(value).encode() + b"]" * around
    assert _read_by(content, size) == content
    if _depth(value):
        with pytest.raises(NestingError):
            _read_by(b"[" + content, size)


@pytest.mark.parametrize(
    ("layout", "content"),
    [
        ("messages", _DEEP),
        ("messages", f"[{_MESSAGE}, {_DEEP}]"),
        ("messages", f'{{"messages": [{_MESSAGE}], "more": {_DEEP}}}'),
        ("messages", f"{_MESSAGE}\n{_DEEP}\n"),
        ("chatgpt", f'[{{"mapping": {{"a": {_DEEP}}}}}]'),
        ("claude", f'[{{"uuid": "1", "chat_messages": {_DEEP}}}]'),
    ],
)
def test_deep_files_are_refused_by_name(layout: str, content: str, tmp_path: Path) -> None:
    file = write(tmp_path / "deep.json", content)
    options = ImportOptions(layout=layout)
    with pytest.raises(DataError, match=r"deep\.json.*(nested deeper|recursion)"):
        import_chats([file], tmp_path / "out", options)


def test_many_brackets_in_texts_are_read(tmp_path: Path) -> None:
    texts = [f'{"[{" * 600} \\" {n}' for n in range(5)]
    file = write(tmp_path / "a.json", [{"author": "Ana", "text": text} for text in texts])
    assert imported(file, reading=ReadingOptions()).texts == texts
