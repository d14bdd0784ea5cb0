"""What 1,000 questions of an agent cost: dollars, seconds, and how long a search took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self, TypeVar

from mabench.printable import write_number
from mabench.reports.costs.durations import write_seconds
from mabench.reports.tables import Column
from mabench.results import MemorySummary, RunSummary

# How many questions a cost is of.
_QUESTIONS = 1000
# Seconds; if a question or a search took longer, time is worth a column.
_NOTICED = 0.01
# From this ratio of two costs on, a sentence says how many times one is the other.
_WORTH_SAYING = 1.5
# Dollars; smaller amounts are written with two digits that are not 0.
_FEW_DOLLARS = 0.1
_T = TypeVar("_T")


class QuestionCosts(NamedTuple):
    """What 1,000 questions of an agent cost, memorizing included; None for what is not known."""

    dollars: float | None = None
    seconds: float | None = None
    search: float | None = None  # Seconds within which 95 % of the searches were done.

    @classmethod
    def of(cls, summaries: Sequence[RunSummary], memory: MemorySummary | None) -> Self:
        """Return the costs of the builds of a run, and of their ``memory``.

        Builds are runs with the same settings.
        """
        asked = sum(summary.spent.n for summary in summaries)
        times: list[float | None] = []
        for summary in summaries:
            for source in summary.sources.values():
                times += [source.seconds_memorize, source.seconds_answer]
        return cls(
            dollars=_per_thousand([summary.dollars for summary in summaries], asked),
            seconds=_per_thousand(times, asked),
            search=float(memory.search.p95) if memory and memory.search else None,
        )

    @property
    def is_noticed(self) -> bool:
        """Whether anything was paid, or a question or a search took more than 10 ms."""
        has_slow_questions = (self.seconds or 0) > _NOTICED * _QUESTIONS
        has_slow_searches = (self.search or 0) > _NOTICED
        return bool(self.dollars) or has_slow_questions or has_slow_searches

    def against(self, other: QuestionCosts) -> str:
        """Return how these costs compare with others, as the end of a sentence.

        Empty if they are much alike, or unknown. Only dollars count, since times depend on what
        else a machine was doing.
        """
        if self.dollars and other.dollars == 0:
            return f", for {write_dollars(self.dollars)} per 1,000 questions against nothing"
        if not self.dollars or not other.dollars:
            return ""
        ratio = max(self.dollars, other.dollars) / min(self.dollars, other.dollars)
        if ratio < _WORTH_SAYING:
            return ""
        times = write_number(ratio, ",.0f" if ratio >= 10 else ".1f").removesuffix(".0")
        is_dearer = self.dollars > other.dollars
        return f", at {times} times the cost" if is_dearer else f", at 1/{times} of the cost"


def _per_thousand(amounts: Sequence[float | None], asked: int) -> float | None:
    """Return what 1,000 of the questions that were asked took; None unless every amount is known.

    Together the amounts are what all of the questions took.
    """
    known = [amount for amount in amounts if amount is not None]
    if not known or len(known) < len(amounts) or not asked:
        return None
    return _QUESTIONS * sum(known) / asked


def write_dollars(dollars: float) -> str:
    """Return an amount with cents, such as $1,234.50, or a small one with two digits: $0.0012."""
    if 0 < dollars < _FEW_DOLLARS:
        return f"${dollars:.2g}"
    return f"${write_number(dollars, ',.2f')}"


def cost_columns(costs: Callable[[_T], QuestionCosts]) -> list[Column[_T]]:
    """Return the columns of what 1,000 questions cost; ``costs`` returns the costs of a row.

    A table has them only if the costs of any row are noticed.
    """

    def column(title: str, write: Callable[[QuestionCosts], str | None]) -> Column[_T]:
        """Return the column of one of the costs, which ``write`` puts into a cell."""

        def is_shown(rows: Sequence[_T]) -> bool:
            """Return whether any cost is noticed, and this one is known of any row."""
            of_rows = [costs(row) for row in rows]
            is_any_noticed = any(one.is_noticed for one in of_rows)
            is_any_known = any(write(one) is not None for one in of_rows)
            return is_any_noticed and is_any_known

        return Column(title, lambda row: write(costs(row)), spec="", when=is_shown)

    return [column(title, write) for title, write in _COLUMNS.items()]


def _write_cost(costs: QuestionCosts) -> str | None:
    """Return the dollars of 1,000 questions; None if unknown."""
    return None if costs.dollars is None else write_dollars(costs.dollars)


def _write_time(costs: QuestionCosts) -> str | None:
    """Return the time of 1,000 questions; None if unknown."""
    return None if costs.seconds is None else write_seconds(costs.seconds)


def _write_search(costs: QuestionCosts) -> str | None:
    """Return the time within which most searches were done; None if unknown."""
    return None if costs.search is None else write_seconds(costs.search)


# The columns by their titles, and what writes their cells.
_COLUMNS = {
    "Cost per 1,000 questions": _write_cost,
    "Time per 1,000 questions": _write_time,
    "Search p95": _write_search,
}
