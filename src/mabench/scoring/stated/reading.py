"""Reading a text as a line of signs: where it states which value, and what it says of them.

What is read is ``plain`` English text. Words of the question are never rivals of the gold.

A sign (``signs``) is of a value, of punctuation, or of a word that bears on which value holds; a
``FoundSign`` has its place and what is said there. In a masked text there are null characters
where signs have been found. The root of a word is common to its forms: wrote, written, writer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from mabench.scoring.lexicon import (
    alternatives,
    either,
    pattern,
    remembered,
    sections,
    words,
)
from mabench.scoring.sameness.kin import root, word_forms
from mabench.scoring.sameness.times import same_time
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.stated.kinds import GoldKind
from mabench.scoring.stated.line import SignLine
from mabench.scoring.stated.signs import FoundSign, Sign, signs
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_LONGEST_REFERENCE = 100  # Characters of a text that only says which value is meant.
MOST_SIGNS = 400  # Signs that are read.
_DIGITS_OF_YEAR = len("1999")
_CHARACTERS_BEFORE = 40  # Characters before a word that are looked at.
_NEAR_MARK = 9  # Characters beside a number or a sign that are looked at.
_NEAR_NAME = 20  # Characters before a word that tell whether it is a part of a name.
_SIGNS_AGAIN = {Sign.GOLD: Sign.GOLD_AGAIN, Sign.RIVAL: Sign.RIVAL_AGAIN}
_ENDS_OF_SENTENCES = frozenset({Sign.END, Sign.SEMICOLON, Sign.QUESTION_MARK})
# What joins the parts of a sentence, even in words that the question has, too.
_STRUCTURAL_SIGNS = frozenset(
    {Sign.OR, Sign.AND, Sign.IS, Sign.CITATION, Sign.WHO, Sign.REASON, Sign.BUT, Sign.ALIAS}
)


def read_line(
    text: str,
    stated: Sequence[FoundSign],
    question: str,
    golds: Sequence[str],
    kind: GoldKind | None,
) -> SignLine:
    """Return the signs of ``plain`` text.

    Args:
        text: the text.
        stated: where it states the gold, and rivals that are known.
        question: what is asked.
        golds: the wordings of the gold.
        kind: the kind of the gold, to find its rivals by; None to look for none.
    """
    # Each step reads what the steps before it have left: what they found is masked.
    asked = frozenset(_root(token.word) for token in tokens(plain(question)))
    found = [*stated, *_find_comparison(text, stated, question)]
    found += islice(_find_marks(text, _mask(text, found), asked, kind), MOST_SIGNS)
    if kind not in (None, GoldKind.WORDS):
        rivals = [*_find_rivals(text, _mask(text, found), asked, golds, kind)]
        found += rivals
    found += _find_other_words(text, _mask(text, found), question)
    # What is found as nothing is only masked: a phrase whose words would have signs by themselves.
    shown = [item for item in found if item.sign is not Sign.NOTHING]
    in_order = sorted(shown, key=lambda item: item.start)
    links = pattern(r"\b(?:%s)\b|'s\b|(?<=\w )(?:who|which)\b", "question.links")
    negations = pattern(r"\b(?:%s)\b|n't\b", "question.negated")
    return SignLine(
        items=tuple(_with_references(in_order[:MOST_SIGNS])),
        asks_several_steps=len(links.findall(question)) > 1,
        is_negated=negations.search(question) is not None,
        names_gold=kind is GoldKind.NAME,
    )


def _find_comparison(text: str, stated: Sequence[FoundSign], question: str) -> Iterator[FoundSign]:
    """Yield what compares two that a question offers: ``older`` where it asks for the first.

    The value before it is the answer if it compares in the direction that the question asks for;
    else it is the value behind it.
    """
    compares = pattern(r"\b(?:(%s)|(%s))\b", "question.less", "question.more")
    is_offered = any(item.sign is Sign.RIVAL for item in stated)
    asks = compares.search(question) if is_offered and " or " in question else None
    if asks is None:
        return
    for found in compares.finditer(_mask(text, stated)):
        is_same_direction = found.lastindex == asks.lastindex  # Its group: less, or more.
        yield FoundSign(Sign.OUTLASTS if is_same_direction else Sign.GIVES_WAY, *found.span())


def _mask(text: str, items: Sequence[FoundSign]) -> str:
    """Return a text with null characters where some signs are, so that nothing else is found."""
    for item in items:
        text = text[: item.start] + "\0" * (item.end - item.start) + text[item.end :]
    return text


@remembered(1 << 14)
def _root(word: str) -> str:
    """Return what is common to the forms of a word: wrote, written, writer."""
    forms = word_forms()
    return root(min(forms.get(word) or forms.get(stem(word), {word})))


def is_no_value(word: str) -> bool:
    """Return whether a word is never a value: a function word, or a word of what a record says."""
    return is_function_word(word) or word in words(*_NO_VALUES) or stem(word) in _said_and_cited()


def new_words(text: str, question: str) -> frozenset[str]:
    """Return the stems of the words of ``plain`` text that may tell what the question does not."""
    said = {stem(token.word) for token in tokens(text) if not is_no_value(token.word)}
    return frozenset(said - {stem(token.word) for token in tokens(plain(question))})


_NO_VALUES = ("question.contracted", "question.openers")


@remembered()
def _said_and_cited() -> frozenset[str]:
    """Return the stems of verbs of saying, and of what is cited."""
    return frozenset(map(stem, words("question.saying", "question.cited")))


# What precedes a full stop that ends no sentence.
_ABBREVIATION_BEFORE = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|Vol|Prof|Gen|Col|Lt|Capt|Mt|i\.e|e\.g)"
    r"|^\s*\d{1,2}|(?:[A-Z][\w.]{0,40}\s|^|\.)[A-Z])\Z"
)
_WITHIN_DATE, _WITHIN_NAME = re.compile("[ ,'\"-]*"), re.compile("[ '\"-]*")
_BYNAME_BEGINS = re.compile(r"\b([A-Z]\w+) (?:the|of) $")
_FORM_OF_NAME_BEFORE = re.compile(r"\b(?:inc|ltd|co|corp|jr|sr|etc)\Z", re.IGNORECASE)


def _find_marks(
    text: str, masked: str, asked: frozenset[str], kind: GoldKind | None
) -> Iterator[FoundSign]:
    """Yield the signs of punctuation, of citations, and of words that bear on which value holds.

    In ``masked`` what is a value already is blank; ``asked`` are the roots of the question's words.
    A number that is cited at one place is a citation wherever it is, unless the question has it.
    """
    finder, signs_of_groups = _finder()
    found = [(signs_of_groups[(m.lastindex or 1) - 1], m) for m in finder.finditer(masked)]
    numbers = [match for sign, match in found if sign is None]
    cited = {_digits_of(match) for match in numbers if _is_cited(text, match, kind)}
    for sign, match in found:
        said = match[0].casefold()
        if sign is None:
            digits = _digits_of(match)
            if digits in cited and _roots_of(said).isdisjoint(asked):
                yield FoundSign(Sign.CITATION, *match.span(), said=digits)
        elif _is_sign(sign, match, text, masked, asked):
            yield FoundSign(sign, *match.span(), said=said if sign is Sign.CITATION else "")


def _digits_of(match: re.Match[str]) -> str:
    """Return the digits of a number that may be cited: 9 of ``fact #9``."""
    return re.sub(r"\D", "", match[0])


def _roots_of(said: str) -> set[str]:
    """Return the roots of some words: of those with content, if there are any."""
    listed = re.findall(r"\w+", said)
    content = {_root(word) for word in listed if not is_function_word(word)}
    return content or {_root(word) for word in listed}


def _is_sign(
    sign: Sign, match: re.Match[str], text: str, masked: str, asked: frozenset[str]
) -> bool:
    """Return whether a match bears on the choice: no abbreviation, name or word of the question.

    A full stop behind an abbreviation ends no sentence, behind one such as ``Inc`` only where a
    small letter follows.
    """
    before = masked[max(0, match.start() - _NEAR_NAME) : match.start()]
    is_punctuation = not re.search(r"\w", match[0])
    if is_punctuation and sign is Sign.END:
        word_before = text[max(0, match.start() - _NEAR_MARK) : match.start()]
        is_short = _FORM_OF_NAME_BEFORE.search(word_before) and re.match(
            r"\. [a-z]", text[match.start() :]
        )
        return not (is_short or _ABBREVIATION_BEFORE.search(before))
    if is_punctuation or sign in _STRUCTURAL_SIGNS:
        return True
    is_name = match[0].istitle() and re.search(r"[\w,] $", before)
    return not (is_name or _roots_of(match[0].casefold()) <= asked)


@remembered()
def _finder() -> tuple[re.Pattern[str], list[Sign | None]]:
    """Return what finds signs, and the sign of each of its groups; None is a number.

    ``signs.toml`` may have several lists for one sign, as ``NOT`` and ``NOT-...``. They are whole
    words; numbers and punctuation need not be.
    """
    of_words = [
        (Sign[name.partition("-")[0]], either(listed))
        for name, listed in sections()["signs"].items()
    ]
    others: list[tuple[Sign | None, str]] = [(None, alternatives("numbers.cited"))]
    others += [(Sign[name], either(listed)) for name, listed in sections()["marks"].items()]
    first, last = ("|".join(f"({part})" for _, part in parts) for parts in (of_words, others))
    finder = re.compile(rf"(?<![\w'-])(?=\w)(?:{first})(?![\w'])|{last}", re.IGNORECASE)
    return finder, [sign for sign, _ in [*of_words, *others]]


def _is_cited(text: str, match: re.Match[str], kind: GoldKind | None) -> bool:
    """Return whether a number is cited: behind a word or sign, in brackets, in a table.

    The match has the word with the number: ``fact 9``. A bare year is never cited where the gold is
    a date.
    """
    digits = _digits_of(match)
    if not digits:
        return False
    if kind is GoldKind.DATE and len(digits) == _DIGITS_OF_YEAR and match[0].strip(".") == digits:
        return False
    if match[0] != digits:
        return True
    before = text[max(0, match.start() - _NEAR_MARK) : match.start()].rstrip(" ")
    after = text[match.end() : match.end() + _NEAR_MARK].lstrip(" ")
    is_marked_before = re.search(r"(?:[<>#(\[]|\b(?:at|per))$", before) is not None
    return is_marked_before or after[:1] in ("(", "<", ">")


def _find_rivals(
    text: str,
    masked: str,
    asked: frozenset[str],
    golds: Sequence[str],
    kind: GoldKind,
) -> Iterator[FoundSign]:
    """Yield what is of the kind of the gold, and neither of the gold nor of the question.

    ``asked`` are the roots of the words of the question.
    """
    known = asked | {_root(token.word) for gold in golds for token in tokens(plain(gold))}
    for run in _find_values(text, masked, known, kind):
        said = " ".join(token.word for token in run)
        start, end = run[0].start, run[-1].end
        if kind is GoldKind.DATE:
            is_rival = all(same_time(gold, said) is False for gold in golds)
        else:
            is_rival = not known.issuperset(_root(token.word) for token in run)
        if kind is GoldKind.NAME and is_rival:
            byname = _BYNAME_BEGINS.search(text[max(0, start - _CHARACTERS_BEFORE) : start])
            first_word = byname[1].lower() if byname else run[0].word
            # Edward the Confessor, of whom it is asked; Lyon, France, which is a city.
            is_of_question = _root(first_word) in asked
            is_country = is_place(said) and text[:start].endswith(", ")
            is_rival = not (is_of_question or (is_country and not any(map(is_place, golds))))
        if is_rival:
            yield FoundSign(Sign.RIVAL, start, end, said)


def _find_values(
    text: str, masked: str, known: frozenset[str], kind: GoldKind
) -> Iterator[Sequence[Token]]:
    """Yield the words of a kind, each run of them that is one value: ``Ann Hale``, ``5 May``.

    ``known`` are the roots of the words of the question and the golds; only dates may have them.
    """
    within_value = _WITHIN_DATE if kind is GoldKind.DATE else _WITHIN_NAME
    run = list[Token]()
    for token in tokens(text):
        if "\0" in masked[token.start : token.end]:
            continue
        says_nothing = is_no_value(token.word) or token.word in words("names.titles")
        is_new = not says_nothing and _root(token.word) not in known
        if not (is_new or kind is GoldKind.DATE) or not _is_of_kind(masked, token, kind):
            continue
        if run and within_value.fullmatch(masked[run[-1].end : token.start]):
            run.append(token)
            continue
        if run:
            yield run
        run = [token]
    if run:
        yield run


def _is_of_kind(text: str, token: Token, kind: GoldKind) -> bool:
    """Return whether a word is of the kind of a gold: a name has a capital, a term has none.

    The first word of a sentence has a capital either way. An adverb, or a form of a verb by its
    ending, is no term, and no name there or behind what is masked.
    """
    months = words("times.months")
    if kind is GoldKind.DATE:
        return token.raw[0].isdigit() or token.word in months
    if kind is GoldKind.NUMBER:
        return token.raw[0].isdigit() and len(token.raw) != _DIGITS_OF_YEAR
    sign_before = text[max(0, token.start - _CHARACTERS_BEFORE) : token.start].rstrip(" \"'(")[-1:]
    is_first = sign_before in ("", *".!?|*-\n")
    if kind is GoldKind.TERM:
        is_in_small_letters = token.raw.islower() and token.raw[0].isalpha()
        is_term = is_in_small_letters or (is_first and token.raw.istitle())
        return is_term and not token.word.endswith(("ly", "ed"))
    if not token.raw[0].isupper():
        return False
    if not (is_first or sign_before == "\0") or text[token.end :][1:2].isupper():
        return True  # Only a name has a capital here, or before another word with one.
    return not token.word.endswith(("ly", "ed", "ing")) or is_place(token.word)


def _find_other_words(text: str, masked: str, question: str) -> Iterator[FoundSign]:
    """Yield the signs of all other words with content: those of the question, and the rest."""
    asked = asked_by(question)
    for token in tokens(text):
        if "\0" in masked[token.start : token.end]:
            continue
        has_content = not is_no_value(token.word) and token.raw[0].isalpha()
        sign = asked.get(_root(token.word))
        if sign or has_content:
            yield FoundSign(sign or Sign.WORD, token.start, token.end, _root(token.word))


@remembered(512)
def asked_by(question: str) -> Mapping[str, Sign]:
    """Return the sign of each word of a question, by its root.

    It asks by its first word in small letters, and by its last where that is no name: ``In which
    city was … born?`` Where it asks where, when or why, only by its last word in small letters.
    """
    content = [token for token in tokens(plain(question)) if not is_function_word(token.word)]
    said = [token for token in content if token.word not in words("question.unasked")]
    common = [token for token in said if token.raw[0].islower()]
    found = {_root(token.word): Sign.NAME for token in said}
    found |= {_root(token.word): Sign.TOPIC for token in common}
    asking = common[:1]
    if common and common[-1] == said[-1]:
        asking.append(common[-1])
    if re.match(r"\W*(?:where|when|why)\b", question, re.IGNORECASE):
        asking = common[-1:]
    return found | {_root(token.word): Sign.ASKED for token in asking}


def _with_references(items: Sequence[FoundSign]) -> list[FoundSign]:
    """Return signs in which a second citation of a number, and former and latter, refer to a value.

    The first citation of a number belongs to the nearest value of its sentence. The latter is the
    value that was said last, the former the one before it.
    """
    resolved, cited = _tie_citations(items)
    seen = list[FoundSign]()  # The values said so far, each where it was said last.
    for place, item in enumerate(resolved):
        if item.sign in _SIGNS_AGAIN:
            others = [other for other in seen if other.said != item.said]
            seen = [*others, item]
        elif item.sign is Sign.CITATION and item.said in cited:
            resolved[place] = item._replace(sign=_SIGNS_AGAIN[cited[item.said]])
        elif item.sign in (Sign.FORMER, Sign.LATTER):
            sign = Sign.WORD  # It refers to no value.
            if len(seen) > 1:
                meant = seen[-1] if item.sign is Sign.LATTER else seen[-2]
                sign = _SIGNS_AGAIN[meant.sign]
            resolved[place] = item._replace(sign=sign)
    return resolved


def _tie_citations(items: Sequence[FoundSign]) -> tuple[list[FoundSign], dict[str, Sign]]:
    """Return the signs, and the sign of the value that each cited number belongs to.

    A citation that belongs to a value loses what it says, since it does not refer back to it.
    """
    cited, start = dict[str, Sign](), 0
    resolved = list(items)
    sentence_ends = [place for place, item in enumerate(items) if item.sign in _ENDS_OF_SENTENCES]
    for end in [*sentence_ends, len(items)]:
        places = range(start, end)
        citations = [place for place in places if items[place].sign is Sign.CITATION]
        values = [place for place in places if items[place].sign in _SIGNS_AGAIN]
        for place in citations:
            value = _nearest(place, values, citations)
            if value is not None and items[place].said not in cited:
                cited[items[place].said] = items[value].sign
                resolved[place] = items[place]._replace(said="")
        start = end + 1
    return resolved, cited


def _nearest(place: int, values: Sequence[int], citations: Sequence[int]) -> int | None:
    """Return the place of the value nearest to a citation, with no other citation between them.

    None if there is none. ``values`` and ``citations`` are the places of those of the sentence.
    """
    near = list[int]()
    for value in values:
        first, last = min(place, value), max(place, value)
        if not any(first < other < last for other in citations):
            near.append(value)
    return min(near, key=lambda value: abs(value - place), default=None)


def refers(text: str) -> bool:
    """Return whether a text names no value, but says which is meant: ``the newer``, ``fact 9``."""
    if len(text) > _LONGEST_REFERENCE:
        return False
    said = read_line(text, stated=[], question="", golds=(), kind=None).signs
    return _NOTHING_BUT_REFERENCE.fullmatch(said) is not None


_NOTHING_BUT_REFERENCE = signs(
    """
    (?: IS | END | COLON )*
    (?: NEWER | OLDER | FORMER | LATTER | CITATION )
    (?: NEWER | OLDER | FORMER | LATTER | CITATION | IS | END | COLON )*
    """
)


class StatedValue(NamedTuple):
    """A label or an option that a text states, and where."""

    start: int
    end: int
    value: object


def read_values(
    text: str, stated: Sequence[StatedValue], golds: Collection[object], question: str
) -> SignLine:
    """Return the signs of ``plain`` text that states labels or options; all but golds are rivals.

    No rivals are looked for beside those.
    """
    items = [
        FoundSign(Sign.GOLD if value in golds else Sign.RIVAL, start, end, str(value))
        for start, end, value in stated
    ]
    return read_line(text, items, question, golds=(), kind=None)
