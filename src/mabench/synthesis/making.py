"""From orders to the rows of a data set: made one at a time, in the order of the hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row
from mabench.synthesis.orders import Order
from mabench.synthesis.plans import FAMILIES, small_orders
from mabench.synthesis.recsys.rows import catalogue_of

# Goes up whenever the same order would make another row.
GENERATOR_VERSION = 1


class SyntheticRows(NamedTuple):
    """Rows in the order of the hub, and the entities that the recommendation golds refer to.

    ``entities`` maps an entity's name to its id, as the hub's entity2id.json does.
    """

    rows: tuple[Row, ...]
    entities: dict[str, int]


def make_rows(orders: Iterable[Order], sources: Collection[str] | None = None) -> Iterator[Row]:
    """Make the rows of ``orders``, those of ``sources`` only when given.

    Every row depends on its order alone; its place is that among all orders of its split.

    Raises:
        UsageError: when a row cannot be so short, or hold so many questions.
    """
    filled: Counter[str] = Counter()
    for order in orders:
        known = BY_NAME[order.source]
        index = filled[known.split]
        filled[known.split] += 1
        if sources is None or order.source in sources:
            content = FAMILIES[known.family].make_row(order)
            yield Row(
                context=content.context,
                questions=content.questions,
                answers=content.answers,
                metadata=content.metadata,
                split=known.split,
                index=index,
            )


def entities_of(orders: Iterable[Order]) -> dict[str, int] | None:
    """Return the entities that the golds of the recommendation rows refer to; None without any."""
    for order in orders:
        if BY_NAME[order.source].family == "recsys":
            return catalogue_of(order).entities
    return None


def manifest_of(orders: Iterable[Order]) -> dict[str, Any]:
    """Return what makes the same rows again: generator version, seed, and every order."""
    listed = list(orders)
    return {
        "generator": GENERATOR_VERSION,
        "seed": listed[0].seed if listed else None,
        "rows": [
            {name: value for name, value in order._asdict().items() if name != "seed"}
            for order in listed
        ],
    }


def small(seed: int = 0) -> SyntheticRows:
    """Make the rows of `synthetic:small`: 13 of all eight families, half a megabyte of text.

    The same seed gives the same rows everywhere; other seeds give other names and facts.
    """
    orders = list(small_orders(seed))
    return SyntheticRows(tuple(make_rows(orders)), entities_of(orders) or {})
