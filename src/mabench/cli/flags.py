"""Errors of the library in the words of the command line: parameters become options."""

from __future__ import annotations

import re

from mabench.errors import MabenchError
from mabench.settings import list_options
from mabench.specs import JudgeSpec, RunSpec, SweepSpec

# Parameters of what is no setting of a run.
_OPTIONS = {
    "knobs": "--knob",
    "material": "--from",
    "layout": "--format",
    "as_json": "--format json",
}
for _name in ("baseline", "estimate", "folder", "repeat", "score", "timeout", "to", "verified"):
    _OPTIONS[_name] = f"--{_name}"
for _part in (SweepSpec, JudgeSpec, RunSpec):
    for _name, _field in list_options(_part).items():
        if _field.setting and _field.setting.group:  # Else it is an argument.
            _names = {_field.parameter} | ({_name} if "." in _field.parameter else set())
            _OPTIONS.update(dict.fromkeys(_names, f"--{_name.replace('_', '-')}"))
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")


def in_options(text: str) -> str:
    """Return ``text`` with every parameter in backquotes replaced by its option."""
    return _NAMED.sub(lambda match: _OPTIONS.get(match[1], match[0]), text)


def format_error(error: MabenchError) -> str:
    """Return the message of an error, led by the option whose value is wrong."""
    message = in_options(str(error))
    option = _OPTIONS.get(error.parameter or "")
    return f"{option}: {message}" if option and option not in message else message
