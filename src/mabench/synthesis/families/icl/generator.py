"""In-context learning rows: labelled texts, and others of the same classes to label.

Labels are numbers given to the classes in random order, so they can be learnt from the
demonstrations only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from mabench.data.inventory import BY_NAME
from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.synthesis.content import QAPair, row_content
from mabench.synthesis.families.icl.intents import ASSISTANT, BANK, HOUSE, Intents
from mabench.synthesis.families.icl.questions import AFTER, BEFORE, QUESTIONS
from mabench.synthesis.generator import Generator, Knob, RowSpec, random_stream
from mabench.synthesis.language.english import sentence, with_article
from mabench.synthesis.language.length import tokens_of
from mabench.synthesis.world.world import World, build_world

_KNOBS = (
    Knob("classes", 0, 0, 150, "how many classes; 0 for all that the source has"),
    Knob("shots", 0, 0, 2_000_000, "how many demonstrations; 0 for as many as fit the length"),
    Knob("rare", 0.25, 0.0, 1.0, "share of the texts that call a thing by one of its rarer names"),
)


class _LabelSet(NamedTuple):
    """Classes and demonstrations of a source on the hub, and the rate of o200k_base to length.py.

    The rates were measured on generated rows.
    """

    classes: int
    shots: int
    rate: float


LABEL_SETS = {
    "icl_banking77_5900shot_balance": _LabelSet(77, 5900, 1.030),
    "icl_clinic150_7050shot_balance": _LabelSet(150, 7050, 1.026),
    "icl_nlu_8296shot_balance": _LabelSet(68, 8296, 1.043),
    "icl_trec_coarse_6600shot_balance": _LabelSet(6, 6600, 1.015),
    "icl_trec_fine_6400shot_balance": _LabelSet(50, 6400, 1.004),
}
_PEOPLE = 600
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHOPS = ("Bakery", "Books", "Chemist", "Garage", "Grocers", "Hotel", "Outfitters")
_SLOT = re.compile(r"\{(\w+)\}")
_CHOICES = 4
_TRIES = 200
_LABEL_TOKENS = 5.0
# How often a person goes by the surname alone.
_SURNAME_ONLY = 0.6

# Makes a text of one class, with names of a world.
_Writer = Callable[[Random, World], str]


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row: demonstrations, balanced over the classes, and texts that are not among them.

    Raises:
        UsageError: when the classes have too few different texts.
    """
    rng = random_stream(spec.seed, "icl", spec.source, spec.row)
    world = build_world(rng, _PEOPLE)
    classes = _classes(rng, spec)
    shots = _shots(spec, len(classes))
    labels = rng.sample(range(len(classes)), len(classes))
    balanced = [k % len(classes) for k in range(shots + spec.questions)]
    tokens = spec.tokens / LABEL_SETS[spec.source].rate
    texts = _Texts(rng, world, tokens / shots - _LABEL_TOKENS)
    labelled = [(texts.next(classes[number]), labels[number]) for number in balanced]
    demonstrations = [f"{text}\nlabel: {label}" for text, label in labelled[:shots]]
    pairs = [QAPair(text, (str(label),)) for text, label in labelled[shots:]]
    rng.shuffle(demonstrations)
    rng.shuffle(pairs)
    return row_content(spec.source, "\n\n".join(demonstrations), pairs)


def _shots(spec: RowSpec, classes: int) -> int:
    """Return how many demonstrations there are: as dense as on the hub, and of every class."""
    chosen = int(spec.knobs["shots"])
    nominal = BY_NAME[spec.source].context_tokens
    return chosen or max(classes, round(LABEL_SETS[spec.source].shots * spec.tokens / nominal))


class _Texts:
    """Makes texts that all differ, with a mean length of about ``tokens``."""

    def __init__(self, rng: Random, world: World, tokens: float) -> None:
        self._rng = rng
        self._world = world
        self._tokens = tokens
        self._ahead = 0.0
        self._seen: set[str] = set()

    def next(self, write: _Writer) -> str:
        """Return a new text of a class: a longer one when the texts so far fell short."""
        texts = [self._new(write) for _ in range(_CHOICES)]
        chosen = (min if self._ahead > 0 else max)(texts, key=tokens_of)
        self._ahead += tokens_of(chosen) - self._tokens
        self._seen.add(chosen)
        return chosen

    def _new(self, write: _Writer) -> str:
        for _ in range(_TRIES):
            text = write(self._rng, self._world)
            if text not in self._seen:
                return text
        raise UsageError("a class has no more different texts; ask for fewer shots or questions")


def _classes(rng: Random, spec: RowSpec) -> list[_Writer]:
    """Return a writer for each class: all classes of the source, or some of them."""
    rare = spec.knobs["rare"]
    if "trec" in spec.source:
        writers = _question_classes("fine" in spec.source)
    else:
        sets = {"banking77": BANK, "clinic150": ASSISTANT, "nlu": HOUSE}
        intents = next(intents for name, intents in sets.items() if name in spec.source)
        writers = [
            _intent(intents, names, wordings, rare)
            for names in intents.objects.values()
            for wordings in intents.actions.values()
        ]
    count = int(spec.knobs["classes"]) or len(writers)
    if count > len(writers):
        raise UsageError(f"classes={count}: {spec.source} has {len(writers)}")
    return rng.sample(writers, count) if count < len(writers) else writers


def _intent(
    intents: Intents, names: Sequence[str], wordings: Sequence[str], rare: float
) -> _Writer:
    def write(rng: Random, world: World) -> str:
        name = rng.choice(names[1:]) if rng.random() < rare else names[0]
        core = rng.choice(wordings).replace("{o}", name).replace("{a}", with_article(name))
        before = rng.choice(intents.before) if rng.random() < 0.5 else ""
        after = rng.choice(intents.after) if rng.random() < 0.5 else ""
        bare = core.removesuffix("?")
        end = "?" if core.endswith("?") and not after.endswith("?") else ""
        return sentence(_fill(rng, world, before + bare + after + end))

    return write


def _question_classes(fine: bool) -> list[_Writer]:
    if fine:
        return [_question(wordings) for types in QUESTIONS.values() for wordings in types.values()]
    return [
        _question([wording for wordings in types.values() for wording in wordings])
        for types in QUESTIONS.values()
    ]


def _question(wordings: Sequence[str]) -> _Writer:
    def write(rng: Random, world: World) -> str:
        before = rng.choice(BEFORE) if rng.random() < 0.3 else ""
        after = rng.choice(AFTER) if rng.random() < 0.3 else ""
        return _fill(rng, world, before + rng.choice(wordings) + after)

    return write


def _fill(rng: Random, world: World, wording: str) -> str:
    """Fill the slots of a wording from left to right."""
    return _SLOT.sub(lambda slot: _slot_value(rng, world, slot[1]), wording)


def _slot_value(rng: Random, world: World, slot: str) -> str:
    if slot == "person" and rng.random() < _SURNAME_ONLY:
        return rng.choice(world.entities["person"]).split()[-1]
    if slot in world.entities:
        return rng.choice(world.entities[slot])
    if slot == "day":
        return rng.choice(_DAYS)
    if slot == "body":
        return rng.choice(world.entities["organisation"])
    if slot == "shop":
        return f"{rng.choice(world.entities['person']).split()[-1]} {rng.choice(_SHOPS)}"
    if slot == "amount":
        return f"{5 * rng.randrange(2, 180)} crowns"
    if slot == "letters":
        return "".join(rng.sample("BCDFGHKLMNPRSTVW", 4))
    return str(rng.randrange(2, 13))


GENERATOR = Generator(family="icl", make_row=_make_row, knobs=_KNOBS)
