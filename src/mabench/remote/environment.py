"""What a program that serves an agent is told of the environment: nothing but what it is given."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from mabench.errors import UsageError

# What programs need to run at all, and where no secret stands.
_BARE = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    # Of Windows:
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA"),
    *("USERPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE"),
)
_LOCALE = "LC_"
_NAME = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")
_NAMED = 3  # In a hint.


def environment(names: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment of a program: what it needs to run, and the variables of these names.

    Raises:
        UsageError: when one of them is not set.
    """
    for name in names:
        if name not in os.environ:
            remedy = " (give names alone; their values are taken from here)" if "=" in name else ""
            raise UsageError(f"{name} is not set; set it, or leave it out{remedy}", parameter="env")
    passed = {name: value for name, value in os.environ.items() if _is_bare(name) or name in names}
    return {**passed, "PYTHONUNBUFFERED": "1"}


def hint(problem: str, given: Mapping[str, str]) -> str:
    """Return what may be said after the problem of a program that did not start.

    It names the variables that are set here, were not given, and that the problem names; or else
    those that look like keys.
    """
    withheld = [name for name in os.environ if name not in given]
    named = {*_NAME.findall(problem)}
    wanted = [name for name in withheld if name in named]
    if wanted:
        return f"; {_listed(wanted)} is set here but was not passed on: name it with `env`"
    secrets = [name for name in withheld if _SECRET.search(name)]
    if secrets:
        return f"; should it need {_listed(secrets)}: it was not passed on, name it with `env`"
    return ""


def _is_bare(name: str) -> bool:
    return name.upper() in _BARE or name.startswith(_LOCALE)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(sorted(names)[:_NAMED])
