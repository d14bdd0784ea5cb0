"""The gold answers of a question, and how they are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mabench.data import BY_NAME, Question, Source
from mabench.families import family_of
from mabench.families.key_checks import CANDIDATES_CONTRADICT, contradict
from mabench.json_text import JsonRecord
from mabench.scoring import normalize

# In words, how several gold answers of a question count: its candidates.
_ANY = "one candidate is enough: each metric is its best over them, and ties count once"
_EACH = "each candidate is wanted: the score is the share of them that the first items hold"
_JUDGED = "a judge is shown all candidates, and one is enough"
# By what a family needs to score an answer beside the golds.
_RULES = {"entities": _EACH, "judge": _JUDGED, "golds": _JUDGED, None: _ANY}


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
    spellings: dict[str, list[str]] = {}  # The different answers that are equal once normalized.
    for answer in dict.fromkeys(question.answers):
        spellings.setdefault(normalize(answer), []).append(answer)
    contradicting = set[str]()
    if CANDIDATES_CONTRADICT in family.audit_checks:
        contradicting = _most_contradicting(spellings, question.answers)
    candidates = []
    for normalized, (first, *alike) in spellings.items():
        doubt = None
        if normalized == "":
            doubt = "gold-empty"
        elif normalized in contradicting:
            doubt = CANDIDATES_CONTRADICT.reason
        candidates.append(Gold(first, normalized, tuple(alike), doubt))
    return Golds(family.metric, _RULES[family.needs], tuple(candidates))


def _most_contradicting(spellings: Mapping[str, Sequence[str]], answers: Sequence[str]) -> set[str]:
    """Return the normalized golds that contradict most answers; none if nothing contradicts."""
    contradicted = {
        normalized: sum(contradict(first, answer) for answer in answers)
        for normalized, (first, *_) in spellings.items()
    }
    most = max(contradicted.values(), default=0)
    if most == 0:
        return set()
    return {normalized for normalized, count in contradicted.items() if count == most}
