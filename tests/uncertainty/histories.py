"""Scores of histories for tests."""

from collections.abc import Hashable

from mabench.uncertainty import Grouped


def grouped(
    histories: list[list[float]],
    lowest: float = -1.0,
    texts: tuple[Hashable, ...] | None = None,
) -> Grouped:
    """Return the scores of some histories; ``lowest`` is -1 for differences, 0 for scores."""
    pairs = [(value, index) for index, scores in enumerate(histories) for value in scores]
    found = Grouped.of([value for value, _ in pairs], [index for _, index in pairs])
    return Grouped(found.values, found.histories, texts, lowest)
