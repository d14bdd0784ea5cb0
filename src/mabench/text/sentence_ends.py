"""Where sentences end: by sentencex, without any data files.

No text, whatever it holds, may keep the splitter busy for minutes.
"""

from __future__ import annotations

import re

# Sentencex takes quadratic time for three kinds of text, none of which is prose.
_SHORT = 20_000  # Characters of a text that takes it a moment, whatever it is.
_WINDOW = 2_000
_MOST_QUOTES = 100_000
_QUOTES = "\"'`«»‘’“”„‹›《》「」"  # noqa: RUF001
_MOST_STEPS = 1_000_000_000
_PAIRS = (
    ("«", "»"),
    ("»", "«"),
    ("‘", "’"),  # noqa: RUF001
    ("“", "”"),
    ("„", "“"),
    ("‹", "›"),  # noqa: RUF001
    ("``", "''"),
)
_LONG_WORD = re.compile(rf"(?<!\S)\S{{{_WINDOW},}}")
_HALVES = re.compile("[\ud800-\udfff]")  # Of characters: sentencex takes none alone.
_MARKS = re.compile(r"[^\w\s]")


def split_sentences(text: str) -> list[str]:
    """Split ``text`` at sentence ends; the pieces joined give the text back.

    The boundaries are sentencex's (MIT, Wikimedia), for English. Pieces of white space alone
    are kept with the sentence before them. A text that would take it minutes, such as a million
    quotation marks, is cut into windows of 2,000 characters first.
    """
    if len(text) <= _SHORT or not any(map(_takes_long, text.split("\n\n"))):
        return _segments(text)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = start + _WINDOW
        if end < len(text):  # At a space where there is one.
            end = text.rfind(" ", start, end) + 1 or end
        pieces += _segments(text[start:end])
        start = end
    return pieces


def _takes_long(paragraph: str) -> bool:
    if len(paragraph) <= _SHORT:
        return False
    steps = 0
    for opening, closing in _PAIRS:  # Each that is not closed is looked for up to the end.
        tail = paragraph.rfind(closing) + 1
        steps += paragraph.count(opening, tail) * (len(paragraph) - tail)
    for word in _LONG_WORD.findall(paragraph):  # So is the beginning of a word from its marks.
        steps += len(_MARKS.findall(word)) * len(word)
    return steps > _MOST_STEPS or sum(map(paragraph.count, _QUOTES)) > _MOST_QUOTES


def _segments(text: str) -> list[str]:
    import sentencex  # Loads a compiled module: only when a sentence is asked for.

    pieces: list[str] = []
    position = 0
    whole = _HALVES.sub("\N{REPLACEMENT CHARACTER}", text)
    for sentence in sentencex.segment("en", whole):
        start = whole.find(sentence, position)
        if start < 0:  # pragma: no cover - would mean that the library altered the text
            break
        if sentence.strip():
            end = start + len(sentence)
            pieces.append(text[position:end])
            position = end
    rest = text[position:]
    if pieces and not rest.strip():
        pieces[-1] += rest
    elif rest:
        pieces.append(rest)
    return pieces
