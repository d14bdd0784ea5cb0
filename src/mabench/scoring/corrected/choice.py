"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import islice

from mabench.scoring.corrected.answer import correct_answer
from mabench.scoring.corrected.rule import Corrected, decide, refuses, right, unclear, wrong
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.order import keeps_order
from mabench.scoring.sameness.same import mentions
from mabench.scoring.stated.choosing import ChosenValue, choose
from mabench.scoring.stated.reading import read_values
from mabench.scoring.tokens import plain, spelling
from mabench.text import Option, parse_options
from mabench.text.stems import content_words

_LETTER = re.compile(r"(?<![\w.'\u2019])(?P<letter>[A-Z]|(?<=[Oo]ption )[a-z])(?![\w'\u2019]|-\w)")
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+)\s$")
_WORD_AFTER = re.compile(r" +([^\W_][\w']*)")
_NUMBERED = re.compile(
    r"\b(?:option|event|choice|number|answer)s?(?:\s+(?:number|no\.?|is))?\W{0,3}(\d{1,2})\b"
    r"(?:\s*(?:,|or|and|/|&)\s*(\d{1,2})\b)?"
    r"|\b(\d{1,2})(?:st|nd|rd|th) (?:option|event|choice|of the \d+)\b"
    # Alone, or chosen: what is beneath the first one is not the first one.
    r"|(?:^|[.,:;(]|\b(?:is|was|be|pick|choose|select|say|answer))\W{0,3}(?:the )?"
    r"(\d{1,2})(?:st|nd|rd|th) (?:one|1)\b",
    re.IGNORECASE,
)
# The letter of an option and the text behind it, at the beginning of an answer.
_LABELLED = re.compile(r"\W{0,3}(?P<letter>[A-Z])[.):]\s+(?P<text>[^\n]*[^\s])")
# Words with which a reason for a letter begins, and no option.
_BEGINS_REASON = frozenset(
    {
        *("because", "since", "as", "according", "based", "given", "in", "on", "from"),
        *("it", "its", "he", "she", "they", "this", "that", "these", "those", "we", "i", "you"),
        *("is", "was", "were", "will", "would", "has", "had", "there", "which"),
    }
)
_NEGATION = re.compile(r"\b(?:not|never|no|nor|neither|without|refuses?d?)\b|n't\b", re.IGNORECASE)
_MUCH = 0.5  # Share of an option's words from which on it may be meant.
_ENOUGH = 3  # Words with content that tell an option.
_LITTLE = 0.2  # Share from which on it may be, if no other option has more.
_MOST = 40  # Letters or numbers that are looked at.


def correct_choice(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` chooses the option of ``question`` that is the answer.

    An option is chosen by its letter, its number or its text. Options that are ruled out, or
    named in a reason, are not chosen; to choose several is no choice. What says an option in
    other words is unclear. Where no option that is offered is the answer, it is read as an
    answer to a question without options is.
    """
    asked = question or ""
    options = parse_options(asked)
    places = _places(options)
    golds = {places[key] for key in map(_key, answers) if key in places}
    if not golds:
        return correct_answer(prediction, answers)
    asked = asked.partition(options[0].text or "\n")[0].rpartition("Question:")[2]

    def read(said: str) -> Corrected:
        called = _options_called(said, places)
        if len(called) == 1:
            return (right if called <= golds else wrong)("option-alone")
        # Initials and letters of options apart.
        text = plain(said, initials=False).strip()
        named = _find_named_options(text, options)
        if not named:
            return wrong("refusal") if refuses(text) else _read_unnamed(text, options, golds)
        chosen = choose(read_values(text, named, golds, asked)).outcome
        if chosen is ChosenValue.GOLD and _has_foreign_text(text, options):
            return unclear("option-open")
        if chosen in (ChosenValue.GOLD, ChosenValue.RIVAL):
            return (right if chosen is ChosenValue.GOLD else wrong)("option-named")
        if refuses(text):
            return wrong("refusal")
        is_unsettled = chosen is ChosenValue.NEITHER
        return wrong("several-options") if is_unsettled else unclear("option-open")

    return decide(prediction, answers, spelling, read, "option-alone", question)


def _options_called(said: str, places: Mapping[str, int]) -> set[int]:
    """Return the options that a text is, or which its words begin if it has several.

    ``places`` are the options by what they are called.
    """
    key = _key(said)
    if key in places:
        return {places[key]}
    has_several_words = len(spelling(said)) > 1
    return {place for name, place in places.items() if has_several_words and name.startswith(key)}


def _read_unnamed(text: str, options: Sequence[Option], golds: Set[int]) -> Corrected:
    """Return what a text is that names no option: it may say one in other words.

    Right is only who says all words of a gold, and of no other option. What says much of a gold, or
    more of it than of any other, is unclear.
    """
    shares = [_share_said(option.text, text) for option in options]
    gold_share = max(shares[place] for place in golds)
    other_shares = [share for place, share in enumerate(shares) if place not in golds]
    if gold_share == 1 and max(other_shares, default=0.0) < 1:
        full = [options[place].text for place in golds if shares[place] == 1]
        if any(_says_as_much(option, text) for option in full):
            return right("option-named")
    is_nearest = gold_share == max(shares) and gold_share > _LITTLE
    is_near = gold_share >= _MUCH or is_nearest
    return unclear("option-near") if is_near else wrong("no-option")


def _has_foreign_text(text: str, options: Sequence[Option]) -> bool:
    """Return whether a text begins with the letter of an option and another text than its own.

    A model that copies the form of an example says such things. Reasons may follow a letter.
    """
    labelled = _LABELLED.match(text)
    letters = {option.letter: option.text for option in options if option.letter}
    if labelled is None or labelled["letter"] not in letters:
        return False
    said = content_words(labelled["text"])
    first = labelled["text"].split()[0].casefold()
    own = letters[labelled["letter"]]
    is_reason = first in _BEGINS_REASON
    return bool(said) and not is_reason and not said & content_words(own) and own not in text


def _says_as_much(option: str, text: str) -> bool:
    """Return whether a text that says all words of an option denies as much, and has enough."""
    is_denied = bool(_NEGATION.search(option)), bool(_NEGATION.search(text))
    return (
        len(content_words(option)) >= _ENOUGH
        and is_denied[0] is is_denied[1]
        and keeps_order(option, text)
    )


def _share_said(option: str, text: str) -> float:
    """Return what share of the words of an option a text says, in whatever form."""
    wanted = content_words(plain(option, initials=False))
    return len(wanted & content_words(text)) / max(len(wanted), 1)


def _places(options: Sequence[Option]) -> dict[str, int]:
    """Return which option is called what: its text, its letter, both, or its number."""
    keys = [(_key(option.text), place) for place, option in enumerate(options)]
    for place, option in enumerate(options):
        name = option.letter or str(place + 1)
        keys += [(_key(f"{name}. {option.text}"), place), (_key(name), place)]
    return {key: place for key, place in reversed(keys) if key}


def _find_named_options(text: str, options: Sequence[Option]) -> list[tuple[int, int, int]]:
    """Return where a text names which option, none within the text of a longer one."""
    spans = [
        (mention.start, mention.end, place)
        for place, option in enumerate(options)
        for mention in mentions(option.text, text)[:6]
        if mention.sure
    ]
    for match in islice(_NUMBERED.finditer(text), _MOST):
        numbers = [(n, int(number)) for n, number in enumerate(match.groups(), 1) if number]
        spans += [(*match.span(n), said - 1) for n, said in numbers if 0 < said <= len(options)]
    letters = {option.letter: place for place, option in enumerate(options) if option.letter}
    for match in islice(_LETTER.finditer(text), _MOST if letters else 0):
        letter, (start, end) = match["letter"].upper(), match.span()
        before = _WORD_BEFORE.search(text[max(0, start - 20) : start])
        after = _WORD_AFTER.match(text, end)
        is_initial = before and before[1].casefold() not in words("choice.before_letter")
        is_article = letter == "A" and after and after[1] not in words("choice.after_letter")
        if letter in letters and not (is_initial or is_article):
            spans.append((start, end, letters[letter]))
    named: list[tuple[int, int, int]] = []
    for start, end, place in sorted(spans, key=lambda span: (span[0], -span[1])):
        last = named[-1] if named else (0, 0, -1)
        if end <= last[1]:
            continue
        if place == last[2] and re.fullmatch(r"\W*(?:the |an? )?", text[last[1] : start], re.I):
            start = named.pop()[0]  # Its letter and its text.
        named.append((start, end, place))
    return named


def _key(text: str) -> str:
    """Return the letters of a text without spaces, since a drive-way is a driveway."""
    return "".join(spelling(text))
