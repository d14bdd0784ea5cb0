"""Replaces the parameters in the library's messages by options of the command line."""

from __future__ import annotations

import re

from mabench.settings import list_options
from mabench.specs import DraftSpec, JudgeSpec, RaceSpec, RunSpec, StressSpec, SweepSpec

# The option of each parameter. First, parameters that are no settings of a run.
_OPTIONS = {
    "knobs": "--knob",
    "material": "--from",
    "layout": "--format",
    "as_json": "--format json",
    "file_layout": "--layout",
    "history_by": "--history-by",
    "session_gap": "--session-gap",
    "date_order": "--date-order",
}
# Parameters whose options have the same name.
_SAME_NAMES = (
    "baseline beside calibrate column columns common difference encoding estimate folder like plot "
    "repeat score timeout timezone to verified"
)
_OPTIONS |= {name: f"--{name}" for name in _SAME_NAMES.split()}
# Then, the settings.
for _part in (SweepSpec, RaceSpec, StressSpec, DraftSpec, JudgeSpec, RunSpec):
    for _name, _field in list_options(_part).items():
        if _field.setting and _field.setting.group:  # Without a group it is an argument.
            _names = {_field.parameter} | ({_name} if "." in _field.parameter else set())
            _OPTIONS.update(dict.fromkeys(_names, f"--{_name.replace('_', '-')}"))
_IN_BACKQUOTES = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")


def in_options(text: str, parameter: str | None = None) -> str:
    """Return a message with options in place of parameters in backquotes.

    If the value of ``parameter`` is wrong, the message begins with its option.
    """
    text = _IN_BACKQUOTES.sub(lambda match: _OPTIONS.get(match[1], match[0]), text)
    option = _OPTIONS.get(parameter or "")
    return f"{option}: {text}" if option and option not in text else text
