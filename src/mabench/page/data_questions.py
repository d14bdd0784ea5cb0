"""The rows and questions of a data set as a page has them, and as its script reads them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from mabench.audit import row_flags
from mabench.candidates import Place, QuestionPlaces, row_places
from mabench.data import Row, Source
from mabench.families import Family, family_of
from mabench.json_text import Json
from mabench.page.questions import pack, parts_of, trim
from mabench.page.strips import WIDTH, to_units
from mabench.scoring import Catalogue
from mabench.text import estimate_tokens
from mabench.text.marks import Span, excerpt

# The page may have 12 MB in all, with the strips.
_MOST_BYTES = 9_000_000
_LONGEST_TEXTS = (20_000, 4000, 1500, 500, 150)
_AROUND = 160
_MOST_PLACES = 10  # Of each kind, that are shown with the text around them.
# Kinds of places by what a reader calls them, with the field of ``QuestionPlaces`` that has them.
KINDS = {"golds": "places", "replaced": "replaced", "evidence": "evidence"}


class DataQuestion(NamedTuple):
    """A question of a data set.

    Attributes:
        view: its golds, and the first places of each kind.
        marks: where those of each kind stand, in units of a strip; evidence with all of the
            session, document or fact that it is a part of.
        flags: why the audit doubts it, each with a few words.
        titles: of each gold, the title that it is the id of, where there are such.
    """

    view: QuestionPlaces
    marks: Mapping[str, Sequence[Span]]
    flags: Sequence[tuple[str, str]]
    titles: Sequence[Sequence[str]]


class DataRow(NamedTuple):
    """A row without its history.

    Attributes:
        split, index, source: its place.
        tokens: how long the history is, about.
        borders: where each of its chunks begins, in units of a strip.
        leak: what it tells agents about the golds, if anything.
        questions: its questions.
    """

    split: str
    index: int
    source: str
    tokens: int
    borders: Sequence[int]
    leak: str | None
    questions: Sequence[DataQuestion]


def read_row(
    row: Row,
    sources: Mapping[str, Source],
    cut: Callable[[Family, str], Sequence[str]],
    catalogue: Catalogue | None,
) -> DataRow:
    """Return what a page has of a row; ``cut`` returns the chunks of a history of a family."""
    family, length = family_of(row.source, sources), len(row.context)
    starts = [0, *accumulate(len(chunk) for chunk in cut(family, row.context) if chunk)]
    units = [0, *accumulate(map(len, family.units(row.context)))]

    def span(place: Place, kind: str) -> Span:
        start, end = place.start, place.end
        if kind == "evidence":
            start = units[bisect_right(units, start) - 1]
            end = units[min(bisect_left(units, end), len(units) - 1)]
        return to_units(start, end, length)

    flags: dict[int, list[tuple[str, str]]] = {}
    for flag in row_flags(row, family, catalogue):
        flags.setdefault(flag.question_index, []).append((flag.reason, flag.detail))
    named = catalogue if family.needs_entities else None
    questions = []
    for index, view in enumerate(row_places(row, sources)):
        places = {kind: view[field] for kind, field in KINDS.items() if view[field] is not None}
        marks = {kind: [span(one, kind) for one in each] for kind, each in places.items()}
        first = {KINDS[kind]: each[:_MOST_PLACES] for kind, each in places.items()}
        titles = [named.titles([gold.text]) for gold in view.golds.candidates] if named else ()
        brief = replace(view, **first)
        questions.append(DataQuestion(brief, marks, flags.get(index, ()), titles))
    leak = family.leak if family.leak and family.leak.remove(row.context) != row.context else None
    return DataRow(
        *(row.split, row.index, row.source, estimate_tokens(row.context)),
        borders=[WIDTH * start // max(starts[-1], 1) for start in starts[:-1]],
        leak=leak and leak.what,
        questions=questions,
    )


def pack_rows(rows: Sequence[DataRow], most: int = _MOST_BYTES) -> str:
    """Return the questions of rows for the page's script; ``most`` is that of ``pack``."""
    questions = [question for row in rows for question in row.questions]
    return pack(lambda longest: [_json(one, longest) for one in questions], most, _LONGEST_TEXTS)


def _json(one: DataQuestion, longest: int) -> Json:
    asked, golds = one.view.question, one.view.golds.candidates
    around = min(_AROUND, longest)

    def texts(places: Sequence[Place] | None) -> Json:
        return [
            [round(place.depth, 1), *parts_of(*excerpt(place.text, place.marks, around), longest)]
            for place in places or ()
        ]

    return {
        "id": f"{asked.split}/{asked.row}/{asked.question_index}",
        "source": asked.source,
        "row": asked.row,
        "index": asked.question_index,
        "question": trim(asked.question, longest),
        "answers": [trim(gold.text, longest) for gold in golds],
        "forms": [
            [
                trim(gold.normalized, longest),
                gold.doubt,
                *(trim(text, longest) for text in gold.alike),
            ]
            for gold in golds
        ],
        "titles": [*map(list, one.titles)],
        "scored": f"{one.view.golds.metric}: {one.view.golds.rule}",
        "type": asked.question_type,
        "date": asked.question_date,
        "named": asked.question_id or asked.qa_pair_id,
        "flags": [list(flag) for flag in one.flags],
        "marks": {kind: [list(span) for span in spans] for kind, spans in one.marks.items()},
        "texts": {kind: texts(one.view[field]) for kind, field in KINDS.items()},
    }
