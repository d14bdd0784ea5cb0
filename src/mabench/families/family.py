"""What a family of sources is: everything about it that the rest of mabench asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from mabench.data import Row
from mabench.data.records import Severity
from mabench.data.validation import RowCheck
from mabench.scoring import Catalogue, Corrected, raw_or_parsed
from mabench.text.marks import Span


class ProtocolName(StrEnum):
    """The protocols: ``structured`` (ours), ``paper``, and ``repository`` (its published code)."""

    STRUCTURED = "structured"
    PAPER = "paper"
    REPOSITORY = "repository"


class Budget(NamedTuple):
    """How long chunks and answers may be, in tokens."""

    chunk_tokens: int
    answer_tokens: int


def budgets(paper: tuple[int, int], repository: tuple[int, int]) -> Mapping[ProtocolName, Budget]:
    """Return the budgets of every protocol, sizes and lengths; ours has those of the paper."""
    others = {ProtocolName.REPOSITORY: Budget(*repository)}
    return {name: Budget(*paper) for name in ProtocolName} | others


class ScoringInput(NamedTuple):
    """One prediction with the question that it answers, for a scorer."""

    prediction: str  # What the agent answered; an empty string for a failed answer.
    answers: Sequence[str]  # The golds.
    question: str | None = None  # The question; None where answers are scored on their own.
    # The titles of the entity file, for recommendation rows; None without the file.
    catalogue: Catalogue | None = None
    question_type: str | None = None  # The type of the question, where the data set has types.


class JudgingInput(NamedTuple):
    """An answer to be judged, with what the data set holds about its question."""

    question: str
    answers: Sequence[str]  # The golds.
    prediction: str  # What the agent answered.
    question_id: str | None = None  # The id of the question, where it has one.
    question_type: str | None = None  # Its type, where the data set has types.
    # The lines of the question's rubric, where it has one, else those of the row.
    keypoints: Sequence[str] = ()


# What judges say of one answer, as numbers by name.
Verdict = Mapping[str, int]


class JudgePrompt(NamedTuple):
    """One prompt for the judge."""

    role: str  # The role of the prompt.
    slots: Mapping[str, str]  # What fills the prompt, by the name of the slot.
    read: Callable[[str], Verdict | None]  # Returns what a reply says; None when it cannot be read.


@dataclass(frozen=True, slots=True)
class Rubric:
    """How a language model judges a family's answers."""

    templates: Mapping[str, str]  # Template by role.
    # Every prompt that a judge gets for one answer.
    prompts_for: Callable[[JudgingInput], list[JudgePrompt]]
    # The score, from 0 to 1, that follows from the verdict: all replies put together.
    value: Callable[[Verdict], float]
    compared: str  # The number of a verdict, 0, 1 or 2, on which two judges are compared.
    # The score by the published reading of the first reply to each prompt, where that is another
    # than ours.
    official: Callable[[Sequence[str]], float] | None = None
    # The published score that follows from a verdict, where that is another than ``value``.
    published: Callable[[Verdict], float] | None = None


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """A check of the answer key, which names the questions whose gold is doubtful."""

    reason: str  # The short, stable name of what is doubtful.
    # Yields the index of each such question and a few words on what is wrong with it; it takes the
    # row and, for recommendation rows, the catalogue if it is known.
    find: Callable[[Row, Catalogue | None], Iterator[tuple[int, str]]]
    # Whether an agent that follows the rules of the family's questions cannot give these golds, so
    # that they lower the best score that it can reach.
    lowers_best: bool = False
    # What ``mabench data validate`` expects instead; None where only the audit tells.
    expected: str | None = None


class Leak(NamedTuple):
    """What the published contexts of a family tell agents about the golds."""

    what: str  # What they tell, in a clause.
    remove: Callable[[str], str]  # Returns a context without it.


# The corrected value of each reported metric, with the rule that decided it.
_Correction = Callable[[ScoringInput], Mapping[str, Corrected]]


def by_rule(
    metric: str, rule: Callable[[str, Sequence[str], str | None], Corrected]
) -> _Correction:
    """Return a correction of ``metric`` by a rule of prediction, answers and question."""
    return lambda case: {metric: rule(case.prediction, case.answers, case.question)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of sources that share their form, prompt and scoring."""

    name: str  # The family's name, as in a prompts file.
    # Template by role: ``answer`` holds ``{question}``, ``memorize`` ``{chunk}``; without the
    # latter chunks are handed over as they are. The rubric has those of judges.
    prompts: Mapping[str, str]
    # Cuts a context into the pieces that no chunk may split; joined, they give the context back.
    units: Callable[[str], list[str]]
    # Size of a chunk and length of an answer under each protocol.
    budgets: Mapping[ProtocolName, Budget]
    metric: str  # The metric that the paper reports for the family.
    # The published metrics of one prediction, by name, from 0 to 1; by default ``raw_or_parsed``.
    official: Callable[[ScoringInput], Mapping[str, float]] = lambda case: raw_or_parsed(
        case.prediction, case.answers
    )
    # The corrected value, with the rule that decided it, of each reported metric; empty where no
    # deterministic rule can tell right from wrong.
    corrected: _Correction = lambda case: {}
    # Whether one of these golds can be looked for in retrieved passages. Only where golds are taken
    # from the history, so that one that stands in a passage may come from it: not labels, options,
    # summaries, entities or answers in an annotator's words.
    gold_in_text: Callable[[Sequence[str]], bool] = lambda answers: False
    # The rules of the corrected score that say that an answer has not the form that is asked for,
    # such as a label.
    no_form: Collection[str] = ("no-answer",)
    # The text of a perfect answer to a question with these answers.
    ideal: Callable[[ScoringInput], str] = lambda case: case.answers[0]
    # How a language model judges answers, where the reported metric takes that.
    rubric: Rubric | None = None
    # Whether the judge's score stands beside the reported metric, which takes none.
    judge_beside: bool = False
    needs_entities: bool = False  # Whether scoring takes the entity file of the data set.
    # What ``mabench data validate`` checks in each row, beyond the schema.
    row_checks: Sequence[RowCheck] = ()
    # How the validation reports an id of a question that an earlier row of the source has; None
    # where ``qa_pair_ids`` restart in every row.
    repeated_ids: Severity | None = "error"
    # What the audit checks in each row, beyond what it checks in all.
    audit_checks: Sequence[AuditCheck] = ()
    # What contexts tell agents about the golds; only published protocols leave it there.
    leak: Leak | None = None
    # For each question of a row, where the values stand that newer ones replaced; None where none
    # replace any.
    older_values: Callable[[Row], Iterable[Sequence[Span]]] | None = None

    @property
    def needs(self) -> Literal["judge", "entities"] | None:
        """What scoring needs besides the answer, a judge or the entity file."""
        if self.rubric is not None and not self.judge_beside:
            return "judge"
        return "entities" if self.needs_entities else None
