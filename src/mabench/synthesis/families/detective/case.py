"""The case behind a mystery: who was where, who has which habits, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mabench.synthesis.language.names import Names

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


@dataclass(frozen=True)
class Suspect:
    """One guest: habits that clues speak of, and what the guest did at the hour of the crime."""

    name: str
    left_handed: bool
    nailed_boots: bool
    green_ink: bool
    spot: str
    company: str | None
    motive: str


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
    # (left-handed, nailed boots, index of the spot, company): the culprit stands first.
    habits = [
        (True, True, 0, None),
        (True, True, 1, guests[4]),
        (True, False, 2, None),
        (False, True, 3, None),
        (False, rng.random() < 0.5, 1, guests[1]),
        (False, rng.random() < 0.5, 4, _WITNESS),
    ]
    green = {rng.randrange(3), rng.randrange(3, 6)}
    suspects = [
        Suspect(guest, left, nailed, i in green, spots[spot], company, motives[i])
        for i, (guest, (left, nailed, spot, company)) in enumerate(zip(guests, habits, strict=True))
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


def _bystander(rng: Random, name: str) -> Suspect:
    left, nailed, green = (rng.random() < 0.5 for _ in range(3))
    return Suspect(name, left, nailed, green, spot="", company=None, motive="")


def hour(minutes: int) -> str:
    """Return minutes after midnight as ``21:35``."""
    return f"{minutes // 60}:{minutes % 60:02d}"
