"""Splits a history into sentences, with the paragraph and day of each, and indexes their words."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench.text import read_literal, split_sentences
from mabench.text.stems import content_stems

# Patterns that begin with a character or a class of them are searched for several times as fast.
_STAMP = re.compile(r"([12](?<!\w[12])\d{3})[/-](\d{1,2})[/-](\d{1,2})\b")
_STAMPED_LINE = re.compile(rf"^[^\n]{{0,30}}{_STAMP.pattern}[^\n]{{0,20}}$", re.MULTILINE)
# Paragraphs end at blank lines and at numbered headings, which may have lost their line.
_BLANK = re.compile(r"\n[ \t]*\n")
_BLANK_OR_HEADING = re.compile(r"[\nA-Z](?:(?<=\n)[ \t]*\n|(?<=[A-Z])(?<!\S[A-Z])\w+ \d+:\s)")
_NUMBERED = re.compile(
    r":(?<=\d:)\s"
)  # Where there is none, blank lines alone are found much sooner.
# A line of its own above running text.
_TITLE = re.compile(r"\A[^\n]{1,80}[^\n.!?:;,](?=\n[\"\u201c']?[^\W_a-z][^\n]{100})")
# The value of a field of a Python or JSON literal.
_FIELD = re.compile(r"""['"]\w+['"]: ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_FEWEST_FIELDS, _LONGEST_FIELD = 3, 100_000


class HistorySentence(NamedTuple):
    """A sentence of a history.

    Attributes:
        text: its text.
        words: the stems of its content words, in order.
        paragraph: the number of its paragraph, or of its turn in a chat.
        day: when it was said, in a history of dated sessions.
    """

    text: str
    words: tuple[str, ...]
    paragraph: int
    day: date | None = None


def sentences_in(text: str) -> list[HistorySentence]:
    """Split a history into sentences.

    It may be prose, or a chat written as a Python or JSON literal, whose string fields of more than
    one word are its paragraphs. The date at the head of a session holds until the next one.
    """
    return [
        HistorySentence(text=" ".join(piece.split()), words=stems(piece), paragraph=number, day=day)
        for number, (day, paragraph) in enumerate(_paragraphs(text))
        for piece in _pieces(paragraph)
        if piece.strip()
    ]


def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the content words of a text, in order."""
    return tuple(content_stems(text))


def day_in(text: str) -> date | None:
    """Return the first date in a text that is written in digits as year, month and day."""
    found = _STAMP.search(text)
    return _day(found) if found else None


def _day(stamp: re.Match[str]) -> date | None:
    """Return the day of a match whose last three groups are those of ``_STAMP``.

    It is None if there is no such day.
    """
    year, month, day = (int(part) for part in stamp.groups()[-3:])
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _paragraphs(text: str) -> Iterator[tuple[date | None, str]]:
    """Yield the paragraphs of a history, each with its day.

    A history is read as a literal if string fields are more than half of it.
    """
    lengths = [len(field) for field in _FIELD.findall(text)]
    is_literal = len(lengths) >= _FEWEST_FIELDS and sum(lengths) > len(text) / 2
    return _turns(text) if is_literal else _blocks(text)


def _turns(text: str) -> Iterator[tuple[date | None, str]]:
    """Yield the turns of a chat in a literal, each with its day.

    A turn is the value of a string field with more than one word.
    """
    day = None
    for match in re.finditer(rf"{_FIELD.pattern}|{_STAMP.pattern}", text):
        quoted = match.group(1)
        if quoted is None:  # A date.
            day = _day(match)
        elif " " in quoted:
            in_one_line = quoted.replace("\n", " ")
            value = read_literal(in_one_line, _LONGEST_FIELD)
            yield day, value if isinstance(value, str) else in_one_line[1:-1]


def _blocks(text: str) -> Iterator[tuple[date | None, str]]:
    """Yield the paragraphs of a text, each with its day."""
    day = None
    breaks = _BLANK_OR_HEADING if _NUMBERED.search(text) else _BLANK
    dated = _STAMP.search(text) is not None
    for block in breaks.split(text):
        stamp = _STAMPED_LINE.search(block) if dated else None
        if stamp:
            day = _day(stamp)
        if block.strip():
            yield day, block.strip()


def _pieces(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph, after its title if it has one."""
    title = _TITLE.match(paragraph)
    if title is None:
        return split_sentences(paragraph)
    return [title.group(), *split_sentences(paragraph[title.end() :])]


class Index:
    """Knows in which sentences a stem occurs, and how rare it is.

    Attributes:
        sentences: the sentences, in the order of the history.
    """

    def __init__(self, sentences: Sequence[HistorySentence]) -> None:
        self.sentences = sentences
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._rarities: dict[str, float] = {}
        for place, sentence in enumerate(sentences):
            for word in sorted(set(sentence.words)):
                self._places[word].append(place)

    @property
    def words(self) -> Collection[str]:
        """All stems that occur."""
        return self._places.keys()

    def places(self, word: str) -> list[int]:
        """Return the places of the sentences with a stem, in order."""
        return self._places.get(word, [])

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a stem, each sentence a document."""
        rarity = self._rarities.get(word)
        if rarity is None:
            size, count = len(self.sentences), len(self.places(word))
            rarity = math.log(1 + (size - count + 0.5) / (count + 0.5))
            self._rarities[word] = rarity
        return rarity

    def total_rarity(self, words: Iterable[str]) -> float:
        """Return the sum of the rarities of stems."""
        return math.fsum(self.rarity(word) for word in words)

    def sentences_with(self, word: str) -> NDArray[Any]:
        """Return for each sentence whether it contains a stem."""
        has_stem = np.zeros(len(self.sentences), dtype=bool)
        has_stem[self.places(word)] = True
        return has_stem
