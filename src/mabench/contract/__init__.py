"""What an agent, a memory and a reader look like, and how what they return is read."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.contract.answers import AgentError as AgentError
    from mabench.contract.answers import Stats as Stats
    from mabench.contract.answers import answer_of as answer_of
    from mabench.contract.answers import passages_of as passages_of
    from mabench.contract.interfaces import Agent as Agent
    from mabench.contract.interfaces import Answer as Answer
    from mabench.contract.interfaces import Memory as Memory
    from mabench.contract.interfaces import Passage as Passage
    from mabench.contract.interfaces import Query as Query
    from mabench.contract.interfaces import Reader as Reader
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
