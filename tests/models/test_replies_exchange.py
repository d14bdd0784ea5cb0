"""Kept replies as a file: the same replies come back, and a hostile file brings nothing."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.errors import DataError
from mabench.models import KeptBody, Reply, ResponseCache
from mabench.models.replies.archive import read_replies, write_replies
from mabench.models.replies.exchange import export_replies, import_replies
from mabench.models.replies.kept import Kept

_HEAD = {"format": "mabench replies", "version": 1}
_KEYS = [f"{number:064x}" for number in range(5)]
_REPLIES: list[Kept] = [
    Reply("Paris", 11, 3),
    Reply("half \ud83d", 11, 3, estimated=True),
    KeptBody("application/json", "", b'{"a": "caf\xc3\xa9"}', (1, 2, 0)),
    KeptBody("text/event-stream; charset=utf-8", "", b"data: [DONE]\n\n"),
    KeptBody("application/json", "gzip", gzip.compress(b"{}", mtime=0), (1, 2, 1), True),
]


def filled(folder: Path) -> ResponseCache:
    cache = ResponseCache(folder)
    cache.add_all(zip(_KEYS, _REPLIES, strict=True))
    return cache


def contents(cache: ResponseCache) -> dict[str, Kept]:
    return dict(cache.all())


def test_what_is_exported_comes_back_elsewhere_and_is_the_same_file(tmp_path: Path) -> None:
    one = filled(tmp_path / "one")
    assert contents(one)[_KEYS[0]] == Reply("Paris", 11, 3, cached=True)
    assert export_replies(one, tmp_path / "all.gz") == 5
    two = ResponseCache(tmp_path / "two")
    assert import_replies(tmp_path / "all.gz", two) == (5, 5)
    assert contents(two) == contents(one)
    assert import_replies(tmp_path / "all.gz", two) == (0, 5)
    export_replies(two, tmp_path / "again.gz")
    assert (tmp_path / "again.gz").read_bytes() == (tmp_path / "all.gz").read_bytes()
    three = ResponseCache(tmp_path / "three")
    assert import_replies(tmp_path / "one", three) == (5, 5)
    assert contents(three) == contents(one)
    assert export_replies(one, tmp_path / "some.gz", {_KEYS[2], _KEYS[4]}) == 2


_texts = st.builds(Reply, st.text(), st.integers(0, 10**8), st.integers(0, 10**8), st.booleans())
_counts = st.integers(0, 10**8)
_bodies = st.builds(
    KeptBody,
    st.from_regex(r"[\x20-\x7e]{0,20}", fullmatch=True),
    st.sampled_from(["", "gzip"]),
    st.binary(),
    st.none() | st.tuples(_counts, _counts, _counts),
    st.booleans(),
)


@settings(max_examples=30, deadline=None)
@given(replies=st.dictionaries(st.from_regex(r"[0-9a-f]{64}", fullmatch=True), _texts | _bodies))
def test_any_reply_comes_back_as_it_was(
    replies: dict[str, Kept], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("replies") / "some.gz"
    assert write_replies(file, sorted(replies.items())) == len(replies)
    assert dict(read_replies(file, 10**9)) == replies


def test_what_is_there_is_neither_replaced_nor_exported_in_part(tmp_path: Path) -> None:
    cache = filled(tmp_path / "one")
    file = tmp_path / "all.gz"
    file.write_text("mine")
    with pytest.raises(DataError, match=r"all\.gz is there already; remove it"):
        export_replies(cache, file)
    assert file.read_text() == "mine"
    with pytest.raises(DataError, match="1 of 2 replies are not kept there, such as ffffffffffff"):
        export_replies(cache, tmp_path / "new.gz", {_KEYS[0], "f" * 64})
    with pytest.raises(DataError, match="no replies to export; a run with `cache`"):
        export_replies(ResponseCache(tmp_path / "empty"), tmp_path / "new.gz")
    mine = ResponseCache(tmp_path / "mine")
    mine.put(_KEYS[0], Reply("my own", 1, 1))
    assert export_replies(cache, tmp_path / "new.gz") == 5
    assert import_replies(tmp_path / "new.gz", mine) == (4, 5)
    assert mine.get(_KEYS[0]) == Reply("my own", 1, 1, cached=True)


def test_no_secret_leaves_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = filled(tmp_path)
    monkeypatch.setenv("ANOTHER_API_KEY", "data: [DONE]")
    with pytest.raises(DataError, match="holds a secret") as raised:
        export_replies(cache, tmp_path / "new.gz")
    assert "[DONE]" not in str(raised.value)
    assert not [*tmp_path.glob("*new.gz*")]


_TEXT = {
    "key": _KEYS[0], "text": "Paris", "input_tokens": 1, "output_tokens": 1, "estimated": False,
}  # fmt: skip
_BODY = {
    "key": _KEYS[1], "type": "application/json", "encoding": "", "body": "{}", "estimated": False,
}  # fmt: skip
HOSTILE: dict[str, Any] = {
    "no object": [1],
    "a path as a key": _TEXT | {"key": "../../etc/passwd"},
    "no key": {**_TEXT, "key": None},
    "a long key": _TEXT | {"key": "0" * 65},
    "a number as a text": _TEXT | {"text": 7},
    "negative tokens": _TEXT | {"input_tokens": -1},
    "tokens that are true": _TEXT | {"output_tokens": True},
    "tokens beyond reason": _TEXT | {"output_tokens": 10**12},
    "no estimated": {name: _TEXT[name] for name in _TEXT if name != "estimated"},
    "another field": _TEXT | {"file": "/etc/passwd"},
    "headers": _BODY | {"headers": {"Set-Cookie": "a=b"}},
    "a line break in the type": _BODY | {"type": "a/b\r\nSet-Cookie: a=b"},
    "an encoding nobody knows": _BODY | {"encoding": "x\r\ny"},
    "two bodies": _BODY | {"base64": "e30="},
    "no body": {name: _BODY[name] for name in _BODY if name != "body"},
    "no base64": {**{n: _BODY[n] for n in _BODY if n != "body"}, "base64": "???"},
    "some tokens": _BODY | {"input_tokens": 1},
}


def written(file: Path, *lines: object) -> Path:
    with gzip.open(file, "wb") as stream:
        stream.writelines(json.dumps(line).encode() + b"\n" for line in lines)
    return file


@pytest.mark.parametrize("name", HOSTILE)
def test_a_line_that_is_no_reply_is_named_and_nothing_is_imported(
    name: str, tmp_path: Path
) -> None:
    cache = ResponseCache(tmp_path / "cache")
    assert import_replies(written(tmp_path / "good", _HEAD, _TEXT, _BODY), cache) == (2, 2)
    cache.clear()
    file = written(tmp_path / "bad", _HEAD, _TEXT, _BODY, HOSTILE[name])
    with pytest.raises(DataError, match=r"bad, line 4: .*; name a file that `mabench cache export"):
        import_replies(file, cache)
    assert cache.contents().replies == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bad", "cache", "good"]


def plain(file: Path) -> None:
    file.write_text(json.dumps(_HEAD) + "\n")


def cut(file: Path) -> None:
    written(file, _HEAD, _TEXT)
    file.write_bytes(file.read_bytes()[:-12])


def torn(file: Path) -> None:
    with gzip.open(file, "wb") as stream:
        stream.write(json.dumps(_HEAD).encode() + b"\n" + json.dumps(_TEXT).encode())


def deep(file: Path) -> None:
    with gzip.open(file, "wb") as stream:
        stream.write(json.dumps(_HEAD).encode() + b"\n" + b"[" * 100_000 + b"\n")


FILES: list[Callable[[Path], object]] = [
    plain,
    cut,
    torn,
    deep,
    lambda file: written(file),
    lambda file: written(file, {"format": "something else"}),
    lambda file: written(file, {**_HEAD, "version": 2}),
    lambda file: None,
]


@pytest.mark.parametrize("make", FILES)
def test_a_file_of_another_kind_is_named(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / "file")
    with pytest.raises(DataError, match=r"file.*: .*; name a file that `mabench cache export`"):
        import_replies(tmp_path / "file", ResponseCache(tmp_path / "cache"))


def test_a_file_that_unpacks_to_far_more_is_read_no_further(tmp_path: Path) -> None:
    file = tmp_path / "bomb"
    with gzip.open(file, "wb", 1) as stream:
        stream.write(json.dumps(_HEAD).encode() + b"\n")
        for _ in range(40):
            stream.write(json.dumps(_TEXT | {"text": " " * 1_000_000}).encode() + b"\n")
    with pytest.raises(DataError, match="holds more than 20,000,000 bytes"):
        import_replies(file, ResponseCache(tmp_path / "cache", limit=10_000_000))


def test_a_folder_of_somebody_else_is_looked_at_as_closely(tmp_path: Path) -> None:
    filled(tmp_path / "other").close()
    connection = sqlite3.connect(tmp_path / "other" / "replies.sqlite")
    connection.execute("UPDATE replies SET type = ? WHERE type = ?", ("a\r\nb", "application/json"))
    connection.commit()
    connection.close()
    cache = ResponseCache(tmp_path / "cache")
    with pytest.raises(DataError, match=r"replies.sqlite: `type` or `encoding` is none"):
        import_replies(tmp_path / "other", cache)
    assert cache.contents().replies == 0
    (tmp_path / "other" / "replies.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match="cannot be opened"):
        import_replies(tmp_path / "other", cache)


def test_replies_that_earlier_versions_kept_are_found(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "replies.sqlite")
    connection.execute(
        "CREATE TABLE replies (key TEXT PRIMARY KEY, used REAL NOT NULL, bytes INTEGER NOT NULL, "
        "text TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, estimated INTEGER)"
    )
    connection.execute("INSERT INTO replies VALUES (?, 0, 10, 'Paris', 11, 3, 0)", (_KEYS[0],))
    connection.commit()
    connection.close()
    expected = Reply("Paris", 11, 3, cached=True)
    assert ResponseCache(tmp_path, reads_only=True).get(_KEYS[0]) == expected
    cache = ResponseCache(tmp_path)
    assert cache.get(_KEYS[0]) == expected
    body = _REPLIES[2]
    assert isinstance(body, KeptBody)
    cache.put_body(_KEYS[2], body)
    assert contents(cache) == {_KEYS[0]: expected, _KEYS[2]: body}
