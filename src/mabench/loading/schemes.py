"""Finds what opens data sets named ``scheme:name``, such as ``synthetic:small``.

A scheme is brought by an installed package, as an entry point.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from mabench.data import Dataset
from mabench.errors import UsageError, unknown
from mabench.plugins import Group, load_plugin, missing_part, plugins

GENERATOR = "synthetic"  # The scheme of made-up rows.


class DataScheme(Protocol):
    """What opens the data sets of a scheme: a module or an object.

    It is an entry point of the group ``mabench.data``; its name is what is before the colon.
    """

    def names(self) -> Sequence[str]:
        """Return the names of its data sets."""

    def open_data(self, name: str) -> Dataset:
        """Open one of them."""


class RowGenerator(DataScheme, Protocol):
    """A scheme that also makes rows to order; a wrong source, size or knob is a ``UsageError``."""

    def generate(
        self,
        sources: Collection[str],
        *,
        seed: int,
        tokens: int | None,
        rows: int | None,
        questions: int | None,
        knobs: Mapping[str, int | float],
        difficulty: str,
    ) -> Dataset:
        """Make rows of some sources or families.

        Args:
            sources: the names of sources of the benchmark that the rows imitate, or of families.
            seed: other seeds make other rows.
            tokens: the length of each history; None for that of the source.
            rows: how many rows of each source; None for the default.
            questions: how many questions of each row; None for the default.
            knobs: settings of what makes a history hard, by name.
            difficulty: which values the other knobs have, such as "real".
        """

    def generate_row(
        self, source: str, *, seed: int, settings: Mapping[str, int | float], difficulty: str
    ) -> Dataset:
        """Make one row of a source; ``settings`` has knobs, and "tokens" and "questions"."""

    def generate_rounds(
        self, sources: Collection[str], rounds: int, *, tokens: int | None, **asked: Any
    ) -> Dataset:
        """Make the first rounds of an endless data set; a round has a row of each source.

        ``tokens`` is the length of each history; ``asked`` are further arguments of ``generate``.
        """

    def repeat_manifest(self, file: Path) -> Dataset:
        """Make the rows that a ``manifest.json`` describes; raises ``DataError``."""

    def read_material(
        self, source: str, file: Path, *, seed: int, tokens: int | None, questions: int | None
    ) -> Dataset:
        """Make rows in the form of a source from a user's own file; raises ``DataError``."""


def names_scheme(data: object) -> bool:
    """Return whether data are named by a scheme, as in ``synthetic:small``.

    The scheme of made-up rows counts even if it is not installed: opening it says so.
    """
    if not isinstance(data, str):
        return False
    name, colon, _ = data.partition(":")
    return bool(colon) and (name == GENERATOR or name in plugins(Group.DATA))


def row_generator() -> RowGenerator:
    """Return what makes rows to order; raises ``UsageError`` if it is not installed."""
    return cast("RowGenerator", load_scheme(GENERATOR))


def load_scheme(name: str) -> DataScheme:
    """Return an installed scheme by its name; raises ``UsageError`` if there is none."""
    entry_points = plugins(Group.DATA)
    if name in entry_points:
        return cast("DataScheme", load_plugin(entry_points[name], "scheme of data"))
    error = missing_part(name)  # None if no part of mabench brings it.
    if error is not None:
        raise error
    raise UsageError(unknown("no scheme of data named", name, entry_points))
