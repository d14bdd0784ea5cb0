"""Where an output says its final answer: the one place that every family's rule asks.

Reasoning is taken off first. What is left may hold the answer in a form that says so: a field of
an object, a box, a tag, a mark such as ``Answer:``. Else a last sentence may conclude. Else the
whole text is read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from mabench.scoring.lexicon import entries, pattern

# A value: a text, a number, a truth value, nothing, or a list or an object of them.
Value = object

# The names of fields, without signs and spaces.
_ANSWER_FIELD = re.compile(
    r"(?:final|correct|predicted|best|chosen|my|next|the|mostlikely)*"
    r"(?:answer|label|class|category|intent|prediction|choice|option|selected|selection|event"
    r"|output|response|results?|verdict|value|conclusion|culprit|killer|current|latest|updated)"
    r"(?:letter|text|id|option|label|choice|number|index|event|value|key|name|class)?"
)
# What is written for JSON and is none: single quotation marks, a comma before the end.
_MENDED = (
    (re.compile(r"(?<=[{\[,:\s])'|'(?=\s*(?:[,}\]:]|\Z))"), '"'),
    (re.compile(r",(?=\s*[}\]])"), ""),
)
_OPENING = re.compile(r"""\{\s*["']|\[\s*["'{]""")
_MOST_OPENINGS = 100


def _structured_values(text: str) -> list[Value]:
    """Return the objects and lists that stand in ``text``, in order, as far as they are read.

    A list counts only where it is all that is said: brackets stand in other texts too.
    """
    values: list[Value] = []
    end = 0
    for opening in [*_OPENING.finditer(text)][-_MOST_OPENINGS:]:
        start = opening.start()
        if start < end:
            continue
        value, length = _parsed(text[start:])
        end = start + length
        before = text[:start].rstrip("`*#\n ")
        is_all = not values and before[-1:] in ("", ":")
        if isinstance(value, dict) or (value and is_all and not re.search(r"[^\W_]", text[end:])):
            values.append(value)
    return values


def _parsed(text: str) -> tuple[Value, int]:
    """Return the object or list that opens a text, mended if need be, and how long it is."""
    from pydantic_core import from_json  # Which reads what was cut off.

    try:
        return json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        mended = text
    for written, meant in _MENDED:
        mended = written.sub(meant, mended)
    try:
        return from_json(mended, allow_partial="trailing-strings"), len(text)
    except ValueError:
        return None, 1


def _answer_field(value: Value) -> str | None:
    """Return the answer that an object or list holds, as text; None when it holds none.

    A field named for something else (a reasoning) counts if it is the only one, as does an item.
    """
    held_by = value.items() if isinstance(value, dict) else ()
    fields = {re.sub(r"[\W_]+", "", str(name)).casefold(): held for name, held in held_by}
    named = sorted(filter(_ANSWER_FIELD.fullmatch, fields), key=lambda name: "answer" not in name)
    if named:
        return _text(fields[named[0]])
    only = list(fields.values()) or (value if isinstance(value, list) else [])
    return _text(only[0]) if len(only) == 1 else None


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return _answer_field(value) or ". ".join(str(held) for held in value.values() if held)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(map(_text, value))
    return str(value)


_LONGEST = 8_000  # Characters that are read of an output; no answer is a tenth as long.
_REASONING = f"(?:{'|'.join(entries('final.reasoning'))})"
_OPEN = re.compile(rf"<{_REASONING}>|\[THINK\]|\u25c1think\u25b7", re.IGNORECASE)
_CLOSE = re.compile(
    rf"</{_REASONING}>|\[/THINK\]|\u25c1/think\u25b7|<\|channel\|>\s*final", re.IGNORECASE
)
# Tokens of models, HTML, fences and what is struck out.
_MARKUP = re.compile(
    r"<\|[\w/ ]{1,30}\|>|</?(?:eos|bos|end_of_turn|s|b|i|em|strong|u|p|br|span)\s?/?>"
    r"|```(?:json|python|text|txt)?|~~[^~\n]{1,200}~~(?: \([^()\n]{1,40}\))?",
    re.IGNORECASE,
)
_RUNAWAY = re.compile(
    r"^[ \t]*(?:[#*]+ ?)?(?:question|q|user|human|now answer the question)(?: ?\d+)?(?:\*\*)? ?:",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(
    r"<(?P<tag>(?:final_?|predicted_?)?(?:answer|label|choice|option|output|response|result))>"
    r"(?s:(.*?))(?:</(?P=tag)>|\Z)",
    re.IGNORECASE,
)
_BOX = re.compile(r"\\boxed\s?\{([^{}]*)")
_MATH = re.compile(
    r"\$\$?(\\?[\w{}\\.,]{1,80})\$\$?|\\[(\[]\s?([^\\\n]{1,80}?)\s?\\[)\]]"
    r"|\\(?:text|textbf|mathrm|mathbf|textit|mbox)\s?\{([^{}]*)\}"
)
_EMPHASIS = r"[*_`#\"' \t]{0,6}"
_ADJECTIVES, _HEADS = ("|".join(entries(f"final.{name}")) for name in ("adjectives", "heads"))
_HEAD = rf"(?:(?:{_ADJECTIVES})[ _]){{0,3}}(?:{_HEADS})"
# "Answer:" and its kin; a head of its own line, with or without the colon, whose answer follows.
_COLON = pattern(
    rf"\b(?:{_HEAD}|final(?:[ _](?:%s))?){_EMPHASIS}(?:is{_EMPHASIS})?(?:[:\uff1a=]|=>|->|\u2192)"
    rf"{_EMPHASIS}|(?m:^){_EMPHASIS}{_HEAD}{_EMPHASIS}(?:[-\u2013\u2014][ \t]+|(?m:$))",
    "final.finals",
)
_IS = pattern(
    r"\b(?:the|my|our|an?|your)[ \t]+(?:(?:%s|most[ ]likely|only|proper|likely|true)[ \t]+){0,2}"
    r"(?:%s)(?:[ ](?:to|for|of|that|in)\b[^.\n]{0,80}?)?[ \t]+(?:%s)\b(?![ ]not\b)[ \t:]*",
    *("final.adjectives", "final.names", "final.links"),
)
_CONCLUSION = pattern(
    r"(?:(?m:^)|(?<=[.!?;:,\n])[ \t]*)(?:%s)\b[ \t]*,?[ \t]*", "final.conclusions"
)
_MOST = 10  # Marks of one kind that are looked at, from the last.


# The form in which an output says its answer.
Form = StrEnum("Form", "FIELD MARKED SAID CONCLUDED WHOLE")


class Found(NamedTuple):
    """A text that may be the answer, and how the output says so."""

    text: str
    form: Form

    @property
    def is_final(self) -> bool:
        """Whether nothing else of the output is read, even if this says nothing."""
        return self.form in (Form.FIELD, Form.MARKED)

    @property
    def line(self) -> str:
        """The first line that is not blank."""
        return next(filter(None, map(str.strip, self.text.split("\n"))), "")


def without_reasoning(output: str) -> str:
    """Return an output without what a reasoning model thought aloud.

    Behind a thought that was never brought to an end only an answer in a tag or a box stays.
    """
    *thoughts, text = _CLOSE.split(output)
    if thoughts and not text.strip():
        lead, *opened = _OPEN.split(output, maxsplit=1)
        text = lead * bool(opened)
    lead, *opened = _OPEN.split(text, maxsplit=1)
    if opened:
        marked = _TAG.search(opened[0]) or _BOX.search(opened[0])
        text = lead + (opened[0][marked.start() :] if marked else "")
    return _MARKUP.sub("", text)


def final_answers(output: str) -> Iterator[Found]:
    """Yield the texts that may be the final answer of ``output``, the most telling first.

    The first that ``is_final`` is the answer even if it says nothing; else the first that does.
    """
    yield from _forms(readable_text(output), depth=3)


def structured_answers(output: str) -> list[Value]:
    """Return the objects and lists in what is left of ``output`` without its reasoning."""
    return _structured_values(readable_text(output))


def readable_text(output: str) -> str:
    """Return what is read of an output: no reasoning, no markup, its beginning and its end."""
    text = without_reasoning(output)
    if len(text) > _LONGEST:
        text = text[: _LONGEST // 2] + "\n" + text[-_LONGEST // 2 :]
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n")
    for _ in range(2):  # Signs of mathematics may hold others.
        text = _MATH.sub(lambda math: math[math.lastindex or 0], text)
    # Without the questions that a model went on to ask itself.
    return _RUNAWAY.split(text, maxsplit=1)[0].strip() or text.strip()


def _forms(text: str, depth: int) -> Iterator[Found]:
    if depth == 0 or not text.strip():
        return
    fields = map(_answer_field, reversed(_structured_values(text)))
    field = next((field for field in fields if field is not None), None)
    final = _last_mark(text) if field is None else field
    if final is not None:  # Which may hold a marked answer in turn (``Answer: {"label": 43}``).
        yield from (found for found in _forms(final, depth - 1) if found.is_final)
        yield Found(final, Form.MARKED if field is None else Form.FIELD)
        return
    for phrase, form in ((_IS, Form.SAID), (_CONCLUSION, Form.CONCLUDED)):
        for match in _last(phrase, text):
            yield Found(text[match.end() : match.end() + 400].split("\n", 1)[0], form)
    yield Found(text, Form.WHOLE)


def _last_mark(text: str) -> str | None:
    """Return what the last mark that says something marks: a box, a tag or ``Answer:``."""
    found = [match for mark in (_BOX, _TAG, _COLON) for match in _last(mark, text)]
    marks = [(m.start(), m[m.lastindex] if m.lastindex else text[m.end() :]) for m in found]
    said = [mark for mark in marks if re.search(r"\w", mark[1])]
    return max(said)[1].strip() if said else None


def _last(mark: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return [*mark.finditer(text)][: -_MOST - 1 : -1]
