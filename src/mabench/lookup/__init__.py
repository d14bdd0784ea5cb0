"""Finds the agent that a user names, and returns a factory that makes a fresh one for each row.

It must not run an agent's code before the agent is made, except to import its module.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.lookup.capabilities import Capabilities as Capabilities
    from mabench.lookup.factory import AgentFactory as AgentFactory
    from mabench.lookup.names import AgentInfo as AgentInfo
    from mabench.lookup.names import available as available
    from mabench.lookup.resolution import refuse_ignored_model as refuse_ignored_model
    from mabench.lookup.resolution import resolve as resolve
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
