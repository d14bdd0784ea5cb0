"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mabench.scoring.corrected.rule import Corrected, json_answers, undecorated
from mabench.scoring.words import places, spelling, words
from mabench.text import Option, options_in

_LEAD = re.compile(
    r"^\W*(?:(?:the|my)\s+)?(?:(?:final|correct|best)\s+)?(?:answer|option|choice)\b"
    r"\W*(?:is\b\W*)?(?:option\b\W*)?",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\banswer(?:\s+is)?\s*:\s*(\S.*)", re.IGNORECASE)
# A letter that is plainly an option's: (C), C. or C) at a line's start, "answer is C", A or C.
_LETTERS = re.compile(
    r"\(([A-Z])\)|^[ \t]*([A-Z])[.):](?=\s|$)|\b([A-Z])\s*(?:,|/|\bor\b|\band\b)\s*([A-Z])\b"
    r"|(?i:\b(?:option|choice|answer|or|and|not)\b(?:\s+is)?\s*+(?::\s*+)?)([A-Z])"
    r"(?=\s*(?:$|[.,;:)]|(?:because|since|as|or|and|not)\b))",
    re.MULTILINE,
)

_Key = tuple[str, ...]
_Names = dict[_Key, _Key]


def correct_choice(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` chooses the option of ``question`` that is the answer.

    An option is chosen by its letter, its text or both: alone, in a JSON field, after
    ``Answer:`` or in a sentence. Case, quotes and punctuation play no part. To name several
    options is no choice, and neither is a paraphrase. Where no option that is offered is the
    answer, the prediction as a whole must be.
    """
    names = _names(options_in(question or ""))
    golds = {names[spelling(answer)] for answer in answers if spelling(answer) in names}
    if not golds:
        wanted = {spelling(answer) for answer in answers} - {()}
        said = {spelling(prediction), spelling(_LEAD.sub("", prediction))}
        return Corrected(float(not wanted.isdisjoint(said)), "no-options")
    named, rule = _chosen(prediction, names)
    if len(named) != 1:
        return Corrected(0.0, "several-options" if named else "no-option")
    return Corrected(float(named <= golds), rule)


def _names(options: Iterable[Option]) -> _Names:
    """Return what each option may be called, and its words, by which options are told apart."""
    keyed = [(option.letter, spelling(option.text)) for option in options]
    names = {key: key for _, key in keyed if key}
    for letter, key in keyed:
        if letter and key:
            names.setdefault(spelling(letter) + key, key)
            names.setdefault(spelling(letter), key)
    return names


def _chosen(prediction: str, names: _Names) -> tuple[set[_Key], str]:
    """Return the options that the first telling form of ``prediction`` names, and its rule."""
    fields = json_answers(prediction)
    if fields:
        return _union(_alone(f, names) or _mentioned(f, names) for f in fields), "option-in-json"
    alone = _alone(prediction, names)
    if alone:
        return alone, "option-alone"
    marked = [_alone(text, names) for text in _MARKED.findall(undecorated(prediction))]
    if marked and all(marked):
        return _union(marked), "option-marked"
    return _mentioned(prediction, names), "option-in-text"


def _union(sets: Iterable[set[_Key]]) -> set[_Key]:
    return set().union(*sets)


def _alone(text: str, names: _Names) -> set[_Key]:
    """Return the option that ``text`` is the name of, as a set of one or none."""
    for whole in (text, _LEAD.sub("", text)):
        key = names.get(spelling(whole))
        if key:
            return {key}
    return set()


def _mentioned(text: str, names: _Names) -> set[_Key]:
    """Return the options whose text stands in ``text``, or whose letter plainly does."""
    said = words(text)
    found = [(place, key) for key in set(names.values()) for place in places(key, said)]
    letters = filter(None, (x for match in _LETTERS.findall(undecorated(text)) for x in match))
    by_letter = {names[key] for key in map(spelling, letters) if key in names}
    end = 0
    for place, key in sorted(found, key=lambda item: (item[0].start, -item[0].stop)):
        if place.stop > end:  # An option's text within a longer one's is not meant by itself.
            by_letter.add(key)
            end = place.stop
    return by_letter
