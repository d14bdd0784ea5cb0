"""The rule for questions to which nothing that is known is an answer: to decline is right.

``pattern`` fills word lists of ``words.toml`` into a regular expression.
"""

from __future__ import annotations

import re

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.final_answer import without_reasoning
from mabench.scoring.language import speaks_english
from mabench.scoring.lexicon import pattern
from mabench.text.stems import content_words

_ABOUT = re.compile(r"\b(?:about|regarding|concerning) (.+)", re.IGNORECASE)
# What shows that a sentence behind a refusal answers after all: a reason, or a guess.
_ANSWERS_ANYWAY = re.compile(r"\w\W+because\b|\bmy (?:best )?guess\b", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")


def correct_unanswerable(prediction: str, question: str | None = None) -> Corrected:
    """Score whether a prediction declines to answer, and gives no answer after all.

    It declines in its first sentence, with no guess or reason behind it, or in its last. What it
    declines to say must be of what the question asks, if there is one.
    """
    if not prediction.strip():
        return wrong("no-answer")
    text = without_reasoning(prediction)
    if not speaks_english(text, question, ()):
        return unclear("not-english")
    parts = [part.rstrip(";") for part in _END_OF_SENTENCE.split(text) if part.strip()] or [""]
    asked = content_words(question or "")
    answers_anyway = any(_ANSWERS_ANYWAY.search(part) for part in parts[1:])
    if (_declines(parts[0], asked) and not answers_anyway) or _declines(parts[-1], asked):
        return right("declined-rightly")
    return wrong("answer-invented")


def _declines(text: str, asked: frozenset[str]) -> bool:
    """Return whether a sentence declines to say what is asked, or says that there is nothing.

    ``asked`` are the words of the question. A refusal ``about`` something that has none of them
    declines something else.
    """
    subject = _ABOUT.search(text)
    topic = content_words(subject[1]) if subject else asked
    if topic and topic.isdisjoint(asked):
        return False
    denial = pattern(r"^\W*(?:%s)\b", "refusal.denials").search(text)
    says_nothing_is_known = pattern(r"\b(?:%s)\b", "refusal.nothing").search(text)
    hedges = " but " in text  # "She got a scarf, but I'm not sure" tells what she got.
    return bool(denial or says_nothing_is_known or refuses(text, hedges=hedges))
