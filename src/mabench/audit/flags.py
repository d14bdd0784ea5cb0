"""Which questions of a data set no agent should be judged by, because their gold is doubtful.

Some checks are made of every row, others only of the rows of a family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mabench.data import Dataset, Row
from mabench.families import AuditCheck, Family, families_of, family_of
from mabench.families.key_checks import EVERY_ROW
from mabench.scoring import Catalogue

_SCHEMA = 1


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
    """The flags of an audit, in the order of the rows; a question may have several."""

    fingerprint: str
    by_source: Mapping[str, int]  # How many questions each has.
    flags: Sequence[Flag]
    reasons: Sequence[str]  # Those for which a question can be flagged.
    # By source, for those whose questions follow a rule (a later fact supersedes an earlier one):
    # the reason that flags golds against it.
    against_rule: Mapping[str, str]
    leaks: Mapping[str, str]  # By source, what the contexts of its rows tell about the golds.

    @property
    def questions(self) -> int:
        """How many questions the data set has."""
        return sum(self.by_source.values())

    def counts(self) -> dict[str, int]:
        """Return how many questions each reason flags; reasons that flag none are 0."""
        numbers = Counter(flag.reason for flag in self.flags)
        return {reason: numbers[reason] for reason in self.reasons}

    def ceilings(self) -> dict[str, float]:
        """Return the best score, in percent, of an agent that keeps to the rule of a source.

        That is the share of its questions whose gold does not contradict the rule. It is an
        upper bound, as golds that could not be judged count as sound.
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
            "flags": [flag._asdict() for flag in self.flags],
        }


def audit(dataset: Dataset, catalogue: Catalogue | None = None) -> Audit:
    """Look at every question's gold; without a catalogue, less closely at recommendation rows.

    Raises ``MabenchError`` when a row cannot be read or is of an unknown source.
    """
    questions: Counter[str] = Counter()
    flags: list[Flag] = []
    against_rule: dict[str, str] = {}
    leaks: dict[str, str] = {}
    for row in dataset.rows():
        family = family_of(row.source, dataset.sources)
        questions[row.source] += len(row.questions)
        flags += row_flags(row, family, catalogue)
        against_rule.update((row.source, c.reason) for c in family.audit_checks if c.lowers_best)
        if family.leak and family.leak.remove(row.context) != row.context:
            leaks[row.source] = family.leak.what
    families = families_of(dataset.sources).values()
    checks = {check.reason: check for family in families for check in _checks_of(family)}
    return Audit(dataset.fingerprint, dict(questions), flags, list(checks), against_rule, leaks)


def row_flags(row: Row, family: Family, catalogue: Catalogue | None = None) -> Iterator[Flag]:
    """Yield the flags of the questions of a row, check by check."""
    ids = row.metadata.get("qa_pair_ids")
    for check in _checks_of(family):
        for i, why in check.find(row, catalogue):
            place = (row.split, row.index, i, ids[i] if ids else None, row.source)
            yield Flag(*place, check.reason, why)


def _checks_of(family: Family) -> list[AuditCheck]:
    return [*EVERY_ROW, *family.audit_checks]
