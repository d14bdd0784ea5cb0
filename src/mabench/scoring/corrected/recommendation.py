"""The rule for recommendations, recsys, however they are laid out: JSON, lists, tables, sentences.

Every layout is taken apart into places where a title may begin. Whether one does, and where it
ends, is asked of the catalogue, so that commas, colons and dashes inside a title are told from
those around it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.corrected.rule import Corrected
from mabench.scoring.final_answer import final_answer, structured_answers
from mabench.scoring.lexicon import entries, pattern, remembered
from mabench.scoring.official import CUTOFFS
from mabench.scoring.tokens import bare, spelling

_MOST = 500  # Lines of a text, and characters of an item, that are read.
_PROBED = 40  # Items of a layout that are looked up to tell lists from remarks.
_MOST_CUTS = 12  # Places where the title of an item may end.
_LONGEST_TITLE = 8  # Words of an unknown one.
_OFF = 2  # Years by which one that is given may be wrong.
_EDGES = " \t*_`\"'#|.,;:!?"
_ROW = re.compile(r"^(?P<indent>[ \t]*+)(?=\|)")
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*+)"
    r"(?:#{1,4}(?=\s)|[-*+\u2022\u00b7\u25aa\u25e6\u25cf\u2023\u2013\u2014\u2043\u27a4\u25ba]"
    r"|[\u2714\u2705\U0001f300-\U0001faff])\ufe0f?(?:\s+|(?<![*_])(?=[^\W_]))"
)
_RULE_OF_TABLE = re.compile(r"[\s:]*+\|[\s|:]*+-[\s|:+-]*+$")
_NOT = re.compile(r"\b(?:not|never|avoid|skip|except)\b|n['\u2019]t\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_QUOTED = re.compile(r'"([^\s"][^"\n]{0,120})"')
# Behind a word in small letters, a capital or a digit.
_NAME = re.compile(r"(?<=[a-z\d] )(?=[\"']?[A-Z\d])")

_Entities = frozenset[int]


@remembered()
def _number() -> re.Pattern[str]:
    """Return the pattern of what numbers an item at the beginning of a line."""
    return pattern(
        r"^(?P<indent>[ \t]*+)[*_`\"'\u201c\u2018#>~ \t]{0,8}(?:[-\u2022*+]\s+)?"
        r"(?:[*_`#]{0,3}(?:%s)[*_`\"'\u201c\u2018 \t]{0,8}){1,2}[-\u2013\u2014:]?[ \t]*(?=\S)",
        "titles.numbers",
    )


def _is_known(lead: str) -> bool:
    """Return whether what leads in titles says that they were seen, or are not recommended."""
    already = pattern(r"\b(?:%s)[: ]*$", "titles.already")
    wished = pattern(r"(?:\b(?:%s))\s*$", "titles.wished")
    return bool(already.search(lead) and not wished.search(lead))


def correct_recommendation(
    prediction: str, answers: Sequence[str], catalogue: Catalogue, ks: Sequence[int] = CUTOFFS
) -> dict[str, Corrected]:
    """Score the share of gold entities that the first k recommended items name.

    An item names the entities whose title it is, spelt freely, before a remark, a year or a
    name behind it. Where several entities have that title, a year decides. Blank lines, lines
    that only lead in and repetitions take no place; an item that is no title takes its place
    and finds nothing. The answers are ids of entities; an unknown one is never found. Returns
    ``recsys_recall@k`` for each k.
    """
    named: dict[_Entities | tuple[str, ...], _Entities] = {}
    rule = "no-title" if prediction.strip() else "no-answer"
    for item in _items(prediction, catalogue):
        entities = _entities_named(item, catalogue)
        if key := entities or spelling(item[:_MOST]):
            named.setdefault(key, entities)
        rule = "title-named" if entities else rule
    golds = {answer.strip() for answer in answers}
    recalls = {}
    for k in ks:
        found = frozenset().union(*islice(named.values(), k))
        hits = sum(catalogue.entity(gold) in found for gold in golds)
        recalls[f"recsys_recall@{k}"] = Corrected(hits / max(len(golds), 1), rule)
    return recalls


def _items(output: str, catalogue: Catalogue) -> Iterator[str]:
    values = [i for value in structured_answers(output) for i in islice(_strings(value), _MOST)]
    if len(values) > 1:
        yield from values
        return
    text = values[0] if values else final_answer(output)[0]
    lines = text.split("\n", _MOST)[:_MOST]
    listed = _read_list(lines, catalogue) if len(lines) > 1 else ()
    yield from listed or (item for line in lines for item in _find_items(line, catalogue))


def _strings(value: object) -> Iterator[str]:
    """Yield the texts of an object or a list; of an object that has a title, the title."""
    if isinstance(value, dict):
        fields = {str(name).casefold().replace(" ", "_"): held for name, held in value.items()}
        titles = [fields[name] for name in entries("titles.fields") if name in fields]
        if titles and isinstance(titles[0], str):
            yield f"{titles[0]} ({fields.get('year', '')})"
            return
        value = [*fields.values()]
    if isinstance(value, list):
        for held in value:
            yield from _strings(held)
    elif isinstance(value, str):
        yield from filter(None, map(str.strip, value.split("\n")))


def _read_list(lines: Sequence[str], catalogue: Catalogue) -> list[str]:
    """Return the items of a list or table: of its levels and layouts, the one that has titles."""
    levels = defaultdict[tuple[int, int], list[str]](list)
    for place, line in enumerate(lines):
        if any(map(_RULE_OF_TABLE.match, lines[place : place + 2])):
            continue  # It is the rule, or the head above it.
        for kind, marker in enumerate((_ROW, _number(), _BULLET)):
            if match := marker.match(line):
                levels[kind, len(match["indent"].expandtabs())].append(line[match.end() :])
                break
    listed = [levels[level] for level in sorted(levels)]
    of_titles = (x for x in listed if any(_entities_named(i, catalogue) for i in x[:_PROBED]))
    return next(of_titles, listed[0] if listed else [])


def _find_items(line: str, catalogue: Catalogue) -> Iterator[str]:
    """Yield the items of a line: what is marked, where that is a title, else what it parts."""
    parts = pattern(r"%s", "titles.separators")
    line = bare(_number().sub("", line))
    marked = {mark.start(1): mark.end(1) for mark in _QUOTED.finditer(line)}
    is_marked = any(_title(line[start:end], catalogue)[0] for start, end in marked.items())
    starts = (part.end() for part in (*parts.finditer(line), *_NAME.finditer(line)))
    titles = [(0, 0)]
    for start in sorted(marked if is_marked else {0, *islice(starts, _MOST)}):
        found, length = _title(line[start : marked.get(start)], catalogue)
        if start >= titles[-1][1] and (found or is_marked):
            titles.append((start, start + length))
    titles.append((len(line), len(line)))
    rejected, talked = False, False
    for (_, end), (start, _), (after, _) in zip(
        titles, titles[1:], titles[2:] + titles[-1:], strict=False
    ):
        apart = parts.split(line[end:start])  # The first is a remark, and the last leads in.
        for part in () if is_marked else apart[end > 0 : len(apart) - (start < len(line))]:
            talked = talked or len(part.split()) > _LONGEST_TITLE or part[:1].islower()
            if not talked and re.search(r"[^\W\d]{3}", part):
                yield part
        lead = line[end:start].rstrip("\"' ")
        if re.search(r"[.;!?]|\b(?!and\b)\w{3}", lead):
            rejected = _is_known(lead) or bool(_NOT.search(lead))
        if not rejected:
            yield line[start:after]


def _title(text: str, catalogue: Catalogue, slips: bool = False) -> tuple[_Entities, int]:
    """Return the entities with the longest title that opens ``bare`` text, and where it ends."""
    text = text[:_MOST]
    label = _number().match(text) if slips else None
    cuts = pattern(r"%s|%s", "titles.remarks", "titles.separators").finditer(text)
    ends = [cut.start() for cut in islice(cuts, _MOST_CUTS)]
    for end in (len(text), *reversed(ends)):
        for start in (0, label.end()) if label else (0,):
            if entities := catalogue.entities_called(text[start:end].strip(_EDGES), slips):
                return entities, end
    return frozenset(), 0


def _entities_named(item: str, catalogue: Catalogue) -> _Entities:
    """Return the entities that an item, or a cell of a row, names; a year tells some apart."""
    item = bare(item[:_MOST])
    cells = item.split("|")
    for cell in [cell for cell in cells if not cell.strip(" .").isdigit()] or cells:
        entities, end = _title(cell, catalogue, slips=True)
        if not entities:
            continue
        before, _, after = item.partition(cell[:end])
        year = _YEAR.search(f"{after} {before}")
        if not year:
            return entities
        names = {entity: catalogue.names[entity].partition("(")[2] for entity in entities}
        years = {entity: _YEAR.search(name) for entity, name in names.items()}
        off = {e: abs(int(own[1]) - int(year[1])) if own else 0.5 for e, own in years.items()}
        least = min(off.values())
        return frozenset(entity for entity in off if off[entity] == least <= _OFF)
    return frozenset()
