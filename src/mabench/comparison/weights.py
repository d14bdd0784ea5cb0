"""The weights of sources in means: of columns, of categories, and of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mabench.comparison.entries import Entry
from mabench.data.inventory import CATEGORIES as _CATEGORIES
from mabench.results import paper_weights

# By the name of a column or a category, the weights of its sources.
COLUMNS = {name: paper_weights(name) for category in _CATEGORIES for name in category.columns}
CATEGORIES = {category.name: paper_weights(*category.columns) for category in _CATEGORIES}


def headline_weights(entry: Entry, sources: Sequence[str]) -> Mapping[str, float]:
    """Return the weights of the overall score if it is complete, else of the mean of sources."""
    overall = paper_weights()
    if entry.complete(sources).issuperset(overall):
        return overall
    return dict.fromkeys(sources, 1 / len(sources))
