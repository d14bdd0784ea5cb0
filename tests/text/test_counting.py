import socket
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.text import count_tokens, estimate_each, estimate_tokens, truncate_tokens
from mabench.text import tokens as module
from mabench.text.tokenizer_data import load_encoding

TEXT = "Straßenbahn 1234567, café: the quick brown fox! " * 20


@pytest.fixture(autouse=True)
def _found_anew() -> Iterator[None]:
    module._encoding.cache_clear()
    yield
    module._encoding.cache_clear()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    reached: list[object] = []

    def refuse(self: object, address: object) -> None:
        reached.append(address)
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return reached


def test_tiktoken_counts_where_it_is_installed(no_network: list[object]) -> None:
    pytest.importorskip("tiktoken")
    exact = len(load_encoding(offline=True).encode_ordinary(TEXT))
    assert count_tokens(TEXT) == exact != estimate_tokens(TEXT)
    assert count_tokens("") == 0
    assert not no_network


@pytest.mark.parametrize("missing", ["tiktoken", "its data"])
def test_without_tiktoken_tokens_are_estimated_and_nothing_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, no_network: list[object], missing: str
) -> None:
    load_encoding.cache_clear()
    if missing == "tiktoken":
        monkeypatch.setitem(sys.modules, "tiktoken", None)
    else:
        monkeypatch.setattr("mabench.text.tokenizer_data._folders_with_o200k", lambda: iter(()))
    assert count_tokens(TEXT) == estimate_tokens(TEXT)
    assert not no_network


def test_a_module_without_files_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    load_encoding.cache_clear()
    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace())
    assert count_tokens("a b c") == 3


@pytest.mark.parametrize("text", [" " * 200_000 + "a", "a" * 200_000, "<|endoftext|>", "\ud800 x"])
def test_odd_texts_are_counted(text: str) -> None:
    assert count_tokens(text) > 0


def test_a_text_of_many_megabytes_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tiktoken")
    monkeypatch.setattr(module, "_MOST_COUNTED", 1000)
    text = "cafés " * 300
    assert count_tokens(text[:1000]) != estimate_tokens(text[:1000])
    assert count_tokens(text) == estimate_tokens(text)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=300), st.integers(1, 100))
def test_pieces_change_little(text: str, times: int) -> None:
    pytest.importorskip("tiktoken")
    long = text * times
    exact = len(load_encoding(offline=True).encode_ordinary(long))
    assert abs(count_tokens(long) - exact) <= 4 * (len(long) // 10_000)


def test_a_word_counts_about_a_token_and_an_ideograph_too() -> None:
    assert estimate_tokens("The cat sat on the mat.") == 7
    assert 12 <= estimate_tokens("今天我们去公园散步天气很好花儿开") <= 16
    assert estimate_tokens("") == 0
    for text in ("one two three four", "one two three"):
        assert truncate_tokens(text, 3) == "one two three"


@given(st.text(), st.integers(min_value=0, max_value=40))
def test_truncation_keeps_a_start_within_the_limit(text: str, limit: int) -> None:
    start = truncate_tokens(text, limit)
    assert text.startswith(start)
    assert estimate_tokens(start) <= limit


@given(st.text(alphabet=st.one_of(st.sampled_from("aB19_., \n\t漢é\u2028'"), st.characters())))
def test_a_text_counts_what_its_pieces_weigh_one_after_the_other(text: str) -> None:
    # Truncation adds up piece by piece, counting does not.
    counted = estimate_tokens(text)
    assert truncate_tokens(text, counted + 1) == text
    if counted > 1:
        assert truncate_tokens(text, counted - 1) != text


_RUNS = st.lists(
    st.tuples(
        st.sampled_from([*"aB19_., \n\t\r\x1c\x07'", "word ", "é", "漢"]), st.integers(1, 300)
    ),
    max_size=12,
).map(lambda runs: "".join(text * count for text, count in runs))


@given(st.lists(_RUNS, max_size=30))
def test_many_texts_count_what_each_counts_alone(texts: list[str]) -> None:
    assert estimate_each(texts) == list(map(estimate_tokens, texts))


def test_many_long_plain_texts_count_what_each_counts_alone() -> None:
    # Every ASCII character beside every other, in texts long enough to be weighed at once.
    letters = [chr(code) for code in range(128)]
    texts = [f"{one}{other}{other} {one}1a" for one in letters for other in letters]
    assert estimate_each(texts) == list(map(estimate_tokens, texts))
