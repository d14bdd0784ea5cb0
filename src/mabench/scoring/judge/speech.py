"""What a judge says in its own name: its reply without what it thinks first, and what it quotes.

An answer can hold all that a reply may hold: tags of thoughts, objects, verdicts. So a reply is
compared with what the judge was shown, and what is there is a quotation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

# Takes the place of what is quoted, and of objects, in the text of a reply.
QUOTED = "\ufffc"

_THOUGHTS = "think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|rationale"
_OPENED = re.compile(
    rf"<(?:{_THOUGHTS})>|\[THINK(?:ING)?\]|\u25c1think(?:ing)?\u25b7|<\|channel\|>\s*analysis"
    r"(?:\s*<\|message\|>)?",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    rf"</(?:{_THOUGHTS})>|\[/THINK(?:ING)?\]|\u25c1/think(?:ing)?\u25b7|<\|channel\|>\s*final"
    r"(?:\s*<\|message\|>)?",
    re.IGNORECASE,
)
_TAG = re.compile(f"{_OPENED.pattern}|{_CLOSED.pattern}", re.IGNORECASE)
# Tokens of a model's chat template, and HTML that only sets type.
_TOKEN = re.compile(r"<\|[\w/ ]{1,30}\|>|</?(?:b|i|em|strong|u|p|br|span|s|eos|bos)\s?/?>", re.I)
_TEMPLATE_START = re.compile(r"\s*(?:<\|start\|>\s*assistant\s*)?")
_LONGEST = 20_000  # Characters of a reply that are read; no verdict takes a tenth.
# Characters before a tag that show that it is quoted, and those that are looked at around one.
_ALIKE = 12
_LONG_ALIKE = 30  # The same behind a tag that opens a thought, where common words are.
_AROUND = 200
_MOST_TAGS = 100  # Of one text.
_WORD = re.compile(r"\w+(?:\.\d+)?")
_RUN = 3  # Words in a row that make a quotation, if the text has that many.
_SHORTEST_RUN = 2
_INLINE_QUOTATION = re.compile(
    r'"[^"\n]{1,300}"|\u201c[^\u201d\n]{1,300}\u201d|\u201e[^\u201c\n]{1,300}\u201c'
    r"|\u00ab[^\u00bb\n]{1,300}\u00bb|`[^`\n]{1,300}`"
    r"|(?<!\w)'[^'\n]{1,300}'(?!\w)|(?<!\w)\u2018[^\u2018\n]{1,300}?\u2019(?!\w)"
)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_FENCE = re.compile(r"```(?:json|text|txt|python)?", re.IGNORECASE)
_OBJECT_START = re.compile(r"""\{\s*["'\w]""")
_MOST_OBJECTS = 100
# Objects as models write them: single quotation marks, names without any, a comma at the end.
_MENDED = (
    (re.compile(r"(?<=[{\[,:\s])'|'(?=\s*(?:[,}\]:]|\Z))"), '"'),
    (re.compile(r"(?<=[{,])(\s*)([A-Za-z_]\w*)(?=\s*:)"), r'\1"\2"'),
    (re.compile(r"(?<=:)(\s*)(yes|no|pass|fail)(?=\s*[,}])", re.IGNORECASE), r'\1"\2"'),
    (re.compile(r"\bTrue\b"), "true"),
    (re.compile(r"\bFalse\b"), "false"),
    (re.compile(r",(?=\s*[}\]])"), ""),
)
_LONGEST_MENDED = 1_000
# What an object of the judge's own may follow: a line or sentence that ends.
_OBJECT_PLACE = re.compile(r"(?:\A|[\n.:,;!?)\]\-\u2013\u2014*])[ \t`*]*\Z")

Object = dict[str, Any]


class Shown:
    """The texts that a judge was shown: the answer, and what it is compared with."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self.texts = texts

    @cached_property
    def has_tags(self) -> bool:
        """Whether a tag of a thought is in them, so that the judge may quote one."""
        return any(_TAG.search(text) for text in self.texts)

    def holds(self, *said: object) -> bool:
        """Return whether these words are in a row in one of the texts, signs between them."""
        words = [word for part in said for word in words_of(str(part))]
        return any(f" {' '.join(words)} " in text for text in self._spaced)

    def begins_with(self, *words: str) -> bool:
        """Return whether a text begins with these words."""
        return any(text.startswith(f" {' '.join(words)} ") for text in self._spaced)

    def holds_written(self, signs: str) -> bool:
        """Return whether a text holds these signs as they are written, white space aside."""
        return any(_bare(signs) in _bare(text) for text in self.texts)

    @cached_property
    def _spaced(self) -> list[str]:
        return [f" {' '.join(words_of(text))} " for text in self.texts]

    def quoted_words(self, words: Sequence[str]) -> set[int]:
        """Return the places of those of the words that repeat a text: three in a row, or all."""
        found: set[int] = set()
        for text in self.texts:
            shown = words_of(text)
            length = min(_RUN, len(shown))
            if length < _SHORTEST_RUN:
                continue
            runs = {*_runs(shown, length)}
            for at, run in enumerate(_runs(words, length)):
                if run in runs:
                    found.update(range(at, at + length))
        return found

    @cached_property
    def around_tags(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """What is before and after the tags of thoughts, without white space."""
        before, behind = set[str](), dict[str, None]()
        for text in self.texts:
            for tag in islice(_TAG.finditer(text), _MOST_TAGS):
                before.add(_bare(text[max(0, tag.start() - _AROUND) : tag.start()])[-_ALIKE:])
                behind[_bare_words(text[tag.end() : tag.end() + _AROUND])] = None
        return frozenset(before - {""}), tuple(one for one in behind if one)

    def has_tag_behind(self, before: str) -> bool:
        """Return whether a tag that is shown follows the same last characters, or all."""
        return any(map(_bare(before[-_AROUND:]).endswith, self.around_tags[0]))

    def has_tag_before(self, behind: str) -> bool:
        """Return whether a tag that is shown precedes the same word."""
        first = next(iter(words_of(behind[:_AROUND])), None)
        return any(next(iter(words_of(start)), None) == first for start in self.around_tags[1])


def _runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(islice(words, start, None) for start in range(length)), strict=False)


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text; 1.0 is 1."""
    return [_plain_number(word) for word in _WORD.findall(text.casefold())]


def _plain_number(word: str) -> str:
    return word.rstrip("0").rstrip(".") if "." in word else word


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text).casefold()


def _bare_words(text: str) -> str:
    return " ".join(text.casefold().split())


class Speech(NamedTuple):
    """What a judge says itself."""

    text: str  # With a sign in place of each object and quotation.
    objects: list[Object]  # Those that it gives as its verdict.
    ends_with_object: bool  # Whether nothing is said behind the last of them.
    shown: Shown
    is_whole: bool = False  # Whether it is so short that nothing in it is quoted.


def speeches(reply: str, shown: Shown) -> list[Speech]:
    """Return what a judge says itself; several where it is open which part of its reply that is.

    None if it never stopped thinking.
    """
    return [_speech(_cut(text), shown) for text in _without_thoughts(reply, shown)]


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]}\n{QUOTED}\n{text[-_LONGEST // 2 :]}"


def _without_thoughts(reply: str, shown: Shown) -> list[str]:
    """Return a reply without what is thought aloud at its beginning.

    A tag ends a thought unless it is quoted. Where the texts that the judge was shown hold such
    tags, a closing tag without an opening one may be quoted in other words: then what is
    before it must not contradict what is after it.
    """
    start = _TEMPLATE_START.match(reply)
    opened = _OPENED.match(reply, start.end() if start else 0)
    if opened and _goes_on_as_shown(reply[opened.end() :], shown):
        opened = None
    closing = [*_CLOSED.finditer(reply)]
    if len(closing) > _MOST_TAGS:
        closing = closing[: _MOST_TAGS // 2] + closing[-_MOST_TAGS // 2 :]
    ends = [tag for tag in closing if not _is_quoted(tag, reply, shown)]
    if opened and not ends:
        ends = [tag for tag in closing[-1:] if _ends_a_thought(tag, reply, shown)]
        if not ends:
            return []
    behind = [reply[tag.end() :] for tag in ends]
    if not behind:
        return [reply]
    if opened or not shown.has_tags:
        return behind[-1:] if not shown.has_tags else list(dict.fromkeys((behind[0], behind[-1])))
    return [reply[: ends[0].start()], behind[-1]]


def _goes_on_as_shown(text: str, shown: Shown) -> bool:
    said = _bare_words(text[:_AROUND])
    return shown.has_tags and any(
        said.startswith(start[:_LONG_ALIKE]) for start in shown.around_tags[1]
    )


def _is_quoted(tag: re.Match[str], reply: str, shown: Shown) -> bool:
    line = reply.rfind("\n", 0, tag.start()) + 1
    end = reply.find("\n", tag.end())
    around = reply[max(line, tag.start() - 300) : end if end >= 0 else len(reply)][:1_000]
    place = tag.start() - max(line, tag.start() - 300)
    if any(q.start() < place < q.end() for q in _INLINE_QUOTATION.finditer(around)):
        return True
    before, behind = reply[: tag.start()], reply[tag.end() : tag.end() + _AROUND]
    return shown.has_tags and (shown.has_tag_behind(before) or shown.has_tag_before(behind))


def _ends_a_thought(tag: re.Match[str], reply: str, shown: Shown) -> bool:
    """Return whether a tag ends a thought although one before the same word is shown.

    It does where a sentence ends before it, and the word is all that is said behind it.
    """
    before, behind = reply[: tag.start()].rstrip(), reply[tag.end() :].strip(" \t\n*_.!")
    is_end = before[-1:] in (".", "!") and not shown.has_tag_behind(before)
    return is_end and len(words_of(behind)) == 1


def _speech(text: str, shown: Shown) -> Speech:
    whole = _TOKEN.sub("", _without_shown_tags(text, shown) if shown.has_tags else text).strip()
    only = whole.strip("`\n ")
    is_whole = len(words_of(only)) <= _RUN and "\n" not in only
    objects, spoken, end = list[Object](), list[str](), 0
    last_end = None
    for start, stop, fields in _objects(whole):
        alone = not words_of(_FENCE.sub("", whole[:start])) and not words_of(whole[stop:])
        is_own = _OBJECT_PLACE.search(_FENCE.sub("\n", whole[max(0, start - 50) : start]))
        if alone or (is_own and not _is_shown(fields, shown)):
            objects.append(fields)
            last_end = stop
        spoken += [whole[end:start], QUOTED]
        end = stop
    rest = "".join([*spoken, whole[end:]])
    ends = last_end is not None and not re.search(r"[\w\]{]", whole[last_end:])
    rest = rest if is_whole else _without_quotations(rest, shown)
    return Speech(rest, objects, ends, shown, is_whole)


def _objects(text: str) -> Iterator[tuple[int, int, Object]]:
    """Yield where the objects of a text begin and end, and their fields."""
    decoder, end = json.JSONDecoder(), 0
    for opening in [*_OBJECT_START.finditer(text)][-_MOST_OBJECTS:]:
        start = opening.start()
        if start < end:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value, end = _mend(text, start)
        if isinstance(value, dict):
            yield start, end, value


def _mend(text: str, start: int) -> tuple[object, int]:
    stop = text.find("}", start, start + _LONGEST_MENDED) + 1
    mended = text[start:stop]
    for written, meant in _MENDED:
        mended = written.sub(meant, mended)
    try:
        return json.loads(mended), stop
    except ValueError:
        return None, start


def _is_shown(fields: Object, shown: Shown) -> bool:
    """Return whether what an object says is in what the judge was shown."""
    plain = [(name, value) for name, value in fields.items() if not isinstance(value, dict)]
    if not plain:
        return any(_is_shown(value, shown) for value in fields.values())
    return all(shown.holds(name, _first_words(value)) for name, value in plain)


def _first_words(value: object) -> str:
    return " ".join(words_of(json.dumps(value, ensure_ascii=False))[:20])


def _without_quotations(text: str, shown: Shown) -> str:
    """Return a text with a sign in place of what is quoted: marked as such, or word for word."""
    text = _QUOTED_LINE.sub(QUOTED, text)
    text = _FENCE.sub("", _without_fenced(text))
    text = _INLINE_QUOTATION.sub(_without_quotation, text)
    places = [*_WORD.finditer(text)]
    quoted = shown.quoted_words([_plain_number(place[0].casefold()) for place in places])
    kept, end = list[str](), 0
    for at in sorted(quoted):
        kept += [text[end : places[at].start()], QUOTED]
        end = places[at].end()
    return "".join([*kept, text[end:]])


def _without_fenced(text: str) -> str:
    """Return a text with a sign in place of each block of lines that is fenced off."""
    kept = list[str]()
    block: list[str] | None = None
    for line in text.split("\n"):
        if not line.strip().startswith("```"):
            (kept if block is None else block).append(line)
        elif block is None:
            block = []
        else:
            kept += [QUOTED] if words_of(" ".join(block)) else []
            block = None
    return "\n".join(kept + (block or []))


def _without_quotation(found: re.Match[str]) -> str:
    """Return the sign for a quotation; but a word alone on its line, or behind a label, stays."""
    before = found.string[: found.start()].rpartition("\n")[2].strip(" \t*_#-")
    behind = found.string[found.end() :].partition("\n")[0].strip(" \t*_.!")
    is_said = not behind and (not before or before[-1] in ":=")
    return found[0][1:-1] if is_said and len(words_of(found[0])) == 1 else QUOTED


def _without_shown_tags(text: str, shown: Shown) -> str:
    """Return a text without tags of thoughts, and without what goes on behind them as shown."""
    parts = _TAG.split(text)
    kept = [parts[0]]
    for part in parts[1:]:
        alike = max((_common(part, start) for start in shown.around_tags[1]), default=0)
        kept += [QUOTED, part[alike:]]
    return "".join(kept)


def _common(text: str, shown: str) -> int:
    """Return where a text ceases to go on as was shown, white space aside."""
    end, other = 0, iter(shown.replace(" ", ""))
    for at, character in enumerate(text[: 2 * _AROUND]):
        if character.isspace():
            continue
        if character.casefold() != next(other, None):
            break
        end = at + 1
    return end
