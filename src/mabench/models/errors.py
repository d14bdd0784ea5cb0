"""The errors that a request to a language model can end in."""

from __future__ import annotations

from mabench.errors import MabenchError


class ModelError(MabenchError):
    """A language model gave no usable reply after all attempts."""


class PromptTooLongError(ModelError):
    """The prompt has more tokens than the model's context, the ``window``; both by its server."""

    def __init__(self, message: str, tokens: int, window: int) -> None:
        super().__init__(message)
        self.tokens, self.window = tokens, window


class ModelUnavailableError(ModelError):
    """No request can succeed: the server is not there, or refuses the key or the model."""


class ReplyNotKeptError(ModelUnavailableError):
    """Only cached replies may be used, and the reply to this request is not cached."""


class ModelStoppedError(ModelError):
    """The request was not sent, or was cancelled, because the run is stopping."""

    def __init__(self, message: str = "no more requests are sent to the model") -> None:
        super().__init__(message)
