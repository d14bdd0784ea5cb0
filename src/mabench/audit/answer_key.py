"""The gold answers of a question, and how they are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mabench.data import BY_NAME, Question, Source
from mabench.families import family_of
from mabench.families.key_checks import CANDIDATES_CONTRADICT, contradict
from mabench.json_text import JsonRecord
from mabench.scoring import normalize

# How several candidates count, in words.
_ANY = "one candidate is enough: each metric is its best over them, and ties count once"
_EACH = "each candidate is wanted: the score is the share of them that the first items hold"
_JUDGED = "a judge is shown all candidates, and one is enough"


@dataclass(frozen=True, slots=True)
class Gold(JsonRecord):
    """One of the acceptable answers to a question."""

    text: str  # As it is in the data set.
    normalized: str  # What the published scorer compares.
    alike: tuple[str, ...] = ()  # Other spellings that are equal once normalized.
    # Why the audit doubts it: ``gold-empty`` (nothing is left to compare), or
    # ``candidates-contradict`` (it contradicts most other candidates); None if it is sound.
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Golds(JsonRecord):
    """The gold answers of a question, without duplicates, and how they are scored."""

    metric: str
    rule: str  # How several candidates count.
    candidates: tuple[Gold, ...]


def golds(question: Question, sources: Mapping[str, Source] = BY_NAME) -> Golds:
    """Return the gold answers of a question from ``dataset.questions()``.

    ``sources`` are ``dataset.sources``, if the data set declares any.

    Raises:
        UsageError: when the source of the question is unknown.
    """
    family = family_of(question.source, sources)
    spellings: dict[str, list[str]] = {}  # By the normalized answer.
    for answer in dict.fromkeys(question.answers):
        spellings.setdefault(normalize(answer), []).append(answer)
    doubts: dict[str, str | None] = dict.fromkeys(spellings)
    if CANDIDATES_CONTRADICT in family.audit_checks:
        contradictions = {
            normalized: sum(contradict(first, other) for other in question.answers)
            for normalized, (first, *_) in spellings.items()
        }
        most = max(contradictions.values(), default=0)
        for normalized, count in contradictions.items():
            if count == most and count > 0:
                doubts[normalized] = CANDIDATES_CONTRADICT.reason
    if "" in spellings:
        doubts[""] = "gold-empty"
    candidates = tuple(
        Gold(first, normalized, tuple(alike), doubts[normalized])
        for normalized, (first, *alike) in spellings.items()
    )
    rule = {"entities": _EACH, "judge": _JUDGED, "golds": _JUDGED, None: _ANY}[family.needs]
    return Golds(family.metric, rule, candidates)
