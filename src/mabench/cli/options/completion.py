"""The values that a shell completes for options; nothing slow is imported for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping


def _list_sources() -> Iterable[str]:
    """Return the names of sources without their lengths, then the full names."""
    from mabench.data.inventory import BY_NAME, without_length

    return dict.fromkeys([*map(without_length, BY_NAME), *BY_NAME])


def _list_agents() -> Iterable[str]:
    """Return the names of the agents that are installed."""
    from mabench.lookup.names import agent_names

    return agent_names()


# The names of data sets of made-up rows.
_MADE_UP = ("start", "small", "compare", "medium", "full")


def _list_data() -> Iterable[str]:
    """Return the names of data sets that are no files."""
    return ["hub", *(f"synthetic:{name}" for name in _MADE_UP)]


# Functions that list values, by the placeholder of an option. The shell completes files by itself.
VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "AGENT": _list_agents,
    "DATA": _list_data,
    "SOURCE": _list_sources,
}
