"""Data sets that another package opens by name, such as ``synthetic:small``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from mabench.data.dataset import Dataset
from mabench.errors import UsageError
from mabench.plugins import Group, load_plugin, missing_part, plugins
from mabench.suggestions import unknown

_GENERATOR = "synthetic"


class DataScheme(Protocol):
    """What opens the data sets of a scheme: a module or an object.

    It is an entry point of the group ``mabench.data``; its name is what stands before the colon.
    """

    def names(self) -> Sequence[str]:
        """Return the names of its data sets."""

    def open_data(self, name: str) -> Dataset:
        """Open one of them."""


class _RowGenerator(DataScheme, Protocol):
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
        """Return a data set of rows of some sources or families."""

    def generate_row(
        self, source: str, *, seed: int, settings: Mapping[str, int | float], difficulty: str
    ) -> Dataset:
        """Return a data set of one row; ``settings`` are its knobs, tokens and questions."""

    def generate_rounds(
        self,
        sources: Collection[str],
        rounds: range,
        *,
        seed: int,
        tokens: int | None,
        questions: int | None,
        difficulty: str,
    ) -> Dataset:
        """Return some rounds of an endless data set, which have a row of each source."""

    def repeat_manifest(self, file: Path) -> Dataset:
        """Return the rows that a ``manifest.json`` describes, or raise a ``DataError``."""

    def read_material(
        self, source: str, file: Path, *, seed: int, tokens: int | None, questions: int | None
    ) -> Dataset:
        """Return rows in the form of a source, made of a user's own file; else a ``DataError``."""


def open_scheme(data: object) -> Dataset | None:
    """Open data that a scheme names; None for any other data; raises ``UsageError``."""
    if not names_scheme(data):
        return None
    name, _, rest = str(data).partition(":")
    scheme = _load_scheme(name)
    if rest not in scheme.names():
        names = [f"{name}:{listed}" for listed in scheme.names()]
        raise UsageError(unknown(f"no {name} data named", str(data), names))
    return scheme.open_data(rest)


def names_scheme(data: object) -> bool:
    """Return whether data are named by a scheme, such as ``synthetic:small``."""
    if not isinstance(data, str):
        return False
    name, colon, _ = data.partition(":")
    return bool(colon) and (name == _GENERATOR or name in plugins(Group.DATA))


def row_generator() -> _RowGenerator:
    """Return what makes rows to order; raises ``UsageError`` where it is not installed."""
    return cast("_RowGenerator", _load_scheme(_GENERATOR))


def _load_scheme(name: str) -> DataScheme:
    points = plugins(Group.DATA)
    if name not in points:
        raise missing_part(name) or UsageError(unknown("no scheme of data named", name, points))
    return cast("DataScheme", load_plugin(points[name], "scheme of data"))
