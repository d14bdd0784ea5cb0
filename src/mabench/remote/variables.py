"""Which environment variables a program of the user's is passed: no more than it needs.

Those are what programs need to run at all, and what the user names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from mabench.errors import UsageError
from mabench.redact import names_secret

# What programs need to run at all, and which hold no secret.
_BARE = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    # Of Windows:
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA"),
    *("USERPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE"),
)
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_MOST_HINTS = 3


def choose_variables(names: Sequence[str] = ()) -> dict[str, str]:
    """Return what a program needs to run, and the variables of these names, if they are set."""
    for name in names:
        if name not in os.environ:
            remedy = "give names alone; their values are taken from here"
            hint = f" ({remedy})" if "=" in name else ""
            shown = name.partition("=")[0]
            problem = f"{shown} is not set; set it, or leave it out{hint}"
            raise UsageError(problem, parameter="env")
    passed = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _BARE or name.startswith("LC_") or name in names
    }
    return {**passed, "PYTHONUNBUFFERED": "1"}


def hint_at_variables(problem: str, environment: Mapping[str, str]) -> str:
    """Return a hint at variables that a program which did not start was not passed."""
    withheld = sorted(name for name in os.environ if name not in environment)
    if wanted := [name for name in withheld if name in _VARIABLE.findall(problem)]:
        names = " or ".join(wanted[:_MOST_HINTS])
        return f"; {names} is set here but was not passed on: name it with `env`"
    names = " or ".join([*filter(names_secret, withheld)][:_MOST_HINTS])
    return names and f"; should it need {names}: it was not passed on, name it with `env`"
