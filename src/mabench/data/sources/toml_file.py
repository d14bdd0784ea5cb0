"""A user's own sources: ``sources.toml`` next to the rows, or the same settings from Python.

The file has a table for each source, under the name that the rows use; see
``docs/guides/own-data.md``. Every fault is reported, and no file of a user may raise anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mabench.data.formats import published_sources
from mabench.data.inventory import BY_NAME, SETTINGS, Source
from mabench.data.problems import TEXT, Problem, describe
from mabench.data.sources.declarations import SOURCES_FILE
from mabench.data.sources.units import find_unit_fault
from mabench.data.turns.zones import find_zone
from mabench.errors import UsageError, nearest, reason
from mabench.userfile import read_toml_file

# What only the file says: how files of another form are read.
DESCRIPTION = "description"
_FIELDS = ("family", *SETTINGS, DESCRIPTION)
_SLOT = "{question}"
_ASKED_AFTER = ("turn", "time")
_LONGEST_NAME = 200
# Control characters, halves of characters, and what ends lines and paragraphs.
_UNFIT_NAME = re.compile(
    f"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]|.{{{_LONGEST_NAME + 1}}}", re.DOTALL
)
_Fault = tuple[str | None, str, str]  # The field of a source, what was found there, and expected.


def find_beside(path: Path, name: str = SOURCES_FILE) -> Path | None:
    """Return the file of a name that accompanies the data at ``path``, or None."""
    folder = path if path.is_dir() else path.parent
    places = [folder, folder.parent] if folder.name == "data" else [folder]
    return next((place / name for place in places if (place / name).exists()), None)


def read_sources(file: Path) -> tuple[dict[str, Source], list[Problem]]:
    """Read the sources, without the fields that have faults, and a problem for each fault."""
    try:
        tables = read_toml_file(file)
    except (OSError, ValueError) as error:
        expected = "a TOML file in UTF-8 with a table for each source"
        return {}, [Problem("error", str(file), None, None, reason(error), expected)]
    sources, faults = _read(tables)
    problems = []
    for name, field, found, expected in faults:
        place = f"[{name[:_LONGEST_NAME]}] {field or ''}".rstrip()
        problems.append(Problem("error", str(file), None, place, found, expected))
    if not tables:
        expected = "a table for each source of the rows"
        problems.append(Problem("error", str(file), None, None, "no source", expected))
    return sources, problems


def read_declared(sources: Mapping[str, Source | Mapping[str, str]]) -> dict[str, Source]:
    """Return sources given from Python, as such or as fields; raises ``UsageError``."""
    read, faults = _read(sources)
    lines = []
    for name, field, found, expected in faults:
        place = f"the source {name!r}{'' if field is None else f', {field}'}"
        lines.append(f"{place}: found {found}; expected {expected}")
    for name, fields in sources.items():
        if isinstance(fields, Mapping) and DESCRIPTION in fields:
            where = f"name it in a {SOURCES_FILE} beside the file that it describes"
            lines.append(f"the source {name!r}: found a {DESCRIPTION}; {where}")
    if lines:
        raise UsageError("\n".join(lines), parameter="sources")
    return read


def _read(tables: Mapping[str, Any]) -> tuple[dict[str, Source], list[tuple[str, *_Fault]]]:
    """Return the sources, without the fields that have faults, and the faults with their names."""
    sources: dict[str, Source] = {}
    faults: list[Any] = []
    for name, fields in tables.items():
        own = list(_faults(name, fields))
        faults += ((name, *fault) for fault in own)
        wrong = {field for field, _, _ in own}
        if isinstance(fields, Source):
            sources[name] = fields
        elif isinstance(fields, Mapping) and wrong.isdisjoint((None, "family")):
            sound = {field: v for field, v in _as_meant(fields).items() if field not in wrong}
            published = published_sources().get(name)
            if published is not None and published.family == sound["family"]:
                sources[name] = Source.declare(name, sound, published.split)
            else:
                sources[name] = Source.declare(name, sound)
    return sources, faults


def write_sources(sources: Mapping[str, Source]) -> str:
    """Return a ``sources.toml`` that declares the sources which are not of the inventory."""

    def quote(text: str) -> str:
        # TOML writes texts as JSON does but for one character.
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

    tables = []
    for name, source in sources.items():
        if name not in BY_NAME:
            fields = {"family": source.family, **source.settings}
            lines = [f"{field} = {quote(value)}" for field, value in fields.items()]
            tables.append("\n".join([f"[{quote(name)}]", *lines, ""]))
    return "\n".join(tables)


def _faults(name: object, fields: object) -> Iterator[_Fault]:
    """Yield what is wrong with a source: its name (a fault without a field), or its fields."""
    if isinstance(fields, Source):
        if name not in BY_NAME:
            yield from _setting_faults(fields.settings)
        return
    if not isinstance(name, str) or not name.strip() or _UNFIT_NAME.search(name):
        yield None, "this name", f"a name of up to {_LONGEST_NAME} printed characters"
    elif name in BY_NAME:
        yield None, "a source of the benchmark", "another name, which the rows have as well"
    if not isinstance(fields, Mapping):
        yield None, describe(fields), f"a table with {', '.join(_FIELDS)}"
        return
    for field in fields:
        if field not in _FIELDS:
            near = nearest(str(field), _FIELDS)
            hint = f"{' or '.join(near)}, or no" if near else "no"
            yield str(field), "an unknown field", f"{hint} field but {', '.join(_FIELDS)}"
    meant = _as_meant(fields)
    if "family" not in meant:
        yield "family", "nothing", 'a family, such as "answer"'
    for field, value in meant.items():
        if not isinstance(value, str) or not value.strip():
            yield field, describe(value), TEXT
    yield from _setting_faults(meant)


def _as_meant(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known fields of a table; the value of a misspelt one goes to the nearest.

    A field that is spelt right keeps its own value.
    """
    meant: dict[str, Any] = {}
    for field, value in fields.items():
        nearest_fields = nearest(str(field), _FIELDS)
        if nearest_fields:
            meant[nearest_fields[0]] = value
    meant |= fields
    return {field: value for field, value in meant.items() if field in _FIELDS}


def _setting_faults(fields: Mapping[str, object]) -> Iterator[_Fault]:
    """Yield the settings whose text cannot be used; blank and other values are not looked at."""
    unit, prompt, after = (fields.get(name) for name in ("unit", "prompt", "asked_after"))
    if isinstance(after, str) and after.strip() and after not in _ASKED_AFTER:
        yield "asked_after", describe(after), f"{' or '.join(_ASKED_AFTER)}: what its rows name"
    if isinstance(zone := fields.get("timezone"), str) and zone.strip():
        try:
            find_zone(zone)
        except UsageError as error:
            yield "timezone", describe(zone), f"the name of a time zone: {error}"
    if isinstance(unit, str) and unit.strip() and (fault := find_unit_fault(unit)):
        yield "unit", *fault
    if isinstance(prompt, str) and prompt.strip() and _SLOT not in prompt:
        yield "prompt", describe(prompt), f"a prompt that holds {_SLOT}"
