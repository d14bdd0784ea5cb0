"""The longer sentences of reports and pages, from ``sentences.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


def say(sentence: str, /, **parts: object) -> str:
    """Return the sentence of that name in ``sentences.toml``, with ``parts`` filled in."""
    return _sentences()[sentence].format(**parts)


@cache
def _sentences() -> Mapping[str, str]:
    return tomllib.loads(files("mabench.reports").joinpath("sentences.toml").read_text("utf-8"))
