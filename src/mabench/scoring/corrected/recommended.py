"""The items of a recommendation, however it is laid out: JSON, lists, tables, lines, sentences.

Whether a piece of text is a title is asked of the catalogue, so that commas, colons and dashes
inside a title are told from those around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from mabench.scoring.final_answer import Form, final_answers, structured_answers
from mabench.scoring.structured import Value, is_object

MOST = 500  # Lines that are read, parts of a line and cells of a row: a list has 20.
_PROBED = 40  # Lines of a level that are looked up to tell lists from remarks.

IsTitle = Callable[[str], bool]

_EMPHASIS = r"[*_`\"'\u201c\u2018#>~ \t]{0,8}"
_NUMBERED = re.compile(
    rf"^(?P<indent>[ \t]*+){_EMPHASIS}(?:[-\u2022*+]\s+)?{_EMPHASIS}"
    r"(?:[\u2460-\u2473\u2776-\u2793][.)]?|\(?#?[ ]?(?:\d{1,2}(?:st|nd|rd|th)?|[ivx]{1,4}(?=[.)])"
    r"|[a-h](?=[.)]))(?:\ufe0f?\u20e3"
    r"|[ ]?[.)\u3001:\]/>|;]|,(?=[ ])|[ ]?[-\u2013\u2014](?=[ ]))|\[\d{1,2}\]|#\d{1,2}\b"
    r"|(?:movie|film|title|recommendation|pick|option|item)(?:[ ](?:title|name))?"
    r"[ ]?#?\d{0,2}[ ]?[:.)]"
    r"|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?:ly)?[:,])"
    r"(?:[ ]?(?:movie|film)?[ ]?(?:title|name)[ ]?:)?"
    rf"{_EMPHASIS}[-\u2013\u2014:]?{_EMPHASIS}(?=\S)",
    re.IGNORECASE,
)
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)"
    r"(?:[-*\u2022+\u00b7\u25aa\u25e6\u25cf\u2023\u2013\u2014\u2043\u27a4\u25ba\u2714"
    r"\u2705]"
    r"|[\U0001f300-\U0001faff])\ufe0f?(?:\s+|(?<![*_])(?=[^\W_]))"
)
_BARE_NUMBER = re.compile(r"^\s*(\d{1,2})\s+(?=\S)")
_RULE_OF_TABLE = re.compile(r"^[\s|:]*+-[\s|:+-]*+$")
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s,;]))[(\[]?(\d{1,2})(?:[.)\]]|:(?=\s))\s*(?=\S)")
_SENTENCE = re.compile(
    r"^\W*(?:here|sure|based|i|i'd|i'm|i['\u2019]ve|you|these|if|since|hope|let|certainly|of "
    r"course|okay|ok|great|given|my"
    r"|hi|hello|absolutely|happy|some|below|sounds|thanks|in that case|for you|well|yes|no)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s+)?[,;\u2022|\n\t]\s*(?:and\s+|or\s+)?"
    r"|(?<!\s)\s+(?:and|or|&|[/>+]|->|\u2192|then|plus)\s+|/"
    r"|(?<=[\w)\"'])(?:[.!?]|\.\.\.|\u2026)\s+|(?<!\s)\s+[-\u2013\u2014]\s+|:[*_]{0,2}\s+"
    r"|(?<=\w)\s*\([^()\d]{1,30}\)(?:\s*[,;]\s*|\Z)",
    re.IGNORECASE,
)
_MARKED_TITLE = re.compile(
    r"\*\*([^*\n]{1,120})\*\*|\"([^\"\n]{1,120})\"|\u201c([^\u201c\u201d\n]{1,120})\u201d"
    r"|(?<![*\w])\*([^*\n]{1,120})\*(?!\w)|(?<![_\w])_([^_\n]{1,120})_(?!\w)"
)
_YEAR_AFTER = re.compile(r"[\"'*_,]*+\s*+[(\[]?\s*+(?:18|19|20)\d\d\b[)\]]?")
_ALREADY = re.compile(
    r"\b(?:not|never|except|unlike|avoid|skip|besides|similar to|like|liked|loved|enjoyed|seen"
    r"|watched|mentioned"
    r"|fans? of|saw|said|since you|other than|instead of|as you|all but|anything but"
    r"|everything but|none of (?:these|them))[: ]*$",
    re.IGNORECASE,
)
_WISHED = re.compile(
    r"\b(?:might|would|will|should|may|could|to|also|definitely|really|['\u2019](?:ll"
    r"|d))\s+(?:\w+ly\s+|also\s+)?(?:like|enjoy|love|see|watch)\s*$"
    r"|\bhave you (?:ever )?(?:seen|watched)\s*$|\btitles like\s*$|\b(?:movies|films"
    r"|something) like\s*$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|avoid|skip|except)\b|n['\u2019]t\b", re.IGNORECASE)
_LIST_TAG = re.compile(r"</?(?:li|ol|ul|br|p|div|tr)\s?/?>", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*(?:system|assistant|recommender|bot)\s*:\s*", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W\d]*")
_LONGEST_TITLE = 8
_LONGEST_LEAD = 12
_LONGEST_TAIL = 6
_MOST_PARTS = 60
_FIELDS = (
    "title",
    "movie_title",
    "film_title",
    "movie",
    "film",
    "name",
    "item",
    "recommendation",
    "text",
)
_JOINED = 6  # Parts that may make up one title.


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
        items += [_NUMBERED.sub("", item) for item in islice(_of_value(value), MOST)]
    if items and not any(map(is_title, items)):
        keys = [str(key) for value in values if is_object(value) for key in value]
        items = keys if any(map(is_title, keys)) else items
    if items:
        yield from items if len(items) > 1 else _of_text(items[0], is_title, is_whole)
        return
    found = [found for found in final_answers(output) if found.is_final or found.form is Form.WHOLE]
    if found:
        yield from _of_text(found[0].text, is_title, is_whole)


def _of_value(value: Value) -> Iterator[str]:
    """Yield the titles that a JSON value holds."""
    if isinstance(value, str):
        yield from filter(None, map(str.strip, value.split("\n")))
    elif isinstance(value, list):
        for item in value:
            yield from _of_value(item)
    elif isinstance(value, dict):
        fields = {str(name).casefold().replace(" ", "_"): held for name, held in value.items()}
        title = next(
            (fields[name] for name in _FIELDS if isinstance(fields.get(name), str | int)), None
        )
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
        bare = _NUMBERED.sub("", line)
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
    numbered: dict[int, list[str]] = {}
    bullets: dict[int, list[str]] = {}
    for line in lines:
        if match := _NUMBERED.match(line):
            numbered.setdefault(len(match["indent"].expandtabs()), []).append(line[match.end() :])
        elif match := _BULLET.match(line):
            bullets.setdefault(len(match["indent"].expandtabs()), []).append(line[match.end() :])
    bare = _bare_numbered(lines) if not numbered and not bullets else []
    levels = (
        [numbered[i] for i in sorted(numbered)] + [bullets[i] for i in sorted(bullets)] + [bare]
    )
    levels = [level for level in levels if level]
    if not levels:
        return []
    holding = [level for level in levels if any(map(is_title, level[:_PROBED]))]
    return (holding or levels)[0]


def _bare_numbered(lines: Sequence[str]) -> list[str]:
    """Return the items of lines that begin with 1, 2, 3 ... and nothing after the number."""
    matches = [match for line in lines if line.strip() and (match := _BARE_NUMBER.match(line))]
    numbers = [int(match[1]) for match in matches]
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        return []
    return [match.string[match.end() :] for match in matches]


def _is_talk(line: str) -> bool:
    """Say whether a line speaks to the reader rather than naming a title."""
    bare = line.strip().rstrip("*_` ")
    if bare.endswith(":"):
        return True
    return (bool(_SENTENCE.match(bare)) and len(bare.split()) > 3) or (
        len(bare.split()) > 5 and bare.endswith((".", "!", "?"))
    )


def _of_line(line: str, is_title: IsTitle) -> Iterator[str]:
    """Yield the items of one line: numbered, marked, or between commas, ``and`` and the like."""
    numbers = list(_INLINE_NUMBER.finditer(line))
    if len(numbers) > 1 and [int(n[1]) for n in numbers] == list(range(1, len(numbers) + 1)):
        ends = [*(number.start() for number in numbers[1:]), len(line)]
        yield from (line[n.end() : end].strip(" ,;") for n, end in zip(numbers, ends, strict=True))
        return
    marked = [
        m
        for m in islice(_MARKED_TITLE.finditer(line), _MOST_PARTS)
        if not _rejects(line[max(0, m.start() - 60) : m.start()])
    ]
    items = [next(filter(None, m.groups())) + _year_after(line, m.end()) for m in marked]
    if items and any(map(is_title, items)):
        yield from items
        return
    yield from _of_parts(_NUMBERED.sub("", line), is_title)


def _year_after(line: str, place: int) -> str:
    year = _YEAR_AFTER.match(line, place)
    return f" ({re.sub(r'[^0-9]', '', year[0])})" if year else ""


def _of_parts(line: str, is_title: IsTitle) -> Iterator[str]:
    """Yield the items of a line that separators part; those inside a title part nothing."""
    edges = [
        (0, 0),
        *(m.span() for m in islice(_SEPARATOR.finditer(line), _MOST_PARTS)),
        (len(line), len(line)),
    ]
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
    """Say whether a title may open at this word: with a capital, after words of a sentence."""
    before, opening = words[start - 1], words[start]
    if opening == "the" and start + 1 < len(words):
        opening = words[start + 1]
    inside = before.casefold() in ("of", "the", "in", "a", "an", "and", "to", "for")
    return not opening[:1].islower() and not inside and (before[:1].islower() or start == 1)


def _rejects(lead: str) -> bool:
    """Say whether words take back, or say to be known, the title that they lead up to."""
    if _WISHED.search(lead):
        return _NOT.search(lead) is not None
    return bool(_ALREADY.search(lead) or _NOT.search(lead))
