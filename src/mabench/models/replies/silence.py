"""A model that is asked nothing: only replies that are kept are used."""

from __future__ import annotations

from pathlib import Path

from mabench.models.sending.completion import Failure
from mabench.models.spec import ModelAddress, ModelRequest, Reply, ReplyNotKeptError
from mabench.specs import ModelSpec

# What OpenAI's clients call where nobody names a server.
_OPENAI = "https://api.openai.com/v1"
_SHOWN = 12  # Digits of the name of a reply.


class Silence:
    """Stands in the place of a model's server, and sends nothing.

    Its name and server are those under which replies were kept.

    Args:
        spec: the model.

    Attributes:
        speaks_openai: whether the model would be reached by OpenAI's protocol.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self.speaks_openai = spec.speaks_openai
        self.name = spec.name_on_server if spec.speaks_openai else spec.name
        self.base_url = spec.server if spec.speaks_openai else None

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Refuse.

        Raises:
            ReplyNotKeptError: always.
        """
        raise ReplyNotKeptError(f"nothing is sent to {self.name}")

    def address(self) -> ModelAddress:
        """Return where the model would be reached; no key is needed."""
        return ModelAddress(self.name, self.base_url or _OPENAI, "none")

    async def close(self) -> None:
        """Nothing is open."""


def not_kept(path: str, model: str | None, key: str, folder: Path) -> str:
    """Return in words that a reply is not kept.

    Args:
        path: what was called.
        model: the model that was named, if any.
        key: the name that the reply would have.
        folder: where kept replies are read.
    """
    of = f" of {model}" if model else ""
    return f"no reply to {path}{of} (request {key[:_SHOWN]}) is kept in {folder}"
