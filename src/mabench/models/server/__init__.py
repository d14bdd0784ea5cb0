"""HTTP clients for model servers: they send a request once and return the reply or failure.

They never retry; that is the task of ``RequestGate``.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.models.server.chat import ChatModel as ChatModel
    from mabench.models.server.session import LostReplyError as LostReplyError
    from mabench.models.server.session import ModelServer as ModelServer
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
