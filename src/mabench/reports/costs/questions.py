"""What 1,000 questions cost: dollars, seconds, and the time of a search, beside scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Self, TypeVar

from mabench.printable import write_number
from mabench.reports.costs.durations import write_seconds
from mabench.reports.tables import Column
from mabench.results import MemorySummary, RunSummary

_QUESTIONS = 1000
# Seconds of a question or a search from which on time is worth a column.
_NOTICED = 0.01
# From this ratio on, a sentence says how many times more something costs.
_WORTH_SAYING = 1.5
# Smaller amounts are written with the digits that count.
_FEW_DOLLARS = 0.1
_T = TypeVar("_T")


class QuestionCosts(NamedTuple):
    """What 1,000 questions of an agent cost, memorizing included; None for what is not known."""

    dollars: float | None = None
    seconds: float | None = None
    search: float | None = None  # Seconds within which 95 % of the searches were done.

    @classmethod
    def of(cls, summaries: Sequence[RunSummary], memory: MemorySummary | None) -> Self:
        """Return the costs of the builds of a run, and of their ``memory``."""
        asked = sum(summary.spent.n for summary in summaries)
        sources = [source for summary in summaries for source in summary.sources.values()]
        times = [time for one in sources for time in (one.seconds_memorize, one.seconds_answer)]
        return cls(
            dollars=_per_thousand([summary.dollars for summary in summaries], asked),
            seconds=_per_thousand(times, asked),
            search=float(memory.search.p95) if memory and memory.search else None,
        )

    @property
    def is_noticed(self) -> bool:
        """Whether anything was paid, or took more than 10 ms."""
        slow = (self.seconds or 0) > _NOTICED * _QUESTIONS or (self.search or 0) > _NOTICED
        return bool(self.dollars) or slow

    def against(self, other: QuestionCosts) -> str:
        """Return what the first costs against the other, as the end of a sentence; or nothing.

        Only dollars count: times depend on what else a machine was doing.
        """
        if self.dollars and other.dollars == 0:
            return f", for {write_dollars(self.dollars)} per 1,000 questions against nothing"
        if self.dollars and other.dollars:
            more, less = _times(self.dollars, other.dollars)
            return f", at {more} times the cost" * bool(more) + f", at 1/{less} of the cost" * bool(
                less
            )
        return ""


def _per_thousand(amounts: Iterable[float | None], asked: int) -> float | None:
    listed = [*amounts]
    known = [amount for amount in listed if amount is not None]
    if not known or len(known) < len(listed) or not asked:
        return None
    return _QUESTIONS * sum(known) / asked


def _times(one: float, other: float) -> tuple[str, str]:
    """Return how many times more the one is, or how many times less; nothing where alike."""
    more = max(one, other) / min(one, other)
    if more < _WORTH_SAYING:
        return "", ""
    times = write_number(more, ",.0f" if more >= 10 else ".1f").removesuffix(".0")
    return (times, "") if one > other else ("", times)


def write_dollars(dollars: float) -> str:
    """Return an amount with two digits after the point, or two that count if it is smaller."""
    if 0 < dollars < _FEW_DOLLARS:
        return f"${dollars:.2g}"
    return f"${write_number(dollars, ',.2f')}"


def cost_columns(costs: Callable[[_T], QuestionCosts]) -> list[Column[_T]]:
    """Return the columns of what 1,000 questions cost, where anything of it is noticed."""

    def column(title: str, write: Callable[[QuestionCosts], str | None]) -> Column[_T]:
        def is_shown(rows: Sequence[_T]) -> bool:
            listed = [*map(costs, rows)]
            return any(one.is_noticed for one in listed) and any(map(write, listed))

        return Column(title, lambda row: write(costs(row)), "", when=is_shown)

    return [column(title, write) for title, write in _COLUMNS.items()]


def _seconds(costs: QuestionCosts) -> str | None:
    return None if costs.seconds is None else write_seconds(costs.seconds)


def _dollars(costs: QuestionCosts) -> str | None:
    return None if costs.dollars is None else write_dollars(costs.dollars)


def _search(costs: QuestionCosts) -> str | None:
    return None if costs.search is None else write_seconds(costs.search)


_COLUMNS = {
    "Cost per 1,000 questions": _dollars,
    "Time per 1,000 questions": _seconds,
    "Search p95": _search,
}
