"""Superseded facts: numbered statements, read into a ledger, and questions answered from it."""

from mabench.agents.floor.facts.chains import Chain, Chains
from mabench.agents.floor.facts.book import Fact, Ledger, Step, ledger_of
from mabench.agents.floor.facts.skill import learn
from mabench.agents.floor.facts.statements import statements_in

__all__ = ["Chain", "Chains", "Fact", "Ledger", "Step", "learn", "ledger_of", "statements_in"]
