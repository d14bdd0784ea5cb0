"""Splits texts into sentences, by the library sentencex, which needs no data files.

No text, however hostile, may keep it busy for minutes.
"""

from __future__ import annotations

import re

# Sentencex takes quadratic time for three kinds of text, none of which is prose: many quotation
# marks, unclosed brackets, and long words with many signs.
# Characters of a text that never takes long.
_SHORT = 20_000
# Characters of the windows into which a text that would take long is cut.
_WINDOW = 2_000
_MOST_QUOTES = 100_000
_QUOTES = "\"'`«»‘’“”„‹›《》「」"  # noqa: RUF001
# Characters that the library may look at, in all.
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
# Lone halves of characters, which sentencex refuses.
_SURROGATES = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"[^\w\s]")


def split_sentences(text: str) -> list[str]:
    """Split a text after its sentences. Joined, the pieces are exactly the text.

    The boundaries are those of sentencex (MIT, Wikimedia) for English. White space belongs to the
    sentence before it. A text that would take minutes, such as a million quotation marks, is first
    cut into windows of 2,000 characters.
    """
    if len(text) <= _SHORT or not any(map(_takes_long, text.split("\n\n"))):
        return _segments(text)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = start + _WINDOW
        if end < len(text):
            last_space = text.rfind(" ", start, end)
            if last_space >= 0:
                end = last_space + 1
        pieces += _segments(text[start:end])
        start = end
    return pieces


def _takes_long(paragraph: str) -> bool:
    """Return whether sentencex would take long for a paragraph."""
    if len(paragraph) <= _SHORT:
        return False
    steps = 0
    # For each opening mark that is not closed it searches up to the end of the paragraph.
    for opening, closing in _PAIRS:
        tail = paragraph.rfind(closing) + 1
        steps += paragraph.count(opening, tail) * (len(paragraph) - tail)
    # For each sign in a word it searches back to the beginning of the word.
    for word in _LONG_WORD.findall(paragraph):
        steps += len(_MARKS.findall(word)) * len(word)
    return steps > _MOST_STEPS or sum(map(paragraph.count, _QUOTES)) > _MOST_QUOTES


def _segments(text: str) -> list[str]:
    """Return the sentences of a text, by sentencex."""
    import sentencex  # Slow to import.

    pieces: list[str] = []
    position = 0
    whole = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
    for sentence in sentencex.segment("en", whole):
        start = whole.find(sentence, position)
        if start < 0:  # pragma: no cover - the library would have changed the text
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
