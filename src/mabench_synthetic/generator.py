"""The interface of a generator: an object for each family that makes rows from their specs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, cast

from mabench.data.inventory import Source
from mabench.data.schema import Metadata, RowContent
from mabench.errors import UsageError, unknown
from mabench.printable import write_count
from mabench_synthetic.language import sentence


class Knob(NamedTuple):
    """A setting of a family that makes its rows harder or easier.

    ``lowest`` and ``highest`` are the ends of its range, both allowed. A knob with a whole number
    as its ``default`` takes only whole numbers.
    """

    name: str
    default: int | float
    lowest: int | float
    highest: int | float
    about: str


class RowSpec(NamedTuple):
    """The description of a row; a row depends on nothing else.

    ``row`` is its number in its source, from 0. ``tokens`` is the length of its context in
    o200k_base tokens. ``knobs`` has a value for every knob of the family, and ``difficulty`` names
    where the values come from that were not chosen one by one.
    """

    source: str
    seed: int
    row: int
    tokens: int
    questions: int
    knobs: Mapping[str, int | float]
    difficulty: str = "real"


@dataclass(frozen=True, kw_only=True)
class Generator:
    """How the rows of one family are made.

    Attributes:
        family: the family's name in the inventory.
        make_row: makes the content of a row; raises UsageError when the row is too short for its
            questions, or cannot have that many.
        knobs: the family's knobs.
        public_questions: how many questions a row of a source has in the public data set, by
            the number of the row.
        entities: the entities that the golds of a row refer to, name to id; None for a family
            whose golds refer to none.
    """

    family: str
    make_row: Callable[[RowSpec], RowContent]
    knobs: tuple[Knob, ...] = ()
    public_questions: Callable[[Source, int], int] = lambda source, _: (
        source.questions // source.rows
    )
    entities: Callable[[RowSpec], dict[str, int]] | None = None

    def knob_values(self, chosen: Mapping[str, int | float]) -> dict[str, int | float]:
        """Return the value of every knob: the chosen one, else its default.

        Raises:
            UsageError: when there is no such knob, or a value is out of range.
        """
        by_name = {knob.name: knob for knob in self.knobs}
        for name, value in chosen.items():
            if name not in by_name:
                raise UsageError(unknown("no such knob:", name, by_name))
            knob = by_name[name]
            is_whole = value % 1 == 0
            if isinstance(knob.default, int) and not is_whole:
                raise UsageError(f"{name}={value}: must be a whole number")
            if not knob.lowest <= value <= knob.highest:
                raise UsageError(
                    f"{name}={value}: must be between {knob.lowest} and {knob.highest}"
                )
        # 1 and 1.0 are one value: the same rows are made.
        return {
            knob.name: type(knob.default)(chosen.get(knob.name, knob.default))
            for knob in self.knobs
        }


def random_stream(seed: int, *path: str | int) -> Random:
    """Return the random number generator for a ``path`` (a family, a row).

    Streams of different paths are independent, so that a change to one family alters no other.
    Python seeds a generator with a string by SHA-512, which does not depend on PYTHONHASHSEED.
    """
    return Random("/".join(map(str, (seed, *path))))  # noqa: S311 - nothing here is secret


class QAPair(NamedTuple):
    """A question, its acceptable answers, and the statements of the history that it needs."""

    question: str
    answers: tuple[str, ...]
    rests_on: tuple[str, ...] = ()


def distinct(pairs: Iterable[QAPair], count: int) -> list[QAPair]:
    """Return the first ``count`` pairs with different questions.

    Raises:
        UsageError: when there are fewer.
    """
    by_question: dict[str, QAPair] = {}
    for pair in pairs:
        if len(by_question) == count:
            break
        by_question.setdefault(pair.question, pair)
    if len(by_question) < count:
        held = write_count(len(by_question), "different question")
        raise UsageError(
            f"a row this short holds only {held}, not {count}; ask for at most that many, or for "
            "more tokens"
        )
    return list(by_question.values())


def id_stem_of(spec: RowSpec, title: str = "") -> str:
    """Return the beginning of the ids of a row, perhaps a title; no other row of the source has it.

    It depends only on the spec of the row.
    """
    named = f"{spec.source}_{title}" if title else spec.source
    return f"{named}_seed{spec.seed}_row{spec.row}"


def row_content(
    source: str,
    context: str,
    pairs: Sequence[QAPair],
    *,
    id_stem: str = "",
    **metadata: Any,
) -> RowContent:
    """Return a row with questions over a context; ids are ``<id_stem or source>_no<i>``."""
    evidence = None
    if any(pair.rests_on for pair in pairs):
        evidence = [[_quote(context, text) for text in pair.rests_on] for pair in pairs]
    ids = [f"{id_stem or source}_no{i}" for i in range(len(pairs))]
    return RowContent(
        context=context,
        questions=[pair.question for pair in pairs],
        answers=[list(pair.answers) for pair in pairs],
        metadata=cast(Metadata, {"source": source, "qa_pair_ids": ids, **metadata}),
        evidence=evidence,
    )


def _quote(context: str, statement: str) -> str:
    """Return a statement as it occurs in the context, where it may begin a sentence."""
    for text in (statement, sentence(statement)):
        if text in context:
            return text
    raise ValueError(f"the context does not say {statement!r}")
