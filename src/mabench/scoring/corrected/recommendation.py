"""The rule for recommendations, recsys, however they are laid out: JSON, lists, tables, sentences.

Whether a piece of text is a title is asked of the catalogue, so that commas, colons and dashes
inside a title are told from those around it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.corrected.rule import Corrected
from mabench.scoring.final_answer import Form, Value, final_answers, structured_answers
from mabench.scoring.lexicon import entries, pattern, words
from mabench.scoring.official import CUTOFFS
from mabench.scoring.tokens import bare, spelling

_MOST = 500  # Lines of a text, and characters of an item, that are read.
_PROBED = 40  # Items of a layout that are looked up to tell lists from remarks.
_MOST_PARTS, _MOST_CUTS = 60, 8
_JOINED = 6  # Parts that may make up one title.
_LONGEST_TITLE, _LONGEST_LEAD = 8, 30  # In words.
_OFF = 2  # Years by which one that is given may be wrong.
_EMPHASIS = r"[*_`\"'\u201c\u2018#>~ \t]{0,8}"
_ROW = re.compile(r"^(?P<indent>[ \t]*+)(?=\|)")
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*+)"
    r"(?:[-*+\u2022\u00b7\u25aa\u25e6\u25cf\u2023\u2013\u2014\u2043\u27a4\u25ba]"
    r"|[\u2714\u2705\U0001f300-\U0001faff])\ufe0f?(?:\s+|(?<![*_])(?=[^\W_]))"
)
_RULE_OF_TABLE = re.compile(r"[\s:]*+\|[\s|:]*+-[\s|:+-]*+$")
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s,;]))[(\[]?(\d{1,2})(?:[.)\]]|:(?=\s))\s*(?=\S)")
_NOT = re.compile(r"\b(?:not|never|avoid|skip|except)\b|n['\u2019]t\b", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*(?:system|assistant|recommender|bot)\s*:\s*", re.IGNORECASE)
_LABEL = re.compile(
    r"^(?:(?:movie|film|title|name|recommendation)s?\s*:\s*|(?:watch|see|try|the (?:movie"
    r"|film))\s+(?=[A-Z0-9\"'*]))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_DATED = re.compile(
    r"^(?P<title>.*\S)\s*[\s,(\[:/|-](?:film,? |movie,? )?['\u2019]?(?:18|19|20)\d\d(?: "
    r"film)?\s*+[)\]]?\s*$"
)
_ARTICLE_LAST = re.compile(r"^(?P<title>.+),\s*(?P<article>The|A|An)\b\s*.*$")
_EDGES = " \t*_`\"'\u201c\u201d\u2018\u2019#|"

_Entities = frozenset[int]


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
    named: dict[_Entities | tuple[str, ...], _Entities] = {}
    rule = "no-title" if prediction.strip() else "no-answer"
    for item in _items(prediction, catalogue):
        entities, by_year = _entities_named(item, catalogue)
        if key := entities or spelling(item[:_MOST]):
            named.setdefault(key, entities)
        if by_year or (entities and rule == "no-title"):
            rule = "title-by-year" if by_year else "title-named"
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
        yield from (_number().sub("", value) for value in values)
        return
    finals = (f.text for f in final_answers(output) if f.is_final or f.form is Form.WHOLE)
    text = _SPEAKER.sub("", values[0] if values else next(finals, ""))
    numbers = [int(match[1]) for match in _INLINE_NUMBER.finditer(text)]
    if len(numbers) > 1 and numbers == [*range(1, len(numbers) + 1)]:
        text = _INLINE_NUMBER.sub(r"\n\g<0>", text)
    lines = text.split("\n", _MOST)[:_MOST]
    listed = _listed(lines, catalogue)
    if len(listed) > 1 or (listed and "\n" in text.strip()):
        yield from listed
        return
    for line in lines:
        whole = _number().sub("", line)
        marks = islice(pattern(r"%s", "titles.marks").finditer(line), _MOST_PARTS)
        marked = [
            next(filter(None, mark.groups()))
            for mark in marks
            if not _rejects(line[max(0, mark.start() - 60) : mark.start()])
        ]
        is_marked = any(_is_only_title(part, catalogue) for part in marked)
        parts = marked if is_marked else list(_parts(whole, catalogue))
        is_one = _is_title(whole, catalogue) and not any(
            _is_only_title(part, catalogue) for part in parts[1:]
        )
        yield from [whole] if is_one else parts


def _strings(value: Value) -> Iterator[str]:
    """Yield the texts of an object or a list; of an object that has a title, the title."""
    if isinstance(value, str):
        yield from filter(None, map(str.strip, value.split("\n")))
    elif isinstance(value, dict):
        fields = {str(name).casefold().replace(" ", "_"): held for name, held in value.items()}
        titles = (fields.get(name) for name in entries("titles.fields"))
        title = next((field for field in titles if isinstance(field, str)), None)
        if title is not None:
            yield f"{title} ({fields.get('year', '')})"
            return
        inner: list[Value] = [v for v in fields.values() if isinstance(v, list | dict)]
        yield from _strings(inner or [*fields.values()])
    elif isinstance(value, list):
        for held in value:
            yield from _strings(held)


def _number() -> re.Pattern[str]:
    return pattern(
        rf"^(?P<indent>[ \t]*+){_EMPHASIS}(?:[-\u2022*+]\s+)?{_EMPHASIS}(?:%s)"
        r"(?:[ ]?(?:movie|film)?[ ]?(?:title|name)[ ]?:)?"
        rf"{_EMPHASIS}[-\u2013\u2014:]?{_EMPHASIS}(?=\S)",
        "titles.numbers",
    )


def _listed(lines: Sequence[str], catalogue: Catalogue) -> list[str]:
    """Return the items of a list or table: of its levels and layouts, the one that has titles."""
    levels = defaultdict[tuple[int, int], list[str]](list)
    for place, line in enumerate(lines):
        if any(map(_RULE_OF_TABLE.match, lines[place : place + 2])):
            continue  # It is the rule, or the head above it.
        markers = (marker.match(line) for marker in (_ROW, _number(), _BULLET))
        kind, match = next(((n, m) for n, m in enumerate(markers) if m), (0, None))
        if match:
            level = kind, len(match["indent"].expandtabs())
            levels[level].append(line[match.end() :])
    listed = [levels[level] for level in sorted(levels)]
    of_titles = (x for x in listed if any(_is_title(i, catalogue) for i in x[:_PROBED]))
    return next(of_titles, listed[0] if listed else [])


def _parts(line: str, catalogue: Catalogue) -> Iterator[str]:
    """Yield the items of a line that separators part; those inside a title part nothing."""
    separators = islice(pattern(r"%s", "titles.separators").finditer(line), _MOST_PARTS)
    edges = [(0, 0), *(separator.span() for separator in separators), (len(line), len(line))]
    place, rejected, talked = 0, False, False
    while place < len(edges) - 1:
        start = edges[place][1]
        rejected = rejected and not re.search(r"[.;!?]", line[edges[place][0] : start])
        for count in range(min(_JOINED, len(edges) - 1 - place), 0, -1):
            text = line[start : edges[place + count][0]].strip(" .!?\"'*_")
            text = pattern(r"(?:\s(?:%s))+$", "titles.behind").sub("", text) or text
            lead, title = _led(text, catalogue, _LONGEST_LEAD if count == 1 else 1)
            if title:
                rejected = _rejects(lead) if lead else rejected
                if not rejected:
                    yield title
                place += count
                break
        else:
            talked = talked or _is_talk(text)
            if not talked and re.search(r"[^\W\d]", text):
                yield text
            place += 1


def _led(text: str, catalogue: Catalogue, longest: int) -> tuple[str, str]:
    """Return the words of a sentence that lead up to a title, and the title it ends with."""
    said = text.split()
    for start in range(min(len(said), longest)):
        title = " ".join(said[start:])
        before, is_small = said[start - 1], said[start - 1] in words("names.small")
        opens = start < 2 or (before.islower() and (not is_small or said[start - 2].islower()))
        is_name = not start or not title.removeprefix("the ")[0].islower()
        if opens and is_name and _is_only_title(title, catalogue):
            return " ".join(said[:start]), title
    return "", ""


def _is_talk(text: str) -> bool:
    count = len(text.split())
    opens = pattern(r"^\W*(?:%s)\b", "titles.talk").match(text)
    return count > _LONGEST_TITLE or (opens is not None and count > 3) or text[:1].islower()


def _rejects(lead: str) -> bool:
    """Return whether words take back, or say to be known, the title that they lead up to."""
    if pattern(r"(?:\b(?:%s))\s*$", "titles.wished").search(lead):
        return _NOT.search(lead) is not None
    return bool(pattern(r"\b(?:%s)[: ]*$", "titles.already").search(lead) or _NOT.search(lead))


def _is_title(text: str, catalogue: Catalogue) -> bool:
    """Say whether a text is a title, remarks and year apart, spelt as in the catalogue."""
    return any(map(catalogue.entities_spelt, _titles(text)))


def _is_only_title(text: str, catalogue: Catalogue) -> bool:
    """Say whether a text is a title and nothing else, a year apart."""
    title = bare(text[:_MOST]).strip(_EDGES)
    dated = _DATED.match(title)
    titles = [title, dated["title"].strip(_EDGES + ",;")] if dated else [title]
    return any(catalogue.entities_spelt(t) or catalogue.entities_called(t) for t in titles)


def _entities_named(item: str, catalogue: Catalogue) -> tuple[_Entities, bool]:
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
    """Yield what may be the title of an item, or of a cell of a row that is no number."""
    rows = item[:_MOST].split("|" if item[:1] == "|" else "\n")
    cells = [bare(cell).strip(_EDGES) for cell in rows]
    for whole in [cell for cell in cells if not cell.strip(" .").isdigit()] or cells:
        text = _LABEL.sub("", whole).strip(_EDGES)
        yield from dict.fromkeys((whole, text))
        if turned := _ARTICLE_LAST.match(text):
            yield f"{turned['article']} {turned['title']}"
        cuts = [text[: cut.start()] for cut in _remarks().finditer(text)][:_MOST_CUTS]
        yield from (cut.strip(_EDGES + ",;:") for cut in reversed(cuts))


@cache
def _remarks() -> re.Pattern[str]:
    return re.compile("|".join(entries("titles.remarks")))  # A remark begins with a small letter.
