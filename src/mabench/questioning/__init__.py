"""Questions about own conversations: made by a person, out of tickets, or drafted by a model.

They are kept in the sheet beside the conversations. A draft never counts before a person has
accepted it.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.questioning.conversations import SaidHistory as SaidHistory
    from mabench.questioning.conversations import SaidTurn as SaidTurn
    from mabench.questioning.conversations import conversation_lines as conversation_lines
    from mabench.questioning.conversations import find_turns as find_turns
    from mabench.questioning.conversations import read_conversations as read_conversations
    from mabench.questioning.drafting import Drafting as Drafting
    from mabench.questioning.drafting import draft_questions as draft_questions
    from mabench.questioning.sheet import QuestionCounts as QuestionCounts
    from mabench.questioning.sheet import Sheet as Sheet
    from mabench.questioning.tickets import find_tickets as find_tickets
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
