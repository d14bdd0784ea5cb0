"""Fills the templates of tools' arguments, which contain placeholders such as ``{text}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mabench.contract.methods import KEYWORDS, METHODS
from mabench.remote.channel import CONVERSATION

# The placeholder of each field of a text.
SLOTS = {name: name for name in (*KEYWORDS["add"], "id")} | {"session": CONVERSATION}
# All placeholders: the arguments and fields of calls, ``n`` (the number of a text), and the folder
# and name of a session.
NAMES = (*METHODS["add"], *METHODS["search"], *SLOTS.values(), "n", "folder", "session")
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(NAMES)})\}}")


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with the placeholders in its strings replaced by their values.

    A string that is a single placeholder becomes the value itself, so that a number stays a number;
    if the value is None, the string and its key are left out. Within a longer string, None becomes
    an empty text. Placeholders in values are not replaced.
    """
    if isinstance(template, dict):
        filled = {key: fill_template(value, values) for key, value in template.items()}
        return {key: value for key, value in filled.items() if value is not None}
    if isinstance(template, list):
        items = [fill_template(item, values) for item in template]
        return [item for item in items if item is not None]
    if not isinstance(template, str):
        return template
    whole = _PLACEHOLDER.fullmatch(template)
    if whole and whole[1] in values:
        return values[whole[1]]
    texts = {name: "" if value is None else str(value) for name, value in values.items()}
    return _PLACEHOLDER.sub(lambda match: texts.get(match[1], match[0]), template)
