"""Parameters that messages of the library name, as options of the command line."""

from __future__ import annotations

import re

from mabench.settings import list_options
from mabench.specs import DraftSpec, JudgeSpec, RaceSpec, RunSpec, StressSpec, SweepSpec

# Parameters that are no settings of a run, with their options.
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
_SAME = (
    "baseline beside column columns common difference encoding estimate folder like plot repeat "
    "score timeout timezone to verified"
)
_OPTIONS |= {name: f"--{name}" for name in _SAME.split()}
for _part in (SweepSpec, RaceSpec, StressSpec, DraftSpec, JudgeSpec, RunSpec):
    for _name, _field in list_options(_part).items():
        if _field.setting and _field.setting.group:  # Else it is an argument.
            _names = {_field.parameter} | ({_name} if "." in _field.parameter else set())
            _OPTIONS.update(dict.fromkeys(_names, f"--{_name.replace('_', '-')}"))
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")


def in_options(text: str, parameter: str | None = None) -> str:
    """Return a message in which parameters in backquotes are options.

    The option of ``parameter``, whose value is wrong, comes first.
    """
    text = _NAMED.sub(lambda match: _OPTIONS.get(match[1], match[0]), text)
    option = _OPTIONS.get(parameter or "")
    return f"{option}: {text}" if option and option not in text else text
