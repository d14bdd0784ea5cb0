"""The address and key of a language model, from settings and environment variables."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.specs.model import check_server

# Characters that an HTTP header can hold as part of a key.
_HEADER_VALUE = re.compile(r"[!-~]*")


class ModelAddress(NamedTuple):
    """The server of a language model that speaks OpenAI's protocol, and the key for it."""

    name: str | None  # The model's name on the server; None if the memory chooses a model.
    base_url: str = "https://api.openai.com/v1"
    api_key: str = "none"  # "none" for a server that needs no key.
    # The name of a server of mabench's own among cached replies, since its URL is another each
    # time; None for every other server. No proxy leads to such a server.
    own: str | None = None

    @classmethod
    def find(cls, name: str | None, base_url: str | None) -> ModelAddress:
        """Return a model's address: ``base_url``, else ``OPENAI_BASE_URL``, else OpenAI's server.

        Raises:
            UsageError: when the URL is not valid, or OpenAI's own server would get no key.
        """
        base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or "").strip()
        if base_url:
            check_server(base_url, "base_url")
        key = header_from("OPENAI_API_KEY")
        if not key and not base_url:
            raise UsageError(
                "no OPENAI_API_KEY in the environment; set it, or set OPENAI_BASE_URL for a server "
                "that needs none"
            )
        address = cls(name)
        if base_url:
            address = address._replace(base_url=base_url)
        if key:
            address = address._replace(api_key=key)
        return address

    def setting(self) -> dict[str, str] | None:
        """Return the address as the ``model`` setting of a memory; None if no model is named."""
        if self.name is None:
            return None
        return {"name": self.name, "base_url": self.base_url, "api_key": self.api_key}

    def environment(self) -> dict[str, str]:
        """Return the environment variables from which OpenAI's clients read this address."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}


def header_from(variable: str) -> str:
    """Return an environment variable whose value becomes a header, without white space around it.

    Raises:
        UsageError: when a header cannot hold the value.
    """
    value = os.environ.get(variable, "").strip()
    if not _HEADER_VALUE.fullmatch(value):
        raise UsageError(
            f"{variable} holds white space or a character that is not ASCII, which no key has; "
            "set it again"
        )
    return value
