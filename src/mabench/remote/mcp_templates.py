"""Templates of the arguments of tools, with places for ``{names}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mabench.contract.methods import KEYWORDS, METHODS
from mabench.remote.channel import CONVERSATION

# The placeholders of the fields that a text has, by field.
SLOTS = {name: name for name in (*KEYWORDS["add"], "id")} | {"session": CONVERSATION}
# All placeholders: what a call is given, the number of a text, and the places of a session.
NAMES = (*METHODS["add"], *METHODS["search"], *SLOTS.values(), "n", "folder", "session")
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(NAMES)})\}}")


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    """Return ``template`` with ``{names}`` replaced inside all of its strings, once.

    A string that is one placeholder becomes the value itself, so that a number stays one, and goes
    with its key where the value is None; within a longer string, None is nothing.
    """
    if isinstance(template, dict):
        filled = {key: fill_template(value, values) for key, value in template.items()}
        return {key: value for key, value in filled.items() if value is not None}
    if isinstance(template, list):
        return [one for one in (fill_template(v, values) for v in template) if one is not None]
    if not isinstance(template, str):
        return template
    whole = _PLACEHOLDER.fullmatch(template)
    if whole and whole[1] in values:
        return values[whole[1]]
    known = {name: "" if value is None else str(value) for name, value in values.items()}
    return _PLACEHOLDER.sub(lambda match: known.get(match[1], match[0]), template)
