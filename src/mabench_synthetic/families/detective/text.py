"""The text of a mystery: days before the crime, the crime, and the clues spread over both."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench.text.names import Names
from mabench_synthetic.families.detective.case import WEAPONS, Case, Suspect, hour
from mabench_synthetic.language.english import listed, sentence
from mabench_synthetic.language.length import rate_of, tokens_of
from mabench_synthetic.language.wordings import table
from mabench_synthetic.story.scenery import closing, scene
from mabench_synthetic.story.story import Setting, Simulation, make_things, narrate

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
_CLUES = table("""
left hand: {name} dealt the cards with the left hand, quickly and without a mistake. |
    When the visitors' book went round, {name} signed it with the left hand.
right hand: {name} threw a stone over the pond, always with the right hand. |
    {name}, who used the right hand for everything, carved the roast.
boots studded with nails: The boots of {name} were studded with nails and rang on the flagstones. |
    One always heard {name} coming, for nobody walks quietly in nailed boots.
boots with smooth soles: {name} owned only boots with smooth soles and slipped more than once on
    the steps. |
    The soles of the boots that {name} wore were as smooth as paper.
felt slippers: {name} went about in felt slippers, indoors and out, and made no sound. |
    Somebody had left felt slippers by the fire to dry, and {name} came to fetch them.
riding boots: {name} came to table in riding boots, which the host pretended not to see. |
    A groom was blacking a pair of riding boots, and {name} stood by until they shone.
green ink: A diary lay open on the desk of {name}, every line of it in green ink. |
    {name} had brought a bottle of green ink and wrote with nothing else.
black ink: {name} wrote postcards after breakfast, in plain black ink. |
    The luggage labels of {name} were written in black ink.
violet ink: {name} kept accounts of every game in violet ink. |
    The menu cards that {name} had offered to write were in violet ink.
red ink: {name} corrected the newspaper in red ink before anybody else could read it. |
    A list in red ink fell from the sleeve of {name}, who picked it up again.
motive: A maid had heard {name} and {victim} behind a door, in a dispute about {motive}. |
    It was no secret that {motive} stood between {name} and {victim}. |
    {victim} had once said at table that {name} would never get over {motive}.
alone: "I was in {spot}," {name} told {detective}, "and nobody was with me, I am sorry to say." |
    {name} claimed to have sat in {spot} at that hour, but had seen no one and been seen by none.
together: "At that hour I was in {spot} with {company}," {name} told {detective}. The statement of
    {company} was the same. |
    {name} had been in {spot} at the time, together with {company}, and each confirmed it for the
    other.
""")
# The opening, the crime and the closing, and what was found at the scene.
_CASE = table("""
frame: That autumn six guests came to {house} at the invitation of {victim}. They were {guests}.
    What they did in the first days is told here first. |
    On the evening of the storm {victim} was found dead in the study of {house}. {detective} came
    before midnight and let nobody leave. A note lay on the desk, and one of the guests had done
    it. |
    "I have all I need," said {detective} on the third day, and asked everyone to come to the dining
    room.
traces: The doctor reported {wound} on the body of {victim}, and said that a left hand had done
    it. |
    The print in the flower bed below the window of {victim} showed the marks of nails in the
    sole. |
    Of all the things in {house} only {weapon} was missing from its place. |
    The clock of {victim} that fell in the struggle had stopped at {stopped}. It had always been
    {fast} minutes fast, as the butler of {house} remembered. |
    The note that had called {victim} to the study was in green ink, and smeared, as happens when a
    left hand follows the pen. |
    Only somebody without company at that hour could have climbed to the study of {house}
    unseen.
""")


# Whom a clue is about, and what it tells; those of ``TRACES`` are about nobody.
Clue = tuple[str, str]
TRACES = tuple(("", what) for what in ("hand", "feet", "weapon", "clock", "note", "company"))


def write_mystery(rng: Random, case: Case, tokens: int) -> tuple[str, dict[Clue, str]]:
    """Return the text of the mystery, of a length in o200k_base tokens, and its clues.

    They are spread at random over the days before and after the crime.
    """
    habits, before = {}, []
    for about, clue in _habits(rng, case):
        habits[about] = clue
        before.append(_framed(rng, clue))
    later = dict(_statements(rng, case)) | dict(zip(TRACES, _facts(case, "traces"), strict=True))
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
