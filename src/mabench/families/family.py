"""What a family of sources is: everything about it that the rest of mabench asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from mabench.data import Row
from mabench.data.problems import Severity
from mabench.data.validation import RowCheck
from mabench.families.budget import Budget, ProtocolName
from mabench.families.rubric import Rubric
from mabench.scoring import Catalogue, Corrected, raw_or_parsed
from mabench.text.spans import Span


class ScoringInput(NamedTuple):
    """One prediction with the question that it answers, for a scorer."""

    prediction: str  # What the agent answered; an empty string for a failed answer.
    answers: Sequence[str]  # The golds.
    question: str | None = None  # The question; None if answers are scored on their own.
    # The titles of the entity file, for recommendation rows; None without the file.
    catalogue: Catalogue | None = None
    question_type: str | None = None  # The type of the question, where the data set has types.


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
    # What ``mabench data validate`` expects instead; None if only the audit tells.
    expected: str | None = None


class Leak(NamedTuple):
    """What the published contexts of a family tell agents about the golds."""

    what: str  # What they tell, in a clause.
    remove: Callable[[str], str]  # Returns a context without it.


# The corrected value of each reported metric, with the rule that decided it.
Correction = Callable[[ScoringInput], Mapping[str, Corrected]]


def correct_by_rule(
    metric: str, rule: Callable[[str, Sequence[str], str | None], Corrected]
) -> Correction:
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
    corrected: Correction = lambda case: {}
    # Whether one of these golds can be looked for in retrieved passages. Only where golds are taken
    # from the history, so that one that is in a passage may come from it: not labels, options,
    # summaries, entities or answers in an annotator's words.
    gold_in_text: Callable[[Sequence[str]], bool] = lambda answers: False
    # The rules of the corrected score that say that an answer has not the form that is asked for,
    # such as a label.
    no_form: Collection[str] = ("no-answer",)
    # The text of a perfect answer to a question with these answers.
    ideal: Callable[[ScoringInput], str] = lambda case: case.answers[0]
    # How a language model judges answers, where the reported metric takes that.
    rubric: Rubric | None = None
    # Whether the judge's score is beside the reported metric, which takes none.
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
    # For each question of a row, where the values stand that newer ones replaced; None if none
    # replace any.
    older_values: Callable[[Row], Iterable[Sequence[Span]]] | None = None

    @property
    def needs(self) -> Literal["judge", "entities"] | None:
        """What scoring needs besides the answer, a judge or the entity file."""
        if self.rubric is not None and not self.judge_beside:
            return "judge"
        return "entities" if self.needs_entities else None
