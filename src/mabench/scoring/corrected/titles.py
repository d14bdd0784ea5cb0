"""The film that a text names: its title, spelt freely, before a remark, a year or a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.lexicon import entries
from mabench.scoring.tokens import bare

MOST = 500  # Characters of an item, and cells of a row, that are read.
_YEAR = re.compile(r"(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_LAST_YEAR = re.compile(
    r"^(?P<title>.*\S)\s*[\s,(\[:/|-](?:film,? |movie,? )?['\u2019]?(?:18|19|20)\d\d(?: "
    r"film)?\s*+[)\]]?\s*$"
)
_LABEL = re.compile(
    r"^(?:(?:movie|film|title|name|recommendation)s?\s*:\s*|(?:watch|see|try|the (?:movie"
    r"|film))\s+(?=[A-Z0-9\"'*]))",
    re.IGNORECASE,
)
_ARTICLE_LAST = re.compile(r"^(?P<title>.+),\s*(?P<article>The|A|An)\b\s*.*$")
_EDGES = " \t*_`\"'\u201c\u201d\u2018\u2019#|"
_MOST_CUTS = 8
_OFF = 2  # Years by which one that is given may be wrong.

Entities = frozenset[int]


def is_title(text: str, catalogue: Catalogue) -> bool:
    """Say whether a text is a title, remarks and year apart, spelt as in the catalogue."""
    return any(map(catalogue.entities_spelt, _titles(text)))


def is_only_title(text: str, catalogue: Catalogue) -> bool:
    """Say whether a text is a title and nothing else, a year apart."""
    title = bare(text[:MOST]).strip(_EDGES)
    dated = _LAST_YEAR.match(title)
    titles = [title, dated["title"].strip(_EDGES + ",;")] if dated else [title]
    return any(catalogue.entities_spelt(t) or catalogue.entities_called(t) for t in titles)


def entities_named(item: str, catalogue: Catalogue) -> tuple[Entities, bool]:
    """Return the entities that an item names, and whether a year told them apart."""
    for title in _titles(item):
        entities = (
            catalogue.entities_spelt(title)
            or catalogue.entities_called(title)
            or catalogue.entities_titled(title)
        )
        if not entities:
            continue
        before, _, after = item.partition(title)
        year = _YEAR.search(f"{after} {before}")
        names = {entity: catalogue.names[entity].partition("(") for entity in entities}
        years = {entity: _YEAR.findall(name[2])[:1] for entity, name in names.items()}
        if not year:
            return entities, False
        if len(entities) == 1:  # The other film of that name is not known; a year may be off.
            known = [int(found[0]) for found in years.values() if found]
            is_far = any(abs(other - int(year[1])) > _OFF for other in known)
            return (frozenset() if is_far else entities), is_far
        # Those of that year, or if there are none, those whose year is not known.
        of_year = [entity for entity in entities if years[entity] == [year[1]]]
        return frozenset(of_year or [e for e in entities if not years[e]]), True
    return frozenset(), False


def _titles(item: str) -> Iterator[str]:
    for cell in _cells(item[:MOST]):
        whole = cell.strip(_EDGES)
        text = _LABEL.sub("", whole).strip(_EDGES)
        yield from dict.fromkeys((whole, text))
        if turned := _ARTICLE_LAST.match(text):
            yield f"{turned['article']} {turned['title']}"
        cuts = [text[: cut.start()] for cut in _remarks().finditer(text)][:_MOST_CUTS]
        yield from (cut.strip(_EDGES + ",;:") for cut in reversed(cuts) if cut.strip(_EDGES))


@cache
def _remarks() -> re.Pattern[str]:
    return re.compile("|".join(entries("titles.remarks")))  # A remark begins with a small letter.


def _cells(item: str) -> list[str]:
    """Return the cells of a table's row, without those that are numbers; else the item."""
    if not item.lstrip().startswith("|"):
        return [bare(item)]
    cells = [bare(cell) for cell in item.split("|", MOST)[:MOST] if cell.strip()]
    return [cell for cell in cells if not cell.strip(" #.").isdigit()] or cells
