"""The options of a question, and which of them a text names or comes nearest to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import islice
from math import log
from typing import NamedTuple

from mabench.scoring.corrected.rule import as_asked
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import same_word
from mabench.scoring.sameness.same import mentions
from mabench.scoring.standing import Standing, standing
from mabench.scoring.tokens import plain, tokens
from mabench.scoring.words import spelling
from mabench.text import Option
from mabench.text.stems import is_function_word

LEAD = re.compile(
    r"^\W*(?:(?:the|my|so|next|event)\W+)*(?:(?:final|correct|best|right|next)\s+)?"
    r"(?:answer|option|choice|event)\b\W*(?:is\b\W*)?(?:that\b\W*)?(?:option\b\W*)?",
    re.IGNORECASE,
)
ITEM = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*\u2022>])\s+")
_LETTER = re.compile(r"(?<![\w.'\u2019])(?P<letter>[A-Z])(?![\w'\u2019]|-\w)")
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+)\s$")
_WORD_AFTER = re.compile(r"\s+([^\W_][\w']*)")
_NUMBERED = re.compile(
    r"\b(?:option|event|choice|number|answer)s?(?:\s+(?:number|no\.?|is))?\W{0,3}(?P<n>\d{1,2})\b"
    r"(?:\s*(?:,|or|and|/|&)\s*(?P<other>\d{1,2})\b)?",
    re.IGNORECASE,
)
_ITEM_LINE = re.compile(r"^[ \t]*\(?(\d{1,2})[.):][ \t]+(\S.*)$", re.MULTILINE)
_NUMBER = re.compile(
    r"^\W*(?:(?:it is|it's|i choose)\s+)?(?:the\s+)?(?P<n>\d{1,2})"
    r"(?:(?:st|nd|rd|th)\s+(?P<noun>option|event|choice|one))?\W*$",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never|no|nor|without)\b|n['\u2019]t\b", re.IGNORECASE)
_CONTRACTED = re.compile(
    r"\b(?:(ca|wo|sha|\w{2,6}?)n['\u2019]t|(did|does|do|is|was|are|were|had|has|have|could"
    r"|would|should)nt)\b",
    re.IGNORECASE,
)
_CONTRACTIONS = {"ca": "can", "wo": "will", "sha": "shall"}
_ENOUGH = 0.75  # Share of an option that names it in other words, where it is a sentence.
_MAYBE = 0.5
_APART = 0.3  # How much more of it a text says than of any other.
_PREFIX = 4  # Words of a cut-off option that name it.
_LIKE = 0.5  # Of what tells another option, from how much on a gold may be meant.
_MOST = 40


class Named(NamedTuple):
    """An option that a text names: where, which, and how it stands."""

    start: int
    end: int
    option: int
    stands: Standing


def numbered_options(question: str) -> tuple[Option, ...]:
    """Return the options that stand one a line behind numbers that count up from 1, the last so."""
    block: list[Option] = []
    for number, text in _ITEM_LINE.findall(question):
        block = [] if number == "1" else block
        block += [Option(None, text.rstrip())] if int(number) == len(block) + 1 else []
    return tuple(block) if len(block) > 1 else ()


class Options:
    """The options of a question, and what each may be called."""

    def __init__(self, options: Sequence[Option], asked: Sequence[str] = ()) -> None:
        self._asked = "\n".join(asked)
        self.all = options
        self._is_lettered = any(option.letter for option in options)
        self._letters = {option.letter: place for place, option in enumerate(options)}
        self._spelt = [spelling(option.text) for option in options]
        self._content = [Counter(_content(option.text)) for option in options]
        # Without spaces, since a drive-way is a driveway.
        self._places = {"".join(said): place for place, said in reversed([*enumerate(self._spelt)])}
        for letter, place in self._letters.items():
            if letter and self._spelt[place]:
                self._places.setdefault(letter.casefold() + "".join(self._spelt[place]), place)
                self._places.setdefault(letter.casefold(), place)
        self._places.pop("", None)

    def called(self, text: str) -> int | None:
        """Return the option of which ``text`` is the name, the number, or enough of the begin."""
        for whole in (text, ITEM.sub("", text), LEAD.sub("", text)):
            if (place := self._places.get("".join(spelling(whole)))) is not None:
                return place
        number = _NUMBER.match(plain(text))
        if number and (number["noun"] or not self._is_lettered):
            return self._numbered(int(number["n"]))
        said = spelling(LEAD.sub("", ITEM.sub("", text)))
        begun = [
            place
            for place, option in enumerate(self._spelt)
            if " ".join(option).startswith(" ".join(said)) and len(said) > 1
        ]
        is_enough = begun and len(said) >= min(_PREFIX, len(self._spelt[begun[0]]) - 1)
        return begun[0] if len(begun) == 1 and is_enough else None

    def _numbered(self, number: int) -> int | None:
        return number - 1 if 0 < number <= len(self.all) else None

    def named(self, text: str) -> list[Named]:
        """Return the options that ``text`` names, in the order of the text."""
        spans = [
            (mention.start, mention.end, place)
            for place, option in enumerate(self.all)
            for mention in mentions(_written_out(option.text), text)[:6]
            if mention.sure
        ]
        spans.sort(key=lambda span: (span[0], -span[1]))
        outer = [  # Not within a longer option's text.
            span for n, span in enumerate(spans) if all(span[1] > end for _, end, _ in spans[:n])
        ]
        for match in islice(_NUMBERED.finditer(text), _MOST):
            for group in ("n", "other"):
                number = self._numbered(int(match[group] or 0))
                outer += [] if number is None else [(*match.span(group), number)]
        for match in islice(_LETTER.finditer(text), _MOST if self._is_lettered else 0):
            letter, (start, end) = match["letter"], match.span()
            before = _WORD_BEFORE.search(text[max(0, start - 20) : start])
            after = _WORD_AFTER.match(text, end)
            is_initial = before and before[1].casefold() not in words("choice.before_letter")
            is_article = letter == "A" and after and after[1] not in words("choice.after_letter")
            is_inner = any(s <= start and end <= e for s, e, _ in outer)
            if letter in self._letters and not (is_initial or is_article or is_inner):
                outer.append((start, end, self._letters[letter]))
        for token in tokens(text)[:1000] if self._is_lettered else ():  # A name that one has.
            owners = [n for n, content in enumerate(self._content) if token.word in content]
            before = _WORD_BEFORE.search(text[max(0, token.start - 20) : token.start])
            is_other = before and before[1].casefold() not in self._content[(owners or [0])[0]]
            is_inner = any(s <= token.start < e for s, e, _ in outer)
            if len(owners) == 1 and token.is_name and not (is_inner or is_other):
                outer.append((token.start, token.end, owners[0]))
        listed: list[tuple[int, int, int]] = []
        for start, end, place in sorted(outer):
            last = listed[-1] if listed else None
            if last and place == last[2] and not re.search(r"\w", text[last[1] : start]):
                start = listed.pop()[0]  # Its letter and its text.
            listed.append((start, end, place))
        return [Named(s, e, n, as_asked(standing(text, s, e), self._asked)) for s, e, n in listed]

    def nearest(self, text: str, golds: Container[int | None]) -> bool | None:
        """Say whether ``text`` tells a gold in other words; None if it may, or may another.

        Each word counts by how few of the options have it. Of suspects, those that the text takes
        back do not count; an event that is denied is another.
        """
        holding = Counter(word for content in self._content for word in content)
        weights = {word: log(len(self.all) / count) for word, count in holding.items()}
        said: set[str] = set()
        for token in tokens(text)[:1000]:
            kin = {word for word in holding if same_word(word, token.word)} - said
            if kin and self._is_lettered:
                rejected = standing(text, token.start, token.end) is Standing.REJECTED
                kin = set() if rejected else kin
            said |= kin
        evidence = [
            sum(weights[word] for word in content if word in said)
            * (self._is_lettered or _is_negative(option.text) == _is_negative(text))
            for content, option in zip(self._content, self.all, strict=True)
        ]
        best = max(range(len(evidence)), key=lambda place: evidence[place])
        rest = max((e for place, e in enumerate(evidence) if place != best), default=0.0)
        if not evidence[best]:
            return False
        own, spoken, apart = self._content[best], _content(text), 1 - rest / evidence[best]
        share = evidence[best] / sum(weights[word] for word in own)
        if self._is_lettered:
            is_sure = apart > _APART and (share >= _MAYBE or len(own) <= _PREFIX + 2)
        else:
            foreign = [word for word in said if not _is_kin(word, own)]
            is_other = any(word.capitalize() in text for word in foreign)  # Another subject.
            is_other |= sum(weights[word] for word in foreign) > _APART * evidence[best]
            precise = sum(_is_kin(word, own) for word in spoken) / max(len(spoken), 1)
            is_sure = not is_other and min(share, precise) >= _ENOUGH and apart >= _APART
            is_sure |= not is_other and len(said) >= 3 and min(share, precise, apart) >= _MAYBE
        if is_sure:
            return best in golds
        known = {word for content in self._content for word in content}
        names = [t.word for t in tokens(text)[1:] if t.is_name and not is_function_word(t.word)]
        if not all(_is_kin(word, known) for word in names):
            return False
        gold = max((e for place, e in enumerate(evidence) if place in golds), default=0.0)
        other = max((e for place, e in enumerate(evidence) if place not in golds), default=0.0)
        is_near = gold > other if self._is_lettered else gold and gold >= _LIKE * other
        return None if is_near else False


def readable(text: str) -> str:
    """Return ``plain`` text, initials and letters of options apart, without contractions."""
    return plain(_written_out(text), initials=False)


def _written_out(text: str) -> str:
    """Return a text without contracted negations: ``didn't`` becomes ``did not``."""
    return _CONTRACTED.sub(
        lambda m: _CONTRACTIONS.get((m[1] or m[2]).casefold(), m[1] or m[2]) + " not", text
    )


def _content(text: str) -> list[str]:
    said = (token.word for token in tokens(readable(text)))
    return [word for word in said if len(word) > 1 and not is_function_word(word)]


def _is_negative(text: str) -> bool:
    return len(_NEGATION.findall(_written_out(text))) % 2 == 1


def _is_kin(word: str, others: Iterable[str]) -> bool:
    return any(same_word(word, other) for other in others)
