"""The audit of the answer key: which questions of a data set no agent should be judged by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mabench.audit.checks import CHECKS
from mabench.audit.superseded import FAMILY, SUPERSEDED
from mabench.data import Dataset, Row
from mabench.families import family_of
from mabench.scoring import Catalogue

__all__ = ["SCHEMA", "Audit", "Flag", "audit"]

SCHEMA = 1


class Flag(NamedTuple):
    """A question of which the answer key is doubtful, and why."""

    split: str
    row: int
    question_index: int
    qa_pair_id: str | None
    source: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found: the flags in the order of the rows.

    A question may be flagged for several reasons; ``by_source`` counts all questions that were
    looked at.
    """

    fingerprint: str
    by_source: dict[str, int] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)

    @property
    def questions(self) -> int:
        """How many questions were looked at."""
        return sum(self.by_source.values())

    def counts(self) -> dict[str, int]:
        """Return how many questions each reason flags; reasons that flag none are 0."""
        found = Counter(flag.reason for flag in self.flags)
        return {check.reason: found[check.reason] for check in CHECKS}

    def ceilings(self) -> dict[str, float]:
        """Return the best score, in percent, of an agent that keeps to the rule of the facts.

        By source, for those whose rule is that a later fact supersedes an earlier one: the
        share of questions whose gold does not contradict it. It is an upper bound, as golds
        that could not be judged count as sound.
        """
        against = Counter(flag.source for flag in self.flags if flag.reason == SUPERSEDED)
        return {
            source: 100 * (1 - against[source] / questions)
            for source, questions in self.by_source.items()
            if questions and family_of(source).name == FAMILY
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as values that JSON can hold."""
        return {
            "schema": SCHEMA,
            "fingerprint": self.fingerprint,
            "questions": self.questions,
            "counts": self.counts(),
            "ceilings": self.ceilings(),
            "flags": [flag._asdict() for flag in self.flags],
        }


def audit(dataset: Dataset, catalogue: Catalogue | None = None) -> Audit:
    """Look at every question's gold, one row at a time.

    Args:
        dataset: the rows.
        catalogue: the entities, without which recommendation rows are looked at less closely.

    Raises:
        DataError: when a row cannot be read.
        UsageError: when a row is of an unknown source.
    """
    questions: Counter[str] = Counter()
    flags: list[Flag] = []
    for row in dataset.rows():
        questions[row.source] += len(row.questions)
        flags += _flags(row, catalogue)
    return Audit(dataset.fingerprint, dict(questions), flags)


def _flags(row: Row, catalogue: Catalogue | None) -> Iterator[Flag]:
    family = family_of(row.source).name
    ids = row.metadata.qa_pair_ids
    for check in CHECKS:
        if not check.families or family in check.families:
            for index, detail in check.find(row, catalogue):
                qa_pair_id = ids[index] if ids else None
                place = (row.split, row.index, index, qa_pair_id, row.source)
                yield Flag(*place, check.reason, detail)
