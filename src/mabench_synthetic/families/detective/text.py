"""The text of a mystery: days before the crime, the crime, and the clues spread over both."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench.text.names import Names
from mabench_synthetic.families.detective.case import WEAPONS, Case, Suspect, hour
from mabench_synthetic.language import listed, rate_of, sentence, table, tokens_of
from mabench_synthetic.story import Setting, Simulation, closing, make_things, narrate, scene

# On a larger estate, people who live and work there come and go between the clues.
_TOKENS_PER_LOCAL = 6_000
_MOST_LOCALS = 20
_THINGS_PER_PERSON = 2
# The share of the filling that is told before the crime.
_BEFORE = 0.6
_BREAK_TOKENS = 1.0
_GROUNDS = (
    "the boathouse", "the stable", "the greenhouse", "the chapel", "the kennels",
    "the summer house", "the gatehouse", "the orchard",
)  # fmt: skip
_CLUES = table("detective", "clues")
# The opening, the crime and the closing, and what was found at the scene.
_CASE = table("detective", "case")


# Whom a clue is about, and what it tells; those of ``TRACES`` are about nobody.
Clue = tuple[str, str]
_TRACES = tuple(("", what) for what in ("hand", "feet", "weapon", "clock", "note", "company"))


def write_mystery(rng: Random, case: Case, tokens: int) -> tuple[str, dict[Clue, str]]:
    """Return the text of the mystery, of a length in o200k_base tokens, and its clues.

    They are spread at random over the days before and after the crime.
    """
    habits, before = {}, []
    for about, clue in _habits(rng, case):
        habits[about] = clue
        before.append(_framed(rng, clue))
    later = dict(_statements(rng, case)) | dict(zip(_TRACES, _facts(case, "traces"), strict=True))
    after = [_framed(rng, clue) for clue in later.values()]
    frame = _facts(case, "frame")
    left = tokens / rate_of("mystery")
    left -= sum(tokens_of(text) + _BREAK_TOKENS for text in before + after + frame)
    simulation = Simulation(rng, _setting(rng, case, tokens))
    early = _filling(rng, simulation, left * _BEFORE)
    late = _filling(rng, simulation, left * (1 - _BEFORE))
    parts = [frame[0], *_spread(rng, before, early), frame[1], *_spread(rng, after, late), frame[2]]
    return "\n\n".join(parts), habits | later


def _filling(rng: Random, simulation: Simulation, tokens: float) -> list[str]:
    """Return paragraphs about what people do on the estate, of a length in all."""
    paragraphs: list[str] = []
    while tokens > 0:
        paragraphs.append(narrate(rng, simulation.step()))
        tokens -= tokens_of(paragraphs[-1]) + _BREAK_TOKENS
    return paragraphs


def _spread(rng: Random, clues: list[str], filling: list[str]) -> list[str]:
    """Return both: the clues at random places, the filling in its order."""
    rng.shuffle(clues)
    places = [rng.random() for _ in clues]
    between = [((i + 0.5) / len(filling), text) for i, text in enumerate(filling)]
    return [text for _, text in sorted([*zip(places, clues, strict=True), *between])]


def _setting(rng: Random, case: Case, tokens: int) -> Setting:
    names = Names(rng)
    locals_ = [names.word() for _ in range(min(_MOST_LOCALS, tokens // _TOKENS_PER_LOCAL))]
    cast = (*(suspect.name for suspect in case.suspects), *locals_)
    return Setting(cast, _GROUNDS, make_things(rng)[: _THINGS_PER_PERSON * len(cast)])


def _framed(rng: Random, clue: str) -> str:
    return sentence(f"{scene(rng)} {sentence(clue)} {closing(rng)}")


def _habits(rng: Random, case: Case) -> Iterator[tuple[Clue, str]]:
    """Yield what was seen of everybody in the days before, one observation a paragraph."""
    for person in (*case.suspects, *case.bystanders):
        hand = "left hand" if person.left_handed else "right hand"
        yield (person.name, "hand"), _clue(rng, case, person, hand)
        yield (person.name, "feet"), _clue(rng, case, person, person.feet)
        yield (person.name, "ink"), _clue(rng, case, person, person.ink)
        if person.motive:
            yield (person.name, "motive"), _clue(rng, case, person, "motive")


def _statements(rng: Random, case: Case) -> Iterator[tuple[Clue, str]]:
    """Yield where each guest was at the hour of the crime."""
    for suspect in case.suspects:
        told = _clue(rng, case, suspect, "together" if suspect.company else "alone")
        yield (suspect.name, "company"), told


def _facts(case: Case, part: str) -> list[str]:
    guests = listed([suspect.name for suspect in case.suspects])
    slots = {"guests": guests, "wound": WEAPONS[case.weapon], "stopped": hour(case.clock)}
    return [text.format(**vars(case), **slots) for text in _CASE[part]]


def _clue(rng: Random, case: Case, suspect: Suspect, kind: str) -> str:
    wording = rng.choice(_CLUES[kind])
    return wording.format(victim=case.victim, detective=case.detective, **vars(suspect))
