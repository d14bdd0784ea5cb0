"""In-context learning rows: labelled utterances, and others of the same classes to label.

Labels are numbers given to the classes in random order, so they can be learnt from the
demonstrations only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from mabench.dataset.schema import RowContent
from mabench.synthesis.english import sentence
from mabench.synthesis.icl_wordings import BANKING, CLOSERS, OPENERS, QUIZ
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.streams import stream
from mabench.synthesis.world import World, build_world

_PEOPLE = 150
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHOPS = ("Bakery", "Books", "Chemist", "Garage", "Grocers", "Hotel", "Outfitters")


def make_rows(seed: int) -> list[RowContent]:
    """Return a row of customers' intents and a row of question classes, balanced by class."""
    banking, quiz = stream(seed, "icl", "banking"), stream(seed, "icl", "quiz")
    return [
        _row(banking, "icl_banking77_5900shot_balance", BANKING, _banking_text, shots=24, tests=2),
        _row(quiz, "icl_trec_coarse_6600shot_balance", QUIZ, _quiz_text, shots=70, tests=5),
    ]


def _row(
    rng: Random,
    source: str,
    classes: Mapping[str, Sequence[str]],
    word: Callable[[Random, World, str], str],
    *,
    shots: int,
    tests: int,
) -> RowContent:
    """Make ``shots`` demonstrations and ``tests`` questions of each class, all different."""
    world = build_world(rng, _PEOPLE)
    labels = rng.sample(range(len(classes)), len(classes))
    demonstrations, items = [], []
    seen: set[str] = set()
    for label, cores in zip(labels, classes.values(), strict=True):
        texts = _different(rng, world, cores, word, shots + tests, seen)
        demonstrations += [f"{text}\nlabel: {label}" for text in texts[:shots]]
        items += [Item(text, (str(label),)) for text in texts[shots:]]
    rng.shuffle(demonstrations)
    rng.shuffle(items)
    return row_content(source, "\n\n".join(demonstrations), items)


def _different(
    rng: Random,
    world: World,
    cores: Sequence[str],
    word: Callable[[Random, World, str], str],
    count: int,
    seen: set[str],
) -> list[str]:
    """Return ``count`` texts that are not among ``seen`` yet."""
    texts: list[str] = []
    while len(texts) < count:
        text = word(rng, world, rng.choice(cores))
        if text not in seen:
            seen.add(text)
            texts.append(text)
    return texts


def _banking_text(rng: Random, world: World, core: str) -> str:
    text = rng.choice(OPENERS) + core + rng.choice(CLOSERS)
    owner = rng.choice(world.entities["person"]).split()[-1]
    return sentence(
        text.format(
            city=rng.choice(world.entities["city"]),
            person=rng.choice(world.entities["person"]),
            shop=f"{owner} {rng.choice(_SHOPS)}",
            amount=f"{5 * rng.randrange(2, 180)} crowns",
            day=rng.choice(_DAYS),
        )
    )


def _quiz_text(rng: Random, world: World, core: str) -> str:
    body = rng.choice(world.entities["organisation"])
    return core.format(
        city=rng.choice(world.entities["city"]),
        country=rng.choice(world.entities["country"]),
        game=rng.choice(world.entities["game"]),
        person=rng.choice(world.entities["person"]),
        body=body,
        letters="".join(rng.sample("BCDFGHKLMNPRSTVW", 4)),
    )
