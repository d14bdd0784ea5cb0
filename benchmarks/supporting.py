r"""A memory that finds just the passages on which the answer to a question rests.

It is told which rows it is asked about, and looks the question up there. So it shows what a reader
makes of passages when nothing is missed and nothing is beside them:

    mabench run benchmarks.supporting:Supporting --set rows=rows/ruler --data rows/ruler \
        --chunk-tokens 100 --model local --out runs/ruler
"""

from __future__ import annotations

import mabench
from mabench.data import Row
from mabench.data.evidence import Evidence
from mabench.families import search_query


class Supporting:
    """Finds the passages, in the order of the history, that hold the support of a question.

    ``rows`` is the folder of the rows. Nothing is found where the data do not say what supports an
    answer.
    """

    def __init__(self, rows: str) -> None:
        self._rows = list(mabench.load(rows).rows())
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Keep a passage."""
        self._texts.append(text)

    def search(self, query: str, k: int) -> list[str]:
        """Return the passages that support the answer to a question, at most ``k``."""
        row = next(row for row in self._rows if all(text in row.context for text in self._texts))
        asked = [search_query(question.question) for question in row.flatten()]
        # The prompt goes on after the question.
        longest = max((each for each in asked if query.startswith(each)), key=len)
        spans = Evidence(row).places(asked.index(longest)) or []
        return [
            text
            for start, text in zip(_starts(row, self._texts), self._texts, strict=True)
            if any(start < end and begin < start + len(text) for begin, end in spans)
        ][:k]


def _starts(row: Row, texts: list[str]) -> list[int]:
    """Return where in the history each of its passages begins."""
    starts, end = [], 0
    for text in texts:
        starts.append(row.context.index(text, end))
        end = starts[-1] + len(text)
    return starts
