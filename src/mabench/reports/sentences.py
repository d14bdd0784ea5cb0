"""Fills in the longer sentences of reports and pages, which are in ``sentences.toml`` by name."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter

from mabench.printable import write_number


def say(name: str, /, **parts: object) -> str:
    """Return the sentence of a name, with ``parts`` in place of the words in its braces."""
    sentence = _read_sentences()[name]
    return _FORMATTER.vformat(sentence, args=(), kwargs=parts)


class _RoundingFormatter(Formatter):
    """Fills in sentences as ``str.format`` does, but rounds halves away from 0, as tables do."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Return a part of a sentence as text."""
        if isinstance(value, float):
            return write_number(value, format_spec)
        return format(value, format_spec)


_FORMATTER = _RoundingFormatter()


@cache
def _read_sentences() -> Mapping[str, str]:
    """Return all sentences by their names."""
    file = files("mabench.reports").joinpath("sentences.toml")
    return tomllib.loads(file.read_text("utf-8"))
