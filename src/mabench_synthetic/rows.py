"""Makes the rows of a data set from their specs, in the order of the hub; and reads manifests."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row, RowContent
from mabench.errors import DataError, UsageError, faults_of, reason
from mabench.installation import cache_folder
from mabench.userfile import read_bytes
from mabench_synthetic.families import generator_of
from mabench_synthetic.generator import RowSpec

_LOGGER = logging.getLogger("mabench")
_CODE = (".py", ".json", ".toml")
# Seconds after which we tell the user that rows are being made.
_SOON = 1.0
# What making the rows of a data set has taken here, in seconds; infinite once that was said.
_making: dict[str | None, float] = {}


@dataclass(frozen=True, slots=True)
class SyntheticRowMaker:
    """Makes one row, at its place; it can be sent to another process.

    Rows of a data set with a name, ``data``, are stored in the cache.
    """

    spec: RowSpec
    split: str
    index: int
    data: str | None = None

    @property
    def source(self) -> str:
        """The name of the row's source."""
        return self.spec.source

    def __call__(self) -> Row:
        """Make the row.

        Raises:
            UsageError: when it is too short for its questions, or cannot have that many.
        """
        content = self._stored() if self.data else generator_of(self.source).make_row(self.spec)
        return Row(**dict(content), split=self.split, index=self.index)

    def _stored(self) -> RowContent:
        """Return the content of the row from the cache, or make it and store it there."""
        name = hashlib.sha256(f"{_code()} {json.dumps(self.spec)}".encode()).hexdigest()
        file = cache_folder() / "made-up" / f"{name}.json"
        with suppress(OSError, ValueError):  # There is none, or what is there is none.
            return RowContent.model_validate_json(file.read_bytes())
        start = time.monotonic()
        content = generator_of(self.source).make_row(self.spec)
        _note_time(self.data, time.monotonic() - start)
        with suppress(OSError):  # It is made again next time.
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".{os.getpid()}")
            part.write_text(content.model_dump_json(exclude_none=True), encoding="utf-8")
            part.replace(file)
        return content


def _note_time(data: str | None, seconds: float) -> None:
    """Add the time that a row took; tell the user once if the data set takes long."""
    total = _making.get(data, 0) + seconds
    if _SOON < total < float("inf"):
        _LOGGER.info("making %s …", data)
        total = float("inf")
    _making[data] = total


@cache
def _code() -> str:
    """Return a hash of what makes rows: the code and the tables of this package."""
    files = (file for file in Path(__file__).parent.rglob("*") if file.suffix in _CODE)
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def row_makers(specs: Iterable[RowSpec], data: str | None = None) -> list[SyntheticRowMaker]:
    """Return the maker of each row; its place is the one among all specs of its split."""
    places: Counter[str] = Counter()
    makers = []
    for spec in specs:
        split = BY_NAME[spec.source].split
        makers.append(SyntheticRowMaker(spec, split, places[split], data))
        places[split] += 1
    return makers


def make_rows(specs: Iterable[RowSpec], data: str | None = None) -> Iterator[Row]:
    """Make the rows of ``specs``, each of which depends on its spec alone; ``data`` names them.

    Raises:
        UsageError: when a row is too short for its questions, or cannot have that many.
    """
    return (maker() for maker in row_makers(specs, data))


def entities_of(specs: Iterable[RowSpec]) -> dict[str, int] | None:
    """Return the entities that the golds of recommendation rows refer to; None if there are none.

    The keys are names and the values are ids, as in the hub's entity2id.json.

    Raises:
        UsageError: when such rows have several seeds, and so different entities.
    """
    named = [spec for spec in specs if generator_of(spec.source).entities is not None]
    if len({spec.seed for spec in named}) > 1:
        raise UsageError(
            f"rows of {named[0].source} of several seeds have different titles; make a data set "
            "for each seed"
        )
    entities = generator_of(named[0].source).entities if named else None
    return entities(named[0]) if entities else None


# Goes up whenever the same spec would make another row.
GENERATION = 4
_Count = Annotated[int, Field(ge=1)]


class _ManifestRow(BaseModel, extra="forbid"):
    source: str
    row: Annotated[int, Field(ge=0)]
    tokens: _Count
    questions: _Count
    knobs: dict[str, int | float]
    difficulty: str


class _Manifest(BaseModel):
    seed: int | None
    rows: list[_ManifestRow]


class _Generation(BaseModel):
    generator: int


def manifest_of(specs: Iterable[RowSpec]) -> dict[str, Any]:
    """Return what is needed to make the same rows again: generation, seed and every spec."""
    rows = [spec._asdict() for spec in specs]
    seeds = [row.pop("seed") for row in rows]
    return {"generator": GENERATION, "seed": seeds[0] if seeds else None, "rows": rows}


def read_manifest(file: Path) -> list[RowSpec]:
    """Return the specs in a ``manifest.json``, from which the same rows can be made.

    Raises:
        DataError: when the file cannot be read or is no manifest, or its rows are of another
            generation, which can no longer be made.
    """
    try:
        text = read_bytes(file)
        generation = _Generation.model_validate_json(text).generator
        if generation != GENERATION:
            raise DataError(
                f"{file}: these rows are of generation {generation}, and this version of mabench "
                f"makes generation {GENERATION}; use the rows as they are, or the version of "
                "mabench that made them"
            )
        manifest = _Manifest.model_validate_json(text)
    except OSError as error:
        raise DataError(f"cannot read {file}: {reason(error)}") from error
    except ValidationError as error:
        wrong = "; ".join(faults_of(error, _Manifest))
        raise DataError(f"{file}, {wrong}; give a manifest.json that mabench wrote") from error
    return [_spec(file, i, row, manifest.seed or 0) for i, row in enumerate(manifest.rows)]


def _spec(file: Path, place: int, row: _ManifestRow, seed: int) -> RowSpec:
    """Return the spec of a row in a manifest, or raise a ``DataError`` that names it."""
    if row.source not in BY_NAME:
        raise DataError(f"{file}, rows.{place}.source: no source is named {row.source!r}")
    try:
        knobs = generator_of(row.source).knob_values(row.knobs)
    except UsageError as error:
        raise DataError(f"{file}, rows.{place}.knobs: {error}") from error
    return RowSpec(row.source, seed, row.row, row.tokens, row.questions, knobs, row.difficulty)
