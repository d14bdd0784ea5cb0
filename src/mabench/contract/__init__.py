"""What an agent, a memory and a reader look like, and how what they return is read."""

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
