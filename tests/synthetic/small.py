"""The rows of `synthetic:small`, with the entities that its golds refer to."""

from typing import NamedTuple

from mabench.data.schema import Row
from mabench_synthetic import DATASETS, entities_of, make_rows


class SmallData(NamedTuple):
    rows: tuple[Row, ...]
    entities: dict[str, int]


def small(seed: int) -> SmallData:
    specs = DATASETS["small"](seed)
    return SmallData(tuple(make_rows(specs)), entities_of(specs) or {})
