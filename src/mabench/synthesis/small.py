"""The small data set that runs anywhere: a few rows of every family, made from a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mabench.dataset.inventory import BY_NAME
from mabench.dataset.schema import Row, RowContent
from mabench.synthesis import (
    detective,
    eventqa,
    factconsolidation,
    icl,
    infbench,
    longmemeval,
    recsys,
    ruler,
)
from mabench.synthesis.catalogue import make_catalogue
from mabench.synthesis.streams import stream


class SyntheticRows(NamedTuple):
    """Rows in the order of the hub, and the entities that the recommendation golds refer to.

    ``entities`` maps an entity's name to its id, as the hub's entity2id.json does.
    """

    rows: tuple[Row, ...]
    entities: dict[str, int]


def small(seed: int = 0) -> SyntheticRows:
    """Make 13 rows of all eight families, about half a megabyte of text.

    The same seed gives the same rows everywhere; other seeds give other names and facts.
    """
    rng = stream(seed, "recsys")
    catalogue = make_catalogue(rng)
    contents = [
        *ruler.make_rows(seed),
        *eventqa.make_rows(seed),
        *longmemeval.make_rows(seed),
        *recsys.make_rows(rng, catalogue),
        *icl.make_rows(seed),
        *infbench.make_rows(seed),
        *detective.make_rows(seed),
        *factconsolidation.make_rows(seed),
    ]
    return SyntheticRows(tuple(_placed(contents)), catalogue.entities)


def _placed(contents: Iterable[RowContent]) -> Iterator[Row]:
    """Number the rows within their splits."""
    filled: Counter[str] = Counter()
    for content in contents:
        split = BY_NAME[content.metadata.source].split
        yield Row(
            context=content.context,
            questions=content.questions,
            answers=content.answers,
            metadata=content.metadata,
            split=split,
            index=filled[split],
        )
        filled[split] += 1
