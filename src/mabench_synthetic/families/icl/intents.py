"""Texts of intents: what somebody wants done (a need) with something (a thing).

A class is a need and a thing, so it shares half of its words with many others. It is spoken of
in situations: a wording with one of the thing's names, and perhaps a circumstance or an aside
about the thing of another class.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from mabench_synthetic.families.icl.texts import Manner, SlotFiller, TextClass, varied
from mabench_synthetic.language import phrases, sentence, table

_DETAIL = 0.45
_OPENER = 0.2
_CLOSER = 0.15


class Intents(NamedTuple):
    """The language of a label set; more classes can be made of it than a row has.

    Attributes:
        things: the names of each thing, the common one first.
        needs: the wordings of each need, the first half common; ``{o}`` stands for the thing.
        vague_things: names that fit every thing.
        vague_needs: wordings that fit every need.
        details: circumstances, put behind a wording, that tell nothing of the class.
        before_another: asides about another thing ``{x}``, put before a wording.
        after_another: the same, put behind one.
        openers: what may be said before a text, and means nothing.
        closers: the same behind one.
    """

    things: dict[str, tuple[str, ...]]
    needs: dict[str, tuple[str, ...]]
    vague_things: tuple[str, ...]
    vague_needs: tuple[str, ...]
    details: tuple[str, ...]
    before_another: tuple[str, ...]
    after_another: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]


def read_intents(file: str) -> Intents:
    """Return the language that ``wordings/FILE.toml`` holds."""
    others = (phrases(file, name) for name in Intents._fields[2:])
    return Intents(table(file, "things"), table(file, "needs"), *others)


def intent_classes(
    rng: Random, filler: SlotFiller, intents: Intents, manner: Manner, count: int
) -> list[TextClass]:
    """Return ``count`` classes, drawn from all pairs of a need and a thing."""
    pairs = [(thing, need) for thing in intents.things for need in intents.needs]

    def text_class(thing: str, need: str) -> TextClass:
        return TextClass(
            1,
            lambda: _situation(rng, intents, manner, thing, need),
            lambda: _vague(rng, intents, manner, thing, need),
            lambda wording: _text(rng, filler, intents, wording, thing),
        )

    return [text_class(*pair) for pair in rng.sample(pairs, count)]


def _situation(rng: Random, intents: Intents, manner: Manner, thing: str, need: str) -> str:
    """Return a wording with its thing in place; names and alternatives stay open."""
    name = _one_of(rng, intents.things[thing], 1, manner.rare)
    wordings = intents.needs[need]
    wording = _one_of(rng, wordings, len(wordings) // 2, manner.rare)
    if rng.random() < manner.overlap:
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
    """Return one of the first ``common`` ways to say something, or at times any of all."""
    return rng.choice(ways if rng.random() < rare else ways[:common])


def _with_another(rng: Random, intents: Intents, wording: str) -> str:
    """Add an aside about the thing of another class, which stays open."""
    if rng.random() < 0.5:
        return f"{rng.choice(intents.before_another)} {wording}"
    aside = rng.choice(intents.after_another)
    if aside.startswith("."):
        return f"{wording}{aside.removeprefix('.' if wording.endswith('?') else '')}"
    return _behind(wording, aside if aside.startswith(",") else f" {aside}")


def _behind(wording: str, more: str) -> str:
    """Put ``more`` behind a wording, before its question mark."""
    bare = wording.removesuffix("?")
    return f"{bare}{more}{wording[len(bare) :]}"


def _text(rng: Random, filler: SlotFiller, intents: Intents, wording: str, thing: str) -> str:
    """Return a text of a wording of the class of ``thing``."""
    other = rng.choice([name for name in intents.things if name != thing])
    text = varied(rng, wording.replace("{x}", rng.choice(intents.things[other])))
    if rng.random() < _OPENER:
        text = f"{rng.choice(intents.openers)} {text}"
    if rng.random() < _CLOSER:
        text += ("" if text[-1] in "?." else ".") + f" {rng.choice(intents.closers)}"
    return sentence(filler.fill(text))
