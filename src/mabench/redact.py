"""Keeping secrets out of what is stored or shown."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET_FORM = re.compile(r"\b(?:sk|pk|hf|gsk|xai|ghp)[-_][A-Za-z0-9_\-*]{8,}|(?<=Bearer )\S+")
_SHORTEST = 8


def redact(text: str) -> str:
    """Return ``text`` without the secrets that this process knows of.

    Values of environment variables whose names speak of keys, tokens or passwords are taken
    out, and whatever has the form of a well-known provider's key.
    """
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _SECRET_NAME.search(name):
            text = text.replace(value, "[secret]")
    return _SECRET_FORM.sub("[secret]", text)
