"""The case behind a mystery: who was where, who has which habits, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mabench.text.names import Names

SPOTS = (
    "the library", "the billiard room", "the music room", "the winter garden", "the drawing room",
    "the map room", "the linen room",
)  # fmt: skip
WEAPONS = {
    "the bronze candlestick": "a single blow with something heavy and rounded",
    "the paper knife": "one narrow and very deep cut",
    "the curtain cord": "a thin mark that ran right round the neck",
    "the iron poker": "a long bruise with soot in it",
    "the garden shears": "two cuts, side by side and equally deep",
}
_MOTIVES = (
    "the sale of the vineyard", "an unpaid debt", "a forged signature", "a broken engagement",
    "the will", "a stolen invention", "a dismissed servant", "the vote in the council",
)  # fmt: skip
_WITNESS = "the cook"
# Of each, the first is a trace of the crime.
FEET = ("boots studded with nails", "boots with smooth soles", "felt slippers", "riding boots")
INKS = ("green ink", "black ink", "violet ink", "red ink")


@dataclass(frozen=True)
class Suspect:
    """One guest: habits that clues speak of, and what the guest did at the hour of the crime."""

    name: str
    left_handed: bool
    feet: str
    ink: str
    spot: str
    company: str | None
    motive: str

    @property
    def nailed_boots(self) -> bool:
        """Whether the guest leaves the marks of nails."""
        return self.feet == FEET[0]

    @property
    def green_ink(self) -> bool:
        """Whether the guest writes in the ink of the note."""
        return self.ink == INKS[0]


@dataclass(frozen=True)
class Case:
    """A crime and its suspects; exactly one is left-handed, in nailed boots and without company.

    Bystanders are not among the guests: their habits are observed, too, and mean nothing.

    The stopped clock shows ``clock`` (minutes after midnight) and was ``fast`` minutes ahead.
    The crime happened at ``clock`` less ``fast``.
    """

    house: str
    victim: str
    detective: str
    suspects: tuple[Suspect, ...]
    bystanders: tuple[Suspect, ...]
    weapon: str
    clock: int
    fast: int

    def culprit(self) -> Suspect:
        """Return the suspect whom no clue rules out."""
        (suspect,) = (
            s for s in self.suspects if s.left_handed and s.nailed_boots and s.company is None
        )
        return suspect

    def note_writer(self) -> Suspect:
        """Return the only one who writes left-handed and in green ink."""
        (writer,) = (s for s in self.suspects if s.left_handed and s.green_ink)
        return writer


def make_case(rng: Random, bystanders: int = 0) -> Case:
    """Invent a case in which every clue is needed: without it, a second suspect fits."""
    names = Names(rng)
    guests = [names.person() for _ in range(6)]
    spots, motives = rng.sample(SPOTS, 5), rng.sample(_MOTIVES, 6)
    nails, others = FEET[0], rng.sample(FEET[1:], 3)
    # (left-handed, feet, index of the spot, company): the culprit stands first.
    habits = [
        (True, nails, 0, None),
        (True, nails, 1, guests[4]),
        (True, others[0], 2, None),
        (False, nails, 3, None),
        (False, others[1], 1, guests[1]),
        (False, others[2], 4, _WITNESS),
    ]
    inks = _inks(rng)
    suspects = [
        Suspect(guest, left, feet, inks[i], spots[spot], company, motives[i])
        for i, (guest, (left, feet, spot, company)) in enumerate(zip(guests, habits, strict=True))
    ]
    rng.shuffle(suspects)
    return Case(
        house=f"{names.word()} Hall",
        victim=names.person(),
        detective=f"Inspector {names.word()}",
        suspects=tuple(suspects),
        bystanders=tuple(_bystander(rng, names.person()) for _ in range(bystanders)),
        weapon=rng.choice(list(WEAPONS)),
        clock=rng.randrange(21 * 60 + 30, 22 * 60 + 50, 5),
        fast=rng.choice((10, 15, 20)),
    )


def _inks(rng: Random) -> list[str]:
    """Return the inks of the six: green for one who is left-handed and one who is not."""
    left, right = rng.randrange(3), rng.randrange(3, 6)
    others = rng.sample([*INKS[1:], rng.choice(INKS[1:])], 4)
    return [INKS[0] if i in (left, right) else others.pop() for i in range(6)]


def _bystander(rng: Random, name: str) -> Suspect:
    left = rng.random() < 0.5
    feet, ink = rng.choice(FEET), rng.choice(INKS)
    return Suspect(name, left, feet, ink, spot="", company=None, motive="")


def hour(minutes: int) -> str:
    """Return minutes after midnight as ``21:35``."""
    return f"{minutes // 60}:{minutes % 60:02d}"
