"""Makes rows of DetectiveQA: mysteries with four-option questions about the clues.

A mystery tells of the days before the crime, of the crime and of the clues, which are spread over
the text. Golds follow from the case (who was where, and who has which habits), not from the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.printable import write_count
from mabench.text.names import NameInventor
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    id_stem_of,
    random_stream,
    row_content,
)
from mabench_synthetic.language import listed, phrases, rate_of, sentence, table, tokens_of
from mabench_synthetic.story import Simulation, StorySetting, closing, make_things, narrate, scene

_SPOTS = phrases("detective", "spots")
_MOTIVES = phrases("detective", "motives")
# Each weapon, and the wound that it leaves.
_WEAPONS = {weapon: wound for weapon, (wound,) in table("detective", "weapons").items()}
# Of each, the first is a trace of the crime.
_FEET = phrases("detective", "feet")
_INKS = phrases("detective", "inks")
_GROUNDS = phrases("detective", "grounds")
_CLUES = table("detective", "clues")
# The opening, the crime and the closing, and what was found at the scene.
_CASE = table("detective", "case")
_WITNESS = "the cook"
# On a larger estate, people who live and work there come and go between the clues.
_TOKENS_PER_LOCAL = 6_000
_MOST_LOCALS = 20
_THINGS_PER_PERSON = 2
# The share of the filling that is told before the crime.
_BEFORE = 0.6
_BREAK_TOKENS = 1.0


class _Suspect(NamedTuple):
    """A guest: the habits that clues mention, and what the guest did when the crime happened."""

    name: str
    left_handed: bool
    feet: str
    ink: str
    spot: str = ""
    company: str | None = None
    motive: str = ""

    def cleared_by(self) -> list[str]:
        """Return what rules the guest out, as the names of clues."""
        fits_culprit = {
            "hand": self.left_handed,
            "feet": self.feet == _FEET[0],
            "company": not self.company,
        }
        return [clue for clue, fits in fits_culprit.items() if not fits]


class _Case(NamedTuple):
    """A crime and its suspects. Exactly one is left-handed, wears nailed boots and was alone.

    Bystanders are not among the guests: their habits are mentioned, too, but mean nothing.

    The stopped clock shows ``clock`` (minutes after midnight) and was ``fast`` minutes ahead, so
    the crime happened at ``clock`` less ``fast``.
    """

    suspects: tuple[_Suspect, ...]
    house: str
    victim: str
    detective: str
    bystanders: tuple[_Suspect, ...]
    weapon: str
    clock: int
    fast: int


def _make_case(rng: Random, bystanders: int) -> _Case:
    """Invent a case in which every clue is needed: without it, a second suspect would fit."""
    names = NameInventor(rng)
    guests = [names.person() for _ in range(6)]
    spots, motives = rng.sample(_SPOTS, 5), rng.sample(_MOTIVES, 6)
    nails, shoes = _FEET[0], rng.sample(_FEET[1:], 3)
    # Whether left-handed, feet, spot and company. The culprit comes first; the second and the fifth
    # were together.
    habits: list[tuple[bool, str, str, str | None]] = [
        (True, nails, spots[0], None),
        (True, nails, spots[1], guests[4]),
        (True, shoes[0], spots[2], None),
        (False, nails, spots[3], None),
        (False, shoes[1], spots[1], guests[1]),
        (False, shoes[2], spots[4], _WITNESS),
    ]
    # Green is the ink of one of the left-handed, who come first, and of one of the others.
    in_green = rng.randrange(3), rng.randrange(3, 6)
    other_inks = rng.sample([*_INKS[1:], rng.choice(_INKS[1:])], 4)
    suspects = []
    for i, (left_handed, feet, spot, company) in enumerate(habits):
        suspect = _Suspect(
            name=guests[i],
            left_handed=left_handed,
            feet=feet,
            ink=_INKS[0] if i in in_green else other_inks.pop(),
            spot=spot,
            company=company,
            motive=motives[i],
        )
        suspects.append(suspect)
    rng.shuffle(suspects)
    return _Case(
        suspects=tuple(suspects),
        house=f"{names.word()} Hall",
        victim=names.person(),
        detective=f"Inspector {names.word()}",
        bystanders=tuple(
            _Suspect(
                name=names.person(),
                left_handed=rng.random() < 0.5,
                feet=rng.choice(_FEET),
                ink=rng.choice(_INKS),
            )
            for _ in range(bystanders)
        ),
        weapon=rng.choice(list(_WEAPONS)),
        clock=rng.randrange(21 * 60 + 30, 22 * 60 + 50, 5),
        fast=rng.choice((10, 15, 20)),
    )


def _hour(minutes: int) -> str:
    """Return minutes after midnight as text, such as ``21:35``."""
    return f"{minutes // 60}:{minutes % 60:02d}"


# Whom a clue is about, and what it tells; those of ``_TRACES`` are about nobody.
_Clue = tuple[str, str]
_TRACES = tuple(("", what) for what in ("hand", "feet", "weapon", "clock", "note", "company"))


def _write_mystery(rng: Random, case: _Case, tokens: int) -> tuple[str, dict[_Clue, str]]:
    """Return the text of a mystery of that many o200k_base tokens, and its clues.

    The clues are placed at random in the days before and after the crime.
    """
    habits: dict[_Clue, str] = {}
    before: list[str] = []
    for about, clue in _habits(rng, case):
        habits[about] = clue
        before.append(_framed(rng, clue))
    whereabouts: dict[_Clue, str] = {}
    for guest in case.suspects:
        kind = "together" if guest.company else "alone"
        whereabouts[guest.name, "company"] = _clue(rng, case, guest, kind)
    traces = dict(zip(_TRACES, _filled(case, "traces"), strict=True))
    clues = habits | whereabouts | traces
    after = [_framed(rng, clue) for clue in (whereabouts | traces).values()]
    opening, crime, ending = _filled(case, "frame")
    left = tokens / rate_of("mystery")
    fixed = [*before, *after, opening, crime, ending]
    left -= sum(tokens_of(text) + _BREAK_TOKENS for text in fixed)
    simulation = Simulation(rng, _setting(rng, case, tokens))
    early = _filling(rng, simulation, left * _BEFORE)
    late = _filling(rng, simulation, left * (1 - _BEFORE))
    parts = [opening, *_spread(rng, before, early), crime, *_spread(rng, after, late), ending]
    return "\n\n".join(parts), clues


def _filling(rng: Random, simulation: Simulation, tokens: float) -> list[str]:
    """Return paragraphs about life on the estate, with a total length."""
    paragraphs: list[str] = []
    while tokens > 0:
        paragraphs.append(narrate(rng, simulation.step()))
        tokens -= tokens_of(paragraphs[-1]) + _BREAK_TOKENS
    return paragraphs


def _spread(rng: Random, clues: list[str], filling: list[str]) -> list[str]:
    """Return the filling in its order, with the clues at random places in it."""
    rng.shuffle(clues)
    # Places are from 0 to 1. The paragraphs of the filling are at even distances.
    placed_clues = [(rng.random(), clue) for clue in clues]
    placed_filling = [((i + 0.5) / len(filling), text) for i, text in enumerate(filling)]
    return [text for _, text in sorted([*placed_clues, *placed_filling])]


def _setting(rng: Random, case: _Case, tokens: int) -> StorySetting:
    """Return the guests and the locals, more of them in a longer mystery, with their things."""
    names = NameInventor(rng)
    locals_ = [names.word() for _ in range(min(_MOST_LOCALS, tokens // _TOKENS_PER_LOCAL))]
    cast = (*(suspect.name for suspect in case.suspects), *locals_)
    return StorySetting(cast, _GROUNDS, make_things(rng)[: _THINGS_PER_PERSON * len(cast)])


def _framed(rng: Random, clue: str) -> str:
    """Return the paragraph with a clue: a scene, the clue and a closing."""
    return sentence(f"{scene(rng)} {sentence(clue)} {closing(rng)}")


def _habits(rng: Random, case: _Case) -> Iterator[tuple[_Clue, str]]:
    """Yield the observations of everybody in the days before, one a paragraph."""
    for person in (*case.suspects, *case.bystanders):
        hand = "left hand" if person.left_handed else "right hand"
        kinds = {"hand": hand, "feet": person.feet, "ink": person.ink}
        if person.motive:
            kinds["motive"] = "motive"
        for what, kind in kinds.items():
            yield (person.name, what), _clue(rng, case, person, kind)


def _filled(case: _Case, part: str) -> list[str]:
    """Return the texts of a part of ``_CASE``, filled in for a case."""
    guests = listed([suspect.name for suspect in case.suspects])
    slots = {"guests": guests, "wound": _WEAPONS[case.weapon], "stopped": _hour(case.clock)}
    return [text.format(**case._asdict(), **slots) for text in _CASE[part]]


def _clue(rng: Random, case: _Case, suspect: _Suspect, kind: str) -> str:
    """Return a clue about somebody, in one of the wordings of its kind."""
    wording = rng.choice(_CLUES[kind])
    return wording.format(victim=case.victim, detective=case.detective, **suspect._asdict())


# The ten public rows have 71 questions in all, six to ten each.
_PUBLIC_QUESTIONS = (6, 7, 7, 8, 6, 7, 10, 6, 8, 6)
_KNOBS = (Knob("bystanders", 3, 0, 12, "people besides the guests whose habits are observed"),)
_EXAMPLE = """
            For example:
            [story text]

            Question: Who let the horse out of the stable?
            A. The groom
            B. The miller's son
            C. The vicar
            D. The blacksmith

            Output: {"answer": "B. The miller's son", "reasoning": "Flour lay on the latch, and
            the miller had been at the market since dawn."}
"""
# What clears somebody, as a question says it.
_CLEARS = {
    "hand": "the use of the right hand",
    "feet": "shoes that leave no marks of nails",
    "company": "the word of a companion",
}


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row: a mystery, and questions of different kinds about it.

    Raises:
        UsageError: when there are fewer kinds than questions.
    """
    rng = random_stream(spec.seed, "detective", spec.row)
    case = _make_case(rng, int(spec.knobs["bystanders"]))
    pool = [*_questions(rng, case)]
    if spec.questions > len(pool):
        raise UsageError(
            f"{spec.source}: a mystery has at most {write_count(len(pool), 'question')}"
        )
    chosen = rng.sample(pool, spec.questions)
    text, clues = _write_mystery(rng, case, spec.tokens)
    pairs = [
        pair._replace(rests_on=tuple(clues[clue] for clue in needed)) for pair, needed in chosen
    ]
    return row_content(spec.source, text, pairs, id_stem=id_stem_of(spec, "book"))


def _questions(rng: Random, case: _Case) -> Iterator[tuple[QAPair, list[_Clue]]]:
    """Yield the questions about a case, with options, golds and the clues that each gold needs.

    Golds are taken from the case.
    """
    guests, victim = [suspect.name for suspect in case.suspects], case.victim
    # The one whom no clue rules out, and the only one who writes left-handed and in green ink.
    (culprit,) = (s for s in case.suspects if not s.cleared_by())
    (writer,) = (s.name for s in case.suspects if s.left_handed and s.ink == _INKS[0])
    accompanied = rng.choice([s for s in case.suspects if s.company in guests])
    placed = rng.choice(case.suspects)
    # The options for the time are as far apart as the clock was ahead, some of them too early.
    hour, too_early = case.clock - case.fast, rng.randrange(4)
    hours = [_hour(hour + (i - too_early) * case.fast) for i in range(4)]
    guilt = [(whose, what) for whose in ("", culprit.name) for what in ("hand", "feet", "company")]
    note = [("", "note"), (writer, "hand"), (writer, "ink")]
    pair = partial(_pair, rng)

    yield pair(f"Who killed {victim}?", culprit.name, guests), guilt
    yield pair(f"Who wrote the note that called {victim} away?", writer, guests), note
    yield pair(f"With what was {victim} killed?", case.weapon, [*_WEAPONS]), [("", "weapon")]
    motives = [suspect.motive for suspect in case.suspects]
    between = pair(f"What lay between the murderer and {victim}?", culprit.motive, motives)
    yield between, [*guilt, (culprit.name, "motive")]
    yield pair(f"At what time was {victim} killed?", _hour(hour), hours), [("", "clock")]
    where = pair(f"Where was {placed.name} at the time?", placed.spot, _SPOTS)
    yield where, [(placed.name, "company")]
    asked, company = f"Who was with {accompanied.name} at the time?", str(accompanied.company)
    yield pair(asked, company, guests, accompanied.name), [(accompanied.name, "company")]
    cleared_by_one = rng.choice([s for s in case.suspects if len(s.cleared_by()) == 1])
    (clue,) = cleared_by_one.cleared_by()
    who_is_cleared = f"Who is cleared by {_CLEARS[clue]} alone?"
    yield pair(who_is_cleared, cleared_by_one.name, guests), [(cleared_by_one.name, clue)]
    # A habit of a guest. All four kinds of shoes and of ink occur, and each is as likely.
    feet = rng.choice(_FEET)
    name = rng.choice([s.name for s in case.suspects if s.feet == feet])
    yield pair(f"What did {name} wear on the feet?", feet, _FEET), [(name, "feet")]
    ink = rng.choice(_INKS)
    name = rng.choice([s.name for s in case.suspects if s.ink == ink])
    yield pair(f"In what did {name} write?", ink, _INKS), [(name, "ink")]


def _pair(rng: Random, question: str, gold: str, pool: Sequence[str], barred: str = "") -> QAPair:
    """Return a question with its gold among three of ``pool``; ``barred`` is never an option."""
    options = [gold, *rng.sample([text for text in pool if text not in (gold, barred)], 3)]
    rng.shuffle(options)
    lettered = [f"{letter}. {sentence(text)}" for letter, text in zip("ABCD", options, strict=True)]
    block = "\n".join(lettered)
    return QAPair(
        f"{_EXAMPLE}\n Now Answer the Question:  {question}\n{block}\n Output:",
        (lettered[options.index(gold)],),
    )


GENERATOR = Generator(
    family="detective",
    make_row=_make_row,
    knobs=_KNOBS,
    public_questions=lambda _, row: _PUBLIC_QUESTIONS[row % len(_PUBLIC_QUESTIONS)],
)
