import socket
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.text import count_tokens, estimate_tokens
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
