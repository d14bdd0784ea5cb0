"""What the report of a run says of its memory."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mabench.reports.diagnosis import diagnose
from mabench.results import PARTS, MemorySummary, RetrievalSummary, Run, SourceSummary
from mabench.uncertainty.score_intervals import Intervals
from tests.comparison.made import (
    QA,
    made_run,
    share,
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


Say = Callable[..., list[str]]


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Say:
    """Returns what is said of mem0 on sources of 100 questions, by the fields in which they differ.

    Those of a memory or a retrieval are by its own names.
    """
    folder = tmp_path_factory.mktemp("made") / "run"
    summary = Run(made_run(folder, {QA: [share(50)]}, agent="mem0")).summary

    def source(memory: Any = None, retrieval: Any = None, **more: Any) -> SourceSummary:
        more["parts"] = dict.fromkeys(PARTS, 0) | more.get("parts", {})
        more["memory"] = None if memory is None else replace(MEMORY, **memory)
        more["retrieval"] = None if retrieval is None else replace(RETRIEVAL, **retrieval)
        return replace(summary.sources[QA], **more)

    def said(**sources: dict[str, Any]) -> list[str]:
        made = {name: source(**fields) for name, fields in sources.items()}
        return diagnose(replace(summary, sources=made))

    return said


_WELL = {"memories": 13, "chunks_without_memory": 0, "dropped_share": 0.0}
_NOTHING = {"nothing": 100, "questions": 0, "depth": None, "hit": 0.0, "answered": 0.0}


@pytest.mark.parametrize(
    ("memory", "retrieval", "sentence"),
    [
        (None, None, None),
        (_WELL, {"hit": 91}, None),
        # What it did not keep.
        ({"chunks_without_memory": 7}, None, "mem0 stored 0 memories for 7 of 13 chunks of books."),
        ({"failed": 1}, None, "mem0 failed to memorize 1 of 2 rows of books."),
        ({"dropped_share": 31.2}, None, "31 % of the history of books was dropped on average."),
        ({"dropped_share": 0.2}, None, "less than 1 % of the history of books was dropped"),
        ({"dropped_share": 99.9}, None, "more than 99 % of the history of books was dropped"),
        ({"memories": 5}, None, "its answers do not say what was retrieved: books."),
        (None, _NOTHING, "mem0 retrieved nothing for all 100 questions of books."),
        (None, {"nothing": 4}, "mem0 retrieved nothing for 4 of 104 questions of books."),
        (None, {"every_chunk": 60}, "books: every chunk was retrieved for 60 of 100 questions, so"),
    ],
)
def test_what_ails_a_memory_is_said(
    say: Say, memory: Any, retrieval: Any, sentence: str | None
) -> None:
    sentences = say(books={"memory": memory, "retrieval": retrieval})
    assert len(sentences) == (sentence is not None)
    assert (sentence or "") in "".join(sentences)


def lead(low: float, high: float, *, new: bool = False) -> Intervals:
    these = (1.0, 2.0) if new else (low, high)
    return Intervals(these_histories=these, new_histories=(low, high) if new else None)


_READER = (
    "books: of 100 questions, 31 are misread and 12 missed{}, so the reader loses more points."
)
_MEMORY = "books: of 100 questions, 12 are missed and 31 misread, so the memory loses more points."
_MENTIONS = _READER.format(", judged by mentions of the gold")


@pytest.mark.parametrize(
    ("interval", "retrieval", "n", "sentences"),
    [
        (lead(2, 20), {}, 100, [_READER.format("")]),
        (lead(-20, -2), {}, 100, [_MEMORY]),
        (lead(2, 20), {"by": "mention"}, 100, [_MENTIONS]),
        # Not shown: by the interval, for new histories where there is one, or by few questions.
        (lead(-2, 20), {}, 100, []),
        (lead(-2, 20, new=True), {}, 100, []),
        (lead(2, 20), {}, 19, []),
        (None, {}, 100, []),
    ],
)
def test_the_larger_part_is_blamed_where_it_is_shown(
    say: Say, interval: Intervals | None, retrieval: Any, n: int, sentences: list[str]
) -> None:
    parts = {"right": 57, "misread": 31, "missed": 12}
    fields = {"retrieval": retrieval, "n": n, "parts": parts, "misread_less_missed": interval}
    assert say(books=fields) == sentences
    # The smaller part may be the larger one where as many are unclear.
    fields["parts"] = {**parts, "unclear": 19}
    assert say(books=fields) == []


def test_answers_without_the_form_asked_for_are_counted(say: Say) -> None:
    formless = "10 of 100 answers of books are not in the requested form."
    for number, said in ((9, []), (10, [formless])):
        assert say(books={"parts": {"no_form": number}}) == said


def test_where_every_chunk_was_retrieved_nothing_is_said_of_the_search(say: Say) -> None:
    # Its rows have no more chunks than are searched for.
    whole = {"retrieval": {"every_chunk": 100}, "misread_less_missed": lead(50, 70)}
    well: dict[str, Any] = {"retrieval": {}}
    no_test = "Every chunk was retrieved{}, so this does not test search."
    assert say(books=whole, films=whole) == [no_test.format("")]
    assert say(books=whole, films=well) == [no_test.format(" on books")]
    assert say(books=whole, films=well, plays=whole) == [no_test.format(" on books, plays")]
