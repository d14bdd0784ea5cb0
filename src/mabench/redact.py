"""Keeping secrets out of what is stored or shown."""

from __future__ import annotations

import os
import re

from mabench.errors import MabenchError

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET_FORM = re.compile(r"\b(?:sk|pk|hf|gsk|xai|ghp)[-_][A-Za-z0-9_\-*]{8,}|(?<=Bearer )\S+")
# Not max_tokens, which is a number of them.
_SECRET_SETTING = re.compile(r"(?:key|token|secret|password|credentials?)$", re.IGNORECASE)
_SHORTEST = 8
_LONGEST_LINE = 300
_HIDDEN = "[secret]"


def shown_setting(name: str, value: object) -> str:
    """Return ``name=value`` as it may be shown: not the value of what is named like a key."""
    secret = isinstance(value, str) and _SECRET_SETTING.search(name)
    return f"{name}={_HIDDEN if secret else redact(str(value))}"


def redact(text: str) -> str:
    """Return ``text`` without the secrets that this process knows of.

    Values of environment variables whose names speak of keys, tokens or passwords are taken
    out, and whatever has the form of a well-known provider's key.
    """
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _SECRET_NAME.search(name):
            text = text.replace(value, _HIDDEN)
    return _SECRET_FORM.sub(_HIDDEN, text)


def error_line(error: BaseException) -> str:
    """Return the kind and the message of an error in one short line, without secrets.

    The kind of our own errors is left out. Characters that a terminal cannot show, or obeys,
    are replaced.
    """
    message = " ".join(str(error).split())
    if not isinstance(error, MabenchError):
        message = f"{type(error).__name__}: {message}"
    printable = (c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in redact(message))
    return "".join(printable)[:_LONGEST_LINE]
