"""Our chunks: whole units packed by estimated tokens.

They never cut a unit that fits, keep line breaks, and need no tokenizer data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mabench.injection.packing import pack
from mabench.text import estimate_each, split_sentences, truncate_tokens

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_WORDS = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def pack_units(units: Iterable[str], chunk_tokens: int) -> list[str]:
    """Pack whole units greedily into chunks of about ``chunk_tokens`` tokens, by estimate.

    A unit that alone exceeds the budget is cut at sentence ends; a sentence that does, at line
    ends, then between words, and a word that does, within. The units, joined, are a context. The
    chunks, joined, hold all of it but white space; none is empty.
    """
    chunks = ("".join(packed) for packed in pack(_fit([*units], chunk_tokens), chunk_tokens))
    return [chunk.strip("\r\n") for chunk in chunks if chunk.strip()]


def _fit(texts: Sequence[str], limit: int, level: int = 0) -> Iterator[tuple[str, int]]:
    """Yield each text whole if it fits, else cut as finely as needed; with the tokens of each."""
    for text, tokens in zip(texts, estimate_each(texts), strict=True):
        if tokens <= limit or level > len(_SPLITTERS):
            yield text, tokens
        elif level == len(_SPLITTERS):
            yield from _fit([*_cut_words(text, limit)], limit, level + 1)
        else:
            yield from _fit(_SPLITTERS[level](text), limit, level + 1)


_SPLITTERS = (split_sentences, _LINES.findall, _WORDS.findall)


def _cut_words(text: str, limit: int) -> Iterator[str]:
    start, width = 0, limit
    while start < len(text):
        window = text[start : start + width]  # Not all of the rest, which may be long.
        head = truncate_tokens(window, limit) or window[:limit]
        if len(head) == width:
            width *= 2
            continue
        yield head
        start, width = start + len(head), limit
