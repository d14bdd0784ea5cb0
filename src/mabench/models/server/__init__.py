"""HTTP clients for model servers: they send a request once and return the reply or failure.

They never retry; that is the task of ``RequestGate``.
"""

from mabench.models.server.chat import ChatModel as ChatModel
from mabench.models.server.session import LostReplyError as LostReplyError
from mabench.models.server.session import ModelServer as ModelServer
