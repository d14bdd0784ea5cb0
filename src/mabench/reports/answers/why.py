"""Why an answer is wrong, in a few words that need no explanation."""

from __future__ import annotations

from mabench.reports.tables import NONE
from mabench.results import PARTS, ScoredQuestion

# What a rule of the corrected score found in an answer that is not right, by its name.
_FOUND = {
    "no-answer": "empty",
    "answer-parts": "names a part",
    "answer-unsettled": "names several",
    "answer-taken-back": "takes it back",
    "answer-alike": "says something alike",
    "answer-partly-said": "says a part",
    "no-rival": "does not say it",
    "another-chosen": "names another",
    "not-english": "in no language that rules read",
    "refusal": "declines",
    "verdict-said": "says yes or no",
    "no-verdict": "neither yes nor no",
    "answer-invented": "makes something up",
    "label-alone": "another label",
    "label-given": "another label",
    "several-labels": "names several labels",
    "label-open": "chooses no label",
    "no-label": "no label",
    "option-alone": "another option",
    "option-named": "another option",
    "option-near": "near an option",
    "option-open": "chooses no option",
    "several-options": "names several options",
    "no-option": "no option",
    "title-named": "other titles",
    "no-title": "no known title",
}
# Where the support of an answer was lost, by part.
_LOST = {
    "unwritten": "never stored",
    "changed": "stored as something else",
    "lost": "stored, and lost later",
    "absent": "not in the store",
    "unfound": "in the store, not found",
    "cut": "found, and cut off",
}


def why_wrong(question: ScoredQuestion) -> str:
    """Return where the support of an answer was, and what the answer says in place of the gold."""
    sample, part = question.sample, question.part
    if part == "failed":
        return (sample.error or "").partition(":")[0] or NONE
    reasons = [*_support_words(question)]
    is_right = question.official == 1 and question.verdict in ("right", None)
    if found := None if is_right else _FOUND.get(question.rule or ""):
        reasons.append(found)
    return ", ".join(reasons) or NONE


def _support_words(question: ScoredQuestion) -> list[str]:
    """Return where the support was, as far as it is known."""
    sample, part = question.sample, question.part
    what = "support" if sample.hit_by == "evidence" else "gold"
    if part in _LOST:
        return [f"{what} {_LOST[part]}"]
    if sample.hit_rank:
        return [f"{what} at rank {sample.hit_rank}"]
    if PARTS[part].missed or part == "right_unretrieved":
        retrieved = len(sample.retrieved)
        return [f"{what} not among {retrieved}" if retrieved else "nothing retrieved"]
    return []
