"""The longer sentences of reports and pages, which ``sentences.toml`` holds by name."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


def say(sentence: str, /, **parts: object) -> str:
    """Return a sentence of ``sentences.toml``, by its name, with its parts filled in."""
    return _sentences()[sentence].format(**parts)


@cache
def _sentences() -> Mapping[str, str]:
    return tomllib.loads(files("mabench.reports").joinpath("sentences.toml").read_text("utf-8"))
