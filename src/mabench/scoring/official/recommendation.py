"""How the published scorer reads recommendations out of an output, and titles out of names."""

from __future__ import annotations

import re
from functools import lru_cache

CUTOFFS = (1, 5, 10)
_PARENTHESES = re.compile(r"\([^()]*\)")
_NUMBERING = re.compile(r"\d+[.)、]?\s*[-\u2014\u2013]?\s*")
_SEPARATORS = str.maketrans("_->", "   ")


def title_of(name: str) -> str:
    """Return the title in an entity's name: ``<.../Water_(1985_film)>`` gives ``Water``."""
    last = name.rpartition("/")[2].translate(_SEPARATORS)
    return " ".join(_PARENTHESES.sub("", last).split())


def entity_id(answer: str) -> int | None:
    """Return the entity id that a gold string holds, or None when it holds no number."""
    try:
        return int(answer)
    except ValueError:
        return None


def recommended_items(output: str) -> list[str]:
    """Return the items of ``output``, one a line, cleaned; blank lines are items too.

    Reading starts after the first ``1.``. Without one, commas end an item as line feeds do.
    Digits that open an item are taken for its number, so that ``21 Jump Street`` loses its 21.
    """
    before, mark, after = output.partition("1.")
    text = after if mark else before.replace(",", "\n")
    return [_clean(line) for line in text.split("\n")]


@lru_cache(maxsize=8192)
def _clean(line: str) -> str:
    item = _PARENTHESES.sub("", line.strip())
    numbering = _NUMBERING.match(item)
    return " ".join((item[numbering.end() :] if numbering else item).split())
