"""The longer sentences of reports and pages, from ``sentences.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter

from mabench.printable import write_number


def say(sentence: str, /, **parts: object) -> str:
    """Return the sentence of that name in ``sentences.toml``, with ``parts`` filled in."""
    return _FORMATTER.vformat(_sentences()[sentence], (), parts)


class _RoundingFormatter(Formatter):
    """Writes the numbers in sentences as tables do."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Return a part of a sentence in its format."""
        if isinstance(value, float):
            return write_number(value, format_spec)
        return format(value, format_spec)


_FORMATTER = _RoundingFormatter()


@cache
def _sentences() -> Mapping[str, str]:
    return tomllib.loads(files("mabench.reports").joinpath("sentences.toml").read_text("utf-8"))
