from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mabench.reports.diagnosis import diagnosis
from mabench.results import (
    AnswerUsage,
    MemorySummary,
    RetrievalSummary,
    RunSummary,
    SourceSummary,
)
from mabench.results.summaries import SearchSummary

MEMORY = MemorySummary(
    rows=2,
    failed=0,
    chunks=13,
    memories=None,
    bytes=None,
    chunks_without_memory=None,
    dropped_share=None,
)
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
SPENT = AnswerUsage(
    n=100, errors=0, input_tokens=None, output_tokens=None, dropped_tokens=None, cost=None
)


def said(memory: Any = None, retrieval: Any = None, answered: int = 100) -> list[str]:
    """Say what ails a memory with these figures, beside ones that are well."""
    source = summary_of(memory, retrieval and replace(RETRIEVAL, **retrieval), answered)
    return sentences_on(books=source)


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
        input_tokens=None,
        output_tokens=None,
        dropped_tokens=None,
        cost=None,
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


def test_a_memory_that_is_well_is_not_spoken_of() -> None:
    assert said() == []
    assert (
        said({"memories": 13, "chunks_without_memory": 0, "dropped_share": 0.0}, {"hit": 91}) == []
    )


@pytest.mark.parametrize(
    ("memory", "sentence"),
    [
        ({"chunks_without_memory": 7}, "mem0 stored 0 memories for 7 of 13 chunks of books."),
        ({"failed": 1}, "mem0 failed to memorize 1 of 2 rows of books."),
        ({"dropped_share": 31.2}, "31 % of the history of books was dropped, in the mean."),
        ({"dropped_share": 0.2}, "less than 1 % of the history of books was dropped, in the mean."),
        (
            {"dropped_share": 99.9},
            "more than 99 % of the history of books was dropped, in the mean.",
        ),
        (
            {"memories": 5},
            "mem0 holds memories, but no answer says what was retrieved: books.",
        ),
    ],
)
def test_what_a_memory_did_not_keep_is_said(memory: dict[str, Any], sentence: str) -> None:
    assert said(memory) == [sentence]


@pytest.mark.parametrize(
    ("retrieval", "sentences"),
    [
        (
            {"hit": 91.0, "answered": 40.0},
            [
                "books: the gold was retrieved for 91 % of questions but answered for 40 %: "
                "the reader, not the memory."
            ],
        ),
        ({"hit": 91.0, "answered": 71.0}, ["the reader, not the memory."]),
        ({"hit": 91.0, "answered": 71.5}, []),
        (
            {"hit": 49.0, "answered": 45.0},
            ["for only 49 % of questions, 10 passages deep: the memory"],
        ),
        ({"hit": 49.0, "answered": 5.0}, ["the memory, or its depth.", "the reader as well."]),
        ({"hit": 49.0, "answered": 45.0, "sought": 19}, []),
        ({"hit": 50.0, "answered": 45.0, "sought": 20}, []),
        ({"hit": None, "hit_at": None, "answered": None}, []),
        (
            {"nothing": 100, "questions": 0, "depth": None, "hit": 0.0, "answered": 0.0},
            ["mem0 retrieved nothing for all 100 questions of books."],
        ),
        ({"nothing": 4}, ["mem0 retrieved nothing for 4 of 104 questions of books."]),
    ],
)
def test_what_a_memory_did_not_find_is_said(
    retrieval: dict[str, Any], sentences: list[str]
) -> None:
    found = said(None, retrieval)
    assert len(found) == len(sentences)
    for sentence, part in zip(found, sentences, strict=True):
        assert part in sentence


def everything() -> SourceSummary:
    """Return the figures of a source whose rows have no more chunks than are searched for."""
    retrieval = replace(RETRIEVAL, answered=40.0, every_chunk=100)
    return summary_of(None, retrieval, 100)


def test_where_every_chunk_was_retrieved_nothing_is_said_of_the_search() -> None:
    assert sentences_on(books=everything(), films=everything()) == [
        "This run says nothing about the search: every chunk was retrieved."
    ]
    well = summary_of(None, RETRIEVAL, 100)
    assert sentences_on(books=everything(), films=well) == [
        "books says nothing about the search: every chunk was retrieved."
    ]
    assert sentences_on(books=everything(), films=well, plays=everything()) == [
        "books, plays say nothing about the search: every chunk was retrieved."
    ]


def test_only_questions_with_chunks_left_out_count_for_the_search() -> None:
    searched = SearchSummary(sought=40, depth=5.0, hit=30.0, answered=5.0)
    found = said(None, {"hit": 91.0, "answered": 40.0, "every_chunk": 60, "searched": searched})
    assert found == [
        "books: every chunk was retrieved for 60 of 100 questions, which say nothing about the "
        "search.",
        "books: the gold was retrieved for only 30 % of the other questions, 5 passages deep: the "
        "memory, or its depth.",
        "books: the gold was retrieved for 30 % of the other questions but answered for 5 %: the "
        "reader as well.",
    ]
