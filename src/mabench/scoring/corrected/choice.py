"""The rule for questions that offer options: eventqa and detective_qa.

An option is known by its place among the options, from 0; golds are the places of those that are
the answer. Which of several that a text names it chooses is decided as for other values, by
``stated``. ``words.toml`` has the word lists that are named here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import NamedTuple

from mabench.scoring.corrected.answer import correct_answer
from mabench.scoring.corrected.rule import Corrected, decide, refuses, right, unclear, wrong
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.order import keeps_order
from mabench.scoring.sameness.same import mentions
from mabench.scoring.stated.choosing import ChosenValue, choose
from mabench.scoring.stated.reading import StatedValue, read_values
from mabench.scoring.tokens import plain, spelling
from mabench.text import Option, parse_options
from mabench.text.stems import content_words

_LETTER_ALONE = re.compile(
    r"(?<![\w.'\u2019])(?P<letter>[A-Z]|(?<=[Oo]ption )[a-z])(?![\w'\u2019]|-\w)"
)
_CHARACTERS_BEFORE = 20  # Characters before a letter that are looked at.
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+)\s$")
_WORD_AFTER = re.compile(r" +([^\W_][\w']*)")
# An option that is called by its number: "option 3 or 4", "the 3rd option", "the second one".
_CALLED_BY_NUMBER = re.compile(
    r"\b(?:option|event|choice|number|answer)s?(?:\s+(?:number|no\.?|is))?\W{0,3}(\d{1,2})\b"
    r"(?:\s*(?:,|or|and|/|&)\s*(\d{1,2})\b)?"
    r"|\b(\d{1,2})(?:st|nd|rd|th) (?:option|event|choice|of the \d+)\b"
    # Alone, or chosen: what is beneath the first one is not the first one.
    r"|(?:^|[.,:;(]|\b(?:is|was|be|pick|choose|select|say|answer))\W{0,3}(?:the )?"
    r"(\d{1,2})(?:st|nd|rd|th) (?:one|1)\b",
    re.IGNORECASE,
)
# The letter of an option and the text behind it, at the beginning of an answer.
_LETTER_AND_TEXT = re.compile(r"\W{0,3}(?P<letter>[A-Z])[.):]\s+(?P<text>[^\n]*[^\s])")
# Words with which a reason for a letter begins, and no option.
_FIRST_WORDS_OF_REASONS = frozenset(
    {
        *("because", "since", "as", "according", "based", "given", "in", "on", "from"),
        *("it", "its", "he", "she", "they", "this", "that", "these", "those", "we", "i", "you"),
        *("is", "was", "were", "will", "would", "has", "had", "there", "which"),
    }
)
_NEGATION = re.compile(r"\b(?:not|never|no|nor|neither|without|refuses?d?)\b|n't\b", re.IGNORECASE)
_LEAST_SHARE = 0.5  # Share of an option's words from which on it may be meant.
_FEWEST_CONTENT_WORDS = 3  # Words with content that tell an option.
_FEWEST_WORDS = 2  # With which an option that is not said to its end must begin.
_LEAST_SHARE_OF_NEAREST = 0.2  # Share from which on it may be, if no other option has more.
_MOST_CALLED = 40  # Letters or numbers that are looked at.
_MOST_MENTIONS = 6  # Of one option's text that are looked at.
# What may be between an option's letter and its text.
_BETWEEN_LETTER_AND_TEXT = re.compile(r"\W*(?:the |an? )?", re.IGNORECASE)


class _OfferedOptions(NamedTuple):
    """What a question asks, without its options; the options, what they are called, and the golds.

    ``places`` has the place of each option by all that it may be called, and ``golds`` the places
    of those that are the answer.
    """

    asked: str
    options: Sequence[Option]
    places: Mapping[str, int]
    golds: Set[int]


class _NamedOption(NamedTuple):
    """Where a text names an option, and the option's place."""

    start: int
    end: int
    place: int


def correct_choice(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` chooses the option of ``question`` that is the answer.

    An option is chosen by its letter, its number or its text. Options that are ruled out, or
    named in a reason, are not chosen; to choose several is no choice. What says an option in
    other words is unclear. Where no option that is offered is the answer, it is read as an
    answer to a question without options is.
    """
    whole_question = question or ""
    options = parse_options(whole_question)
    places = _places_by_name(options)
    golds = {places[key] for key in map(_key, answers) if key in places}
    if not golds:
        return correct_answer(prediction, answers)
    before_options = whole_question.partition(options[0].text or "\n")[0]
    asked = before_options.rpartition("Question:")[2]
    offered = _OfferedOptions(asked, options, places, golds)
    return decide(
        prediction,
        answers,
        key=spelling,
        read=lambda said: _read_choice(said, offered),
        alone="option-alone",
        question=question,
    )


def _read_choice(said: str, offered: _OfferedOptions) -> Corrected:
    """Return what a final answer is by the option that it chooses."""
    called = _options_called(said, offered.places)
    if len(called) == 1:
        return (right if called <= offered.golds else wrong)("option-alone")
    text = plain(said, initials=False).strip()  # "A. B." may be the letters of two options.
    named = _find_named_options(text, offered.options)
    if not named:
        return wrong("refusal") if refuses(text) else _read_unnamed(text, offered)
    stated = [StatedValue(option.start, option.end, option.place) for option in named]
    chosen = choose(read_values(text, stated, offered.golds, offered.asked)).outcome
    if chosen is ChosenValue.GOLD:
        is_foreign = _has_foreign_text(text, offered.options)
        return unclear("option-open") if is_foreign else right("option-named")
    if chosen is ChosenValue.RIVAL:
        return wrong("option-named")
    if refuses(text):
        return wrong("refusal")
    is_unsettled = chosen is ChosenValue.NEITHER
    return wrong("several-options") if is_unsettled else unclear("option-open")


def _options_called(said: str, places: Mapping[str, int]) -> set[int]:
    """Return the places of the options that a text is, or that its words begin if it has several.

    ``places`` are those of the options by what they are called.
    """
    key = _key(said)
    if key in places:
        return {places[key]}
    if len(spelling(said)) < _FEWEST_WORDS:
        return set()
    return {place for name, place in places.items() if name.startswith(key)}


def _read_unnamed(text: str, offered: _OfferedOptions) -> Corrected:
    """Return what a text is that names no option: it may say one in other words.

    Right is only who says all words of a gold, and of no other option. What says much of a gold, or
    more of it than of any other, is unclear.
    """
    shares = [_share_said(option.text, text) for option in offered.options]
    gold_share = max(shares[place] for place in offered.golds)
    other_shares = [share for place, share in enumerate(shares) if place not in offered.golds]
    if gold_share == 1 and max(other_shares, default=0.0) < 1:
        full = [offered.options[place].text for place in offered.golds if shares[place] == 1]
        if any(_says_as_much(option, text) for option in full):
            return right("option-named")
    is_nearest = gold_share == max(shares) and gold_share > _LEAST_SHARE_OF_NEAREST
    is_near = gold_share >= _LEAST_SHARE or is_nearest
    return unclear("option-near") if is_near else wrong("no-option")


def _has_foreign_text(text: str, options: Sequence[Option]) -> bool:
    """Return whether a text begins with the letter of an option and another text than its own.

    A model that copies the form of an example says such things. Reasons may follow a letter.
    """
    labelled = _LETTER_AND_TEXT.match(text)
    letters = {option.letter: option.text for option in options if option.letter}
    if labelled is None or labelled["letter"] not in letters:
        return False
    said = content_words(labelled["text"])
    first = labelled["text"].split()[0].casefold()
    own = letters[labelled["letter"]]
    is_reason = first in _FIRST_WORDS_OF_REASONS
    return bool(said) and not is_reason and not said & content_words(own) and own not in text


def _says_as_much(option: str, text: str) -> bool:
    """Return whether a text that has all words of an option says the option.

    The option must have enough words, both must have a negation or none, and names must be in the
    same order: who hit whom tells two options apart.
    """
    option_denies, text_denies = bool(_NEGATION.search(option)), bool(_NEGATION.search(text))
    has_enough = len(content_words(option)) >= _FEWEST_CONTENT_WORDS
    return has_enough and option_denies is text_denies and keeps_order(option, text)


def _share_said(option: str, text: str) -> float:
    """Return what share of the words of an option a text says, in whatever form."""
    wanted = content_words(plain(option, initials=False))
    return len(wanted & content_words(text)) / max(len(wanted), 1)


def _places_by_name(options: Sequence[Option]) -> dict[str, int]:
    """Return the place of each option by what it may be called: its text, its letter, both.

    An option without a letter has a number, from 1. What two options are called means the first of
    them, and a text comes before the letter or number of another option.
    """
    names = [(option.text, place) for place, option in enumerate(options)]
    for place, option in enumerate(options):
        label = option.letter or str(place + 1)
        names += [(f"{label}. {option.text}", place), (label, place)]
    places = dict[str, int]()
    for name, place in names:
        places.setdefault(_key(name), place)
    places.pop("", None)
    return places


def _find_named_options(text: str, options: Sequence[Option]) -> list[_NamedOption]:
    """Return where a text names which option, none within the text of a longer one.

    An option's letter and the text behind it are one name.
    """
    found = [
        *_find_texts(text, options),
        *_find_numbers(text, options),
        *_find_letters(text, options),
    ]
    named = list[_NamedOption]()
    for option in sorted(found, key=lambda option: (option.start, -option.end)):
        last = named[-1] if named else None
        if last and option.end <= last.end:
            continue
        if last and last.place == option.place:
            between = text[last.end : option.start]
            if _BETWEEN_LETTER_AND_TEXT.fullmatch(between):
                named[-1] = last._replace(end=option.end)
                continue
        named.append(option)
    return named


def _find_texts(text: str, options: Sequence[Option]) -> Iterator[_NamedOption]:
    """Yield where a text says the text of an option."""
    for place, option in enumerate(options):
        for mention in mentions(option.text, text)[:_MOST_MENTIONS]:
            if mention.sure:
                yield _NamedOption(mention.start, mention.end, place)


def _find_numbers(text: str, options: Sequence[Option]) -> Iterator[_NamedOption]:
    """Yield where a text calls an option by its number, from 1, whether it has a letter or not."""
    for match in islice(_CALLED_BY_NUMBER.finditer(text), _MOST_CALLED):
        for group, number in enumerate(match.groups(), start=1):
            if number and 0 < int(number) <= len(options):
                yield _NamedOption(*match.span(group), place=int(number) - 1)


def _find_letters(text: str, options: Sequence[Option]) -> Iterator[_NamedOption]:
    """Yield where a text calls an option by its letter; nothing if options have no letters.

    A letter behind a capitalised word is an initial (``Ann B``), and an A before most words is an
    article; ``words.toml`` lists the words beside which they are options.
    """
    letters = {option.letter: place for place, option in enumerate(options) if option.letter}
    for match in islice(_LETTER_ALONE.finditer(text), _MOST_CALLED if letters else 0):
        letter, (start, end) = match["letter"].upper(), match.span()
        before = _WORD_BEFORE.search(text[max(0, start - _CHARACTERS_BEFORE) : start])
        after = _WORD_AFTER.match(text, end)
        is_initial = before and before[1].casefold() not in words("choice.before_letter")
        is_article = letter == "A" and after and after[1] not in words("choice.after_letter")
        if letter in letters and not (is_initial or is_article):
            yield _NamedOption(start, end, letters[letter])


def _key(text: str) -> str:
    """Return the letters of a text without spaces, since a drive-way is a driveway."""
    return "".join(spelling(text))
