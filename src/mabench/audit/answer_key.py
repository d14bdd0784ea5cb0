"""The golds of a question as they are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mabench.data import BY_NAME, Question, Source
from mabench.families import family_of
from mabench.families.key_checks import CANDIDATES_CONTRADICT, contradict
from mabench.json_text import JsonRecord
from mabench.scoring import normalize

_ANY = "one candidate is enough: each metric is its best over them, and ties count once"
_EACH = "each candidate is wanted: the score is the share of them that the first items hold"
_JUDGED = "a judge is shown all candidates, and one is enough"


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
