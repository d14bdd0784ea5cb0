"""The rule for recommendations: recsys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.corrected.recommended import MOST, recommended
from mabench.scoring.corrected.rule import Corrected
from mabench.scoring.lexicon import entries
from mabench.scoring.official import CUTOFFS
from mabench.scoring.tokens import bare
from mabench.scoring.words import spelling

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
_KIND = re.compile(r"(?<!\s)\s+(?:movie|film)$", re.IGNORECASE)
_ARTICLE_LAST = re.compile(r"^(?P<title>.+),\s*(?P<article>The|A|An)\b\s*(?P<rest>.*)$")
_EDGES = " \t*_`\"'\u201c\u201d\u2018\u2019#|"
_MOST_CUTS = 8

Entities = frozenset[int]


def correct_recommendation(
    prediction: str, answers: Sequence[str], catalogue: Catalogue, ks: Sequence[int] = CUTOFFS
) -> dict[str, Corrected]:
    """Score the share of gold entities that the first k recommended items name.

    An item names the entities whose title it is, spelt freely, before a remark, a year or a
    name behind it. Where several entities have that title, a year decides. Blank lines, lines
    that only lead in and repetitions take no place; an item that is no title takes its place
    and finds nothing.

    Args:
        prediction: the output.
        answers: the ids of the gold entities; an unknown one is never found.
        catalogue: the entities.
        ks: how many items count.

    Returns:
        ``recsys_recall@k`` for each k.
    """
    golds = {answer.strip() for answer in answers}
    named, rule = _named(prediction, catalogue, max(ks, default=0))
    recalls = {}
    for k in ks:
        found = {entity for entities in named[:k] for entity in entities}
        hits = sum(catalogue.entity(gold) in found for gold in golds)
        recalls[f"recsys_recall@{k}"] = Corrected(hits / max(len(golds), 1), rule)
    return recalls


def _named(prediction: str, catalogue: Catalogue, most: int) -> tuple[list[Entities], str]:
    """Return the entities that each of the first items names, without repetitions, and the rule."""
    named: dict[Entities | tuple[str, ...], Entities] = {}
    rule = "no-title"
    if not prediction.strip():
        return [], "no-answer"
    for item in recommended(
        prediction, lambda text: _is_title(text, catalogue), lambda text: _is_whole(text, catalogue)
    ):
        if len(named) == most:
            break
        entities, by_year = _entities(item, catalogue)
        key = entities or spelling(item[:MOST])
        if key:
            named.setdefault(key, entities)
        if by_year or (entities and rule == "no-title"):
            rule = "title-by-year" if by_year else "title-named"
    return list(named.values()), rule


def _is_title(text: str, catalogue: Catalogue) -> bool:
    """Say whether a text is a title, remarks and year apart, spelt as in the catalogue."""
    return any(catalogue.entities_spelt(title) for title in _titles(text))


def _is_whole(text: str, catalogue: Catalogue) -> bool:
    """Say whether a text is a title and nothing else, a year apart."""
    cleaned = bare(text[:MOST]).strip(_EDGES)
    dated = _LAST_YEAR.match(cleaned)
    titles = [cleaned, dated["title"].strip(_EDGES + ",;")] if dated else [cleaned]
    return any(catalogue.entities_spelt(t) or catalogue.entities_called(t) for t in titles)


def _entities(item: str, catalogue: Catalogue) -> tuple[Entities, bool]:
    """Return the entities that an item names, and whether a year told them apart."""
    for title in _titles(item):
        entities = (
            catalogue.entities_spelt(title)
            or catalogue.entities_called(title)
            or catalogue.entities_titled(title)
        )
        if entities:
            years = _YEAR.findall(_after(item, title))
            if len(entities) > 1 and years:
                return _of_year(entities, years[0], catalogue), True
            return entities, False
    return frozenset(), False


def _after(item: str, title: str) -> str:
    """Return an item without the title in it."""
    before, found, after = item.partition(title)
    return after + " " + before if found else item


def _titles(item: str) -> Iterator[str]:
    """Yield what may be the title in an item, the longest first."""
    for cell in _cells(item[:MOST]):
        whole = cell.strip(_EDGES)
        text = _LABEL.sub("", whole).strip(_EDGES)
        yield whole
        if text != whole:
            yield text
        dated = _LAST_YEAR.match(text)
        if dated:
            yield dated["title"].strip(_EDGES + ",;")
        if _KIND.search(text):
            yield _KIND.sub("", text)
        turned = _ARTICLE_LAST.match(text)
        if turned:
            yield f"{turned['article']} {turned['title']}"
        cuts = [cut.start() for cut in _remarks().finditer(text)][:_MOST_CUTS]
        for cut in reversed(cuts):
            if text[:cut].strip(_EDGES):
                yield text[:cut].strip(_EDGES + ",;:")


@cache
def _remarks() -> re.Pattern[str]:
    return re.compile("|".join(entries("titles.remarks")))  # A remark begins with a small letter.


def _cells(item: str) -> list[str]:
    if not item.lstrip().startswith("|"):
        return [bare(item)]
    cells = [cell for cell in item.split("|", MOST)[:MOST] if cell.strip()]
    return [bare(cell) for cell in cells if not cell.strip(" #.").isdigit()] or cells


def _of_year(entities: Entities, year: str, catalogue: Catalogue) -> Entities:
    """Return the entities of that year, or if there are none, those whose year is not known."""
    years = {entity: _YEAR.search(_note(catalogue.names[entity])) for entity in entities}
    same = frozenset(entity for entity, found in years.items() if found and found[1] == year)
    return same or frozenset(entity for entity, found in years.items() if not found)


def _note(name: str) -> str:
    """Return what stands in parentheses in an entity's name."""
    return name.rpartition("(")[2] if "(" in name else ""
