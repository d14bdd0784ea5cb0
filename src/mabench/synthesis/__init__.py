"""Rows of every family made from a seed, in the official schema, with invented names.

``small(seed)`` makes the rows of the data set that is named ``synthetic:small``; rows of other
lengths and difficulties are ordered by ``order_rows`` and made by ``make_rows``.
"""

from mabench.synthesis.making import SyntheticRows, entities_of, make_rows, manifest_of, small
from mabench.synthesis.orders import Knob, Order
from mabench.synthesis.plans import (
    PLANS,
    knobs_of,
    order_rows,
    order_sources,
    sources_named,
)

__all__ = [
    "PLANS",
    "Knob",
    "Order",
    "SyntheticRows",
    "entities_of",
    "knobs_of",
    "make_rows",
    "manifest_of",
    "order_rows",
    "order_sources",
    "small",
    "sources_named",
]
