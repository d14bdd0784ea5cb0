"""The rule for recommendations, recsys, however they are laid out: JSON, lists, tables, sentences.

Whether a piece of text is a title is asked of the catalogue, so that commas, colons and dashes
inside a title are told from those around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.catalogue import Catalogue
from mabench.scoring.corrected.rule import Corrected
from mabench.scoring.corrected.titles import MOST, Entities, entities_named, is_only_title, is_title
from mabench.scoring.final_answer import Form, final_answers, structured_answers
from mabench.scoring.lexicon import entries, pattern
from mabench.scoring.official import CUTOFFS
from mabench.scoring.structured import Value
from mabench.scoring.words import spelling

_PROBED = 40  # Lines of a level that are looked up to tell lists from remarks.
_EMPHASIS = r"[*_`\"'\u201c\u2018#>~ \t]{0,8}"
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+\u2022\u00b7\u25aa\u25e6\u25cf\u2023\u2013\u2014\u2043\u27a4\u25ba]"
    r"|[\u2714\u2705\U0001f300-\U0001faff])\ufe0f?(?:\s+|(?<![*_])(?=[^\W_]))"
)
_BARE_NUMBER = re.compile(r"^\s*(\d{1,2})\s+(?=\S)")
_RULE_OF_TABLE = re.compile(r"^[\s|:]*+-[\s|:+-]*+$")
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s,;]))[(\[]?(\d{1,2})(?:[.)\]]|:(?=\s))\s*(?=\S)")
_YEAR_AFTER = re.compile(r"[\"'*_,]*+\s*+[(\[]?\s*+((?:18|19|20)\d\d)\b[)\]]?")
_NOT = re.compile(r"\b(?:not|never|avoid|skip|except)\b|n['\u2019]t\b", re.IGNORECASE)
_LIST_TAG = re.compile(r"</?(?:li|ol|ul|br|p|div|tr)\s?/?>", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*(?:system|assistant|recommender|bot)\s*:\s*", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W\d]*")
_LONGEST_TITLE = 8
_LONGEST_LEAD = 12
_LONGEST_TAIL = 6
_MOST_PARTS = 60
_JOINED = 6  # Parts that may make up one title.


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
    named: dict[Entities | tuple[str, ...], Entities] = {}
    rule = "no-title" if prediction.strip() else "no-answer"
    for item in _Items(catalogue).of_output(prediction):
        entities, by_year = entities_named(item, catalogue)
        if key := entities or spelling(item[:MOST]):
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


class _Items(NamedTuple):
    catalogue: Catalogue

    def of_output(self, output: str) -> Iterator[str]:
        values = structured_answers(output)
        items = [_numbered().sub("", i) for v in values for i in islice(_of_value(v), MOST)]
        if not items:
            answers = final_answers(output)
            items = [f.text for f in answers if f.is_final or f.form is Form.WHOLE][:1]
        yield from items if len(items) != 1 else self._of_text(items[0])

    def _of_text(self, text: str) -> Iterator[str]:
        text = _SPEAKER.sub("", _LIST_TAG.sub("\n", text))
        lines = [line for line in text.split("\n", MOST)[:MOST] if "```" not in line]
        listed = _rows(lines) or self._level(lines)
        if len(listed) > 1 or (listed and text.strip().count("\n")):
            yield from listed
            return
        lines = [line.strip() for line in lines if line.strip()]
        for line in lines:
            whole = _numbered().sub("", line)
            parts = [whole] if self._is_only(whole) else list(self._of_line(line))
            is_one = is_title(whole, self.catalogue) and not any(map(self._is_only, parts[1:]))
            yield from [whole] if is_one else parts

    def _is_only(self, text: str) -> bool:
        return is_only_title(text, self.catalogue)

    def _level(self, lines: Sequence[str]) -> list[str]:
        """Return the items of the list in ``lines``: of its levels, the one that holds titles."""
        levels: dict[tuple[bool, int], list[str]] = {}
        for line in lines:
            number = _numbered().match(line)
            if match := number or _BULLET.match(line):
                level = (number is None, len(match["indent"].expandtabs()))
                levels.setdefault(level, []).append(line[match.end() :])
        if not levels:  # Lines that begin with 1, 2, 3 ... and nothing after the number.
            bare = [match for line in lines if (match := _BARE_NUMBER.match(line))]
            return [match.string[match.end() :] for match in bare] if _counts_up(bare) else []
        listed = [levels[level] for level in sorted(levels)]
        is_of_titles = [any(is_title(i, self.catalogue) for i in x[:_PROBED]) for x in listed]
        return listed[is_of_titles.index(True)] if True in is_of_titles else listed[0]

    def _of_line(self, line: str) -> Iterator[str]:
        """Yield the items of one line: numbered, marked, or between commas, ``and`` and so on."""
        numbers = list(_INLINE_NUMBER.finditer(line))
        if _counts_up(numbers):
            ends = [*(n.start() for n in numbers[1:]), len(line)]
            pairs = zip(numbers, ends, strict=True)
            yield from (line[number.end() : end].strip(" ,;") for number, end in pairs)
            return
        marks = islice(pattern(r"%s", "titles.marks").finditer(line), _MOST_PARTS)
        items = [
            next(filter(None, mark.groups())) + _year_after(line, mark.end())
            for mark in marks
            if not _rejects(line[max(0, mark.start() - 60) : mark.start()])
        ]
        if any(map(self._is_only, items)):
            yield from items
        else:
            yield from self._of_parts(_numbered().sub("", line))

    def _of_parts(self, line: str) -> Iterator[str]:
        """Yield the items of a line that separators part; those inside a title part nothing."""
        separators = islice(pattern(r"%s", "titles.separators").finditer(line), _MOST_PARTS)
        edges = [(0, 0), *(separator.span() for separator in separators), (len(line), len(line))]
        place, rejected, talked = 0, False, False
        while place < len(edges) - 1:
            start = edges[place][1]
            rejected = rejected and not re.search(r"[.;!?]", line[edges[place][0] : start])
            for count in range(min(_JOINED, len(edges) - 1 - place), 0, -1):
                end = edges[place + count][0]
                lead, title = self._led(line[start:end], led=count == 1)
                if title:
                    rejected = _rejects(lead) if lead else rejected
                    if not rejected:
                        yield title + _year_after(line, end)
                    place += count
                    break
            else:
                text = line[start : edges[place + 1][0]].strip()
                talked = talked or _is_talk(text) or text[:1].islower()
                is_short = len(text.split()) <= _LONGEST_TITLE
                if not talked and is_short and not _NO_WORD.fullmatch(text):
                    yield text
                place += 1

    def _led(self, text: str, led: bool) -> tuple[str, str]:
        """Return the words that lead up to the title that a text is, or ends with, and the title.

        A title opens with a capital, after words of a sentence; small words may follow it.
        """
        text = text.strip(" .!?\"'*_")
        if not text or self._is_only(text):
            return "", text
        words = text.split()
        for start in range(1, min(len(words), _LONGEST_LEAD) if led else 1):
            before, opening = words[start - 1 : start + 1]
            if opening == "the" and start + 1 < len(words):
                opening = words[start + 1]
            inside = before.casefold() in ("of", "the", "in", "a", "an", "and", "to", "for")
            if opening[:1].islower() or inside or not (before[:1].islower() or start == 1):
                continue
            for end in range(len(words), max(start, len(words) - _LONGEST_TAIL), -1):
                title = " ".join(words[start:end])
                if (end == len(words) or words[end][:1].islower()) and self._is_only(title):
                    return " ".join(words[:start]), title
        return "", ""


def _of_value(value: Value) -> Iterator[str]:
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
        yield from _of_value(inner or [v for v in fields.values() if isinstance(v, str)])


def _numbered() -> re.Pattern[str]:
    return pattern(
        rf"^(?P<indent>[ \t]*+){_EMPHASIS}(?:[-\u2022*+]\s+)?{_EMPHASIS}(?:%s)"
        r"(?:[ ]?(?:movie|film)?[ ]?(?:title|name)[ ]?:)?"
        rf"{_EMPHASIS}[-\u2013\u2014:]?{_EMPHASIS}(?=\S)",
        "titles.numbers",
    )


def _rows(lines: Sequence[str]) -> list[str]:
    rules = {n for n, line in enumerate(lines) if "|" in line and _RULE_OF_TABLE.match(line)}
    if rules:
        rows = [n for n, line in enumerate(lines) if "|" in line and not {n, n + 1} & rules]
        return [f"| {lines[number]}" for number in rows]
    listed = [line for line in lines if line.strip().startswith("|")]
    return listed if len(listed) > 1 else []


def _counts_up(matches: Sequence[re.Match[str]]) -> bool:
    numbers = [int(match[1]) for match in matches]
    return len(numbers) > 1 and numbers == [*range(1, len(numbers) + 1)]


def _is_talk(line: str) -> bool:
    bare = line.strip().rstrip("*_` ")
    count = len(bare.split())
    opens = pattern(r"^\W*(?:%s)\b", "titles.talk").match(bare)
    is_sentence = count > 5 and bare.endswith((".", "!", "?"))
    return bare.endswith(":") or (opens is not None and count > 3) or is_sentence


def _year_after(line: str, place: int) -> str:
    year = _YEAR_AFTER.match(line, place)
    return f" ({year[1]})" if year else ""


def _rejects(lead: str) -> bool:
    """Return whether words take back, or say to be known, the title that they lead up to."""
    if pattern(r"(?:\b(?:%s))\s*$", "titles.wished").search(lead):
        return _NOT.search(lead) is not None
    return bool(pattern(r"\b(?:%s)[: ]*$", "titles.already").search(lead) or _NOT.search(lead))
