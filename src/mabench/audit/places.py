"""Finds where a history has the golds, the evidence and the outdated values of a question.

A place in a history is a span: its first character and the one after its last, from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mabench.audit.answer_key import Golds, golds
from mabench.data import Dataset, Question, Row, Source
from mabench.data.evidence import Evidence
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.json_text import JsonRecord
from mabench.text.spans import Span, cut_excerpt, find_spans

# Characters that are shown on each side of a place.
_AROUND = 160
# How many places of a question's golds are found at most.
_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPlace(JsonRecord):
    """A place in a history, from ``start`` to ``end``, in characters."""

    start: int
    end: int
    depth: float  # Where it begins, in percent of the history.
    text: str  # An excerpt around it.
    marks: tuple[Span, ...]  # Its start and end in ``text``.


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlaces(JsonRecord):
    """A question of a data set, its golds, and where they are in the history."""

    question: Question  # With its share of the metadata.
    golds: Golds
    characters: int  # The length of the history.
    # The places of golds; null if golds are not quotes from the history, such as labels, options,
    # ids and an annotator's words.
    places: tuple[HistoryPlace, ...] | None
    # The turns or texts that the row names as its evidence; null if it names none.
    evidence: tuple[HistoryPlace, ...] | None
    # Values that newer ones replaced on the way to the gold; null if values are never replaced.
    older_values: tuple[HistoryPlace, ...] | None


def row_places(
    row: Row, sources: Mapping[str, Source], question: int | None = None
) -> Iterator[QuestionPlaces]:
    """Yield the questions of a row with their golds and places.

    ``question`` is the index of the only one to yield; None means all.

    Raises:
        UsageError: when the source of the row is unknown.
    """
    family, evidence = family_of(row.source, sources), Evidence(row)
    # The spans of outdated values of each question; None if values are never replaced.
    older_spans = list(family.older_values(row)) if family.older_values else None
    for index, one in enumerate(row.flatten()):
        if question not in (None, index):
            continue
        gold_spans = None
        if family.gold_in_text(one.answers):
            gold_spans = find_spans(row.context, list(set(one.answers)), _MOST)
        yield QuestionPlaces(
            question=one,
            golds=golds(one, sources),
            characters=len(row.context),
            places=_places(row.context, gold_spans),
            evidence=_places(row.context, evidence.places(index)),
            older_values=_places(row.context, older_spans[index] if older_spans else None),
        )


def _places(context: str, spans: Sequence[Span] | None) -> tuple[HistoryPlace, ...] | None:
    """Return spans of a history as places with excerpts; None if there are no spans to look for."""
    if spans is None:
        return None
    return tuple(_place(context, start, end) for start, end in spans)


def _place(context: str, start: int, end: int) -> HistoryPlace:
    """Return a span of a history as a place, with an excerpt around it."""
    text, marks = cut_excerpt(context, [(start, end)], _AROUND)
    depth = 100 * start / max(len(context), 1)
    return HistoryPlace(start=start, end=end, depth=depth, text=text, marks=tuple(marks))


def question_places(
    dataset: Dataset,
    sources: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    question: int | None = None,
) -> Iterator[QuestionPlaces]:
    """Yield questions of a data set with their golds and places, row by row.

    ``question`` is the index of a question in its row, and ``rows`` are the indices of rows in
    their splits; None means all.

    Raises:
        UsageError: when a source is unknown, or no row has that question.
        DataError: when a row cannot be read, or there are no such rows.
    """
    highest_index, found_any = 0, False
    for row in dataset.select(sources, rows):
        highest_index = max(highest_index, len(row.questions) - 1)
        for places in row_places(row, dataset.sources, question):
            found_any = True
            yield places
    if not found_any:
        indices = f"they go from 0 to {highest_index}"
        raise UsageError(f"{dataset.name}: no question {question}; {indices}")
