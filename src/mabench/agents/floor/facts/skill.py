"""The skill: answers questions from a ledger of numbered statements."""

from __future__ import annotations

from mabench.agents.floor.facts.chains import Chains
from mabench.agents.floor.facts.book import Ledger, ledger_of
from mabench.agents.floor.facts.statements import statements_in
from mabench.agents.floor.skill import History
from mabench.contract.interfaces import Answer, Query


class Facts:
    """Answers with the name at the end of the chain of facts that fits a question best."""

    def __init__(self, ledger: Ledger) -> None:
        self._chains = Chains(ledger)

    def answer(self, query: Query) -> Answer | None:
        """Answer from the newest facts; None when no chain has to do with the question."""
        best = next(iter(self._chains.ranked(query.question)), None)
        if best is None or not best.explained:
            return None
        return Answer(best.end, retrieved=[f"{fact.serial}. {fact.text}" for fact in best.facts])


def learn(history: History) -> Facts | None:
    """Read ``history`` as numbered statements; None when it does not consist of such."""
    ledger = ledger_of(statements_in(history.text))
    return Facts(ledger) if ledger else None
