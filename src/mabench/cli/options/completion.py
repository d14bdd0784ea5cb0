"""Completes the values of options in a shell, without slow imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping


def _sources() -> Iterable[str]:
    """Return the names of sources without their lengths, then the full names."""
    from mabench.data.inventory import BY_NAME, without_length

    return dict.fromkeys([*map(without_length, BY_NAME), *BY_NAME])


def _agents() -> Iterable[str]:
    """Return the names of agents."""
    from mabench.lookup.names import agent_names

    return agent_names()


# The names of data sets of made-up rows.
_MADE_UP = ("start", "small", "compare", "medium", "full")
# Functions that list values, by the placeholder of an option. The shell completes files by itself.
VALUES: Mapping[str | None, Callable[[], Iterable[str]]] = {
    "AGENT": _agents,
    "DATA": lambda: ["hub", *(f"synthetic:{name}" for name in _MADE_UP)],
    "SOURCE": _sources,
}
