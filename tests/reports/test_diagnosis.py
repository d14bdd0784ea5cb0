from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mabench.reports.remarks import diagnosis
from mabench.results import (
    PARTS,
    AnswerUsage,
    Intervals,
    MemorySummary,
    RetrievalSummary,
    RunSummary,
    SourceSummary,
)

_UNKNOWN = dict.fromkeys(("memories", "bytes", "chunks_without_memory", "dropped_share"))
MEMORY = MemorySummary(rows=2, failed=0, chunks=13, tokens=None, **_UNKNOWN)
RETRIEVAL = RetrievalSummary(
    questions=100,
    nothing=0,
    depth=10.0,
    shown_tokens=900.0,
    sought=100,
    by="evidence",
    hit=91.0,
    hit_at={"1": 50.0, "5": 80.0, "10": 91.0},
    answered=85.0,
    answered_when_hit=93.0,
)
_UNCOUNTED = dict.fromkeys(("input_tokens", "output_tokens", "dropped_tokens", "cost"))
SPENT = AnswerUsage(n=100, errors=0, **_UNCOUNTED)


def summary_of(
    memory: Any, retrieval: RetrievalSummary | None, answered: int, **more: Any
) -> SourceSummary:
    source = SourceSummary(
        n=100,
        parts=dict.fromkeys(PARTS, 0),
        parts_intervals={},
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
    return replace(source, **more)


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
        ({"dropped_share": 31.2}, None, ["31 % of the history of books was dropped on average."]),
        (
            {"dropped_share": 0.2},
            None,
            ["less than 1 % of the history of books was dropped on average"],
        ),
        (
            {"dropped_share": 99.9},
            None,
            ["more than 99 % of the history of books was dropped on average"],
        ),
        (
            {"memories": 5},
            None,
            ["mem0 stored memories, but its answers do not say what was retrieved: books."],
        ),
        (
            None,
            {"nothing": 100, "questions": 0, "depth": None, "hit": 0.0, "answered": 0.0},
            ["mem0 retrieved nothing for all 100 questions of books."],
        ),
        (None, {"nothing": 4}, ["mem0 retrieved nothing for 4 of 104 questions of books."]),
        (
            None,
            {"every_chunk": 60},
            [
                "books: every chunk was retrieved for 60 of 100 questions, so these do not test "
                "search."
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


def lead(low: float, high: float, *, new: bool = False) -> Intervals:
    limits = (low, high)
    if new:
        return Intervals(these_histories=(1.0, 2.0), new_histories=limits)
    return Intervals(these_histories=limits, new_histories=None)


@pytest.mark.parametrize(
    ("interval", "retrieval", "n", "sentences"),
    [
        (
            lead(2, 20),
            {},
            100,
            ["books: of 100 questions 31 are misread and 12 missed: the reader loses more points."],
        ),
        (
            lead(-20, -2),
            {},
            100,
            ["books: of 100 questions 12 are missed and 31 misread: the memory loses more points."],
        ),
        (
            lead(2, 20),
            {"by": "mention"},
            100,
            [
                "books: of 100 questions 31 are misread and 12 missed, judged by mentions of the "
                "gold: the reader loses more points."
            ],
        ),
        # Not shown: by the interval, for new histories where there is one, or by few questions.
        (lead(-2, 20), {}, 100, []),
        (lead(-2, 20, new=True), {}, 100, []),
        (lead(2, 20), {}, 19, []),
        (None, {}, 100, []),
    ],
)
def test_the_larger_part_is_blamed_where_it_is_shown(
    interval: Intervals | None, retrieval: Any, n: int, sentences: list[str]
) -> None:
    parts = {**dict.fromkeys(PARTS, 0), "right": 57, "misread": 31, "missed": 12}
    source = summary_of(
        None, replace(RETRIEVAL, **retrieval), n, n=n, parts=parts, misread_less_missed=interval
    )
    assert sentences_on(books=source) == sentences


def test_answers_without_the_form_asked_for_are_counted() -> None:
    for number, said in (
        (9, []),
        (10, ["10 of 100 answers of books are not in the requested form."]),
    ):
        parts = {**dict.fromkeys(PARTS, 0), "no_form": number}
        assert sentences_on(books=summary_of(None, None, 100, parts=parts)) == said


def test_where_every_chunk_was_retrieved_nothing_is_said_of_the_search() -> None:
    # Its rows have no more chunks than are searched for.
    whole = summary_of(
        None, replace(RETRIEVAL, every_chunk=100), 100, misread_less_missed=lead(50, 70)
    )
    well = summary_of(None, RETRIEVAL, 100)
    assert sentences_on(books=whole, films=whole) == [
        "Every chunk was retrieved, so this does not test search."
    ]
    assert sentences_on(books=whole, films=well) == [
        "Every chunk was retrieved on books, so this does not test search."
    ]
    assert sentences_on(books=whole, films=well, plays=whole) == [
        "Every chunk was retrieved on books, plays, so this does not test search."
    ]
