"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from mabench.scoring.corrected.answer import correct_answer
from mabench.scoring.corrected.rule import (
    Corrected,
    Stated,
    decide,
    refuses,
    right,
    standing_asked,
    unclear,
    values_chosen,
    wrong,
)
from mabench.scoring.corrected.unmentioned import share_said
from mabench.scoring.final_answer import Form, Found
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.same import mentions
from mabench.scoring.sameness.wordings import wanted_tokens
from mabench.scoring.tokens import plain, spelling, without_contractions
from mabench.text import Option, options_in

_LETTER = re.compile(r"(?<![\w.'\u2019])(?P<letter>[A-Z]|(?<=[Oo]ption )[a-z])(?![\w'\u2019]|-\w)")
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+)\s$")
_WORD_AFTER = re.compile(r" +([^\W_][\w']*)")
_NUMBERED = re.compile(
    r"\b(?:option|event|choice|number|answer)s?(?:\s+(?:number|no\.?|is))?\W{0,3}(\d{1,2})\b"
    r"(?:\s*(?:,|or|and|/|&)\s*(\d{1,2})\b)?"
    r"|\b(\d{1,2})(?:st|nd|rd|th) (?:option|event|choice|one|1|of the \d+)\b",
    re.IGNORECASE,
)
_ITEM_LINE = re.compile(r"^[ \t]*\(?(\d{1,2})[.):][ \t]+(\S.*)$", re.MULTILINE)
_MUCH, _LITTLE = 0.5, 0.3  # Shares of an event, and of a name, from which on it may be meant.
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
    options = options_in(asked) or _numbered_options(asked)
    places = _places(options)
    golds = {places[key] for key in map(_key, answers) if key in places}
    if not golds:
        return correct_answer(prediction, answers)
    asked = "\n".join(asked.partition(options[0].text or "\n")[0].rstrip().split("\n")[-2:])

    def read(found: Found) -> Corrected | None:
        said = found.text if found.form is Form.WHOLE else found.line
        if (place := _called(said, places)) is not None:
            return (right if place in golds else wrong)("option-alone")
        # Initials and letters of options apart.
        text = plain(without_contractions(said), initials=False).strip()
        spans = _named(text, options)
        named = [Stated(*span, standing_asked(text, *span[:2], asked)) for span in spans]
        chosen = values_chosen(text, named)
        if len(chosen) == 1:
            return (right if chosen & golds else wrong)("option-named")
        is_open = found.form in (Form.SAID, Form.CONCLUDED)
        if refuses(text):
            return None if is_open else wrong("refusal")
        if len(chosen) == 2 and chosen & golds and re.search(r"\bor\b", text):
            return unclear("options-unclear")
        if named:
            return wrong("several-options" if chosen else "option-rejected")
        shares = [share_said(wanted_tokens(without_contractions(o.text)), text) for o in options]
        gold = max(shares[place] for place in golds)
        if gold == max(shares) and gold >= (_LITTLE if options[0].letter else _MUCH):
            return unclear("option-near")
        return None if is_open else wrong("no-option")

    return decide(prediction, answers, spelling, read, ("option-alone", "no-option"))


def _places(options: Sequence[Option]) -> dict[str, int]:
    """Return which option is called what: its text, its letter, both, or its number."""
    keys = [(_key(option.text), place) for place, option in enumerate(options)]
    for place, option in enumerate(options):
        name = option.letter or str(place + 1)
        keys += [(_key(f"{name}. {option.text}"), place), (_key(name), place)]
    return {key: place for key, place in reversed(keys) if key}


def _called(text: str, places: Mapping[str, int]) -> int | None:
    """Return the option of which a text is a name, or the beginning of its name alone."""
    key, is_long = _key(text), len(spelling(text)) > 1
    begun = {place for name, place in places.items() if is_long and name.startswith(key)}
    return places.get(key, begun.pop() if len(begun) == 1 else None)


def _named(text: str, options: Sequence[Option]) -> list[tuple[int, int, int]]:
    """Return where a text names which option, none within the text of a longer one."""
    spans = [
        (mention.start, mention.end, place)
        for place, option in enumerate(options)
        for mention in mentions(without_contractions(option.text), text)[:6]
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
        if place == last[2] and not re.search(r"\w", text[last[1] : start]):
            start = named.pop()[0]  # Its letter and its text.
        named.append((start, end, place))
    return named


def _numbered_options(question: str) -> tuple[Option, ...]:
    """Return the options that stand one a line behind numbers that count up from 1, the last so."""
    block: list[Option] = []
    for number, text in _ITEM_LINE.findall(question):
        block = [] if number == "1" else block
        block += [Option(None, text.rstrip())] if int(number) == len(block) + 1 else []
    return tuple(block) if len(block) > 1 else ()


def _key(text: str) -> str:
    """Return the letters of a text without spaces, since a drive-way is a driveway."""
    return "".join(spelling(text))
