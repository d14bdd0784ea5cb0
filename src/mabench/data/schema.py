"""What a row of MemoryAgentBench is, and the questions that it holds.

The schema is that of the public data set: a context, its questions, the acceptable answers of
each, and metadata whose fields are mostly empty for most sources.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple, NotRequired, Protocol, Required

from pydantic import BaseModel, BeforeValidator, ConfigDict
from typing_extensions import TypedDict

from mabench.printable import write_count


class Turn(TypedDict):
    """One message of a chat session (LongMemEval rows only)."""

    content: str
    role: str
    has_answer: NotRequired[bool | None]


class HistoryTurn(BaseModel):
    """One turn of a history whose data set gives turns ids, and where it is in the context.

    ``start`` and ``end`` count characters of the context; what lies between them is what was said.
    ``time`` is in ISO 8601, with a zone.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    id: str
    session: str
    start: int
    end: int
    time: str | None = None
    speaker: str | None = None
    role: str | None = None
    user: str | None = None


class Metadata(TypedDict, total=False):
    """What accompanies a row: nine official fields; only ``source`` is always there.

    A field that is null in a file is not there. Lists of texts but ``keypoints`` have
    one item per question.
    """

    source: Required[str]
    qa_pair_ids: list[str]
    question_dates: list[str]
    question_ids: list[str]
    question_types: list[str]
    previous_events: list[str]
    keypoints: list[str]
    demo: str
    haystack_sessions: list[list[list[Turn]]]


_ALIGNED_METADATA = (
    *("qa_pair_ids", "question_dates", "question_ids", "question_types", "previous_events"),
)
_ALIGNED_FIELDS = ("evidence", "rubrics", "asked_after", "asked_by")


def drop_nulls(metadata: object) -> object:
    """Return metadata without the fields that are null."""
    if not isinstance(metadata, Mapping):
        return metadata
    return {k: value for k, value in metadata.items() if value is not None or k == "source"}


class RowContent(BaseModel):
    """A row as a file holds it: ``answers[i]`` are the golds of ``questions[i]``.

    The last five fields are those that other benchmarks, made-up rows and own data add, None in
    rows of this one.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    context: str  # The history.
    questions: list[str]  # The questions about it.
    answers: list[list[str]]  # The golds of each question.
    # The source, and what else the data set says of the row; a dict.
    metadata: Annotated[Metadata, BeforeValidator(drop_nulls)]
    turns: list[HistoryTurn] | None = None  # What was said, where turns have ids.
    # What each question rests on: ids of ``turns`` or, without these, texts of the context.
    evidence: list[list[str]] | None = None
    rubrics: list[list[str]] | None = None  # What a good answer to each holds, a line each.
    # The id of the turn, or the time in ISO 8601, up to which each may know the history; None: all.
    asked_after: list[str | None] | None = None
    asked_by: list[str | None] | None = None  # Which user of the turns asks.

    def __getitem__(self, field: str) -> Any:
        """Return a field by its name, as in ``row["metadata"]["source"]``."""
        if field not in type(self).model_fields:
            raise KeyError(field)
        return getattr(self, field)

    def canonical(self) -> bytes:
        """Return the content as JSON in one form: keys sorted, null and missing alike, UTF-8."""
        fields = self.model_dump(include=set(RowContent.model_fields), exclude_none=True)
        text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text.encode()


class Question(NamedTuple):
    """One question of a row with everything that belongs to it alone.

    ``row`` counts from 0 within the split, ``question_index`` from 0 within the row; the two
    and the split name a question uniquely (``qa_pair_id`` alone does not: some sources restart
    it in every row).
    """

    split: str
    row: int
    question_index: int
    source: str
    question: str
    answers: tuple[str, ...]
    qa_pair_id: str | None = None
    question_date: str | None = None
    question_id: str | None = None
    question_type: str | None = None
    previous_events: str | None = None
    evidence: list[str] | None = None
    rubric: list[str] | None = None
    asked_after: str | None = None
    asked_by: str | None = None

    @property
    def key(self) -> tuple[str, int, int]:
        """What names the question within its data set."""
        return self.split, self.row, self.question_index

    @staticmethod
    def lists_of(fields: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a row has one item of per question, in the order of the fields above."""
        of_metadata = {f"metadata.{name}": metadata.get(name) for name in _ALIGNED_METADATA}
        return of_metadata | {name: fields.get(name) for name in _ALIGNED_FIELDS}


class Row(RowContent):
    """A row and its place."""

    split: str  # The split that it belongs to.
    index: int  # Its number within the split, from 0.

    @property
    def source(self) -> str:
        """The name of the source, as in ``metadata["source"]``."""
        return self.metadata["source"]

    @property
    def added_fields(self) -> list[str]:
        """The fields of the row that no row of the public files has."""
        return [name for name in ("turns", *_ALIGNED_FIELDS) if self[name] is not None]

    def __repr__(self) -> str:
        """The row in a few words: a context may be a book."""
        size = f"{len(self.context):,} characters, {write_count(len(self.questions), 'question')}"
        return f"<Row {self.index} of {self.split}: {self.source}, {size}>"

    __str__ = __repr__

    def flatten(self) -> Iterator[Question]:
        """Yield the questions in order, each with its own share of the metadata.

        Raises ``ValueError`` when lists that must align with the questions do not.
        """
        empty = [None] * len(self.questions)
        aligned = Question.lists_of(vars(self), self.metadata).values()
        columns = zip(self.questions, self.answers, *(own or empty for own in aligned), strict=True)
        for index, (question, answers, *own) in enumerate(columns):
            place = (self.split, self.index, index, self.source)
            yield Question(*place, question, tuple(answers), *own)


class RowOutline(NamedTuple):
    """A row without its content: its place, its source and how many questions it has."""

    split: str
    row: int
    source: str
    questions: int


class RowMaker(Protocol):
    """Makes one row by itself; it can be sent to another process."""

    @property
    def source(self) -> str:
        """The name of the row's source."""

    @property
    def split(self) -> str:
        """The split of the row."""

    @property
    def index(self) -> int:
        """The number of the row within its split, from 0."""

    def __call__(self) -> Row:
        """Make the row."""
