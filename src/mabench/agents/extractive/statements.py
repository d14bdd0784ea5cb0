"""The statements that a passage makes: its numbered facts, else its lines and sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mabench.text import literal, sentences
from mabench.text.stems import content_words

_SERIAL = re.compile(r"(?:^|(?<=\s))(\d{1,9})\.\s+")
_SHORTEST_LIST = 3
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# A line break within a sentence, as in wrapped prose.
_WRAP = re.compile(r"(?<=[^\s.!?:;])\n(?=[a-z])")
# The value of a field of a Python or JSON literal.
FIELD = re.compile(r"""['"]\w+['"]: ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_LONGEST_FIELD = 100_000


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said.

    Attributes:
        text: how it is said.
        words: the stems of its words.
        around: the stems of the words of its paragraph; none for a numbered fact.
        serial: the number of a numbered fact.
    """

    text: str
    words: frozenset[str]
    around: frozenset[str] = frozenset()
    serial: int | None = None


@lru_cache(maxsize=512)
def statements_in(passage: str) -> tuple[Statement, ...]:
    """Split ``passage`` into statements, in order."""
    numbered = _numbered(passage)
    if numbered:
        return tuple(
            Statement(text, content_words(text), serial=serial) for serial, text in numbered
        )
    return tuple(
        statement for paragraph in _paragraphs(passage) for statement in _sentences(paragraph)
    )


def field_value(field: str) -> str:
    """Return the text that a quoted string of a literal stands for."""
    value = literal(field, _LONGEST_FIELD)
    return value if isinstance(value, str) else field[1:-1]


def _paragraphs(passage: str) -> list[str]:
    """Return the texts that the fields of a literal hold, else what blank lines separate."""
    fields = [field_value(field) for field in FIELD.findall(passage)]
    if len(fields) >= _SHORTEST_LIST:
        return [text for text in fields if " " in text]
    return [_WRAP.sub(" ", block) for block in _BLANK_LINE.split(passage)]


def _sentences(paragraph: str) -> list[Statement]:
    lines = [line for line in paragraph.splitlines() if line.strip()]
    said = [piece.strip() for line in lines for piece in sentences(line)]
    words = [content_words(text) for text in said]
    around = frozenset[str]().union(*words)
    return [Statement(text, own, around) for text, own in zip(said, words, strict=True)]


def _numbered(passage: str) -> list[tuple[int, str]]:
    """Return the items of a numbered list that has at least three, else nothing.

    The numbers may stand at line starts or, where line breaks were lost, within a line. What
    comes before the first number is the item before it, whose number a chunk may have lost.
    """
    marks = list(_SERIAL.finditer(passage))
    numbers = [int(mark.group(1)) for mark in marks]
    steps = {i for i in range(len(numbers) - 1) if numbers[i + 1] == numbers[i] + 1}
    marks = [mark for i, mark in enumerate(marks) if i in steps or i - 1 in steps]
    if len(marks) < _SHORTEST_LIST:
        return []
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(passage)]
    serials = [int(marks[0].group(1)) - 1, *(int(mark.group(1)) for mark in marks)]
    items = [passage[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return [(serial, item) for serial, item in zip(serials, items, strict=True) if item]
