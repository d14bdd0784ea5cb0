"""Replaces the parameters in the library's messages by options of the command line.

The library names a parameter in backquotes, such as `max_cost`; on the command line it is an
option, such as --max-cost.
"""

from __future__ import annotations

import re

from mabench.settings import list_options
from mabench.specs import DraftSpec, JudgeSpec, RaceSpec, RunSpec, StressSpec, SweepSpec

# The option of each parameter. First, parameters that are no settings, with other names as options.
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
# Then, parameters whose options have the same name.
_SAME_NAMES = (
    "baseline beside calibrate column columns common difference encoding estimate folder like plot "
    "repeat score timeout timezone to verified"
)
_OPTIONS |= {name: f"--{name}" for name in _SAME_NAMES.split()}
# At last, the settings. A parameter of a part, such as `limits.rows`, is also called by the
# name of its option.
for _part in (SweepSpec, RaceSpec, StressSpec, DraftSpec, JudgeSpec, RunSpec):
    for _name, _field in list_options(_part).items():
        if _field.setting is None or not _field.setting.group:  # It is an argument.
            continue
        _option = f"--{_name.replace('_', '-')}"
        _OPTIONS[_field.parameter] = _option
        if "." in _field.parameter:
            _OPTIONS[_name] = _option
# A parameter in backquotes: a name, or two with a dot between them.
_IN_BACKQUOTES = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")


def in_options(text: str, parameter: str | None = None) -> str:
    """Return a message with options in place of parameters in backquotes.

    Words in backquotes that are no parameter stay. The message begins with the option of
    ``parameter``, whose value is wrong, unless it names that anyway.
    """
    message = _IN_BACKQUOTES.sub(lambda match: _OPTIONS.get(match[1], match[0]), text)
    option = _OPTIONS.get(parameter or "")
    if option is None or option in message:
        return message
    return f"{option}: {message}"
