"""The items of a recommendation, however it is laid out: JSON, lists, tables, lines, sentences.

Whether a piece of text is a title is asked of the catalogue, so that commas, colons and dashes
inside a title are told from those around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from mabench.scoring.final_answer import Form, final_answers, structured_answers
from mabench.scoring.lexicon import entries, pattern
from mabench.scoring.structured import Value, is_object

MOST = 500  # Lines that are read, parts of a line and cells of a row: a list has 20.
_PROBED = 40  # Lines of a level that are looked up to tell lists from remarks.

IsTitle = Callable[[str], bool]

_EMPHASIS = r"[*_`\"'\u201c\u2018#>~ \t]{0,8}"
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+\u2022\u00b7\u25aa\u25e6\u25cf\u2023\u2013\u2014\u2043\u27a4\u25ba]"
    r"|[\u2714\u2705\U0001f300-\U0001faff])\ufe0f?(?:\s+|(?<![*_])(?=[^\W_]))"
)
_BARE_NUMBER = re.compile(r"^\s*(\d{1,2})\s+(?=\S)")
_RULE_OF_TABLE = re.compile(r"^[\s|:]*+-[\s|:+-]*+$")
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s,;]))[(\[]?(\d{1,2})(?:[.)\]]|:(?=\s))\s*(?=\S)")
_YEAR_AFTER = re.compile(r"[\"'*_,]*+\s*+[(\[]?\s*+(?:18|19|20)\d\d\b[)\]]?")
_NOT = re.compile(r"\b(?:not|never|avoid|skip|except)\b|n['\u2019]t\b", re.IGNORECASE)
_LIST_TAG = re.compile(r"</?(?:li|ol|ul|br|p|div|tr)\s?/?>", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*(?:system|assistant|recommender|bot)\s*:\s*", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W\d]*")
_LONGEST_TITLE = 8
_LONGEST_LEAD = 12
_LONGEST_TAIL = 6
_MOST_PARTS = 60
_JOINED = 6  # Parts that may make up one title.


def _numbered() -> re.Pattern[str]:
    return pattern(
        rf"^(?P<indent>[ \t]*+){_EMPHASIS}(?:[-\u2022*+]\s+)?{_EMPHASIS}(?:%s)"
        r"(?:[ ]?(?:movie|film)?[ ]?(?:title|name)[ ]?:)?"
        rf"{_EMPHASIS}[-\u2013\u2014:]?{_EMPHASIS}(?=\S)",
        "titles.numbers",
    )


def recommended(output: str, is_title: IsTitle, is_whole: IsTitle) -> Iterator[str]:
    """Yield the texts of the items that ``output`` recommends, in order, remarks included.

    Args:
        output: the prediction.
        is_title: whether a text is a title, with or without a remark.
        is_whole: whether a text is a title and nothing else, a year apart.
    """
    values = structured_answers(output)
    items: list[str] = []
    for value in values:
        items += [_numbered().sub("", item) for item in islice(_of_value(value), MOST)]
    if items and not any(map(is_title, items)):
        keys = [str(key) for value in values if is_object(value) for key in value]
        items = keys if any(map(is_title, keys)) else items
    if items:
        yield from items if len(items) > 1 else _of_text(items[0], is_title, is_whole)
        return
    for found in final_answers(output):
        if found.is_final or found.form is Form.WHOLE:
            yield from _of_text(found.text, is_title, is_whole)
            return


def _of_value(value: Value) -> Iterator[str]:
    """Yield the titles that a JSON value holds."""
    if isinstance(value, str):
        yield from filter(None, map(str.strip, value.split("\n")))
    elif isinstance(value, list):
        for item in value:
            yield from _of_value(item)
    elif isinstance(value, dict):
        fields = {str(name).casefold().replace(" ", "_"): held for name, held in value.items()}
        titles = (fields.get(name) for name in entries("titles.fields"))
        title = next((field for field in titles if isinstance(field, str | int)), None)
        if title is not None:
            year = fields.get("year", fields.get("release_year"))
            yield f"{title} ({year})" if year else str(title)
            return
        inner: list[Value] = [v for v in fields.values() if isinstance(v, list | dict)]
        for held in inner or [v for v in fields.values() if isinstance(v, str)]:
            yield from _of_value(held)


def _of_text(text: str, is_title: IsTitle, is_whole: IsTitle) -> Iterator[str]:
    text = _LIST_TAG.sub("\n", text)
    lines = [line for line in _SPEAKER.sub("", text).split("\n", MOST)[:MOST] if "```" not in line]
    rows = list(_rows(lines))
    if rows:
        yield from rows
        return
    listed = _level(lines, is_title)
    if len(listed) > 1 or (listed and text.strip().count("\n")):
        yield from listed
        return
    lines = [line.strip() for line in lines if line.strip()]
    titles = [line for line in lines if is_title(line)]
    if len(lines) > 1 and (titles or not any(map(_is_talk, lines))):
        first = lines.index(titles[0]) if titles else 0
        yield from (
            line
            for line in (lines[first:] if all(map(_is_talk, lines[:first])) else lines)
            if is_title(line) or not _is_talk(line)
        )
        return
    for line in lines:
        bare = _numbered().sub("", line)
        parts = [bare] if is_whole(bare) else list(_of_line(line, is_whole))
        first_alone = bool(parts) and is_whole(parts[0]) and not any(map(is_whole, parts[1:]))
        yield from (
            [bare] if is_title(bare) and (first_alone or not any(map(is_whole, parts))) else parts
        )


def _rows(lines: Sequence[str]) -> Iterator[str]:
    """Yield the rows of a table, without its heads and the rule under them."""
    rules = {
        number for number, line in enumerate(lines) if "|" in line and _RULE_OF_TABLE.match(line)
    }
    if not rules:
        rows = [line for line in lines if line.strip().startswith("|")]
        yield from rows if len(rows) > 1 else ()
        return
    for number, line in enumerate(lines):
        if "|" in line and not {number, number + 1} & rules:
            yield line if line.strip().startswith("|") else f"| {line}"


def _level(lines: Sequence[str], is_title: IsTitle) -> list[str]:
    """Return the items of the list in ``lines``: of its levels, the one that holds titles."""
    levels: dict[tuple[bool, int], list[str]] = {}
    for line in lines:
        number = _numbered().match(line)
        if match := number or _BULLET.match(line):
            level = (number is None, len(match["indent"].expandtabs()))
            levels.setdefault(level, []).append(line[match.end() :])
    listed = [levels[level] for level in sorted(levels)] or [_bare_numbered(lines)]
    holding = [level for level in listed if any(map(is_title, level[:_PROBED]))]
    return (holding or listed)[0]


def _bare_numbered(lines: Sequence[str]) -> list[str]:
    """Return the items of lines that begin with 1, 2, 3 ... and nothing after the number."""
    matches = [match for line in lines if line.strip() and (match := _BARE_NUMBER.match(line))]
    if len(matches) < 2 or not _counts_up(matches):
        return []
    return [match.string[match.end() :] for match in matches]


def _counts_up(matches: Sequence[re.Match[str]]) -> bool:
    return [int(match[1]) for match in matches] == [*range(1, len(matches) + 1)]


def _is_talk(line: str) -> bool:
    """Return whether a line speaks to the reader rather than naming a title."""
    bare = line.strip().rstrip("*_` ")
    count = len(bare.split())
    opens = pattern(r"^\W*(?:%s)\b", "titles.talk").match(bare)
    return (
        bare.endswith(":")
        or (opens is not None and count > 3)
        or (count > 5 and bare.endswith((".", "!", "?")))
    )


def _of_line(line: str, is_title: IsTitle) -> Iterator[str]:
    """Yield the items of one line: numbered, marked, or between commas, ``and`` and the like."""
    numbers = list(_INLINE_NUMBER.finditer(line))
    if len(numbers) > 1 and _counts_up(numbers):
        ends = [*(number.start() for number in numbers[1:]), len(line)]
        yield from (line[n.end() : end].strip(" ,;") for n, end in zip(numbers, ends, strict=True))
        return
    items = [
        next(filter(None, mark.groups())) + _year_after(line, mark.end())
        for mark in islice(pattern(r"%s", "titles.marks").finditer(line), _MOST_PARTS)
        if not _rejects(line[max(0, mark.start() - 60) : mark.start()])
    ]
    if items and any(map(is_title, items)):
        yield from items
        return
    yield from _of_parts(_numbered().sub("", line), is_title)


def _year_after(line: str, place: int) -> str:
    year = _YEAR_AFTER.match(line, place)
    return f" ({re.sub(r'[^0-9]', '', year[0])})" if year else ""


def _of_parts(line: str, is_title: IsTitle) -> Iterator[str]:
    """Yield the items of a line that separators part; those inside a title part nothing."""
    separators = islice(pattern(r"%s", "titles.separators").finditer(line), _MOST_PARTS)
    edges = [(0, 0), *(separator.span() for separator in separators), (len(line), len(line))]
    place, rejected, talked = 0, False, False
    while place < len(edges) - 1:
        start = edges[place][1]
        rejected = rejected and not re.search(r"[.;!?]", line[edges[place][0] : start])
        for count in range(min(_JOINED, len(edges) - 1 - place), 0, -1):
            lead, title = _led(line[start : edges[place + count][0]], is_title, count == 1)
            if title:
                rejected = _rejects(lead) if lead else rejected
                if not rejected:
                    yield title + _year_after(line, edges[place + count][0])
                place += count
                break
        else:
            text = line[start : edges[place + 1][0]].strip()
            talked = talked or _is_talk(text) or text[:1].islower()
            if not talked and len(text.split()) <= _LONGEST_TITLE and not _NO_WORD.fullmatch(text):
                yield text
            place += 1


def _led(text: str, is_title: IsTitle, led: bool) -> tuple[str, str]:
    """Return the title that a text is, or ends with, and the words that lead up to it."""
    text = text.strip(" .!?\"'*_")
    if not text or is_title(text):
        return "", text
    words = text.split()
    for start in range(1, min(len(words), _LONGEST_LEAD) if led else 1):
        rest = " ".join(words[start:])
        if not _may_open(words, start):
            continue
        if is_title(rest):
            return " ".join(words[:start]), rest
        for end in range(len(words) - 1, max(start, len(words) - _LONGEST_TAIL), -1):
            inner = " ".join(words[start:end])
            if words[end][:1].islower() and is_title(inner):
                return " ".join(words[:start]), inner
    return "", ""


def _may_open(words: Sequence[str], start: int) -> bool:
    """Return whether a title may open at this word: with a capital, after words of a sentence."""
    before, opening = words[start - 1], words[start]
    if opening == "the" and start + 1 < len(words):
        opening = words[start + 1]
    inside = before.casefold() in ("of", "the", "in", "a", "an", "and", "to", "for")
    return not opening[:1].islower() and not inside and (before[:1].islower() or start == 1)


def _rejects(lead: str) -> bool:
    """Return whether words take back, or say to be known, the title that they lead up to."""
    if pattern(r"(?:\b(?:%s))\s*$", "titles.wished").search(lead):
        return _NOT.search(lead) is not None
    return bool(pattern(r"\b(?:%s)[: ]*$", "titles.already").search(lead) or _NOT.search(lead))
