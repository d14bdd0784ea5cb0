"""The rule for recommendations: recsys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mabench.scoring.catalogue import Catalogue, entity_id
from mabench.scoring.corrected.rule import Corrected, undecorated
from mabench.scoring.official.recommendation import CUTOFFS
from mabench.scoring.words import spelling

_MARKER = re.compile(r"^\s*(?:(?:[-*•+]|\(?\d{1,3}[.)、:])\s+)+")
_RULE_OF_TABLE = re.compile(r"^[\s|:]*+-[\s|:-]*+$")
_YEAR = re.compile(r"[(|](?=[^()|]*+(?:[)|]|$))[^()|]*?(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_REMARK = re.compile(r"(?<!\s)\s+[-\u2013\u2014]+\s|\u2014|\(")

_MOST = 500  # Lines that are read, parts of a line and cells of a table's row: a list has 20.

Entities = frozenset[int]


def correct_recommendation(
    prediction: str, answers: Sequence[str], catalogue: Catalogue, ks: Sequence[int] = CUTOFFS
) -> dict[str, Corrected]:
    """Score the share of gold entities that the first k recommended items name.

    An item names the entities whose title is within one edit for every five characters, its
    numerals unchanged. Where several entities have that title, a year in parentheses decides.
    Blank lines, lines that only lead in and repetitions take no place; an item that is no
    title takes its place and finds nothing.

    Args:
        prediction: the output, one recommendation a line (or a single line with commas).
        answers: the ids of the gold entities; an unknown one is never found.
        catalogue: the entities.
        ks: how many items count.

    Returns:
        ``recsys_recall@k`` for each k.
    """
    golds = {answer.strip() for answer in answers}
    named, rule = _named(prediction, catalogue)
    recalls = {}
    for k in ks:
        found = {entity for entities in named[:k] for entity in entities}
        hits = sum(entity_id(gold) in found for gold in golds)
        recalls[f"recsys_recall@{k}"] = Corrected(hits / max(len(golds), 1), rule)
    return recalls


def _named(prediction: str, catalogue: Catalogue) -> tuple[list[Entities], str]:
    """Return the entities that each item names, repetitions left out, and the rule."""
    lines = _item_lines(prediction)
    if len(lines) == 1 and not _entities(lines[0], catalogue)[0]:
        parts = lines[0].split(",", _MOST)[:_MOST]
        lines = [part.strip().removeprefix("and ") for part in parts]
    named: dict[Entities | tuple[str, ...], Entities] = {}
    rule = "no-title"
    for line in lines:
        entities, by_year = _entities(line, catalogue)
        named.setdefault(entities or spelling(_MARKER.sub("", line)), entities)
        if by_year or (entities and rule == "no-title"):
            rule = "title-by-year" if by_year else "title-within-distance"
    return list(named.values()), rule


def _item_lines(prediction: str) -> list[str]:
    """Return the lines that hold an item: those of the list when there is one, else all."""
    lines = [line.strip() for line in prediction.split("\n", _MOST)[:_MOST]]
    # The rule under a table's heads, and the heads over it, hold no item.
    rules = {number for number, line in enumerate(lines) if _RULE_OF_TABLE.match(line)}
    items = [
        line
        for number, line in enumerate(lines)
        if undecorated(line).strip() and not {number, number + 1} & rules
    ]
    listed = [line for line in items if line.startswith("|") or _MARKER.match(line)]
    return listed or [line for line in items if not undecorated(line).rstrip().endswith(":")]


def _entities(line: str, catalogue: Catalogue) -> tuple[Entities, bool]:
    """Return the entities that a line names, and whether a year told them apart."""
    year = _YEAR.search(line)
    for title in _titles(line):
        entities = catalogue.entities_titled(title)
        if len(entities) > 1 and year:
            return _of_year(entities, year[1], catalogue), True
        if entities:
            return entities, False
    return frozenset(), False


def _titles(line: str) -> Iterator[str]:
    """Yield what may be the title in a line: all of it, then what precedes a remark."""
    cells = [_MARKER.sub("", line)]
    if line.startswith("|"):  # A cell with a number counts the rows or tells the year.
        cells = line.split("|", _MOST)[:_MOST]
        cells = [cell for cell in cells if not cell.strip(" #.").isdigit()]
    for cell in map(undecorated, cells):
        yield cell
        yield _REMARK.split(cell, maxsplit=1)[0]


def _of_year(entities: Entities, year: str, catalogue: Catalogue) -> Entities:
    """Return the entities of that year, or if there are none, those whose year is not known."""
    years = {entity: _YEAR.search(catalogue.names[entity]) for entity in entities}
    same = frozenset(entity for entity, found in years.items() if found and found[1] == year)
    return same or frozenset(entity for entity, found in years.items() if not found)
