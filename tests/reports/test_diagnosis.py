from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mabench.reports.diagnosis import diagnosis
from mabench.results import AnswerUsage, MemorySummary, RetrievalSummary, RunSummary, SourceSummary
from mabench.results.retrieval import SearchSummary

_UNKNOWN = dict.fromkeys(("memories", "bytes", "chunks_without_memory", "dropped_share"))
MEMORY = MemorySummary(rows=2, failed=0, chunks=13, **_UNKNOWN)
RETRIEVAL = RetrievalSummary(
    questions=100,
    nothing=0,
    depth=10.0,
    shown_tokens=900.0,
    sought=100,
    hit=91.0,
    hit_at={"1": 50.0, "5": 80.0, "10": 91.0},
    answered=85.0,
    answered_when_hit=93.0,
)
_UNCOUNTED = dict.fromkeys(("input_tokens", "output_tokens", "dropped_tokens", "cost"))
SPENT = AnswerUsage(n=100, errors=0, **_UNCOUNTED)


def summary_of(memory: Any, retrieval: RetrievalSummary | None, answered: int) -> SourceSummary:
    return SourceSummary(
        n=100,
        answered=answered,
        errors=100 - answered,
        missing=0,
        metric="f1",
        official=85.0,
        corrected=85.0,
        metrics={},
        differences={},
        needs=None,
        **_UNCOUNTED,
        judge=None,
        judges=(),
        evidence_recall=None,
        retrieval=retrieval,
        expected=100,
        seconds_memorize=1.0,
        seconds_answer=1.0,
        memory=memory and replace(MEMORY, **memory),
    )


def sentences_on(**sources: SourceSummary) -> list[str]:
    return diagnosis(
        RunSummary(
            agent="mem0",
            data="books",
            protocol="paper",
            sources=sources,
            rows=(),
            spent=SPENT,
            columns={},
            categories={},
            overall=None,
            overall_corrected=None,
        )
    )


_WELL = {"memories": 13, "chunks_without_memory": 0, "dropped_share": 0.0}
_ANSWERED = "books: the gold was retrieved for 91 % of questions but answered for 40 %: "


@pytest.mark.parametrize(
    ("memory", "retrieval", "parts"),
    [
        (None, None, []),
        (_WELL, {"hit": 91}, []),
        # What it did not keep.
        (
            {"chunks_without_memory": 7},
            None,
            ["mem0 stored 0 memories for 7 of 13 chunks of books."],
        ),
        ({"failed": 1}, None, ["mem0 failed to memorize 1 of 2 rows of books."]),
        ({"dropped_share": 31.2}, None, ["31 % of the history of books was dropped, in the mean."]),
        ({"dropped_share": 0.2}, None, ["less than 1 % of the history of books was dropped,"]),
        ({"dropped_share": 99.9}, None, ["more than 99 % of the history of books was dropped,"]),
        (
            {"memories": 5},
            None,
            ["mem0 holds memories, but no answer says what was retrieved: books."],
        ),
        # What it did not find.
        (None, {"hit": 91.0, "answered": 40.0}, [f"{_ANSWERED}the reader, not the memory."]),
        (None, {"hit": 91.0, "answered": 71.0}, ["the reader, not the memory."]),
        (None, {"hit": 91.0, "answered": 71.5}, []),
        (
            None,
            {"hit": 49.0, "answered": 45.0},
            ["for only 49 % of questions, 10 passages deep: the memory"],
        ),
        (
            None,
            {"hit": 49.0, "answered": 5.0},
            ["the memory, or its depth.", "the reader as well."],
        ),
        (None, {"hit": 49.0, "answered": 45.0, "sought": 19}, []),
        (None, {"hit": 50.0, "answered": 45.0, "sought": 20}, []),
        (None, {"hit": None, "hit_at": None, "answered": None}, []),
        (
            None,
            {"nothing": 100, "questions": 0, "depth": None, "hit": 0.0, "answered": 0.0},
            ["mem0 retrieved nothing for all 100 questions of books."],
        ),
        (None, {"nothing": 4}, ["mem0 retrieved nothing for 4 of 104 questions of books."]),
        # Questions with chunks left out alone count for the search.
        (
            None,
            {
                "hit": 91.0,
                "answered": 40.0,
                "every_chunk": 60,
                "searched": SearchSummary(sought=40, depth=5.0, hit=30.0, answered=5.0),
            },
            [
                "books: every chunk was retrieved for 60 of 100 questions, which say nothing about "
                "the search.",
                "books: the gold was retrieved for only 30 % of the other questions, 5 passages "
                "deep: the memory, or its depth.",
                "books: the gold was retrieved for 30 % of the other questions but answered for "
                "5 %: the reader as well.",
            ],
        ),
    ],
)
def test_what_ails_a_memory_is_said(memory: Any, retrieval: Any, parts: list[str]) -> None:
    source = summary_of(memory, retrieval and replace(RETRIEVAL, **retrieval), 100)
    sentences = sentences_on(books=source)
    assert len(sentences) == len(parts)
    for sentence, part in zip(sentences, parts, strict=True):
        assert part in sentence


def test_where_every_chunk_was_retrieved_nothing_is_said_of_the_search() -> None:
    # Its rows have no more chunks than are searched for.
    whole = summary_of(None, replace(RETRIEVAL, answered=40.0, every_chunk=100), 100)
    well = summary_of(None, RETRIEVAL, 100)
    assert sentences_on(books=whole, films=whole) == [
        "This run says nothing about the search: every chunk was retrieved."
    ]
    assert sentences_on(books=whole, films=well) == [
        "books says nothing about the search: every chunk was retrieved."
    ]
    assert sentences_on(books=whole, films=well, plays=whole) == [
        "books, plays say nothing about the search: every chunk was retrieved."
    ]
