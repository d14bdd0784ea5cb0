"""The rule for recommendations, recsys, however they are laid out: JSON, lists, tables, sentences.

Every layout is taken apart into places where a title may begin. Whether one does, and where it
ends, is asked of the catalogue, so that commas, colons and dashes inside a title are told from
those around it.

An item is a text that may recommend something, and its entities are the ids of what its title
names: several films may have one title. ``pattern`` fills word lists of ``words.toml`` into a
regular expression: ``titles.separators`` is what parts the items of a line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.corrected.rule import Corrected
from mabench.scoring.final_answer import final_answer, structured_answers
from mabench.scoring.lexicon import entries, pattern, remembered
from mabench.scoring.official import CUTOFFS
from mabench.scoring.tokens import bare, spelling

_MOST_LINES = 500  # Of a text that are read, and texts of an object.
_MOST_CHARACTERS = 500  # Of an item that are read, or of a line behind where a title may begin.
_MOST_BEGINNINGS = 500  # Places of a line where a title may begin.
_MOST_PROBED = 40  # Items of a layout that are looked up to tell lists from remarks.
_MOST_CUTS = 12  # Places where the title of an item may end.
_LONGEST_TITLE = 8  # Words of an unknown one.
_MOST_YEARS_OFF = 2  # Years by which one that is given may be wrong.
# Years by which an entity without one is taken to be off: nearer than any year but the exact one.
_YEARS_OFF_WITHOUT_YEAR = 0.5
_SIGNS_AT_EDGES = " \t*_`\"'#|.,;:!?"
_ROW = re.compile(r"^(?P<indent>[ \t]*+)(?=\|)")
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*+)"
    r"(?:#{1,4}(?=\s)|[-*+\u2022\u00b7\u25aa\u25e6\u25cf\u2023\u2013\u2014\u2043\u27a4\u25ba]"
    r"|[\u2714\u2705\U0001f300-\U0001faff])\ufe0f?(?:\s+|(?<![*_])(?=[^\W_]))"
)
_RULE_OF_TABLE = re.compile(r"[\s:]*+\|[\s|:]*+-[\s|:+-]*+$")
_REJECTION = re.compile(r"\b(?:not|never|avoid|skip|except)\b|n['\u2019]t\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_QUOTATION = re.compile(r'"([^\s"][^"\n]{0,120})"')
# Where a capital or a digit is behind a word in small letters: "I suggest Heat".
_START_OF_NAME = re.compile(r"(?<=[a-z\d] )(?=[\"']?[A-Z\d])")

# What a lead says something by: the end of a sentence, or a word other than "and".
_SAYS_SOMETHING = re.compile(r"[.;!?]|\b(?!and\b)\w{3}")
_THREE_LETTERS = re.compile(r"[^\W\d]{3}")

_Entities = frozenset[int]


class _FoundTitle(NamedTuple):
    """The entities that a title names, none if it is not known, and where in a text it is."""

    entities: _Entities
    start: int
    end: int


class _ListLevel(NamedTuple):
    """A kind of list, and by how many spaces it is set in. The lowest level is looked at first."""

    kind: int  # 0 for rows of a table, 1 for numbered items, 2 for bullets.
    indent: int


@remembered()
def _item_number() -> re.Pattern[str]:
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
    # The entities of each item, by themselves or, of an unknown title, by its words.
    items: dict[_Entities | tuple[str, ...], _Entities] = {}
    for item in _read_items(prediction, catalogue):
        entities = _entities_named(item, catalogue)
        if key := entities or spelling(item[:_MOST_CHARACTERS]):
            items.setdefault(key, entities)  # A repetition has the first one's place.
    if any(items.values()):
        rule = "title-named"
    else:
        rule = "no-title" if prediction.strip() else "no-answer"
    golds = {answer.strip() for answer in answers}
    recalls = {}
    for k in ks:
        found = frozenset().union(*islice(items.values(), k))
        hits = sum(catalogue.entity(gold) in found for gold in golds)
        recalls[f"recsys_recall@{k}"] = Corrected(hits / max(len(golds), 1), rule)
    return recalls


def _read_items(output: str, catalogue: Catalogue) -> Iterator[str]:
    """Yield the texts that may be recommended items, in order.

    They are the texts of objects and lists, if there are several; else the items of a list or a
    table; else those that are found in each line.
    """
    values = [
        text for held in structured_answers(output) for text in islice(_texts_of(held), _MOST_LINES)
    ]
    if len(values) > 1:
        yield from values
        return
    text = values[0] if values else final_answer(output)[0]
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    listed = _read_list(lines, catalogue) if len(lines) > 1 else []
    if listed:
        yield from listed
        return
    for line in lines:
        yield from _find_items(line, catalogue)


def _texts_of(value: object) -> Iterator[str]:
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
            yield from _texts_of(held)
    elif isinstance(value, str):
        yield from filter(None, map(str.strip, value.split("\n")))


def _read_list(lines: Sequence[str], catalogue: Catalogue) -> list[str]:
    """Return the items of a list or table, without their markers; none if lines have no markers.

    Lists within lists, and a list beside a table, are told apart by their markers and indents. Of
    several, the first counts in which a title is known, or else the first.
    """
    items_by_level = defaultdict[_ListLevel, list[str]](list)
    for place, line in enumerate(lines):
        if any(map(_RULE_OF_TABLE.match, lines[place : place + 2])):
            continue  # It is the rule, or the head above it.
        for kind, marker in enumerate((_ROW, _item_number(), _BULLET)):
            if match := marker.match(line):
                level = _ListLevel(kind, indent=len(match["indent"].expandtabs()))
                items_by_level[level].append(line[match.end() :])
                break
    lists = [items_by_level[level] for level in sorted(items_by_level)]
    for items in lists:
        if any(_entities_named(item, catalogue) for item in items[:_MOST_PROBED]):
            return items
    return lists[0] if lists else []


def _find_items(line: str, catalogue: Catalogue) -> Iterator[str]:
    """Yield the items of a line: each known title with the remark on it, and what else may be one.

    The titles part the line into pieces. What leads in a title may say that it is not recommended,
    and so does for the titles behind it, until another lead says something else. Between titles,
    pieces may be titles that are not known, unless titles are quoted here.
    """
    line = bare(_item_number().sub("", line))
    quoted = _find_quoted_titles(line, catalogue)
    titles = quoted or _find_titles(line, catalogue)
    starts = [*(title.start for title in titles), len(line)]
    ends = [0, *(title.end for title in titles)]
    is_talk = is_rejected = False
    for place, end in enumerate(ends):
        before = line[end : starts[place]]  # What is before a title, or behind the last one.
        is_last = place == len(titles)
        pieces = _unknown_pieces(before, opens=place == 0, closes=is_last)
        for piece in [] if quoted else pieces:
            # Behind the first piece that can be no title, the line talks and no longer lists.
            is_talk = is_talk or len(piece.split()) > _LONGEST_TITLE or piece[:1].islower()
            if not is_talk and _THREE_LETTERS.search(piece):
                yield piece
        if is_last:
            return
        lead = before.rstrip("\"' ")
        if _SAYS_SOMETHING.search(lead):
            is_rejected = _is_known(lead) or bool(_REJECTION.search(lead))
        if not is_rejected:
            yield line[starts[place] : starts[place + 1]]


def _unknown_pieces(text: str, *, opens: bool, closes: bool) -> list[str]:
    """Return the pieces between two titles that are neither a remark on one nor a lead to one.

    A text that ``opens`` its line has no title before it, and one that ``closes`` it none behind.
    """
    pieces = pattern(r"%s", "titles.separators").split(text)
    first = 0 if opens else 1
    return pieces[first:] if closes else pieces[first:-1]


def _find_quoted_titles(line: str, catalogue: Catalogue) -> list[_FoundTitle]:
    """Return all that is quoted in a line, known or not; nothing if no title of it is known."""
    quoted = [
        _find_title(mark[1], catalogue, offset=mark.start(1)) for mark in _QUOTATION.finditer(line)
    ]
    return quoted if any(title.entities for title in quoted) else []


def _find_titles(line: str, catalogue: Catalogue) -> list[_FoundTitle]:
    """Return the known titles that begin where a piece of a line or a name does.

    None begins within another.
    """
    separators = pattern(r"%s", "titles.separators").finditer(line)
    begins = (match.end() for match in (*separators, *_START_OF_NAME.finditer(line)))
    titles = list[_FoundTitle]()
    for start in sorted({0, *islice(begins, _MOST_BEGINNINGS)}):
        title = _find_title(line[start:], catalogue, offset=start)
        if title.entities and (not titles or start >= titles[-1].end):
            titles.append(title)
    return titles


def _find_title(
    text: str, catalogue: Catalogue, *, offset: int = 0, slips: bool = False
) -> _FoundTitle:
    """Return the longest known title that opens ``bare`` text, which begins at an offset.

    A title may end where a remark or another piece begins. With ``slips``, it may be misspelt, and
    a number may precede it. Of none, the end is the offset.
    """
    text = text[:_MOST_CHARACTERS]
    number = _item_number().match(text) if slips else None
    starts = (0, number.end()) if number else (0,)
    cuts = pattern(r"%s|%s", "titles.remarks", "titles.separators").finditer(text)
    ends = [cut.start() for cut in islice(cuts, _MOST_CUTS)]
    for end in (len(text), *reversed(ends)):
        for start in starts:
            if entities := catalogue.entities_called(text[start:end].strip(_SIGNS_AT_EDGES), slips):
                return _FoundTitle(entities, offset, offset + end)
    return _FoundTitle(frozenset(), offset, offset)


def _entities_named(item: str, catalogue: Catalogue) -> _Entities:
    """Return the entities that an item names, or the first cell of a row that names any.

    Where the item has a year, behind the title or before it, only those of that year count.
    """
    item = bare(item[:_MOST_CHARACTERS])
    cells = item.split("|")
    cells_without_numbers = [cell for cell in cells if not cell.strip(" .").isdigit()]
    for cell in cells_without_numbers or cells:  # "1917" is a title.
        title = _find_title(cell, catalogue, slips=True)
        if title.entities:
            before, _, after = item.partition(cell[: title.end])
            year = _YEAR.search(f"{after} {before}")
            if year is None:
                return title.entities
            return _select_by_year(title.entities, int(year[1]), catalogue)
    return frozenset()


def _select_by_year(entities: _Entities, year: int, catalogue: Catalogue) -> _Entities:
    """Return the entities whose own year is nearest to a year; none if it is too far off.

    An entity's own year is in brackets behind its name; not all have one.
    """
    years_off = dict[int, float]()
    for entity in entities:
        own = _YEAR.search(catalogue.names[entity].partition("(")[2])
        years_off[entity] = abs(int(own[1]) - year) if own else _YEARS_OFF_WITHOUT_YEAR
    least = min(years_off.values())
    if least > _MOST_YEARS_OFF:
        return frozenset()
    return frozenset(entity for entity in entities if years_off[entity] == least)
