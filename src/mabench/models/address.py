"""Where a language model is reached, by the environment and what else names it."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.specs.model import check_server

# What a header can hold of a key.
_HEADER = re.compile(r"[!-~]*")


class ModelAddress(NamedTuple):
    """Where a language model is reached, by OpenAI's protocol."""

    name: str | None  # On the server; None if the memory chooses.
    base_url: str = "https://api.openai.com/v1"
    api_key: str = "none"  # If there is none.
    # Of a server of mabench's own: its name among cached replies, since its URL is another each
    # time. No proxy leads there.
    own: str | None = None

    @classmethod
    def find(cls, name: str | None, base_url: str | None) -> ModelAddress:
        """Return where a model is: ``base_url``, else ``OPENAI_BASE_URL``, else OpenAI's server."""
        base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or "").strip()
        if base_url:
            check_server(base_url, "base_url")
        key = header_from("OPENAI_API_KEY")
        if not key and not base_url:
            raise UsageError(
                "no OPENAI_API_KEY in the environment; set it, or set OPENAI_BASE_URL for a server "
                "that needs none"
            )
        given = {"base_url": base_url, "api_key": key}
        return cls(name, **{part: value for part, value in given.items() if value})

    def setting(self) -> dict[str, str] | None:
        """Return what a factory is given as ``model``; None if no model is named."""
        if self.name is None:
            return None
        return {"name": self.name, "base_url": self.base_url, "api_key": self.api_key}

    def environment(self) -> dict[str, str]:
        """Return the variables by which OpenAI's clients find it."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}


def header_from(variable: str) -> str:
    """Return an environment variable whose value becomes a header, without white space around it.

    Raises:
        UsageError: when a header cannot hold the value.
    """
    value = os.environ.get(variable, "").strip()
    if not _HEADER.fullmatch(value):
        raise UsageError(
            f"{variable} holds white space or a character that is not ASCII, which no key has; "
            "set it again"
        )
    return value
