"""What result files of other harnesses hold, in one form: answers, verdicts and claimed figures.

A reader says what a file says and decides nothing: an answer that failed, or that the file itself
leaves out of its mean, is there and marked as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from mabench.formats.glimpse import Glimpse
from mabench.formats.recognizer import FormatKind

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenVerdict:
    """The verdict on one answer that a file brings."""

    judge: str = UNKNOWN  # The model that judged, or "unknown".
    prompts: str = UNKNOWN  # What names its prompt, or "unknown".
    value: float | None  # From 0 to 1; None if the judge gave no verdict.
    words: str | None = None  # The judge's own words, if the file keeps them.
    # The same verdict as the file says it in a second field, where it does.
    second_value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """One answer of a result file, with what the file says of its question."""

    place: str  # File and place in it, for messages.
    text: str | None  # The answer; None if there is none.
    failure: str | None = None  # Why there is none, or why the harness did not count it.
    # What names the question in a data set, as far as the file tells.
    source: str | None = None
    row: int | None = None  # The number of the history, from 0.
    question_index: int | None = None  # The number of the question in its history, from 0.
    question_id: str | None = None  # The id that the data set gives it.
    position: int | None = None  # Its number among all questions of its source, from 0.
    prompt: str | None = None  # The prompt that asked it, which holds the question.
    question: str | None = None  # The question alone.
    history: str | None = None  # What the file calls the history.
    golds: tuple[str, ...] = ()  # Its golds, as the file has them.
    question_type: str | None = None
    is_unanswerable: bool = False  # Whether the right answer is that nothing is known.
    verdicts: tuple[GivenVerdict, ...] = ()
    # What it adds to the file's own mean, from 0 to 1; None if that leaves it out.
    counted: float | None = None

    def __str__(self) -> str:
        names = {
            "source": self.source,
            "row": self.row,
            "question_index": self.question_index,
            "qa_pair_id": self.question_id,
            "query_id": self.position,
        }
        known = [f"{name} {value!r}" for name, value in names.items() if value is not None]
        return f"{self.place}: {', '.join(known) or 'names no question'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A figure that a result file states for itself."""

    what: str  # Such as ``accuracy``.
    value: float  # From 0 to 1.
    questions: int | None = None  # Of how many questions, if the file says so.
    question_type: str | None = None  # Of which type of questions; None for all.


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRun:
    """The answers of one system in one trial, as a file has them."""

    name: str  # System, trial and cut-off; empty where the file has one run without a name.
    answers: tuple[GivenAnswer, ...]
    claims: tuple[Claim, ...] = ()
    # Verdicts on answers that another file holds, by ``verdict_key``.
    verdicts_elsewhere: Mapping[str, GivenVerdict] = field(default_factory=dict)
    # Whether the file holds outcomes and the text of no answer, such as one about retrieval alone.
    has_no_answers: bool = False


def verdict_key(answer: GivenAnswer) -> str:
    """Return what a file of verdicts calls the question of an answer: history and id."""
    return f"{answer.history or ''}\t{answer.question_id or ''}"


@dataclass(frozen=True, kw_only=True)
class ResultFormat:
    """How the result files of one harness are recognized and read."""

    kind: ClassVar[FormatKind] = FormatKind.RESULTS

    published: str  # What the file is called.
    harness: str  # Who writes it.
    recognizes: Callable[[Glimpse], bool]
    # Returns the runs of a file; raises ``DataError`` with file, place and field.
    read: Callable[[Path], Iterable[GivenRun]]
    # For the reference, each in a few words.
    identity: str  # How a question is identified.
    failed: str  # What counts as a failed answer.
    verdicts: str  # Where verdict and judge are.
