"""Histories that are conversations: what was said, when, by whom, in which session, for whom."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.data.turns.faults import find_faults as find_faults
    from mabench.data.turns.index import TurnIndex as TurnIndex
    from mabench.data.turns.lists import join_turns as join_turns
    from mabench.data.turns.messages import Message as Message
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
