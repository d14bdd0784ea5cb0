"""Flags questions with doubtful golds, by which no agent should be judged.

Some checks apply to every row, others only to the rows of a family. Beside flags, an audit says
what else makes scores doubtful: histories that give golds away, sessions that are told twice, and
options that can be guessed.
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
    row: int  # From 0 within the split.
    question_index: int  # From 0 within the row.
    qa_pair_id: str | None
    source: str
    reason: str  # The name of the check that flags it.
    detail: str  # What that check found, in words.


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
        counts = Counter(flag.reason for flag in self.flags)
        return {reason: counts[reason] for reason in self.reasons}

    def ceilings(self) -> dict[str, float]:
        """Return the best possible score of an agent that follows a source's rule, in percent.

        That is the share of questions whose gold does not contradict the rule. It is an upper
        bound, because golds that could not be examined count as sound. Sources without a rule, or
        without a question, are left out.
        """
        ceilings = {}
        for source, reason in self.against_rule.items():
            questions = self.by_source[source]
            flagged = [
                flag for flag in self.flags if flag.source == source and flag.reason == reason
            ]
            if questions > 0:
                ceilings[source] = 100 * (1 - len(flagged) / questions)
        return ceilings

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
            "repeats": {source: sessions.as_dict() for source, sessions in self.repeats.items()},
            "guesses": {source: scores.as_dict() for source, scores in self.guesses.items()},
            "known": {benchmark: list(faults) for benchmark, faults in self.known.items()},
            "flags": [flag._asdict() for flag in self.flags],
        }


def audit(dataset: Dataset, catalogue: Catalogue | None = None) -> Audit:
    """Examine the gold answers of all questions of a data set.

    Without a catalogue of entities, less can be said about recommendation rows.

    Raises:
        MabenchError: when a row cannot be read, or its source is unknown.
    """
    notes = _SourceNotes()
    questions: Counter[str] = Counter()  # By source.
    flags: list[Flag] = []
    for row in dataset.rows():
        family = family_of(row.source, dataset.sources)
        questions[row.source] += len(row.questions)
        flags += row_flags(row, family, catalogue)
        notes.add(row, family)
    repeats = {source: tally.summary() for source, tally in notes.repeats.items()}
    guesses = {source: tally.summary() for source, tally in notes.guesses.items()}
    return Audit(
        fingerprint=dataset.fingerprint,
        by_source=dict(questions),
        flags=flags,
        reasons=_all_reasons(dataset),
        against_rule=notes.against_rule,
        leaks=notes.leaks,
        marks=notes.marks,
        repeats={source: summary for source, summary in repeats.items() if summary is not None},
        guesses={source: summary for source, summary in guesses.items() if summary is not None},
        known=known_faults(questions),
    )


class _SourceNotes:
    """What an audit notes of the rows of each source beside flags; by the source's name."""

    def __init__(self) -> None:
        self.against_rule: dict[str, str] = {}  # As in ``Audit``, like the next two.
        self.leaks: dict[str, str] = {}
        self.marks: dict[str, str] = {}
        self.repeats = defaultdict[str, RepeatTally](RepeatTally)
        self.guesses = defaultdict[str, GuessTally](GuessTally)

    def add(self, row: Row, family: Family) -> None:
        """Note what there is in a row of a family."""
        source = row.source
        self.repeats[source].add(row)
        for question, golds in zip(row.questions, row.answers, strict=False):
            self.guesses[source].add(question, golds)
        for check in family.audit_checks:
            if check.lowers_best:
                self.against_rule[source] = check.reason
        if family.leak and family.leak.remove(row.context) != row.context:
            self.leaks[source] = family.leak.what
        elif source not in self.marks:
            marks = find_marks(row.context)
            if marks is not None:
                self.marks[source] = marks


def _all_reasons(dataset: Dataset) -> list[str]:
    """Return all reasons for which questions of a data set can be flagged, each once."""
    families = families_of(dataset.sources).values()
    reasons = [check.reason for family in families for check in _checks_of(family)]
    return list(dict.fromkeys(reasons))


def row_flags(row: Row, family: Family, catalogue: Catalogue | None = None) -> Iterator[Flag]:
    """Yield the flags of the questions of a row, check by check.

    A check finds the index of each question that it doubts, with what is wrong in words.
    """
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
    """Return the checks of the rows of a family: those of every row, and its own."""
    return [*EVERY_ROW, *family.audit_checks]
