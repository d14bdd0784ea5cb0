"""Flags questions with doubtful golds, by which no agent should be judged.

Some checks apply to every row, others only to the rows of a family.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mabench.audit.marks import find_marks
from mabench.audit.options import GuessScores, GuessTally
from mabench.audit.repeats import RepeatedSessions, RepeatTally
from mabench.data import Dataset, Row
from mabench.data.formats import known_faults
from mabench.families import AuditCheck, Family, families_of, family_of
from mabench.families.key_checks import EVERY_ROW
from mabench.scoring import Catalogue

_SCHEMA = 1


class Flag(NamedTuple):
    """A question with a doubtful gold, and the reason."""

    split: str
    row: int
    question_index: int
    qa_pair_id: str | None
    source: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The flags of an audit, in the order of the rows; a question may have several."""

    fingerprint: str
    by_source: Mapping[str, int]  # The number of questions of each source.
    flags: Sequence[Flag]
    reasons: Sequence[str]  # All reasons for which questions can be flagged.
    # By source, if its questions follow a rule such as "a later fact supersedes an earlier one":
    # the reason that flags golds against the rule.
    against_rule: Mapping[str, str]
    leaks: Mapping[str, str]  # By source, what in its histories gives golds away.
    # By source whose family knows of none, what in a history looks like a mark of answers.
    marks: Mapping[str, str]
    # By source, sessions that are told twice in a history, and what guesses get at options.
    repeats: Mapping[str, RepeatedSessions]
    guesses: Mapping[str, GuessScores]
    known: Mapping[str, Sequence[str]]  # By benchmark, known faults of its data.

    @property
    def questions(self) -> int:
        """How many questions the data set has."""
        return sum(self.by_source.values())

    def counts(self) -> dict[str, int]:
        """Return the number of questions that each reason flags, including 0."""
        numbers = Counter(flag.reason for flag in self.flags)
        return {reason: numbers[reason] for reason in self.reasons}

    def ceilings(self) -> dict[str, float]:
        """Return the best possible score by source, in percent, of an agent that follows its rule.

        That is the share of questions whose gold does not contradict the rule. It is an upper
        bound, because golds that could not be examined count as sound.
        """
        numbers = Counter((flag.source, flag.reason) for flag in self.flags)
        return {
            source: 100 * (1 - numbers[source, reason] / self.by_source[source])
            for source, reason in self.against_rule.items()
            if self.by_source[source]
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as values that JSON can hold."""
        return {
            "schema": _SCHEMA,
            "fingerprint": self.fingerprint,
            "questions": self.questions,
            "counts": self.counts(),
            "ceilings": self.ceilings(),
            "leaks": dict(self.leaks),
            "marks": dict(self.marks),
            "repeats": {name: one.as_dict() for name, one in self.repeats.items()},
            "guesses": {name: one.as_dict() for name, one in self.guesses.items()},
            "known": {name: list(faults) for name, faults in self.known.items()},
            "flags": [flag._asdict() for flag in self.flags],
        }


def audit(dataset: Dataset, catalogue: Catalogue | None = None) -> Audit:
    """Examine the gold answers of all questions of a data set.

    Without a catalogue of entities, less can be said about recommendation rows.

    Raises:
        MabenchError: when a row cannot be read, or its source is unknown.
    """
    questions: Counter[str] = Counter()
    flags: list[Flag] = []
    against_rule: dict[str, str] = {}
    leaks: dict[str, str] = {}
    marks: dict[str, str] = {}
    repeats = defaultdict[str, RepeatTally](RepeatTally)
    guesses = defaultdict[str, GuessTally](GuessTally)
    for row in dataset.rows():
        family = family_of(row.source, dataset.sources)
        questions[row.source] += len(row.questions)
        repeats[row.source].add(row)
        for question, golds in zip(row.questions, row.answers, strict=False):
            guesses[row.source].add(question, golds)
        flags += row_flags(row, family, catalogue)
        for check in family.audit_checks:
            if check.lowers_best:
                against_rule[row.source] = check.reason
        if family.leak and family.leak.remove(row.context) != row.context:
            leaks[row.source] = family.leak.what
        elif row.source not in marks and (found := find_marks(row.context)):
            marks[row.source] = found
    families = families_of(dataset.sources).values()
    all_checks = (check for family in families for check in _checks_of(family))
    reasons = list(dict.fromkeys(check.reason for check in all_checks))
    return Audit(
        fingerprint=dataset.fingerprint,
        by_source=dict(questions),
        flags=flags,
        reasons=reasons,
        against_rule=against_rule,
        leaks=leaks,
        marks=marks,
        repeats={name: one for name, tally in repeats.items() if (one := tally.summary())},
        guesses={name: got for name, tally in guesses.items() if (got := tally.summary())},
        known=known_faults(questions),
    )


def row_flags(row: Row, family: Family, catalogue: Catalogue | None = None) -> Iterator[Flag]:
    """Yield the flags of the questions of a row, check by check."""
    ids = row.metadata.get("qa_pair_ids")
    for check in _checks_of(family):
        for index, detail in check.find(row, catalogue):
            yield Flag(
                split=row.split,
                row=row.index,
                question_index=index,
                qa_pair_id=ids[index] if ids else None,
                source=row.source,
                reason=check.reason,
                detail=detail,
            )


def _checks_of(family: Family) -> list[AuditCheck]:
    return [*EVERY_ROW, *family.audit_checks]
