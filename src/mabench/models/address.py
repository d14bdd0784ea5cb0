"""Where a language model is reached by a memory that calls it by itself."""

from __future__ import annotations

from typing import NamedTuple


class ModelAddress(NamedTuple):
    """Where a language model is reached, by OpenAI's protocol.

    Attributes:
        name: the model's name on the server; None where the memory chooses.
        base_url: the server.
        api_key: the key that it takes.
    """

    name: str | None
    base_url: str
    api_key: str

    def setting(self) -> dict[str, str] | None:
        """Return what a factory is given as ``model``; None where no model is named."""
        return None if self.name is None else dict(self._asdict())

    def environment(self) -> dict[str, str]:
        """Return the variables by which OpenAI's clients find it."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}
