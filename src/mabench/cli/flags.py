"""Errors of the library in the words of the command line: parameters become options."""

from __future__ import annotations

import re

from mabench.errors import MabenchError

# Parameters whose option is not their name with hyphens.
_OPTIONS = {
    "sources": "--source",
    "rows": "--row",
    "settings": "--set",
    "knobs": "--knob",
    "material": "--from",
    "layout": "--format",
    "as_json": "--format json",
    "limits.rows": "--rows-in-parallel",
    "limits.questions": "--questions-in-parallel",
    "limits.memorize_seconds": "--memorize-timeout",
    "limits.answer_seconds": "--answer-timeout",
    "reply_seconds": "--reply-timeout",
    "limits.max_errors": "--max-errors",
    "limits.max_same_errors": "--max-same-errors",
}
_SAME = (
    "base_url baseline cache chunk_tokens data difficulty entities env estimate executor folder "
    "fresh limit_questions max_cost mcp_map meter model model_seed offline out prices prompts "
    "protocol python ray_address repeat replay retry_errors score seed temperature timeout to "
    "tokens verified window"
)
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")


def in_options(text: str) -> str:
    """Return ``text`` with every parameter in backquotes replaced by its option."""
    return _NAMED.sub(lambda found: _option(found[1]) or found[0], text)


def shown(error: MabenchError) -> str:
    """Return the message of an error, led by the option whose value is wrong."""
    message = in_options(str(error))
    option = error.parameter and _option(error.parameter)
    return f"{option}: {message}" if option and option not in message else message


def _option(parameter: str) -> str | None:
    if parameter in _SAME.split():
        return f"--{parameter.replace('_', '-')}"
    return _OPTIONS.get(parameter)
