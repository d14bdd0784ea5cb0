"""Rows of numbered facts made afresh: relations, names and wordings that stand nowhere else."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple


class Tie(NamedTuple):
    """A relation: the kinds that it ties, a statement, a question, and a phrase for chains."""

    subject: str
    object: str
    statement: str
    question: str
    phrase: str


TIES = (
    Tie("sailor", "port", "{s} sails from the port of {o}.", "Which port does {s} sail from?",
        "the port from which {s} sails"),
    Tie("sailor", "ship", "{s} serves aboard {o}.", "What vessel does {s} serve aboard?",
        "the ship aboard which {s} serves"),
    Tie("sailor", "sailor", "{s} learned navigation from {o}.", "Who taught {s} navigation?",
        "the sailor from whom {s} learned navigation"),
    Tie("sailor", "animal", "{s} keeps a pet {o}.", "What sort of pet is kept by {s}?",
        "the animal that {s} keeps as a pet"),
    Tie("sailor", "instrument", "The instrument that {s} practises is the {o}.",
        "Which instrument does {s} practise?", "the instrument practised by {s}"),
    Tie("ship", "sailor", "The captain of {s} is {o}.", "Who commands {s} as its captain?",
        "the captain of {s}"),
    Tie("ship", "yard", "{s} was launched at the shipyard of {o}.",
        "At which shipyard was {s} launched?", "the shipyard that launched {s}"),
    Tie("ship", "cargo", "{s} carries a cargo of {o}.", "What cargo is carried by {s}?",
        "the cargo that {s} carries"),
    Tie("port", "island", "{s} lies on the island of {o}.", "On what island can {s} be found?",
        "the island where {s} lies"),
    Tie("port", "sailor", "The harbour master of {s} is {o}.", "Who is harbour master at {s}?",
        "the harbour master of {s}"),
    Tie("yard", "merchant", "{s} is owned by {o}.", "Who is the owner of {s}?",
        "the merchant who owns {s}"),
    Tie("merchant", "guild", "{s} pays dues to the guild of {o}.",
        "To which guild does {s} pay dues?", "the guild to which {s} pays dues"),
    Tie("merchant", "port", "{s} was buried in the churchyard of {o}.",
        "In which churchyard does the grave of {s} lie?", "the churchyard where {s} was buried"),
    Tie("island", "saint", "The patron saint of {s} is {o}.",
        "Which saint is the patron of {s}?", "the patron saint of {s}"),
    Tie("island", "currency", "The coin that is minted on {s} is the {o}.",
        "What coin is minted on {s}?", "the coin minted on {s}"),
    Tie("guild", "colour", "The banner of {s} has the colour {o}.",
        "What is the colour of the banner of {s}?", "the banner colour of {s}"),
)  # fmt: skip

_FIXED = {
    "animal": ("parrot", "ginger cat", "monkey", "grey goose", "hedgehog", "sea otter"),
    "instrument": ("fiddle", "tin whistle", "concertina", "drum", "Spanish guitar", "harp"),
    "cargo": ("salted cod", "tea", "raw wool", "timber", "Baltic amber", "coal", "cane sugar"),
    "guild": ("the Ropemakers", "the Chandlers", "the Coopers of Old Street", "the Weavers"),
    "colour": ("crimson", "sea green", "ochre", "navy blue", "white"),
    "currency": ("silver penny", "Thaler", "groat", "gold ducat", "shilling"),
}
_ONSETS = ("b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "br", "st", "tr")
_RIMES = ("an", "el", "or", "im", "usk", "ay", "enn", "olt", "arr", "ith", "ow", "erd", "ock")
_PATTERNS = {
    "sailor": ("{} {}", "{} {}", "{} van {}", "{} {} of {}"),
    "ship": ("The {}", "{} of the {}", "Queen {}", "The {} and {}"),
    "port": ("{}", "{}", "Port {}", "{}-on-{}"),
    "yard": ("{} & Sons", "{} Brothers", "{} Dry Dock"),
    "merchant": ("{} {}", "{} {}, Earl of {}", "Lady {} {}"),
    "island": ("{}", "{}", "Isle of {}", "Little {}"),
    "saint": ("St. {}", "{} the Patient"),
}


@dataclass
class Material:
    """A numbered list of facts, with questions over one fact and over several."""

    context: str
    single: list[tuple[str, str]] = field(default_factory=list)
    multiple: list[tuple[str, str]] = field(default_factory=list)


def make_material(seed: int, facts: int, questions: int = 60) -> Material:
    """Make ``facts`` facts, about half of which supersede an earlier one, and questions."""
    rng = Random(seed)
    kinds = {kind: _names(rng, kind, facts) for tie in TIES for kind in (tie.subject, tie.object)}
    slots = [(tie, name) for tie in TIES for name in kinds[tie.subject]]
    rng.shuffle(slots)
    told = slots[: max(1, round(facts / 1.5))]
    told += rng.choices(told, k=facts - len(told))
    state: dict[tuple[Tie, str], str] = {}
    lines = []
    for serial, (tie, subject) in enumerate(told):
        known = state.get((tie, subject))
        choice = [name for name in kinds[tie.object] if name not in (subject, known)]
        state[tie, subject] = rng.choice(choice)
        statement = tie.statement.format(s=subject, o=state[tie, subject])
        lines.append(f"{serial}. {statement[0].upper()}{statement[1:]}\n")
    material = Material("Here is what was told:\n" + "".join(lines))
    material.single = list(_single(rng, state, questions))
    material.multiple = list(_multiple(rng, state, questions))
    return material


def _names(rng: Random, kind: str, facts: int) -> list[str]:
    if kind in _FIXED:
        return list(_FIXED[kind])
    share = {"sailor": 0.12, "ship": 0.1, "merchant": 0.08}.get(kind, 0.03)
    names: dict[str, None] = {}
    while len(names) < max(5, facts * share):
        pattern = rng.choice(_PATTERNS[kind])
        names[pattern.format(*(_word(rng) for _ in range(3)))] = None
    return list(names)


def _word(rng: Random) -> str:
    syllables = (rng.choice(_ONSETS) + rng.choice(_RIMES) for _ in range(rng.choice((2, 2, 3))))
    return "".join(syllables).capitalize()


def _single(
    rng: Random, state: dict[tuple[Tie, str], str], questions: int
) -> Iterator[tuple[str, str]]:
    for tie, subject in rng.sample(sorted(state), min(questions, len(state))):
        yield tie.question.format(s=subject), state[tie, subject]


def _multiple(
    rng: Random, state: dict[tuple[Tie, str], str], questions: int
) -> Iterator[tuple[str, str]]:
    """Ask along chains of two to four facts."""
    starts = sorted(state)
    for _ in range(20 * questions):
        chain = [rng.choice(starts)]
        for _ in range(rng.choice((1, 1, 2, 3))):
            end = state[chain[-1]]
            onward = [slot for slot in starts if slot[1] == end]
            if onward:
                chain.append(rng.choice(onward))
        if len(chain) > 1:
            phrase = chain[0][1]
            for tie, _ in chain[:-1]:
                phrase = tie.phrase.format(s=phrase)
            yield chain[-1][0].question.format(s=phrase), state[chain[-1]]
            questions -= 1
        if not questions:
            return
