"""The classes of labelled texts: intents, and questions by the kind of their answer.

An intent is something that somebody wants done (a need) with something (a thing), so it shares half
of its words with many others. A class is mentioned in situations: a wording with a name of the
thing, and perhaps a circumstance, or an aside about the thing of another class.

There are fifty kinds of questions in six groups. Mostly, a single noun tells the kinds apart, in
frames that all kinds share. Nouns of other kinds occur in the same questions, before it (``river
song``) and after it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from mabench_synthetic.families.icl.texts import Manner, SlotFiller, TextClass, varied
from mabench_synthetic.language import phrases, sentence, table, words

_DETAIL = 0.45
# So many of the situations have an aside; more asides are put behind texts.
_ASIDE = 0.15
_OPENER = 0.2
_CLOSER = 0.15


class Intents(NamedTuple):
    """The language of a set of intents; it allows more classes than a row has.

    Attributes:
        things: the names of each thing, the common one first.
        needs: the wordings of each need, the first half common; ``{o}`` stands for the thing.
        vague_things: names that fit every thing.
        vague_needs: wordings that fit every need.
        details: circumstances after a wording, which say nothing about the class.
        before_another: asides about another thing ``{x}``, before a wording.
        after_another: the same, after a wording.
        beside_another: the same, as sentences of their own.
        openers: what may come before a text, and means nothing.
        closers: the same after a text.
    """

    things: dict[str, tuple[str, ...]]
    needs: dict[str, tuple[str, ...]]
    vague_things: tuple[str, ...]
    vague_needs: tuple[str, ...]
    details: tuple[str, ...]
    before_another: tuple[str, ...]
    after_another: tuple[str, ...]
    beside_another: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]


def read_intents(file: str) -> Intents:
    """Return the language in ``wordings/FILE.toml``."""
    others = (phrases(file, name) for name in Intents._fields[2:])
    return Intents(table(file, "things"), table(file, "needs"), *others)


def intent_classes(
    rng: Random, filler: SlotFiller, intents: Intents, manner: Manner, count: int
) -> list[TextClass]:
    """Return ``count`` random classes, each a pair of a need and a thing."""
    pairs = rng.sample([(thing, need) for thing in intents.things for need in intents.needs], count)

    def text_class(thing: str, need: str) -> TextClass:
        others = [name for name in intents.things if name != thing]
        # The things of other classes with the same need; most asides are about these.
        rivals = [name for name in others if (name, need) in pairs]
        return TextClass(
            weight=1,
            situation=lambda: _situation(rng, intents, manner, thing, need),
            vague=lambda: _vague(rng, intents, manner, thing, need),
            text=lambda wording: _text(rng, filler, intents, wording, thing),
            with_aside=lambda text: _beside_another(text, intents, manner, rivals or others),
        )

    return [text_class(*pair) for pair in pairs]


def _situation(rng: Random, intents: Intents, manner: Manner, thing: str, need: str) -> str:
    """Return a wording with its thing filled in; names and alternatives stay open."""
    name = _one_of(rng, intents.things[thing], 1, manner.rare)
    wordings = intents.needs[need]
    wording = _one_of(rng, wordings, len(wordings) // 2, manner.rare)
    if rng.random() < min(manner.overlap, _ASIDE):
        wording = _with_another(rng, intents, wording)
    elif rng.random() < _DETAIL:
        wording = _behind(wording, f" {rng.choice(intents.details)}")
    return wording.replace("{o}", name)


def _vague(rng: Random, intents: Intents, manner: Manner, thing: str, need: str) -> str:
    """Return a wording that leaves out the thing or the need."""
    if rng.random() < 0.5:
        return rng.choice(intents.needs[need]).replace("{o}", rng.choice(intents.vague_things))
    wording = rng.choice(intents.vague_needs)
    if rng.random() < _DETAIL:
        wording = _behind(wording, f" {rng.choice(intents.details)}")
    return wording.replace("{o}", _one_of(rng, intents.things[thing], 1, manner.rare))


def _one_of(rng: Random, ways: Sequence[str], common: int, rare: float) -> str:
    """Return one of the first ``common`` ways to say something, or sometimes any."""
    return rng.choice(ways if rng.random() < rare else ways[:common])


def _with_another(rng: Random, intents: Intents, wording: str) -> str:
    """Add an aside about the thing of another class, which stays open.

    An aside after a wording begins with a full stop if it is a sentence, perhaps with a comma if it
    is a clause. A full stop is left out after a question mark.
    """
    if rng.random() < 0.5:
        return f"{rng.choice(intents.before_another)} {wording}"
    aside = rng.choice(intents.after_another)
    if aside.startswith("."):
        return wording + (aside[1:] if wording.endswith("?") else aside)
    return _behind(wording, aside if aside.startswith(",") else f" {aside}")


def _beside_another(text: str, intents: Intents, manner: Manner, others: Sequence[str]) -> str:
    """Add an aside after some texts, about the thing of a class with the same need.

    It is chosen from the text alone, so that the rest of a row stays the same if there are fewer
    asides. An aside in a situation would recur in its other texts and so reveal the class.
    """
    rng = Random(text)  # noqa: S311 - nothing here is secret
    if rng.random() >= (manner.overlap - _ASIDE) / (1 - _ASIDE):
        return text
    name = intents.things[rng.choice(others)][0]
    aside = varied(rng, rng.choice(intents.beside_another).replace("{x}", name))
    return f"{text}{'' if text[-1] in '.?!' else '.'} {sentence(aside)}"


def _behind(wording: str, more: str) -> str:
    """Add ``more`` after a wording, before its question mark."""
    mark = "?" if wording.endswith("?") else ""
    return f"{wording.removesuffix('?')}{more}{mark}"


def _text(rng: Random, filler: SlotFiller, intents: Intents, wording: str, thing: str) -> str:
    """Return a text with a wording of the class of ``thing``."""
    other = rng.choice([name for name in intents.things if name != thing])
    text = varied(rng, wording.replace("{x}", rng.choice(intents.things[other])))
    if rng.random() < _OPENER:
        text = f"{rng.choice(intents.openers)} {text}"
    if rng.random() < _CLOSER:
        text += ("" if text[-1] in "?." else ".") + f" {rng.choice(intents.closers)}"
    return sentence(filler.fill(text))


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
# What may replace {e}.
_NAMES = phrases("questions", "names")
# Words that tell nothing of the kind. They are many, so that most are in a handful of a row's
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
    """Return a class for each kind of answer; some are much more common than others."""
    return [_text_class(rng, filler, manner, kind) for kind in _kinds()]


def question_groups(rng: Random, filler: SlotFiller, manner: Manner) -> list[TextClass]:
    """Return a class for each group of kinds."""
    members: defaultdict[str, list[TextClass]] = defaultdict(list)
    for kind in _kinds():
        members[kind.group].append(_text_class(rng, filler, manner, kind))
    return [_joined(rng, kinds) for kinds in members.values()]


def _joined(rng: Random, kinds: Sequence[TextClass]) -> TextClass:
    """Return a class that joins several classes of questions."""
    weights = [kind.weight for kind in kinds]

    def situation() -> str:
        return rng.choices(kinds, weights)[0].situation()

    return TextClass(sum(weights), situation, kinds[0].vague, kinds[0].text)


def _kinds() -> list[_Kind]:
    """Return all fifty kinds."""
    return [
        _Kind(group, name, weight, nouns, _others(name, tuple(NOUNS)), _others(name, _CONCRETE))
        for group, name, weight, nouns in _listed()
    ]


def _listed() -> Iterator[tuple[str, str, int, tuple[str, ...]]]:
    """Yield the group, the name, the weight and the nouns of each kind."""
    for group, kinds in NOUNS.items():
        for key, nouns in kinds.items():
            name, weight = key.split()
            yield group, name, int(weight), nouns


def _others(name: str, groups: Sequence[str]) -> list[str]:
    """Return the single-word nouns of all kinds of some groups, except one kind."""
    return [
        noun
        for group, kind, _, nouns in _listed()
        if group in groups and kind != name
        for noun in nouns
        if " " not in noun
    ]


def _text_class(rng: Random, filler: SlotFiller, manner: Manner, kind: _Kind) -> TextClass:
    """Return the class of questions for a kind of answer."""

    def situation() -> str:
        return _question(rng, manner, kind, rng.choice(_frames(rng, kind)))

    def vague() -> str:
        return _question(rng, manner, kind, rng.choice(_VAGUE))

    def text(wording: str) -> str:
        return sentence(filler.fill(varied(rng, wording)))

    return TextClass(kind.weight, situation, vague, text)


def _question(rng: Random, manner: Manner, kind: _Kind, frame: str) -> str:
    """Return a frame with its nouns filled in; names and alternatives stay open.

    ``{h}`` is a noun that tells the kind, ``{y}`` and ``{ys}`` are a noun and a plural that do not,
    and ``{e}`` is what may take the place of a name, perhaps with slots of its own.
    """
    if rng.random() < manner.overlap:
        frame = _behind(frame, f" {rng.choice(_TAILS)}")
    modified = rng.random() < manner.overlap
    fill: dict[str, Callable[[], str]] = {
        "h": lambda: _noun(rng, manner, kind, modified=modified),
        "y": lambda: _topic_or(rng, kind.others),
        "ys": lambda: _plural(_topic_or(rng, kind.other_things)),
        "topic": lambda: rng.choice(_TOPICS),
        "do": lambda: rng.choice(VERBS),
        "did": lambda: _past(rng.choice(VERBS)),
        "done": lambda: _past(rng.choice(VERBS)),
        "adjective": lambda: rng.choice(_ADJECTIVES),
        "e": lambda: _SLOT.sub(lambda slot: fill[slot[1]](), rng.choice(_NAMES)),
    }
    return _SLOT.sub(lambda slot: fill[slot[1]](), frame)


def _topic_or(rng: Random, nouns: Sequence[str]) -> str:
    """Return a word that tells nothing of the kind: a topic, or one of the nouns of other kinds."""
    return rng.choice(_TOPICS if rng.random() < _NEUTRAL else nouns)


def _frames(rng: Random, kind: _Kind) -> Sequence[str]:
    """Return the frames that a question of a kind may have, chosen by their shares."""
    if kind.name in OWN and rng.random() < _OWN:
        if kind.group in OPEN and rng.random() < _OPEN:
            return OPEN[kind.group]
        return OWN[kind.name]
    return COMMON if rng.random() < _SHARED else FRAMES[kind.group]


def _noun(rng: Random, manner: Manner, kind: _Kind, *, modified: bool) -> str:
    """Return a noun of the kind, perhaps after a noun of another kind."""
    nouns = kind.nouns if rng.random() < manner.rare else kind.nouns[:_COMMON_NOUNS]
    noun = rng.choice(nouns)
    modifier = rng.choice(kind.others)
    if modified and noun.split()[0] != modifier:
        return f"{modifier} {noun}"
    return noun


def _plural(noun: str) -> str:
    """Return the plural of an English noun."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith("man"):
        return f"{noun[:-3]}men"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _past(verb: str) -> str:
    """Return the past tense of a regular verb that doubles no letter."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return verb + ("d" if verb.endswith("e") else "ed")
