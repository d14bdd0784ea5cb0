"""What goes wrong with a language model, for whoever asked it."""

from __future__ import annotations

from mabench.errors import MabenchError


class ModelError(MabenchError):
    """A language model gave no usable reply, in however many attempts."""


class PromptTooLongError(ModelError):
    """The prompt has more tokens than the model's context, the ``window``; both by its server."""

    def __init__(self, message: str, tokens: int, window: int) -> None:
        super().__init__(message)
        self.tokens, self.window = tokens, window


class ModelUnavailableError(ModelError):
    """No request will get a reply: the server is not there, or refuses the key or the model."""


class ReplyNotKeptError(ModelUnavailableError):
    """Only kept replies are used, and the reply to a request is not kept."""


class ModelStoppedError(ModelError):
    """The request was not sent, or was given up, since whoever asks is stopping."""

    def __init__(self, message: str = "no more requests are sent to the model") -> None:
        super().__init__(message)
