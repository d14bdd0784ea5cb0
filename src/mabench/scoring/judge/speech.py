"""What a judge says in its own name: its reply without what it thinks first, and what it quotes.

An answer can hold all that a reply may hold: tags of thoughts (``<think>``), JSON objects,
verdicts. So a reply is compared with the texts that the judge was shown, and what is there is a
quotation.
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
_OPENING_TAG = re.compile(
    rf"<(?:{_THOUGHTS})>|\[THINK(?:ING)?\]|\u25c1think(?:ing)?\u25b7|<\|channel\|>\s*analysis"
    r"(?:\s*<\|message\|>)?",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(
    rf"</(?:{_THOUGHTS})>|\[/THINK(?:ING)?\]|\u25c1/think(?:ing)?\u25b7|<\|channel\|>\s*final"
    r"(?:\s*<\|message\|>)?",
    re.IGNORECASE,
)
_THOUGHT_TAG = re.compile(f"{_OPENING_TAG.pattern}|{_CLOSING_TAG.pattern}", re.IGNORECASE)
# Tokens of a model's chat template, and HTML that only sets type.
_TEMPLATE_TOKEN = re.compile(
    r"<\|[\w/ ]{1,30}\|>|</?(?:b|i|em|strong|u|p|br|span|s|eos|bos)\s?/?>", re.I
)
_TEMPLATE_START = re.compile(r"\s*(?:<\|start\|>\s*assistant\s*)?")
_LONGEST_REPLY = 20_000  # Characters of a reply that are read; no verdict takes a tenth.
# Characters before a tag that show that it is quoted, and those that are looked at around one.
_ALIKE_BEFORE_TAG = 12
_ALIKE_BEHIND_TAG = 30  # The same behind a tag that opens a thought, where common words are.
_AROUND_TAG = 200
_MOST_TAGS = 100  # Of one text.
_LONGEST_QUOTATION = 300  # Characters of one within a line.
_LONGEST_LINE = 1_000  # Characters of a line in which quotations are looked for.
_WORD = re.compile(r"\w+(?:\.\d+)?")
_WORDS_OF_QUOTATION = 3  # Words in a row that make a quotation, if the text has that many.
_FEWEST_WORDS_OF_QUOTATION = 2  # A shown text of one word, such as "yes", makes no quotation.
_INLINE_QUOTATION = re.compile(
    r'"[^"\n]{1,300}"|\u201c[^\u201d\n]{1,300}\u201d|\u201e[^\u201c\n]{1,300}\u201c'
    r"|\u00ab[^\u00bb\n]{1,300}\u00bb|`[^`\n]{1,300}`"
    r"|(?<!\w)'[^'\n]{1,300}'(?!\w)|(?<!\w)\u2018[^\u2018\n]{1,300}?\u2019(?!\w)"
)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_FENCE = re.compile(r"```(?:json|text|txt|python)?", re.IGNORECASE)
_OBJECT_START = re.compile(r"""\{\s*["'\w]""")
_MOST_OBJECTS = 100  # Of a reply; the last ones are read.
_MOST_WORDS_COMPARED = 20  # Of a field's value that are compared with what was shown.
# Objects as models write them: single quotation marks, names without any, a comma at the end.
_MENDINGS = (
    (re.compile(r"(?<=[{\[,:\s])'|'(?=\s*(?:[,}\]:]|\Z))"), '"'),
    (re.compile(r"(?<=[{,])(\s*)([A-Za-z_]\w*)(?=\s*:)"), r'\1"\2"'),
    (re.compile(r"(?<=:)(\s*)(yes|no|pass|fail)(?=\s*[,}])", re.IGNORECASE), r'\1"\2"'),
    (re.compile(r"\bTrue\b"), "true"),
    (re.compile(r"\bFalse\b"), "false"),
    (re.compile(r",(?=\s*[}\]])"), ""),
)
_LONGEST_MENDED = 1_000
# What an object of the judge's own may follow: a line or sentence that ends.
_CHARACTERS_BEFORE_OBJECT = 50  # Characters of it that are looked at.
_MAY_PRECEDE_OBJECT = re.compile(r"(?:\A|[\n.:,;!?)\]\-\u2013\u2014*])[ \t`*]*\Z")

Object = dict[str, Any]


class AroundTags(NamedTuple):
    """What is before and behind the tags of thoughts in the texts that a judge was shown."""

    before: frozenset[str]  # The last characters, without white space.
    behind: tuple[str, ...]  # The beginning, each run of white space as one space.


class Shown:
    """The texts that a judge was shown: the answer, and what it is compared with."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self.texts = texts

    @cached_property
    def has_tags(self) -> bool:
        """Whether a tag of a thought is in them, so that the judge may quote one."""
        return any(_THOUGHT_TAG.search(text) for text in self.texts)

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
        """Return the places of the words that are in a run of words which a text has, too.

        A run is three words, or all words of a text that has only two.
        """
        found: set[int] = set()
        for text in self.texts:
            words_shown = words_of(text)
            length = min(_WORDS_OF_QUOTATION, len(words_shown))
            if length < _FEWEST_WORDS_OF_QUOTATION:
                continue
            runs_shown = {*_runs(words_shown, length)}
            for place, run in enumerate(_runs(words, length)):
                if run in runs_shown:
                    found.update(range(place, place + length))
        return found

    @cached_property
    def around_tags(self) -> AroundTags:
        """What is before and behind the tags of thoughts in the texts."""
        before, behind = set[str](), dict[str, None]()  # Both without repetitions.
        for text in self.texts:
            for tag in islice(_THOUGHT_TAG.finditer(text), _MOST_TAGS):
                before.add(
                    _bare(text[max(0, tag.start() - _AROUND_TAG) : tag.start()])[
                        -_ALIKE_BEFORE_TAG:
                    ]
                )
                behind[_bare_words(text[tag.end() : tag.end() + _AROUND_TAG])] = None
        return AroundTags(frozenset(before - {""}), tuple(filter(None, behind)))

    def has_tag_behind(self, before: str) -> bool:
        """Return whether a tag that is shown follows the same last characters.

        They are a dozen, or fewer where a text begins so closely before its tag.
        """
        return any(map(_bare(before[-_AROUND_TAG:]).endswith, self.around_tags.before))

    def has_tag_before(self, behind: str) -> bool:
        """Return whether a tag that is shown precedes the same word."""
        first_word = words_of(behind[:_AROUND_TAG])[:1]
        return any(words_of(shown)[:1] == first_word for shown in self.around_tags.behind)


def _runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """Return every run of so many words side by side, those that overlap, too."""
    return zip(*(islice(words, start, None) for start in range(length)), strict=False)


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text; 1.0 is 1."""
    return [_plain_number(word) for word in _WORD.findall(text.casefold())]


def _plain_number(word: str) -> str:
    return word.rstrip("0").rstrip(".") if "." in word else word


def _bare(text: str) -> str:
    """Return a text without white space and case."""
    return re.sub(r"\s+", "", text).casefold()


def _bare_words(text: str) -> str:
    """Return a text without case, with one space for each run of white space."""
    return " ".join(text.casefold().split())


class Speech(NamedTuple):
    """What a judge says itself."""

    text: str  # With a sign in place of each object and quotation.
    objects: list[Object]  # Those that it gives as its verdict.
    ends_with_object: bool  # Whether nothing is said behind the last of them.
    shown: Shown
    is_too_short_to_quote: bool = False  # So that what was shown is no quotation in it.


def speeches(reply: str, shown: Shown) -> list[Speech]:
    """Return what a judge says itself; several where it is open which part of its reply that is.

    Nothing if it never stopped thinking.
    """
    return [_speech(_cut(text), shown) for text in _without_thoughts(reply, shown)]


def _cut(text: str) -> str:
    """Return the beginning and the end of a text that is too long to be read whole."""
    if len(text) <= _LONGEST_REPLY:
        return text
    return f"{text[: _LONGEST_REPLY // 2]}\n{QUOTED}\n{text[-_LONGEST_REPLY // 2 :]}"


def _without_thoughts(reply: str, shown: Shown) -> list[str]:
    """Return a reply without what is thought aloud at its beginning; nothing if all is thought.

    A tag ends a thought unless it is quoted, and the reply is what is behind the last end. Where
    the texts that the judge was shown hold such tags, an end may be quoted in other words without
    being known as a quotation: then two texts are returned, which must not contradict each other.
    They are what is behind the first and behind the last end or, where no thought is opened, what
    is before the first and behind the last.
    """
    is_opened = _opens_a_thought(reply, shown)
    closing = [*_CLOSING_TAG.finditer(reply)]
    if len(closing) > _MOST_TAGS:  # The first and the last ones decide.
        closing = closing[: _MOST_TAGS // 2] + closing[-_MOST_TAGS // 2 :]
    ends = [tag for tag in closing if not _is_quoted(tag, reply, shown)]
    if is_opened and not ends:
        ends = [tag for tag in closing[-1:] if _ends_a_thought(tag, reply, shown)]
        if not ends:
            return []
    if not ends:
        return [reply]
    behind_first, behind_last = reply[ends[0].end() :], reply[ends[-1].end() :]
    if not shown.has_tags:
        return [behind_last]
    if not is_opened:
        return [reply[: ends[0].start()], behind_last]
    return [behind_first] if behind_first == behind_last else [behind_first, behind_last]


def _opens_a_thought(reply: str, shown: Shown) -> bool:
    """Return whether a reply begins with a tag of a thought, and not as a shown text with one."""
    start = _TEMPLATE_START.match(reply)
    opening = _OPENING_TAG.match(reply, start.end() if start else 0)
    return opening is not None and not _goes_on_as_shown(reply[opening.end() :], shown)


def _goes_on_as_shown(text: str, shown: Shown) -> bool:
    """Return whether what is behind a tag begins as what is behind one that was shown."""
    said = _bare_words(text[:_AROUND_TAG])
    return shown.has_tags and any(
        said.startswith(beginning[:_ALIKE_BEHIND_TAG]) for beginning in shown.around_tags.behind
    )


def _is_quoted(tag: re.Match[str], reply: str, shown: Shown) -> bool:
    """Return whether a tag is in quotation marks, or where a text that was shown has one."""
    line_start = reply.rfind("\n", 0, tag.start()) + 1
    line_end = reply.find("\n", tag.end())
    start = max(line_start, tag.start() - _LONGEST_QUOTATION)
    around = reply[start : line_end if line_end >= 0 else len(reply)][:_LONGEST_LINE]
    place = tag.start() - start
    if any(q.start() < place < q.end() for q in _INLINE_QUOTATION.finditer(around)):
        return True
    before, behind = reply[: tag.start()], reply[tag.end() : tag.end() + _AROUND_TAG]
    return shown.has_tags and (shown.has_tag_behind(before) or shown.has_tag_before(behind))


def _ends_a_thought(tag: re.Match[str], reply: str, shown: Shown) -> bool:
    """Return whether a tag ends a thought although a shown text has one before the same word.

    It does where a sentence ends before it, and the word is all that is said behind it: a thought
    must end somewhere, and ``yes`` is a verdict.
    """
    before, behind = reply[: tag.start()].rstrip(), reply[tag.end() :].strip(" \t\n*_.!")
    is_end = before[-1:] in (".", "!") and not shown.has_tag_behind(before)
    return is_end and len(words_of(behind)) == 1


def _speech(text: str, shown: Shown) -> Speech:
    """Return what a text, without thoughts, says: its objects, and its words without quotations.

    An object is the judge's verdict if nothing else is said, or if it stands where a sentence may
    begin and does not say what was shown.
    """
    whole = _TEMPLATE_TOKEN.sub(
        "", _without_shown_tags(text, shown) if shown.has_tags else text
    ).strip()
    only = whole.strip("`\n ")
    is_too_short_to_quote = len(words_of(only)) <= _WORDS_OF_QUOTATION and "\n" not in only
    verdicts, parts = list[Object](), list[str]()
    end_of_last = end_of_verdict = 0
    for start, end, fields in _find_objects(whole):
        is_all = not words_of(_FENCE.sub("", whole[:start])) and not words_of(whole[end:])
        before = _FENCE.sub("\n", whole[max(0, start - _CHARACTERS_BEFORE_OBJECT) : start])
        if is_all or (_MAY_PRECEDE_OBJECT.search(before) and not _is_shown(fields, shown)):
            verdicts.append(fields)
            end_of_verdict = end
        parts += [whole[end_of_last:start], QUOTED]
        end_of_last = end
    words = "".join([*parts, whole[end_of_last:]])
    is_anything_behind = re.search(r"[\w\]{]", whole[end_of_verdict:]) is not None
    return Speech(
        text=words if is_too_short_to_quote else _without_quotations(words, shown),
        objects=verdicts,
        ends_with_object=bool(verdicts) and not is_anything_behind,
        shown=shown,
        is_too_short_to_quote=is_too_short_to_quote,
    )


def _find_objects(text: str) -> Iterator[tuple[int, int, Object]]:
    """Yield where the objects of a text begin and end, and their fields; none within another."""
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
    """Return the object that begins at a place and is not quite JSON, and where it ends.

    None, and the place itself, if it is no object either way.
    """
    stop = text.find("}", start, start + _LONGEST_MENDED) + 1
    mended = text[start:stop]
    for written, meant in _MENDINGS:
        mended = written.sub(meant, mended)
    try:
        return json.loads(mended), stop
    except ValueError:
        return None, start


def _is_shown(fields: Object, shown: Shown) -> bool:
    """Return whether all fields of an object, or of one in it, are in what the judge was shown."""
    plain = [(name, value) for name, value in fields.items() if not isinstance(value, dict)]
    if not plain:
        return any(_is_shown(value, shown) for value in fields.values())
    return all(shown.holds(name, _first_words(value)) for name, value in plain)


def _first_words(value: object) -> str:
    return " ".join(words_of(json.dumps(value, ensure_ascii=False))[:_MOST_WORDS_COMPARED])


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
    """Return a text with a sign in place of each block of lines that is fenced off.

    A block that is never closed stays, and one without a word leaves no sign.
    """
    kept = list[str]()
    block: list[str] | None = None  # The lines behind a fence that is open.
    for line in text.split("\n"):
        is_fence = line.strip().startswith("```")
        if block is None:
            if is_fence:
                block = []
            else:
                kept.append(line)
        elif is_fence:
            kept += [QUOTED] if words_of(" ".join(block)) else []
            block = None
        else:
            block.append(line)
    return "\n".join(kept + (block or []))


def _without_quotation(found: re.Match[str]) -> str:
    """Return the sign for a quotation; but one word alone on its line, or behind a label, stays.

    There the judge says it itself: ``Verdict: "yes"``.
    """
    before = found.string[: found.start()].rpartition("\n")[2].strip(" \t*_#-")
    behind = found.string[found.end() :].partition("\n")[0].strip(" \t*_.!")
    is_said = not behind and (not before or before[-1] in ":=")
    return found[0][1:-1] if is_said and len(words_of(found[0])) == 1 else QUOTED


def _without_shown_tags(text: str, shown: Shown) -> str:
    """Return a text with a sign in place of each tag of a thought, and of what repeats behind it.

    What repeats is the longest beginning that a shown text has behind a tag, too.
    """
    before, *parts_behind = _THOUGHT_TAG.split(text)
    kept = [before]
    for part in parts_behind:
        lengths = [_length_in_common(part, beginning) for beginning in shown.around_tags.behind]
        kept += [QUOTED, part[max(lengths, default=0) :]]
    return "".join(kept)


def _length_in_common(text: str, shown: str) -> int:
    """Return how many characters at the beginning of a text are as shown, white space aside."""
    length, shown_characters = 0, iter(shown.replace(" ", ""))
    for place, character in enumerate(text[: 2 * _AROUND_TAG]):  # It may have more white space.
        if character.isspace():
            continue
        if character.casefold() != next(shown_characters, None):
            break
        length = place + 1
    return length
