"""What a shell offers as the value of an argument or an option, found without slow imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Completion = Callable[[str], list[str]]


def of(*names: str) -> Completion:
    """Return a completion over names that are known here."""
    return lambda incomplete: _beginning(incomplete, names)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


FORMATS = ("table", "markdown", "csv", "json")
formats = of(*FORMATS)
exports = of("inspect", "every-eval-ever", "csv", "parquet")
benchmarks = of("locomo", "longmemeval", "beam")
scores = of("official", "corrected")
# Files and folders of rows are completed by the shell.
data_sets = of(
    "hub",
    "synthetic:start",
    "synthetic:small",
    "synthetic:compare",
    "synthetic:medium",
    "synthetic:full",
)


def agents(incomplete: str) -> list[str]:
    """Return the agents of a beginning: built-in ones and those of plugins."""
    from mabench.lookup.names import agent_names

    return _beginning(incomplete, agent_names())


def sources(incomplete: str) -> list[str]:
    """Return the sources of a beginning, and their names without a length."""
    from mabench.data.inventory import BY_NAME, without_length

    return _beginning(incomplete, dict.fromkeys([*map(without_length, BY_NAME), *BY_NAME]))
