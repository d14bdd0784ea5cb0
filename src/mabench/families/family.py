"""The class ``Family``: everything that the rest of mabench may ask about a family of sources."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from mabench.data import Row
from mabench.data.problems import Severity
from mabench.data.validation import RowCheck
from mabench.families.budget import Budget, ProtocolName
from mabench.families.rubric import Rubric
from mabench.scoring import Catalogue, Corrected, raw_or_parsed
from mabench.text.spans import Span


class ScoringInput(NamedTuple):
    """What a scorer gets: one prediction, with its question and gold answers."""

    prediction: str  # What the agent answered; an empty string for a failed answer.
    answers: Sequence[str]  # The golds.
    question: str | None = None  # The question; None if answers are scored on their own.
    # The titles of the entity file, for recommendation rows; None without the file.
    catalogue: Catalogue | None = None
    question_type: str | None = None  # The type of the question, where the data set has types.


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """A check of the answer key that finds questions with doubtful golds."""

    reason: str  # The short, stable name of what is doubtful.
    # Takes a row and the catalogue of entities, if known. Yields the index of each doubtful
    # question and a few words on what is wrong with it.
    find: Callable[[Row, Catalogue | None], Iterator[tuple[int, str]]]
    # Whether these golds lower the best possible score: an agent that follows the rules of the
    # questions cannot give them.
    lowers_best: bool = False
    # What ``mabench data validate`` says is expected instead; None: only the audit reports it.
    expected: str | None = None


class Leak(NamedTuple):
    """Marks in the published histories of a family that give golds away."""

    what: str  # What gives them away, as a clause.
    remove: Callable[[str], str]  # Returns a history without these marks.


# The metric of a family whose golds nobody knows, so that nothing is scored.
NOT_SCORED = "none"
# The corrected value of each reported metric, with the rule that decided it.
Correction = Callable[[ScoringInput], Mapping[str, Corrected]]


def correct_by_rule(
    metric: str, rule: Callable[[str, Sequence[str], str | None], Corrected]
) -> Correction:
    """Return a correction of one metric by a rule that takes prediction, answers and question."""
    return lambda case: {metric: rule(case.prediction, case.answers, case.question)}


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of sources that share their form, prompt and scoring.

    A metric of your own is an entry of ``official``; ``metric`` names the one that counts.
    """

    name: str  # The family's name, as in a prompts file.
    # Templates by role. ``answer`` contains ``{question}``, and ``memorize`` contains ``{chunk}``;
    # by default an agent gets bare chunks. Templates for judges are in the rubric.
    prompts: Mapping[str, str]
    # Cuts a history into units that no chunk may split. Joined, they are exactly the history.
    units: Callable[[str], list[str]]
    # Size of a chunk and length of an answer under each protocol.
    budgets: Mapping[ProtocolName, Budget]
    # The metric of ``official`` that is reported, and that counts; ``NOT_SCORED`` without golds.
    metric: str
    # The published metrics of one prediction, by name, from 0 to 1; by default ``raw_or_parsed``.
    official: Callable[[ScoringInput], Mapping[str, float]] = lambda case: raw_or_parsed(
        case.prediction, case.answers
    )
    # The corrected value of each reported metric and the rule that decided it; empty if no
    # deterministic rule can tell right from wrong.
    corrected: Correction = lambda case: {}
    # Whether these golds may be looked for in retrieved passages. Only if they are quotes from the
    # history: not for labels, options, summaries, entities or answers in an annotator's words.
    gold_in_text: Callable[[Sequence[str]], bool] = lambda answers: False
    # The rules of the corrected score that mean that an answer is not in the requested form, such
    # as a label.
    no_form: Collection[str] = ("no-answer",)
    # The text of a perfect answer to a question with these answers.
    ideal: Callable[[ScoringInput], str] = lambda case: case.answers[0]
    # How a language model judges answers, if the metric needs a judge.
    rubric: Rubric | None = None
    # What is scored: the text of the answer, or the passages that were found for it, word for word.
    answered_by: Literal["text", "passages"] = "text"
    # Whether judging is optional: the metric needs no judge, and the judge's score is a second one.
    judge_beside: bool = False
    needs_entities: bool = False  # Whether scoring needs the entity file of the data set.
    # What ``mabench data validate`` checks in each row, beyond the schema.
    row_checks: Sequence[RowCheck] = ()
    # How the validation reports a question id that an earlier row of the source has; None if ids
    # restart in every row.
    repeated_ids: Severity | None = "error"
    # What the audit checks in each row, beyond the checks of all families.
    audit_checks: Sequence[AuditCheck] = ()
    # Marks in histories that give golds away; only the published protocols leave them in.
    leak: Leak | None = None
    # Returns, for each question of a row, the places of values that newer ones replaced; None if
    # values are never replaced.
    older_values: Callable[[Row], Iterable[Sequence[Span]]] | None = None

    @cached_property
    def needs(self) -> Literal["judge", "entities", "golds"] | None:
        """What scoring needs besides the answer: a judge, the entity file, golds, or nothing."""
        if self.metric == NOT_SCORED:
            return "golds"
        if self.rubric is not None and not self.judge_beside:
            return "judge"
        return "entities" if self.needs_entities else None
