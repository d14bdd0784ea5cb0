"""Where a language model is reached by a memory that calls it by itself."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from mabench.errors import UsageError
from mabench.redact import note_secrets


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


def check_server(url: str, parameter: str) -> None:
    """Raise a ``UsageError`` for what is no URL of a server of models."""
    refuse_login(url, parameter)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise UsageError(
            f"{url!r} is no address of a server; write it as http://HOST:PORT/v1",
            parameter=parameter,
        )


def refuse_login(url: str, parameter: str) -> None:
    """Raise a ``UsageError`` for a URL with user and password, which would stand beside the key."""
    note_secrets(url)
    if "@" in urlsplit(url).netloc:
        raise UsageError(
            f"{url}: the URL of a model takes no user and password; set OPENAI_API_KEY to what the "
            "server asks for",
            parameter=parameter,
        )
