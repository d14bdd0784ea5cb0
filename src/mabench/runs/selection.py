"""Which questions of a data set a run asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mabench.data import Dataset, Question, Row
from mabench.errors import DataError


@dataclass(frozen=True, slots=True)
class Selection:
    """Which questions of a data set are asked.

    Attributes:
        sources: the sources; all when None.
        rows: the rows, by their index within the split; all when None.
        limit_questions: how many questions of each row, from the first; all when None.
    """

    sources: Collection[str] | None = None
    rows: Collection[int] | None = None
    limit_questions: int | None = None

    def of(self, dataset: Dataset) -> Iterator[tuple[Row, list[Question]]]:
        """Yield the rows with the questions to be asked of each."""
        for row in dataset.rows(self.sources):
            if self.rows is None or row.index in self.rows:
                yield row, list(row.flatten())[: self.limit_questions]


def questions_by_source(dataset: Dataset, selection: Selection) -> dict[str, int]:
    """Return how many questions are asked, by source.

    Raises:
        DataError: when there are none.
    """
    counts: Counter[str] = Counter()
    for row, questions in selection.of(dataset):
        counts[row.source] += len(questions)
    if not counts:
        wanted = f" of {', '.join(selection.sources)}" if selection.sources else ""
        if selection.rows:
            wanted += f" with the index {', '.join(map(str, selection.rows))}"
        raise DataError(f"{dataset.name}: no rows{wanted}; `mabench data show` lists what it holds")
    return dict(counts)
