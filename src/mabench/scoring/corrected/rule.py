"""What corrected rules share: their result, and how JSON, decoration and echoes are read."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import NamedTuple

from mabench.scoring.words import Word, places, spelling, words

_LONGEST_JSON = 100_000
_ANSWER_FIELDS = frozenset(
    {"answer", "final_answer", "label", "class", "category", "intent", "prediction"}
    | {"choice", "option", "selected", "selection", "event", "output", "response", "result"}
)
# Markdown signs, quotation marks, and apostrophes that stand outside a word.
_DECORATION = re.compile(
    r"[*`#\"\u201c\u201d\u201e\u00ab\u00bb]+|(?<!\w)['\u2018\u2019]|['\u2018\u2019](?!\w)"
    r"|(?<![^\W_])_+|_+(?![^\W_])"
)
_QUESTION_MARKERS = frozenset({"question", "q", "answer", "a"})


class Corrected(NamedTuple):
    """A corrected score and the short, stable name of the rule that decided it.

    Attributes:
        value: from 0 to 1.
        rule: one of the names listed in ``docs/scoring.md``.
    """

    value: float
    rule: str


def json_answers(prediction: str) -> list[str]:
    """Return what the answer fields of the JSON object in ``prediction`` hold, as text.

    Fields that are named for something else (a reasoning, a confidence) are not read, unless
    the object has one field only.
    """
    start, end = prediction.find("{"), prediction.rfind("}") + 1
    if start < 0 or not start < end <= start + _LONGEST_JSON:
        return []
    try:
        value = json.loads(prediction[start:end])
    except (ValueError, RecursionError):
        return []
    fields = {name.casefold().replace(" ", "_"): held for name, held in value.items()}
    named = [held for name, held in fields.items() if name in _ANSWER_FIELDS or len(fields) == 1]
    return [str(held) for held in named if isinstance(held, str | int | float)]


def undecorated(text: str) -> str:
    """Return ``text`` in compatibility form, without Markdown signs and quotation marks."""
    return _DECORATION.sub("", unicodedata.normalize("NFKC", text))


def beyond_question(prediction: str, question: str | None) -> list[Word]:
    """Return the words of ``prediction`` that do not just repeat the whole question.

    Where the question stood, an empty word keeps its neighbours apart. Nothing is left when
    the prediction is a bare echo.
    """
    said, asked = list(words(prediction)), spelling(question or "")
    echoes = list(places(asked, said))
    rest: list[Word] = []
    end = 0
    for echo in echoes:
        if echo.start >= end:
            rest += [*said[end : echo.start], Word("", False)]
        end = echo.stop
    said = rest + said[end:]
    if echoes and all(not word.text or word.text in _QUESTION_MARKERS for word in said):
        return []
    return said
