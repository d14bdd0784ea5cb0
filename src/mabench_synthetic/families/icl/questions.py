"""Texts of questions, in classes by the kind of answer that they want: fifty kinds in six groups.

What tells the kinds apart is mostly one noun among many, in frames that all kinds share. Nouns of
other kinds stand in the same questions, before it (``river song``) and after it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from mabench_synthetic.families.icl.texts import Manner, SlotFiller, TextClass, varied
from mabench_synthetic.language import phrases, sentence, table, words

_GROUPS = ("letters", "account", "thing", "people", "place", "number")
# Nouns that tell what kind of answer a question wants, the common ones first, by group and by
# kind with how common it is.
NOUNS = {group: table("questions", f"nouns_{group}") for group in _GROUPS}
# Frames of questions, in which {h} is such a noun and {e} stands for a name: for any kind of a
# group, for all its kinds alike, for one kind alone, and for every kind.
FRAMES = {group: phrases("questions", f"frames_{group}") for group in _GROUPS}
OPEN = {group: phrases("questions", f"open_{group}") for group in _GROUPS[2:]}
OWN = table("questions", "own")
COMMON = phrases("questions", "common")
_VAGUE = phrases("questions", "vague")
_TAILS = phrases("questions", "tails")
_NAMES = phrases("questions", "names")  # What may stand for {e}.
# Words that tell nothing of the kind. They are many, so that most stand in a handful of a row's
# questions, under several labels: a text that shares its rarest word with another is often of
# another class. The verbs are regular and double no letter.
_TOPICS = words("questions", "topics")
VERBS = words("questions", "verbs")
_ADJECTIVES = words("questions", "adjectives")
_SLOT = re.compile(r"\{(h|y|ys|e|topic|adjective|do|did|done)\}")
_CONCRETE = ("thing", "people", "place")
_COMMON_NOUNS = 2
# Shares of the frames: those without a noun that tells the kind, and of these those that a whole
# group shares; of those with such a noun those that fit every kind.
_OWN = 0.6
_OPEN = 0.28
_SHARED = 0.75
# The share of the nouns of no account that belong to no kind.
_NEUTRAL = 0.5
_PLURALS = {"fish": "fish", "mouse": "mice", "people": "peoples", "tooth": "teeth", "wife": "wives"}


class _Kind(NamedTuple):
    """A kind of answer: its nouns, the common ones first, and the nouns of other kinds."""

    group: str
    name: str
    weight: int
    nouns: tuple[str, ...]
    others: Sequence[str]
    other_things: Sequence[str]


def question_kinds(rng: Random, filler: SlotFiller, manner: Manner) -> list[TextClass]:
    """Return a class for each kind of answer, some much more common than others."""
    return [_text_class(rng, filler, manner, kind) for kind in _kinds()]


def question_groups(rng: Random, filler: SlotFiller, manner: Manner) -> list[TextClass]:
    """Return a class for each group of kinds."""
    members: defaultdict[str, list[TextClass]] = defaultdict(list)
    for kind in _kinds():
        members[kind.group].append(_text_class(rng, filler, manner, kind))
    return [_joined(rng, kinds) for kinds in members.values()]


def _joined(rng: Random, kinds: Sequence[TextClass]) -> TextClass:
    weights = [kind.weight for kind in kinds]

    def situation() -> str:
        return rng.choices(kinds, weights)[0].situation()

    return TextClass(sum(weights), situation, kinds[0].vague, kinds[0].text)


def _kinds() -> list[_Kind]:
    return [
        _Kind(group, name, weight, nouns, _others(name, tuple(NOUNS)), _others(name, _CONCRETE))
        for group, name, weight, nouns in _listed()
    ]


def _listed() -> Iterator[tuple[str, str, int, tuple[str, ...]]]:
    for group, kinds in NOUNS.items():
        for key, nouns in kinds.items():
            name, weight = key.split()
            yield group, name, int(weight), nouns


def _others(name: str, groups: Sequence[str]) -> list[str]:
    """Return the nouns of all kinds of some groups but one, those of a single word."""
    return [
        noun
        for group, kind, _, nouns in _listed()
        if group in groups and kind != name
        for noun in nouns
        if " " not in noun
    ]


def _text_class(rng: Random, filler: SlotFiller, manner: Manner, kind: _Kind) -> TextClass:
    def situation() -> str:
        return _situation(rng, manner, kind, rng.choice(_frames(rng, kind)))

    def vague() -> str:
        return _situation(rng, manner, kind, rng.choice(_VAGUE))

    def text(wording: str) -> str:
        return sentence(filler.fill(varied(rng, wording)))

    return TextClass(kind.weight, situation, vague, text)


def _situation(rng: Random, manner: Manner, kind: _Kind, frame: str) -> str:
    """Return ``frame`` with its nouns in place; names and alternatives stay open."""
    if rng.random() < manner.overlap:
        bare = frame.removesuffix("?")
        frame = f"{bare} {rng.choice(_TAILS)}{frame[len(bare) :]}"
    modified = rng.random() < manner.overlap
    fill: dict[str, Callable[[], str]] = {
        "h": lambda: _noun(rng, manner, kind, modified=modified),
        "y": lambda: rng.choice(_TOPICS if rng.random() < _NEUTRAL else kind.others),
        "ys": lambda: _plural(
            rng.choice(_TOPICS if rng.random() < _NEUTRAL else kind.other_things)
        ),
        "topic": lambda: rng.choice(_TOPICS),
        "do": lambda: rng.choice(VERBS),
        "did": lambda: _past(rng.choice(VERBS)),
        "done": lambda: _past(rng.choice(VERBS)),
        "adjective": lambda: rng.choice(_ADJECTIVES),
        "e": lambda: _SLOT.sub(lambda slot: fill[slot[1]](), rng.choice(_NAMES)),
    }
    return _SLOT.sub(lambda slot: fill[slot[1]](), frame)


def _frames(rng: Random, kind: _Kind) -> Sequence[str]:
    if kind.name in OWN and rng.random() < _OWN:
        return OPEN[kind.group] if kind.group in OPEN and rng.random() < _OPEN else OWN[kind.name]
    return COMMON if rng.random() < _SHARED else FRAMES[kind.group]


def _noun(rng: Random, manner: Manner, kind: _Kind, *, modified: bool) -> str:
    """Return a noun of the kind, perhaps behind one of another kind."""
    noun = rng.choice(kind.nouns if rng.random() < manner.rare else kind.nouns[:_COMMON_NOUNS])
    modifier = rng.choice(kind.others)
    return f"{modifier} {noun}" if modified and noun.split()[0] != modifier else noun


def _plural(noun: str) -> str:
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith("man"):
        return f"{noun[:-3]}men"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _past(verb: str) -> str:
    """Return the past of a regular verb whose last letter is not doubled."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return verb + ("d" if verb.endswith("e") else "ed")
