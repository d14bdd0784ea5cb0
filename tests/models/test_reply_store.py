"""Kept replies come back as they were; those that somebody tampered with count as not kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.errors import DataError
from mabench.models import KeptBody, Reply, ResponseCache

_counts = st.integers(0, 10**8)
_texts = st.builds(Reply, st.text(st.characters()), _counts, _counts, st.booleans())
_bodies = st.builds(
    KeptBody,
    st.from_regex(r"[\x20-\x7e]{0,20}", fullmatch=True),
    st.sampled_from(["", "gzip"]),
    st.binary(),
    st.none() | st.tuples(_counts, _counts, _counts),
    st.booleans(),
)


@settings(max_examples=30, deadline=None)
@given(text=_texts, body=_bodies)
def test_any_reply_comes_back_as_it_was(
    text: Reply, body: KeptBody, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("replies")
    cache = ResponseCache(folder)
    cache.put("text", text)
    cache.put_body("body", body)
    for opened in (cache, ResponseCache(folder, reads_only=True)):
        reply = opened.get("text")
        assert reply
        assert (reply.text, reply.input_tokens) == (text.text, text.input_tokens)
        assert (reply.output_tokens, reply.estimated) == (text.output_tokens, text.estimated)
        assert opened.body("body") == body
        opened.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("type", "a/b\r\nSet-Cookie: a=b"),
        ("encoding", "x\r\ny"),
        ("text", b"no zlib"),
        ("input_tokens", -1),
        ("input_tokens", 10**12),
        ("output_tokens", "many"),
    ],
)
def test_a_reply_that_somebody_tampered_with_counts_as_not_kept(
    column: str, value: object, tmp_path: Path
) -> None:
    cache = ResponseCache(tmp_path)
    cache.put_body("body", KeptBody("application/json", "", b"{}", (1, 2, 0)))
    cache.close()
    connection = sqlite3.connect(tmp_path / "replies.sqlite")
    connection.execute(f"UPDATE replies SET {column} = ?", (value,))
    connection.commit()
    connection.close()
    cache = ResponseCache(tmp_path, reads_only=True)
    assert cache.body("body") is None


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"replies.sqlite: the cache cannot be opened"):
        ResponseCache(tmp_path, reads_only=True)
