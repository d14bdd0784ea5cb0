"""Makes rows of in-context learning: labelled texts, and others of the same classes to label.

Labels are numbers, given to the classes in random order, so that they can only be learned from the
examples. Examples are balanced over the classes, as on the hub. Where some classes are rarer, these
have few texts, which recur, and are rarely asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from mabench.data.inventory import BY_NAME
from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench_synthetic.families.icl.classes import (
    intent_classes,
    question_groups,
    question_kinds,
    read_intents,
)
from mabench_synthetic.families.icl.texts import Manner, SlotFiller, TextClass, Texts
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    id_stem_of,
    random_stream,
    row_content,
)

_KNOBS = (
    Knob("classes", 0, 0, 150, "how many classes; 0 for all that the source has"),
    Knob("shots", 0, 0, 2_000_000, "how many demonstrations; 0 for as many as fit the length"),
    Knob("rare", 0.3, 0.0, 1.0, "share of the texts that may use rarer names and wordings"),
    Knob("overlap", 0.15, 0.0, 0.6, "share of the texts that name a thing of another class, too"),
    Knob("arguable", 0.02, 0.0, 1.0, "share of the texts that two or more classes fit"),
)


class _LabelSet(NamedTuple):
    """A source on the hub: its classes and examples, and what its texts are like.

    ``rate`` is the ratio of o200k_base tokens to the estimate, measured on generated rows.
    ``fresh`` is the share of texts that are not close paraphrases of others. ``intents`` is the
    file of the language; None for questions.
    """

    classes: int
    shots: int
    rate: float
    fresh: float
    intents: str | None = None


LABEL_SETS = {
    "icl_banking77_5900shot_balance": _LabelSet(77, 5900, 1.013, 0.085, "phone"),
    "icl_clinic150_7050shot_balance": _LabelSet(150, 7050, 1.012, 0.12, "assistant"),
    "icl_nlu_8296shot_balance": _LabelSet(68, 8296, 1.039, 0.5, "house"),
    "icl_trec_coarse_6600shot_balance": _LabelSet(6, 6600, 1.027, 0.9),
    "icl_trec_fine_6400shot_balance": _LabelSet(50, 6400, 1.023, 0.9),
}
_LABEL_TOKENS = 5.0
# Where some classes are rarer: different texts of the demonstrations, if no class had too few.
_DIFFERENT = 0.83
_FEWEST = 4


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row: examples, balanced over the classes, and texts that are not among them.

    Raises:
        UsageError: when a class has too few different texts.
    """
    rng = random_stream(spec.seed, "icl", spec.source, spec.row)
    source = LABEL_SETS[spec.source]
    classes = _classes(rng, spec)
    shots = _shots(spec, len(classes))
    labels = rng.sample(range(len(classes)), len(classes))
    texts = Texts(
        rng,
        tokens=spec.tokens / source.rate / shots - _LABEL_TOKENS,
        fresh=source.fresh,
        arguable=spec.knobs["arguable"],
        earlier=source.shots // source.classes,
    )
    shown = _shown(texts, classes, shots)
    weights = [text_class.weight for text_class in classes]
    if source.intents:
        asked = [place % len(classes) for place in range(shots, shots + spec.questions)]
    else:
        asked = rng.choices(range(len(classes)), weights, k=spec.questions)
    pairs = [QAPair(texts.new(number, classes[number]), (str(labels[number]),)) for number in asked]
    demonstrations = [f"{text}\nlabel: {labels[number]}" for number, text in shown]
    rng.shuffle(demonstrations)
    rng.shuffle(pairs)
    return row_content(spec.source, "\n\n".join(demonstrations), pairs, id_stem=id_stem_of(spec))


def _shots(spec: RowSpec, classes: int) -> int:
    """Return the number of examples: as dense as on the hub, and of every class."""
    chosen = int(spec.knobs["shots"])
    nominal = BY_NAME[spec.source].context_tokens
    return chosen or max(classes, round(LABEL_SETS[spec.source].shots * spec.tokens / nominal))


def _shown(texts: Texts, classes: Sequence[TextClass], shots: int) -> list[tuple[int, str]]:
    """Return the examples, from each class in turn, as the number of the class and a text.

    When a class has no more different texts, it begins again with its first one.
    """
    different = _different(classes, shots)
    texts_of: list[list[str]] = [[] for _ in classes]
    shown = []
    for place in range(shots):
        turn, number = divmod(place, len(classes))
        if turn < different[number]:
            text = texts.new(number, classes[number])
            texts_of[number].append(text)
        else:
            text = texts_of[number][turn % different[number]]
            texts.count(text)
        shown.append((number, text))
    return shown


def _different(classes: Sequence[TextClass], shots: int) -> list[int]:
    """Return how many different texts of each class are shown; more of common classes."""
    weights = [text_class.weight for text_class in classes]
    if len({*weights}) == 1:
        return [shots] * len(classes)
    return [max(_FEWEST, round(_DIFFERENT * shots * w / sum(weights))) for w in weights]


def _classes(rng: Random, spec: RowSpec) -> list[TextClass]:
    """Return all classes of the source, or some of them.

    Raises:
        UsageError: when it has fewer than asked for.
    """
    source = LABEL_SETS[spec.source]
    count = int(spec.knobs["classes"]) or source.classes
    if count > source.classes:
        raise UsageError(f"classes={count}: {spec.source} has {source.classes}")
    manner = Manner(*(spec.knobs[name] for name in Manner._fields))
    filler = SlotFiller(rng)
    if source.intents:
        return intent_classes(rng, filler, read_intents(source.intents), manner, count)
    kinds = question_kinds if "fine" in spec.source else question_groups
    return rng.sample(kinds(rng, filler, manner), count)


GENERATOR = Generator(family="icl", make_row=_make_row, knobs=_KNOBS)
