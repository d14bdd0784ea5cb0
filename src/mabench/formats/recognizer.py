"""Which installed format a file or folder has, and which command reads it.

A format that does not fit is never guessed: where several fit, the user is asked to name one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from mabench.errors import UsageError, unknown
from mabench.formats.glimpse import Glimpse
from mabench.pasteable import quote_word
from mabench.plugins import Group, load_plugin, missing_part, plugins


class FormatKind(Enum):
    """What files of a format hold, and the command that reads them."""

    DATA = ("benchmark", "data of a benchmark", "mabench data import {name} {path}")
    RESULTS = ("result format", "a result file", "mabench score {path}")
    CHATS = ("chat format", "an export of chats", "mabench data import chats {path}")

    @property
    def noun(self) -> str:
        """What a format of this kind is named after, in errors about its name."""
        return self.value[0]

    @property
    def description(self) -> str:
        """What such a file is, in words."""
        return self.value[1]

    def command(self, name: str, path: Path) -> str:
        """Return the command that reads a file of a format of this kind."""
        return self.value[2].format(name=name, path=quote_word(path))


class FileFormat(Protocol):
    """What every format of files says of itself."""

    @property
    def kind(self) -> FormatKind:
        """What its files hold."""

    @property
    def published(self) -> str:
        """What its files are called where they are published."""

    def recognizes(self, glimpse: Glimpse) -> bool:
        """Return whether a file or folder has this format; must not raise for what it holds."""


@dataclass(frozen=True)
class Recognized:
    """The format of a file or folder."""

    name: str  # The name of its entry point.
    format: FileFormat


def installed_formats(kind: FormatKind | None = None) -> dict[str, FileFormat]:
    """Return the installed formats by name, those of one kind alone if it is given.

    Raises ``UsageError`` if one cannot be loaded.
    """
    formats: dict[str, FileFormat] = {}
    for name, point in plugins(Group.FORMATS).items():
        loaded = load_plugin(point, "file format")
        if not (hasattr(loaded, "recognizes") and isinstance(_kind_of(loaded), FormatKind)):
            found = type(loaded).__name__
            raise UsageError(f"{point.value} is of type {found}; expected a format of files")
        if kind in (None, _kind_of(loaded)):
            formats[name] = loaded  # type: ignore[assignment]
    return formats


def named_format(name: str, kind: FormatKind) -> FileFormat:
    """Return the format of a kind by its name; raises ``UsageError`` if there is none."""
    formats = installed_formats(kind)
    if name not in formats:
        raise missing_part(name) or UsageError(unknown(f"no {kind.noun} named", name, formats))
    return formats[name]


def recognize(glimpse: Glimpse, kind: FormatKind | None = None) -> Recognized | None:
    """Return the format of a file or folder, None if no installed format fits.

    Raises ``UsageError`` if several formats of one kind fit.
    """
    fitting = [
        Recognized(name, file_format)
        for name, file_format in installed_formats(kind).items()
        if file_format.recognizes(glimpse)
    ]
    if not fitting:
        return None
    first = fitting[0]
    same_kind = [other.name for other in fitting if other.format.kind is first.format.kind]
    if len(same_kind) > 1:
        names = " or ".join(same_kind)
        raise UsageError(f"{glimpse.path} fits {names}; name its format with `file_layout`")
    return first


def refuse_other_kinds(path: Path, wanted: FormatKind) -> None:
    """Raise a ``UsageError`` that names the right command if a path has a format of another kind.

    Does nothing where a format of the wanted kind fits, or none is known.
    """
    glimpse = Glimpse(path)
    if any(file_format.recognizes(glimpse) for file_format in installed_formats(wanted).values()):
        return
    recognized = recognize(glimpse)
    if recognized is not None:
        kind, name = recognized.format.kind, recognized.name
        command = kind.command(name, path)
        raise UsageError(f"{path} looks like {kind.description} ({name}); use `{command}`")


def _kind_of(loaded: object) -> object:
    """Return what a plugin says is its kind, which may be anything; None if it says nothing."""
    return getattr(loaded, "kind", None)


def describe_formats(kind: FormatKind) -> Mapping[str, str]:
    """Return what the files of each installed format of a kind are called, by its name."""
    return {name: file_format.published for name, file_format in installed_formats(kind).items()}
