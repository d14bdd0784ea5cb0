"""Servers of models: a request is sent once, and whatever comes of it is said."""

from mabench.models.server.chat import ChatModel as ChatModel
from mabench.models.server.session import LostReplyError as LostReplyError
from mabench.models.server.session import ModelServer as ModelServer
