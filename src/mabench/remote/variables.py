"""Chooses the environment variables that are passed on to a user's program.

These are what any program needs to run, and what the user names; never anything else, since others
may hold secrets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from mabench.errors import UsageError
from mabench.redact import names_secret

# Variables that programs need to run, and that hold no secrets.
_ALWAYS_PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    # On Windows:
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA"),
    *("USERPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE"),
)
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_MOST_HINTS = 3


def choose_variables(names: Sequence[str] = ()) -> dict[str, str]:
    """Return the variables that a program needs to run, and those of these names.

    Raises:
        UsageError: when a named variable is not set.
    """
    for name in names:
        if name not in os.environ:
            variable, equals, _value = name.partition("=")
            problem = f"{variable} is not set; set it, or leave it out"
            if equals:
                problem += " (give names alone; their values are taken from here)"
            raise UsageError(problem, parameter="env")
    passed = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _ALWAYS_PASSED or name.startswith("LC_") or name in names
    }
    return {**passed, "PYTHONUNBUFFERED": "1"}


def hint_at_variables(problem: str, environment: Mapping[str, str]) -> str:
    """Return a hint at variables that were not passed on to a program that did not start.

    These are the ones that its error names, else those that may be secrets; empty without any.
    """
    withheld = sorted(name for name in os.environ if name not in environment)
    named = [name for name in withheld if name in _VARIABLE.findall(problem)]
    if named:
        names = " or ".join(named[:_MOST_HINTS])
        return f"; {names} is set here but was not passed on: name it with `env`"
    secrets = [name for name in withheld if names_secret(name)]
    if secrets:
        names = " or ".join(secrets[:_MOST_HINTS])
        return f"; should it need {names}: it was not passed on, name it with `env`"
    return ""
