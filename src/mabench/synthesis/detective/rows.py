"""Detective rows: mysteries with four-option questions whose answers follow from the clues."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.synthesis.detective.case import SPOTS, WEAPONS, Case, Suspect, hour, make_case
from mabench.synthesis.detective.text import tell
from mabench.synthesis.english import sentence
from mabench.synthesis.orders import Order
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.streams import stream

KNOBS = ()
_LETTERS = "ABCD"
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
_CLEARS = {
    "hand": "Use of the right hand",
    "boots": "Boots with smooth soles",
    "company": "The word of a companion",
    "leg": "A broken leg",
}


_FEET = ("boots studded with nails", "boots with smooth soles", "felt slippers", "riding boots")
_INKS = ("green ink", "black ink", "violet ink", "red ink")


def make_row(order: Order) -> RowContent:
    """Make a row: a mystery, and questions of different kinds about it.

    Raises:
        UsageError: when more questions are asked for than there are kinds.
    """
    rng = stream(order.seed, "detective", order.row)
    case = make_case(rng)
    pool = questions(rng, case)
    if order.questions > len(pool):
        raise UsageError(f"{order.source}: a mystery has at most {len(pool)} questions")
    items = rng.sample(pool, order.questions)
    text = tell(rng, case, order.tokens)
    stem = f"detective_qa_book{order.row}"
    return row_content(order.source, text, items, id_stem=stem)


def questions(rng: Random, case: Case) -> list[Item]:
    """Return the questions of a case with their options, each gold drawn from the case."""
    culprit, writer = case.culprit(), case.note_writer()
    guests = [suspect.name for suspect in case.suspects]
    seen = rng.choice([s for s in case.suspects if s.company in guests])
    placed = rng.choice(case.suspects)
    true_hour = case.clock - case.fast
    hours = [hour(true_hour + shift) for shift in (-case.fast, case.fast, 2 * case.fast)]
    motives = [s.motive for s in case.suspects]
    return [
        _item(rng, f"Who killed {case.victim}?", culprit.name, guests),
        _item(rng, f"Who wrote the note that called {case.victim} away?", writer.name, guests),
        _item(rng, f"With what was {case.victim} killed?", case.weapon, list(WEAPONS)),
        _item(rng, f"What lay between the murderer and {case.victim}?", culprit.motive, motives),
        _item(rng, f"At what time was {case.victim} killed?", hour(true_hour), hours),
        _item(rng, f"Where was {placed.name} at the time?", placed.spot, list(SPOTS)),
        _item(rng, f"Who was with {seen.name} at the time?", str(seen.company), guests, seen.name),
        _cleared(rng, case),
        _habit(rng, case, "What did {name} wear on the feet?", _FEET, lambda s: s.nailed_boots),
        _habit(rng, case, "In what did {name} write?", _INKS, lambda s: s.green_ink),
    ]


def _habit(
    rng: Random,
    case: Case,
    question: str,
    kinds: tuple[str, ...],
    is_first: Callable[[Suspect], bool],
) -> Item:
    """Ask for a habit of a guest: the first or the second of four kinds."""
    suspect = rng.choice(case.suspects)
    gold = kinds[0] if is_first(suspect) else kinds[1]
    return _item(rng, question.format(name=suspect.name), gold, list(kinds))


def _cleared(rng: Random, case: Case) -> Item:
    """Ask what rules out somebody whom only a single clue rules out."""
    ruled_out = {}
    for suspect in case.suspects:
        reasons = [
            name
            for name, holds in (
                ("hand", not suspect.left_handed),
                ("boots", not suspect.nailed_boots),
                ("company", suspect.company is not None),
            )
            if holds
        ]
        if len(reasons) == 1:
            ruled_out[suspect.name] = reasons[0]
    name = rng.choice(list(ruled_out))
    gold = _CLEARS[ruled_out[name]]
    return _item(rng, f"What shows that {name} is innocent?", gold, list(_CLEARS.values()))


def _item(rng: Random, question: str, gold: str, pool: list[str], asked: str = "") -> Item:
    """Put the gold among three of ``pool`` under letters; ``asked`` is no option."""
    options = [gold, *rng.sample([text for text in pool if text not in (gold, asked)], 3)]
    rng.shuffle(options)
    lettered = [
        f"{letter}. {sentence(text)}" for letter, text in zip(_LETTERS, options, strict=True)
    ]
    block = "\n".join(lettered)
    return Item(
        f"{_EXAMPLE}\n Now Answer the Question:  {question}\n{block}\n Output:",
        (lettered[options.index(gold)],),
    )
