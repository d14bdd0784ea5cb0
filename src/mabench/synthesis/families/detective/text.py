"""The text of a mystery: days before the crime, the crime, and the clues spread over both."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench.synthesis.families.detective.case import WEAPONS, Case, Suspect, hour
from mabench.synthesis.language.english import listed, sentence
from mabench.synthesis.language.length import tokens_of
from mabench.synthesis.language.names import Names
from mabench.synthesis.story.scenery import closing, scene
from mabench.synthesis.story.story import Setting, Simulation, make_things, narrate

# On a larger estate, people who live and work there come and go between the clues.
_TOKENS_PER_LOCAL = 6_000
_MOST_LOCALS = 20
_THINGS_PER_PERSON = 2
# The share of the filling that is told before the crime.
_BEFORE = 0.6
_BREAK_TOKENS = 1.0
# Between o200k_base and the estimate of length.py, measured on generated mysteries.
_RATE = 1.035
_GROUNDS = (
    "the boathouse", "the stable", "the greenhouse", "the chapel", "the kennels",
    "the summer house", "the gatehouse", "the orchard",
)  # fmt: skip
_HAND = {
    True: (
        "{name} dealt the cards with the left hand, quickly and without a mistake.",
        "When the visitors' book went round, {name} signed it with the left hand.",
    ),
    False: (
        "{name} threw a stone over the pond, always with the right hand.",
        "{name}, who used the right hand for everything, carved the roast.",
    ),
}
_BOOTS = {
    True: (
        "The boots of {name} were studded with nails and rang on the flagstones.",
        "One always heard {name} coming, for nobody walks quietly in nailed boots.",
    ),
    False: (
        "{name} owned only boots with smooth soles and slipped more than once on the steps.",
        "The soles of the boots that {name} wore were as smooth as paper.",
    ),
}
_INK = {
    True: (
        "A diary lay open on the desk of {name}, every line of it in green ink.",
        "{name} had brought a bottle of green ink and wrote with nothing else.",
    ),
    False: (
        "{name} wrote postcards after breakfast, in plain black ink.",
        "The luggage labels of {name} were written in black ink.",
    ),
}
_MOTIVE = (
    "A maid had heard {name} and {victim} behind a door. The dispute was about {motive}.",
    "It was no secret that {motive} stood between {name} and {victim}.",
    "{victim} had once said at table that {name} would never get over {motive}.",
)
_ALONE = (
    '"I was in {spot}," {name} told {detective}, "and nobody was with me, I am sorry to say."',
    "{name} claimed to have sat in {spot} at that hour, but had seen no one and been seen by none.",
)
_TOGETHER = (
    '"At that hour I was in {spot} with {company}," {name} told {detective}. The statement of '
    "{company} was the same.",
    "{name} had been in {spot} at the time, together with {company}, and each confirmed it for "
    "the other.",
)


def write_mystery(rng: Random, case: Case, tokens: int) -> str:
    """Return the text of the mystery, of a length in o200k_base tokens.

    Its clues are spread at random over the days before and after the crime.
    """
    before = [
        _framed(rng, clue) for suspect in case.suspects for clue in _habits(rng, case, suspect)
    ]
    after = [_framed(rng, clue) for clue in [*_statements(rng, case), *_traces(case)]]
    frame = [_opening(case), _crime(case), _closing(case)]
    left = tokens / _RATE - sum(tokens_of(text) + _BREAK_TOKENS for text in before + after + frame)
    simulation = Simulation(rng, _setting(rng, case, tokens))
    early = _filling(rng, simulation, left * _BEFORE)
    late = _filling(rng, simulation, left * (1 - _BEFORE))
    parts = [frame[0], *_spread(rng, before, early), frame[1], *_spread(rng, after, late), frame[2]]
    return "\n\n".join(parts)


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


def _habits(rng: Random, case: Case, suspect: Suspect) -> Iterator[str]:
    """Yield what was seen of a guest in the days before, one observation a paragraph."""
    for wordings in (
        _HAND[suspect.left_handed],
        _BOOTS[suspect.nailed_boots],
        _INK[suspect.green_ink],
        _MOTIVE,
    ):
        yield rng.choice(wordings).format(
            name=suspect.name, victim=case.victim, motive=suspect.motive
        )


def _statements(rng: Random, case: Case) -> Iterator[str]:
    """Yield where each guest was at the hour of the crime."""
    for suspect in case.suspects:
        wordings = _TOGETHER if suspect.company else _ALONE
        yield rng.choice(wordings).format(
            name=suspect.name,
            spot=suspect.spot,
            company=suspect.company,
            detective=case.detective,
        )


def _traces(case: Case) -> Iterator[str]:
    """Yield what was found at the scene."""
    yield f"The doctor reported {WEAPONS[case.weapon]}, and said that a left hand had done it."
    yield "The print in the flower bed below the window showed the marks of nails in the sole."
    yield f"Of all the things in the house only {case.weapon} was missing from its place."
    yield (
        f"The clock that fell in the struggle had stopped at {hour(case.clock)}. It had always "
        f"been {case.fast} minutes fast, as the butler remembered."
    )
    yield (
        f"The note that had called {case.victim} to the study was in green ink, and smeared, as "
        "happens when a left hand follows the pen."
    )
    yield "Only somebody without company at that hour could have climbed to the study unseen."


def _opening(case: Case) -> str:
    guests = listed([suspect.name for suspect in case.suspects])
    return (
        f"That autumn six guests came to {case.house} at the invitation of {case.victim}. They "
        f"were {guests}. What they did in the first days is told here first."
    )


def _crime(case: Case) -> str:
    return (
        f"On the evening of the storm {case.victim} was found dead in the study of {case.house}. "
        f"{case.detective} came before midnight and let nobody leave. A note lay on the desk, "
        "and one of the guests had done it."
    )


def _closing(case: Case) -> str:
    return (
        f'"I have all I need," said {case.detective} on the third day, and asked everyone to '
        "come to the dining room."
    )
