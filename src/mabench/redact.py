"""Keeping secrets out of what is stored or shown."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET_FORM = re.compile(r"\b(?:sk|pk|hf|gsk|xai|ghp)[-_][A-Za-z0-9_\-*]{8,}|(?<=Bearer )\S+")
# Not max_tokens, which is a number of them.
_SECRET_SETTING = re.compile(r"(?:key|token|secret|password|credentials?)$", re.IGNORECASE)
_SHORTEST = 8
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
