"""Where in a history the golds, the evidence and the outdated values of a question are."""

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

_AROUND = 160
_MOST = 1000  # Places of one candidate.


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(JsonRecord):
    """A place in a history, from ``start`` to ``end``, in characters."""

    start: int
    end: int
    depth: float  # How deep in the history it begins, from 0 (the start) to 100.
    text: str  # What is around it.
    marks: tuple[Span, ...]  # Where it is in ``text``: starts and ends.


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlaces(JsonRecord):
    """A question of a data set, its golds, and where they are in the history."""

    question: Question  # With its share of the metadata.
    golds: Golds
    characters: int  # How long the history is.
    # Where a candidate is in it; null if none can be looked for: labels, options, ids and an
    # annotator's words are not taken from the history.
    places: tuple[Place, ...] | None
    # The turns or texts that the row names as its evidence; null if it names none.
    evidence: tuple[Place, ...] | None
    # Those that newer ones replaced on the way to its gold; null if none replace any.
    older_values: tuple[Place, ...] | None


def row_places(
    row: Row, sources: Mapping[str, Source], question: int | None = None
) -> Iterator[QuestionPlaces]:
    """Yield the questions of a row, or that with this number, with their golds and places.

    Raises ``UsageError`` for an unknown source.
    """
    family, evidence = family_of(row.source, sources), Evidence(row)
    older = [*family.older_values(row)] if family.older_values else None
    for index, one in enumerate(row.flatten()):
        if question in (None, index):
            is_sought = family.gold_in_text(one.answers)
            found = find_spans(row.context, [*{*one.answers}], _MOST) if is_sought else None
            yield QuestionPlaces(
                question=one,
                golds=golds(one, sources),
                characters=len(row.context),
                places=_places(row.context, found),
                evidence=_places(row.context, evidence.places(index)),
                older_values=_places(row.context, older[index] if older else None),
            )


def _places(context: str, found: Sequence[Span] | None) -> tuple[Place, ...] | None:
    def place(start: int, end: int) -> Place:
        text, marks = cut_excerpt(context, [(start, end)], _AROUND)
        depth = 100 * start / max(len(context), 1)
        return Place(start=start, end=end, depth=depth, text=text, marks=tuple(marks))

    return None if found is None else tuple(place(*span) for span in found)


def question_places(
    dataset: Dataset,
    sources: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    question: int | None = None,
) -> Iterator[QuestionPlaces]:
    """Yield questions of a data set with their golds and places, a row at a time.

    ``question`` is the number of a question in its row, ``rows`` are numbers of rows in their
    splits; None means all.

    Raises:
        UsageError: when a source is unknown, or no row has that question.
        DataError: when a row cannot be read, or there are no such rows.
    """
    last, is_empty = 0, True
    for row in dataset.select(sources, rows):
        last = max(last, len(row.questions) - 1)
        for view in row_places(row, dataset.sources, question):
            is_empty = False
            yield view
    if is_empty:
        raise UsageError(f"{dataset.name}: no question {question}; they go from 0 to {last}")
