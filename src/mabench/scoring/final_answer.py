"""Where an output says its final answer: the one place that every family's rule asks.

Reasoning is taken off first. What is left may hold the answer in a form that says so: a field of
an object, a box of LaTeX, a tag (``<answer>``), a mark such as ``Answer:``. Else the whole text is
read. ``pattern`` fills word lists of ``words.toml`` into a regular expression.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence

from mabench.scoring.lexicon import pattern

_ANSWER_FIELD = r"(?:%s)*(?:%s)(?:%s)?"  # The name of a field, without signs and spaces.
# What is written for JSON and is none: single quotation marks, a comma before the end.
_MENDINGS = (
    (re.compile(r"(?<=[{\[,:\s])'|'(?=\s*(?:[,}\]:]|\Z))"), '"'),
    (re.compile(r",(?=\s*[}\]])"), ""),
)
_OPENING_BRACKET = re.compile(r"""\{\s*["']|\[\s*["'{]""")
_MOST_OPENINGS = 100  # Of objects and lists that are tried, the last ones.


def structured_answers(output: str) -> list[object]:
    """Return the objects and lists in ``output``, in order, without its reasoning.

    A list counts only where it is all that is said: brackets are in other texts too.
    """
    text, values, end = readable_text(output), list[object](), 0
    for opening in [*_OPENING_BRACKET.finditer(text)][-_MOST_OPENINGS:]:
        start = opening.start()
        if start < end:  # It is within the one before.
            continue
        value, length = _parse_opening(text[start:])
        end = start + length
        is_behind_nothing = not values and text[:start].rstrip("`*#\n ")[-1:] in ("", ":")
        is_all = is_behind_nothing and not re.search(r"[^\W_]", text[end:])
        if isinstance(value, dict) or (value and is_all):
            values.append(value)
    return values


def _parse_opening(text: str) -> tuple[object, int]:
    """Return the object or list that opens a text, mended if need be, and how long it is.

    A mended one may have been cut off, so that all of the text is taken for it. None, and the
    length of its bracket, where it is neither either way.
    """
    from pydantic_core import from_json  # Which reads what was cut off.

    try:
        return json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        mended = text
    for written, meant in _MENDINGS:
        mended = written.sub(meant, mended)
    try:
        return from_json(mended, allow_partial="trailing-strings"), len(text)
    except ValueError:
        return None, 1


def _answer_field(value: object) -> str | None:
    """Return the answer that an object or list holds, as text; None when it holds none.

    Of fields named for an answer, one with ``answer`` in its name comes first. A field named for
    something else counts if it is the only one, as does the only item of a list.
    """
    held_by = value.items() if isinstance(value, dict) else ()
    fields = {re.sub(r"[\W_]+", "", str(name)).casefold(): held for name, held in held_by}
    for_answers = pattern(_ANSWER_FIELD, "fields.before", "fields.answer", "fields.behind")
    named = [name for name in fields if for_answers.fullmatch(name)]
    called_answer = [name for name in named if "answer" in name]
    if named:
        best = (called_answer or named)[0]
        return _text(fields[best])
    only = list(fields.values()) or (value if isinstance(value, list) else [])
    return _text(only[0]) if len(only) == 1 else None


def _text(value: object) -> str:
    """Return the value of a field as the text of an answer; a list has one item a line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return _answer_field(value) or ". ".join(str(held) for held in value.values() if held)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(map(_text, value))
    return str(value)


_MOST_CHARACTERS = 8_000  # Characters that are read of an output; no answer is a tenth as long.
_OPENS_THOUGHT = r"<(?:%s)>|\[THINK\]|\u25c1think\u25b7"
_CLOSES_THOUGHT = r"</(?:%s)>|\[/THINK\]|\u25c1/think\u25b7|<\|channel\|>\s*final"
# Tokens of models, HTML, fences and what is struck out.
_MARKUP = re.compile(
    r"<\|[\w/ ]{1,30}\|>|</?(?:eos|bos|end_of_turn|s|b|i|em|strong|u|p|br|span)\s?/?>"
    r"|```(?:json|python|text|txt)?|~~[^~\n]{1,200}~~(?: \([^()\n]{1,40}\))?",
    re.IGNORECASE,
)
_NEXT_QUESTION = r"(?m:^)[ \t]*(?:[#*]+ ?)?(?:%s)(?: ?\d+)?(?:\*\*)? ?:"
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
# "Answer:"; on a line of its own it needs no colon, and the answer follows.
_ANSWER_MARK = re.compile(
    rf"\b(?<!of )(?:answer|final){_EMPHASIS}(?:is{_EMPHASIS})?"
    rf"(?:[:\uff1a=]|=>|->|\u2192){_EMPHASIS}"
    rf"|(?m:^){_EMPHASIS}(?:final )?answer{_EMPHASIS}(?:[-\u2013\u2014][ \t]+|(?m:$))",
    re.IGNORECASE,
)
_MOST_MARKS = 10  # Marks of one kind that are looked at, from the last.
_MOST_WITHIN = 3  # Forms of an answer that are within each other: ``Answer: {"label": 43}``.


def without_reasoning(output: str) -> str:
    """Return an output without what a reasoning model thought aloud.

    The answer is behind the last mark that closes a thought; if nothing is there, it came before
    the thought. Of a thought that is opened and never closed, only an answer in a tag stays, or
    without one, an answer in a box.
    """
    opening = pattern(_OPENS_THOUGHT, "final.reasoning")
    closing = pattern(_CLOSES_THOUGHT, "final.reasoning")
    *thoughts, text = closing.split(output)
    if thoughts and not text.strip():
        first_mark = opening.search(output)
        text = output[: first_mark.start()] if first_mark else ""
    unclosed = opening.search(text)
    if unclosed:
        thought = text[unclosed.end() :]
        marked = _TAG.search(thought) or _BOX.search(thought)
        answer = thought[marked.start() :] if marked else ""
        text = text[: unclosed.start()] + answer
    return _MARKUP.sub("", text)


def final_answer(output: str) -> tuple[str, bool]:
    """Return the final answer of ``output``, or all that is read of it, and whether it is marked.

    What follows a mark such as ``Answer:`` may go on with an explanation in other lines.
    """
    text, is_marked = readable_text(output), False
    for _ in range(_MOST_WITHIN):
        field = _last_field(text)
        final = _last_mark(text) if field is None else field
        if final is None:
            break
        text = final.strip()
        # What begins on the line below a mark has all lines.
        is_marked = field is None and final[:1] != "\n"
    return text, is_marked


def _last_field(text: str) -> str | None:
    """Return the answer of the last object or list that holds one; None if none does."""
    for value in reversed(structured_answers(text)):
        field = _answer_field(value)
        if field is not None:
            return field
    return None


def readable_text(output: str) -> str:
    """Return what is read of an output: no reasoning, no markup, its beginning and its end."""
    text = without_reasoning(output)
    if len(text) > _MOST_CHARACTERS:
        text = text[: _MOST_CHARACTERS // 2] + "\n" + text[-_MOST_CHARACTERS // 2 :]
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n")
    for _ in range(2):  # Signs of mathematics may hold others.
        text = _MATH.sub(lambda math: math[math.lastindex or 0], text)
    # Without the questions that a model went on to ask itself.
    return (
        pattern(_NEXT_QUESTION, "final.runaway").split(text, maxsplit=1)[0].strip() or text.strip()
    )


def _last_mark(text: str) -> str | None:
    """Return what the last mark that says something marks: a box, a tag or ``Answer:``."""
    said_at = dict[int, str]()  # What each mark that says something marks, by the mark's place.
    for mark in (_BOX, _TAG, _ANSWER_MARK):
        for found in [*mark.finditer(text)][-_MOST_MARKS:]:
            # A box and a tag hold what they mark in their last group.
            said = found[found.lastindex] if found.lastindex else text[found.end() :]
            if re.search(r"\w", said):
                said_at[found.start()] = said
    return said_at[max(said_at)] if said_at else None
