"""Scores of histories for tests."""

from mabench.uncertainty import Grouped


def grouped(histories: list[list[float]]) -> Grouped:
    pairs = [(value, index) for index, scores in enumerate(histories) for value in scores]
    return Grouped.of([value for value, _ in pairs], [index for _, index in pairs])
