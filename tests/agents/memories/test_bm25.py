from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.agents.memories.bm25 import BM25Memory

TEXTS = [
    "The lighthouse of Brindle was painted red.",
    "Two ferries cross the bay of Ostermund.",
    "Brindle has no ferry, only a lighthouse keeper and his lighthouse.",
]


def stored(texts: list[str]) -> BM25Memory:
    memory = BM25Memory()
    for text in texts:
        memory.add(text)
    return memory


def found(memory: BM25Memory, query: str, k: int = 10) -> list[str]:
    return [passage.text for passage in memory.search(query, k)]


def test_the_text_that_shares_rare_words_comes_first() -> None:
    memory = stored(TEXTS)
    assert found(memory, "painted lighthouse", 1) == [TEXTS[0]]
    assert found(memory, "bay", 1) == [TEXTS[1]]


def test_words_are_compared_by_their_stem_and_without_case_or_accents() -> None:
    assert found(stored(TEXTS), "FERRY crossing", 1) == [TEXTS[1]]
    assert found(stored([*TEXTS, "Das Café."]), "cafe", 1) == ["Das Café."]


def test_scores_fall_and_texts_that_share_nothing_come_last_with_zero() -> None:
    scores = [passage.score for passage in stored(TEXTS).search("lighthouse", 3)]
    assert scores[0] is not None
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert (scores[0] > 0, scores[2]) == (True, 0)


def test_equal_scores_keep_the_order_of_addition() -> None:
    texts = [f"Ship number {number} sails." for number in range(50)]
    assert found(stored(texts), "ships", 50) == texts


@pytest.mark.parametrize("query", ["", "   ", "?!", "the of and", "xylophone quux"])
def test_a_query_without_known_words_finds_the_first_texts(query: str) -> None:
    assert found(stored(TEXTS), query, 2) == TEXTS[:2]


@pytest.mark.parametrize(("k", "size"), [(0, 0), (-1, 0), (2, 2), (99, 3)])
def test_any_depth_works(k: int, size: int) -> None:
    assert len(found(stored(TEXTS), "lighthouse", k)) == size


def test_an_empty_memory_finds_nothing() -> None:
    assert found(BM25Memory(), "lighthouse") == []


def test_texts_without_words_are_kept() -> None:
    assert found(stored(["", "...", "the"]), "lighthouse", 3) == ["", "...", "the"]
    assert found(stored(["", "lighthouse"]), "lighthouse", 1) == ["lighthouse"]


def test_texts_added_after_a_search_are_found() -> None:
    memory = stored(TEXTS)
    found(memory, "lighthouse")
    memory.add("A windmill stands on the hill.")
    assert found(memory, "windmill", 1) == ["A windmill stands on the hill."]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=30), st.integers(0, 10))
def test_any_texts_and_query_work_the_same_each_time(texts: list[str], query: str, k: int) -> None:
    passages = stored(texts).search(query, k)
    assert passages == stored(texts).search(query, k)
    assert len(passages) == min(k, len(texts))
    assert sorted(p.text for p in stored(texts).search(query, 8)) == sorted(texts)


def test_it_tells_how_many_texts_it_holds_and_their_bytes() -> None:
    assert BM25Memory().stats() == {"memories": 0, "bytes": 0}
    assert stored(["Café.", "", "\ud800"]).stats() == {"memories": 3, "bytes": 6 + 3}


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    found(stored(TEXTS), "lighthouse")
    assert capfd.readouterr() == ("", "")


def test_twenty_thousand_texts_are_searched_in_seconds() -> None:
    words = [f"word{number}" for number in range(5000)]
    texts = [" ".join(words[(i * j * j) % 5000] for j in range(1, 13)) for i in range(20_000)]
    start = time.process_time()
    memory = stored(texts)
    for number in range(100):
        found(memory, f"word{number} word{number * 7} word{number * 31}")
    assert time.process_time() - start < 10  # About 0.5 s on an idle machine.
