"""The skill: answers questions from a book of numbered statements."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from mabench.contract.interfaces import Answer, Query
from mabench_floor.facts.book import FactBook, Statement, first_number, read_book, statements_in
from mabench_floor.facts.chains import Chains
from mabench_floor.skill import History


class FactSkill:
    """Answers with the name at the end of the chain of facts that fits a question best."""

    def __init__(self, book: FactBook) -> None:
        self._chains = Chains(book)

    def answer(self, query: Query) -> Answer | None:
        """Answer from the newest facts; None when no chain has to do with the question."""
        best = next(iter(self._chains.ranked(query.question)), None)
        if best is None or not best.explained:
            return None
        return Answer(best.end, retrieved=[f"{fact.serial}. {fact.text}" for fact in best.facts])


def learn(history: History) -> FactSkill | None:
    """Read ``history`` as numbered statements; None when it does not consist of such."""
    if history.passages:
        # Questions of one row often find the same passages, in another order.
        return _learn_again(tuple(sorted(_statements_of(history.chunks))))
    return _learn(statements_in(history.text))


def _learn(statements: list[Statement]) -> FactSkill | None:
    book = read_book(statements)
    return FactSkill(book) if book else None


@lru_cache(maxsize=64)
def _learn_again(statements: tuple[Statement, ...]) -> FactSkill | None:
    return _learn(list(statements))


def _statements_of(passages: Iterable[str]) -> set[Statement]:
    """Return the statements of passages; the first one's number may stand in another passage."""
    statements: set[Statement] = set()
    for passage in passages:
        number = first_number(passage)
        lost = "" if number is None or number < 1 else f"{number - 1}. "
        statements.update(statements_in(lost + passage))
    return statements
