"""Our own chunker: it packs whole units by estimated tokens.

It never cuts a unit that fits, keeps line breaks, and needs no tokenizer data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mabench.injection.packing import pack
from mabench.text import estimate_each, split_sentences, truncate_tokens

_LINES = re.compile(r"[^\n]*\n|[^\n]+")  # Each with its line break.
_WORDS = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")  # Each with the white space before it.


def pack_units(units: Iterable[str], chunk_tokens: int) -> list[str]:
    """Pack whole units greedily into chunks of about ``chunk_tokens`` tokens, by estimate.

    A unit that is too large is cut at the ends of sentences. A sentence that is too large is cut at
    the ends of lines, then between words, and at last within a word. Joined, the chunks contain all
    of the units but white space. No chunk is empty.
    """
    fitting = _cut_to_fit(list(units), chunk_tokens)
    chunks = ["".join(packed) for packed in pack(fitting, chunk_tokens)]
    return [chunk.strip("\r\n") for chunk in chunks if chunk.strip()]


def _cut_to_fit(texts: Sequence[str], limit: int, level: int = 0) -> Iterator[tuple[str, int]]:
    """Yield texts with their tokens; those over the limit are cut as finely as needed.

    ``level`` says how finely: at first into sentences, then lines, words, and parts of words.
    """
    for text, tokens in zip(texts, estimate_each(texts), strict=True):
        if tokens <= limit or level > len(_SPLITTERS):
            yield text, tokens
        elif level == len(_SPLITTERS):
            yield from _cut_to_fit(list(_cut_word(text, limit)), limit, level + 1)
        else:
            yield from _cut_to_fit(_SPLITTERS[level](text), limit, level + 1)


# What cuts a text at each level; at the next, a word is cut.
_SPLITTERS = (split_sentences, _LINES.findall, _WORDS.findall)


def _cut_word(text: str, limit: int) -> Iterator[str]:
    """Yield parts of a long word, each with at most ``limit`` tokens."""
    start, width = 0, limit
    while start < len(text):
        # Look at a window only, since the rest may be long; double it until the limit is within.
        window = text[start : start + width]
        head = truncate_tokens(window, limit) or window[:limit]
        if len(head) == width:
            width *= 2
            continue
        yield head
        start, width = start + len(head), limit
