"""Why an answer is wrong, in a few words that need no explanation, for lists of questions.

The *support* of a question is what its answer rests on in the history. The part of a question says
what became of it, such as *missed* or *failed*; ``PARTS`` has each in words.
"""

from __future__ import annotations

from mabench.reports.tables import NONE
from mabench.results import PARTS, ScoredQuestion

# What an answer that is not right says, by the name of the corrected score's rule that found it.
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
# Where the support was lost, by the question's part.
_LOST = {
    "unwritten": "never stored",
    "changed": "stored as something else",
    "lost": "stored, and lost later",
    "absent": "not in the store",
    "unfound": "in the store, not found",
    "cut": "found, and cut off",
}


def why_wrong(question: ScoredQuestion) -> str:
    """Return where the support of an answer was, and what the answer says in place of the gold.

    Of a failed answer it is the kind of error. A dash if nothing is known.
    """
    if question.part == "failed":
        kind_of_error, _, _ = (question.sample.error or "").partition(":")
        return kind_of_error or NONE
    reasons = (_support_words(question), _answer_words(question))
    return ", ".join(words for words in reasons if words) or NONE


def _support_words(question: ScoredQuestion) -> str:
    """Return where the support was; empty if that is unknown."""
    sample, part = question.sample, question.part
    # Without evidence in the data, a passage that mentions the gold counts as the support.
    what = "support" if sample.hit_by == "evidence" else "gold"
    if part in _LOST:
        return f"{what} {_LOST[part]}"
    if sample.hit_rank:
        return f"{what} at rank {sample.hit_rank}"
    if PARTS[part].missed or part == "right_unretrieved":
        passages = len(sample.retrieved)
        return f"{what} not among {passages}" if passages else "nothing retrieved"
    return ""


def _answer_words(question: ScoredQuestion) -> str:
    """Return what a wrong answer says in place of the gold; empty if it is right, or unknown."""
    # The verdict is that of the corrected score; it is None without one.
    is_right = question.official == 1 and question.verdict in ("right", None)
    return "" if is_right else _FOUND.get(question.rule or "", "")
