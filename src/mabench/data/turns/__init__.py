"""Histories that are conversations: what was said, when, by whom, in which session, for whom."""

from mabench.data.turns.faults import find_faults as find_faults
from mabench.data.turns.index import TurnIndex as TurnIndex
from mabench.data.turns.lists import join_turns as join_turns
from mabench.data.turns.messages import Message as Message
