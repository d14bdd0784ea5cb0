"""Kept replies come back as they were; those that somebody tampered with count as not kept."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mabench.errors import DataError
from mabench.models import KeptReply, ResponseCache, Usage

_counts = st.integers(0, 10**8)
_usages = st.builds(Usage, _counts, _counts, _counts, st.booleans())
_replies = st.builds(
    KeptReply,
    st.binary(),
    st.none() | _usages,
    st.from_regex(r"[\x20-\x7e]{0,20}", fullmatch=True),
    st.sampled_from(["", "gzip"]),
)


@settings(max_examples=30, deadline=None)
@example(text="half \ud83d", usage=Usage(1, 2), reply=KeptReply(b""))
@given(text=st.text(st.characters()), usage=_usages, reply=_replies)
def test_any_reply_comes_back_as_it_was(
    text: str, usage: Usage, reply: KeptReply, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("replies")
    cache = ResponseCache(folder)
    cache.put("text", KeptReply.of_text(text, usage))
    cache.put("bytes", reply)
    for opened in (cache, ResponseCache(folder, reads_only=True)):
        kept = opened.get("text")
        assert kept
        assert (kept.text, kept.usage) == (text, usage)
        assert opened.get("bytes") == reply
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
def test_a_reply_tampered_with_is_not_kept(column: str, value: object, tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)
    cache.put("body", KeptReply(b"{}", Usage(1, 2), "application/json"))
    cache.close()
    connection = sqlite3.connect(tmp_path / "replies.sqlite")
    connection.execute(f"UPDATE replies SET {column} = ?", (value,))
    connection.commit()
    connection.close()
    cache = ResponseCache(tmp_path, reads_only=True)
    assert cache.get("body") is None


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"replies.sqlite: the cache cannot be opened"):
        ResponseCache(tmp_path, reads_only=True)
