"""The answer key: golds as they are scored, where they stand, and which are doubtful.

The audit tells which questions of a data set no agent should be judged by. Some checks are made of
every row, others of the rows of a family, which brings them. None looks at a prediction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mabench.data import BY_NAME, Dataset, Question, Row, Source
from mabench.data.evidence import Evidence
from mabench.errors import UsageError
from mabench.families import AuditCheck, Family, families_of, family_of
from mabench.families.parts import CANDIDATES_CONTRADICT, EVERY_ROW, contradict
from mabench.json_text import JsonRecord
from mabench.scoring import Catalogue, normalize
from mabench.text.marks import Span, excerpt, spans

_SCHEMA = 1
_AROUND = 160
_MOST = 1000  # Places of one candidate.

_ANY = "one candidate is enough: each metric is its best over them, and ties count once"
_EACH = "each candidate is wanted: the score is the share of them that the first items hold"
_JUDGED = "a judge is shown all candidates, and one is enough"


class _Flag(NamedTuple):
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
    flags: Sequence[_Flag]
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
    flags: list[_Flag] = []
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


def row_flags(row: Row, family: Family, catalogue: Catalogue | None = None) -> Iterator[_Flag]:
    """Yield the flags of the questions of a row, check by check."""
    ids = row.metadata.get("qa_pair_ids")
    for check in _checks_of(family):
        for i, why in check.find(row, catalogue):
            place = (row.split, row.index, i, ids[i] if ids else None, row.source)
            yield _Flag(*place, check.reason, why)


def _checks_of(family: Family) -> list[AuditCheck]:
    return [*EVERY_ROW, *family.audit_checks]


@dataclass(frozen=True, slots=True)
class Gold(JsonRecord):
    """A candidate of a question."""

    text: str  # The candidate as the data set has it.
    normalized: str  # What the published scorer compares.
    alike: tuple[str, ...] = ()  # The other spellings that come to the same.
    # Why the audit doubts it: ``gold-empty`` where nothing is left to compare,
    # ``candidates-contradict`` where it is no paraphrase of most others; None for sound ones.
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Golds(JsonRecord):
    """The candidates of a question, each once, with the metric and how several count in it."""

    metric: str
    rule: str
    candidates: tuple[Gold, ...]


def golds(question: Question, sources: Mapping[str, Source] = BY_NAME) -> Golds:
    """Return the candidates of a question, one of ``dataset.questions()``, as they are scored.

    ``sources`` are ``dataset.sources`` if it declares some. Raises
    ``UsageError`` when that of the question is unknown.
    """
    family = family_of(question.source, sources)
    texts: dict[str, list[str]] = {}
    for answer in dict.fromkeys(question.answers):
        texts.setdefault(normalize(answer), []).append(answer)
    doubts: dict[str, str | None] = dict.fromkeys(texts)
    if CANDIDATES_CONTRADICT in family.audit_checks:  # Of those that contradict the most others.
        counts = {
            key: sum(contradict(text, one) for one in question.answers)
            for key, (text, *_) in texts.items()
        }
        most = max(counts.values(), default=0)
        doubts |= {key: CANDIDATES_CONTRADICT.reason for key, n in counts.items() if n == most > 0}
    candidates = tuple(
        Gold(first, key, tuple(alike), doubts[key] if key else "gold-empty")
        for key, (first, *alike) in texts.items()
    )
    rule = {"entities": _EACH, "judge": _JUDGED, None: _ANY}[family.needs]
    return Golds(family.metric, rule, candidates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(JsonRecord):
    """A place in a history, from ``start`` to ``end``, in characters."""

    start: int
    end: int
    depth: float  # How deep in the history it begins, from 0 (the start) to 100.
    text: str  # What stands around it.
    marks: tuple[Span, ...]  # Where it stands in ``text``: starts and ends.


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlaces(JsonRecord):
    """A question of a data set, its golds, and where they are in the history."""

    question: Question  # With its share of the metadata.
    golds: Golds
    characters: int  # How long the history is.
    # Where a candidate stands in it; null where none can be looked for: labels, options, ids and an
    # annotator's words are not taken from the history.
    places: tuple[Place, ...] | None
    # The turns or texts that the row names as its evidence; null where it names none.
    evidence: tuple[Place, ...] | None
    # Those that newer ones replaced on the way to its gold; null where none replace any.
    older_values: tuple[Place, ...] | None


def row_places(
    row: Row, sources: Mapping[str, Source], question: int | None = None
) -> Iterator[QuestionPlaces]:
    """Yield the questions of a row, or that with this number, with their golds and places.

    Raises ``UsageError`` for an unknown source.
    """
    family, evidence = family_of(row.source, sources), Evidence(row)
    older = [*family.older_values(row)] if family.older_values else None
    for index, one in enumerate(row.flatten()):
        if question in (None, index):
            is_sought = family.gold_in_text(one.answers)
            found = spans(row.context, [*{*one.answers}], _MOST) if is_sought else None
            yield QuestionPlaces(
                question=one,
                golds=golds(one, sources),
                characters=len(row.context),
                places=_places(row.context, found),
                evidence=_places(row.context, evidence.places(index)),
                older_values=_places(row.context, older[index] if older else None),
            )


def _places(context: str, found: Sequence[Span] | None) -> tuple[Place, ...] | None:
    def place(start: int, end: int) -> Place:
        text, marks = excerpt(context, [(start, end)], _AROUND)
        depth = 100 * start / max(len(context), 1)
        return Place(start=start, end=end, depth=depth, text=text, marks=tuple(marks))

    return None if found is None else tuple(place(*span) for span in found)


def question_places(
    dataset: Dataset,
    sources: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    question: int | None = None,
) -> Iterator[QuestionPlaces]:
    """Yield questions of a data set with their golds and places, a row at a time.

    ``question`` is the number of a question in its row, ``rows`` are numbers of rows in their
    splits; None stands for all.

    Raises:
        UsageError: when a source is unknown, or no row has that question.
        DataError: when a row cannot be read, or there are no such rows.
    """
    last, is_empty = 0, True
    for row in dataset.select(sources, rows):
        last = max(last, len(row.questions) - 1)
        for view in row_places(row, dataset.sources, question):
            is_empty = False
            yield view
    if is_empty:
        raise UsageError(f"{dataset.name}: no question {question}; they go from 0 to {last}")
