"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.corrected.rule import Corrected, is_same, refuses, right, unclear, wrong
from mabench.scoring.final_answer import Form, Found, final_answers
from mabench.scoring.inflection import same_word
from mabench.scoring.mentions import mentions, plain, tokens, wanted_tokens
from mabench.scoring.standing import Standing, sentence_around, standing
from mabench.scoring.words import spelling
from mabench.text import Option, options_in

_LEAD = re.compile(
    r"^\W*(?:(?:the|my|so|next|event)\W+)*(?:(?:final|correct|best|right|next)\s+)?(?:answer"
    r"|option|choice|event)\b"
    r"\W*(?:is\b\W*)?(?:option\b\W*)?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*\u2022>])\s+")
# A letter that is plainly an option's.
# A letter that is plainly an option's: any by itself that is no initial; A where it is no article.
_LETTERS = re.compile(
    r"\((?P<a>[A-Z])\)|\[(?P<b>[A-Z])\]"
    r"|(?:^|(?<=\n))[ \t\"']*(?P<c>A)(?=[.):,;!?]?(?:\s|$)(?![a-z](?![a-z]*\b(?:is|was|because"
    r"|since|has|had|fits|seems))))"
    r"|(?i:\b(?:option|choice|answer|letter|choose|pick|select|chose|with|say|guess|is|be|are"
    r"|probably|likely|maybe"
    r"|perhaps|possibly|definitely|clearly|certainly|obviously|it['\u2019]?s|so|therefore|thus"
    r"|hence|not|or|and|nor"
    r"|neither|either|but|than|except|out|of|think|thought|to|for|if|was|first|initially"
    r"|between|over)\b[:,]?\s+\(?(?P<d>A)"
    r"(?=\)?\s*(?:$|[.,;:!?\"')/\n\u2192-]|(?:because|since|as|or|and|nor|not|is|was|has|had"
    r"|rather|instead|but|are"
    r"|seems|for|who)\b)))"
    r"|(?<![\w.'])(?P<e>A)(?=\s*(?:,|/|&|->|\u2192)\s*(?:[A-Z]\b|not\b|or\b|and\b|but\b"
    r"|because\b|since\b|as\b))"
    r"|(?<![\w.'])(?P<f>A)(?=\s*[:=]|\s+(?:is|was|has|had|cannot|can't|isn't|wasn't|or|and|nor"
    r"|because|since|seems|fits"
    r"|must|rather|instead|are|would|could|remains)\b)"
    r"|(?<=[/,=&:;?])\s?(?P<g>A)(?=\s*(?:$|[.,;:!?/\n]|(?:or|and|had|was|is)\b))"
    r"|(?<=[.!?:;]\s)\"?(?P<h>A)(?=[.!?)]?\s*(?:$|\n)|[).:]\s)"
    r"|(?<![\w.'\u2019])(?P<i>[B-Z])(?![\w'\u2019]|-\w)"
)
_BEFORE_INITIAL = re.compile(r"([A-Z][a-z]+)\s$")
_NO_NAME = frozenset(
    [
        "option",
        "answer",
        "choice",
        "letter",
        "so",
        "therefore",
        "thus",
        "hence",
        "only",
        "probably",
        "likely",
        "maybe",
        "perhaps",
        "definitely",
        "clearly",
        "possibly",
        "choose",
        "pick",
        "select",
        "not",
        "either",
        "neither",
        "both",
        "but",
        "guess",
        "final",
        "certainly",
        "obviously",
        "between",
        "then",
    ]
)
_NUMBERED = re.compile(
    r"\b(?:option|event|choice|number|answer)s?(?:\s+(?:number|no\.?|is))?\W{0,3}(?P<n>\d{1,2})\b"
    r"(?:\s*(?:,|or|and|/|&)\s*(?P<other>\d{1,2})\b)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*(\d{1,2})\W*$")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ORDINAL = re.compile(
    rf"^\W*(?:(?:it is|it's|i choose)\s+)?(?:the\s+)?({'|'.join(_ORDINALS)}|last)\s+(?:option"
    rf"|event|choice|one)\W*$",
    re.IGNORECASE,
)
_STRONG_AFTER = re.compile(
    r"[\"')\]*.]{0,3}\s*(?:(?:is|are|was|were|seems?|must be"
    r"|fits?)\s+(?:\w+ly\s+)?(?:the\s+)?(?:most\s+)?(?:likely\s+)?(?:to be\s+)?(?:the\s+)?"
    r"(?:answer|correct|right|best|next|true|guilty|likely|probable|killer|murderer|culprit"
    r"|real|one)|did it|committed|[:=-]\s*(?:yes|correct|right|true)\b)",
    re.IGNORECASE,
)
_STRONG_BEFORE = re.compile(
    r"(?:\b(?:is|are|was|were|be|it['\u2019]s|choose|pick|select|blame|answer|option|suspect"
    r"|likely|probably|certainly|definitely|say)\b[:,]?\s*(?:that\s+)?(?:option|event|choice"
    r"|the|that of)?\s*[\"'(]{0,2})$",
    re.IGNORECASE,
)
_STANDS_ALONE = re.compile(
    r"[\"')\]*]{0,3}\s*(?:$|[.\n,;:!(\u2013\u2014-]|(?:because|since|as|did it|did|is|was the"
    r"|are|fits|best|must|rather|instead|and not|not)\b)",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"^[\"')\].]{0,3}\s*(?:,|/|\bor\b|\band\b|&|\|)[\s,]*(?:or |and |the |option |\(|\"|')*$",
    re.IGNORECASE,
)
_LETTERED_MOST = 6  # Words of an option that a single word of it may name.
_EVENT_IS = re.compile(
    r"^[^.\n]{0,60}\bevent\b[^.\n]{0,40}?\b(?:is|was)\b(?: that)?[:\s\"']*", re.I
)
_SPARE = 6  # So many words of a reworded option may hold one of its own: found for finds.
_REWORDED = 0.75  # Share of words that a reworded option shares, and how far it is from others.
_APART = 0.3
_PREFIX = 4  # Words of a cut-off option that name it.
_SHORT = 12
_MOST = 40
_MOST_WORDS = 1000
_JOINTS = frozenset({"and", "or", "then", "next"})
_PRONOUN = re.compile(r"\W*(?:he|she|they|it)\b", re.IGNORECASE)
_CONTRACTED = re.compile(
    r"\b(?:(ca|wo|sha|\w{2,6}?)n['\u2019]t|(did|does|do|is|was|are|were|had|has|have|could"
    r"|would|should)nt)\b",
    re.IGNORECASE,
)
_CONTRACTIONS = {"ca": "can", "wo": "will", "sha": "shall"}
_EMPTY = frozenset(
    [
        "the",
        "and",
        "was",
        "were",
        "his",
        "her",
        "him",
        "she",
        "they",
        "with",
        "from",
        "that",
        "this",
        "into",
        "for",
        "who",
        "did",
        "not",
        "one",
    ]
)


class _Named(NamedTuple):
    """An option that a text names: which, where, and how it stands."""

    option: int
    start: int
    end: int
    stands: Standing


def correct_choice(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` chooses the option of ``question`` that is the answer.

    An option is chosen by its letter, its text, both, its number, or by words that no other
    option has. Options that are ruled out, or named in a reason, are not chosen; to choose
    several is no choice. Where no option that is offered is the answer, the prediction as a
    whole must be.
    """
    if is_same(prediction, answers, spelling):
        return right("option-alone")
    if not prediction.strip():
        return wrong("no-answer")
    options = _Options(options_in(question or ""))
    golds = {place for answer in answers for place in options.called(answer)}
    if not golds:
        return _without_options(prediction, answers)
    for found in final_answers(prediction):
        result = _read(found, options, golds)
        if result is not None:
            return result
        if found.is_final:
            return wrong("no-option")
    return wrong("no-option")


class _Options:
    """The options of a question, and what each may be called."""

    def __init__(self, options: Sequence[Option]) -> None:
        self.all = options
        self.lettered = any(option.letter for option in options)
        self._places: dict[tuple[str, ...], int] = {}
        for place, option in enumerate(options):
            self._places.setdefault(spelling(option.text), place)
        for place, option in enumerate(options):
            if option.letter and spelling(option.text):
                self._places.setdefault(spelling(option.letter) + spelling(option.text), place)
                self._places.setdefault(spelling(option.letter), place)
        self._places.pop((), None)
        # Drive-way is driveway; letters alone are no such thing.
        self._joined = {"".join(key): place for key, place in self._places.items() if len(key) > 1}
        self._texts = [
            wanted_tokens(_written_out(option.text), initials=False) for option in options
        ]
        self._letters = {option.letter: place for place, option in enumerate(options)}

    def called(self, text: str) -> list[int]:
        """Return the option that ``text`` is the name of, as a list of one or none."""
        stripped = _ITEM.sub("", text)
        for whole in (text, stripped, _LEAD.sub("", text)):
            said = spelling(whole)
            place = self._places.get(said, self._joined.get("".join(said)))
            if place is not None:
                return [place]
        ordinal = _ORDINAL.match(text)
        if ordinal is None:
            return []
        name = ordinal[1].lower()
        return self.numbered(len(self.all) if name == "last" else _ORDINALS.index(name) + 1)

    def numbered(self, number: int) -> list[int]:
        """Return the option at this place of the list, counted from 1, as a list of one or none."""
        return [number - 1] if 0 < number <= len(self.all) else []

    def cut_off(self, text: str) -> list[int]:
        """Return the only option that begins with ``text``, where enough of it stands there."""
        said = spelling(_LEAD.sub("", _ITEM.sub("", text)))
        begun = [
            place
            for place, option in enumerate(self.all)
            if len(said) >= 2 and _begins(spelling(option.text), said)
        ]
        return (
            begun
            if len(begun) == 1
            and len(said) >= min(_PREFIX, len(spelling(self.all[begun[0]].text)) - 1)
            else []
        )

    def reworded(self, text: str) -> list[int]:
        """Return the only option that ``text`` says with much the same words."""
        said = _content(text)
        if self.lettered or len(said) < _PREFIX:
            return []
        options = [_content(option.text) for option in self.all]
        told = _PRONOUN.match(text) is not None
        shared = sorted(
            (
                (_overlap(said, option[1:] if told else option), place)
                for place, option in enumerate(options)
            ),
            reverse=True,
        )
        best, place = shared[0]
        return [place] if best >= _REWORDED and best - shared[1][0] >= _APART else []

    def named(self, text: str) -> list[_Named]:
        """Return the options that ``text`` names, in the order of the text."""
        found = [
            (mention.start, mention.end, place)
            for place, wanted in enumerate(self._texts)
            for mention, _ in zip(mentions(wanted, text), range(6), strict=False)
        ]
        found.sort(key=lambda item: (item[0], -item[1]))
        outer: list[tuple[int, int, int]] = []
        for start, end, place in found:
            if not outer or end > outer[-1][1]:  # Not within a longer option's text.
                outer.append((start, end, place))
        for match in islice(_NUMBERED.finditer(text), _MOST):
            for group in ("n", "other"):
                outer += [
                    (*match.span(group), place) for place in self.numbered(int(match[group] or 0))
                ]
        for start, end, letter in self._lettered(text):
            if not any(s <= start and end <= e for s, e, _ in outer):
                outer.append((start, end, self._letters[letter]))
        return [
            _Named(place, start, end, standing(text, start, end))
            for start, end, place in sorted(outer)
        ]

    def hinted(self, text: str) -> list[_Named]:
        """Return the options of which ``text`` has words that no other option has.

        Of long options it takes two such words, and none of another option.
        """
        if not self.lettered:
            return []
        owners: dict[str, set[int]] = {}
        for place, wanted in enumerate(self._texts):
            for token in wanted:
                if len(token.word) > 2 and token.word not in _EMPTY:
                    owners.setdefault(token.word, set()).add(place)
        named = []
        for token in tokens(text)[:_MOST_WORDS]:
            of = {
                place
                for word, places in owners.items()
                if same_word(word, token.word)
                for place in places
            }
            if len(of) == 1:
                named.append(
                    _Named(min(of), token.start, token.end, standing(text, token.start, token.end))
                )
        if any(len(wanted) > _LETTERED_MOST for wanted in self._texts):
            alone = len(named) > 1 and len({one.option for one in named}) == 1
            return named if alone else []
        return named

    def _lettered(self, text: str) -> Iterator[tuple[int, int, str]]:
        if not self.lettered:
            return
        for match, _ in zip(_LETTERS.finditer(text), range(_MOST), strict=False):
            group = match.lastgroup
            name = _BEFORE_INITIAL.search(text[max(0, match.start() - 20) : match.start()])
            if name and name[1].casefold() not in _NO_NAME:
                continue  # An initial, or the C of vitamin C.
            if group and match[group] in self._letters:
                yield match.start(group), match.end(group), match[group]


def _read(found: Found, options: _Options, golds: set[int]) -> Corrected | None:
    """Return what a text says of the options; None if it names none."""
    line = _readable(found.line)
    text = _readable(found.text if found.form is Form.WHOLE else found.line).strip()
    for chosen, rule in (
        (options.called(found.line), "alone"),
        (options.cut_off(found.line), "cut-off"),
    ):
        if chosen and (found.form is not Form.WHOLE or "\n" not in found.text.strip()):
            if found.form is Form.FIRST_LINE and _is_list(found, options):
                return None
            return _verdict(set(chosen), golds, f"option-{rule}")
    number = None if options.lettered else _NUMBER.match(line)
    numbered = options.numbered(int(number[1])) if number else []
    if numbered:
        return _verdict(set(numbered), golds, "option-number")
    option, rule = _chosen(text, options)
    if rule == "no-option" and (reworded := options.reworded(_EVENT_IS.sub("", line))):
        option, rule = reworded[0], "option-reworded"
    if found.form is Form.FIRST_LINE and (rule != "option-first" or _goes_on(found, options)):
        return None
    if option is not None:
        return _verdict({option}, golds, rule)
    if rule != "no-option":
        return unclear(rule) if rule == "options-unclear" else wrong(rule)
    if found.form in (Form.SAID, Form.CONCLUDED):
        return None
    return wrong("refusal" if refuses(text) else rule)


def _is_list(found: Found, options: _Options) -> bool:
    """Say whether a first line is the first of several options, one a line."""
    following = next((line for line in found.rest.split("\n") if line.strip()), "")
    return not found.explained and bool(options.called(following))


def _goes_on(found: Found, options: _Options) -> bool:
    return not found.explained and len(options.named(_readable(found.line))) > 1


def _chosen(text: str, options: _Options) -> tuple[int | None, str]:
    """Return the option that a text chooses, or None, and the rule."""
    named = options.named(text) or options.hinted(text)
    if not named:
        return None, "no-option"
    standing_out = [one for one in named if one.stands is Standing.ASSERTED]
    if not standing_out:
        left = [one for one in named if one.stands is not Standing.REJECTED]
        if len({one.option for one in left}) == 1 and not refuses(text):
            return left[0].option, "option-in-text"
        return None, "option-rejected" if not left else "several-options"
    if len({one.option for one in standing_out}) == 1:
        one = standing_out[0]
        if refuses(sentence_around(text, one.start, one.end)) and not _leads(text, one):
            return None, "refusal"
        return one.option, "option-first" if _leads(text, one) else "option-in-text"
    return _of_several(text, standing_out)


def _of_several(text: str, named: Sequence[_Named]) -> tuple[int | None, str]:
    """Return which of several asserted options a text settles on."""
    first = named[0]
    other = next(number for number, one in enumerate(named) if one.option != first.option)
    between = text[named[other - 1].end : named[other].start]
    joined = bool(_JOINT.match(between))
    if _leads(text, first) and not joined and _STANDS_ALONE.match(text, named[other - 1].end):
        is_letter = first.end - first.start == 1 < named[other].end - named[other].start
        is_letter = is_letter and other == 1 and not re.search(r"[;\n]", between)
        bare_list = not re.search(r"\w", between) and (is_letter or not _explains(text, named))
        return (None, "several-options") if bare_list else (first.option, "option-first")
    strong = {
        one.option
        for one in named
        if _STRONG_AFTER.match(text[one.end : one.end + 80])
        or _STRONG_BEFORE.search(text[max(0, one.start - 60) : one.start])
    }
    if len(strong) == 1 and not joined:
        return strong.pop(), "option-in-text"
    if joined or len(text.split()) <= _SHORT or len(strong) > 1:
        return None, "several-options"
    return None, "options-unclear"


def _leads(text: str, one: _Named) -> bool:
    """Say whether an option opens the text."""
    return not re.search(r"\w", text[: one.start]) or bool(_ITEM.fullmatch(text[: one.start]))


def _explains(text: str, named: Sequence[_Named]) -> bool:
    """Say whether a text says more of its options than their names."""
    said = sum(len(tokens(text[one.start : one.end])) for one in named)
    words = [
        token for token in tokens(text) if not token.word.isdigit() and token.word not in _JOINTS
    ]
    return len(words) > said


def _readable(text: str) -> str:
    return plain(_written_out(text), initials=False)


def _written_out(text: str) -> str:
    """Return a text without contracted negations: ``didn't`` becomes ``did not``."""
    return _CONTRACTED.sub(
        lambda m: _CONTRACTIONS.get((m[1] or m[2]).casefold(), m[1] or m[2]) + " not", text
    )


def _content(text: str) -> list[str]:
    """Return the words of a text that carry it, negations among them."""
    said = (token.word for token in tokens(_readable(text)))
    return [word for word in said if len(word) > 2 and (word not in _EMPTY or word == "not")]


def _overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of an option's words that ``one`` has, which has hardly others; else 0."""
    left, spare = list(other), len(one) // _SPARE
    for word in one:
        kin = next((known for known in left if _is_kin(word, known)), None)
        if kin is not None:
            left.remove(kin)
        elif spare and word != "not":
            spare -= 1
        else:
            return 0.0
    first = bool(one and other) and _is_kin(one[0], other[0])
    return (1 - len(left) / len(other)) if first else 0.0


def _is_kin(one: str, other: str) -> bool:
    stem = max(4, max(len(one), len(other)) - 3)
    return same_word(one, other) or (
        min(len(one), len(other)) >= stem and one[:stem] == other[:stem]
    )


def _begins(option: Sequence[str], said: Sequence[str]) -> bool:
    if len(said) > len(option):
        return False
    whole, last = said[:-1], said[-1]
    return tuple(option[: len(whole)]) == tuple(whole) and option[len(whole)].startswith(last)


def _verdict(chosen: set[int], golds: set[int], rule: str) -> Corrected:
    return right(rule) if chosen <= golds else wrong(rule)


def _without_options(prediction: str, answers: Sequence[str]) -> Corrected:
    wanted = {spelling(answer) for answer in answers} - {()}
    for found in final_answers(prediction):
        for said in (found.text, found.line, _LEAD.sub("", found.text)):
            if spelling(said) in wanted:
                return right("no-options")
        if found.is_final:
            break
    return wrong("no-options")
