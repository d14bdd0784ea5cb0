"""What makes the same rows again: generation, seed and specs, written and read back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from mabench.data.inventory import BY_NAME
from mabench.errors import DataError, UsageError, reason
from mabench.suggestions import faults_of
from mabench.userfile import read_bytes
from mabench_synthetic.families import generator_of
from mabench_synthetic.generator import RowSpec

# Goes up whenever the same spec would make another row.
GENERATION = 3
_Count = Annotated[int, Field(ge=1)]


class _Row(BaseModel, extra="forbid"):
    source: str
    row: Annotated[int, Field(ge=0)]
    tokens: _Count
    questions: _Count
    knobs: dict[str, int | float]
    difficulty: str


class _Manifest(BaseModel):
    seed: int | None
    rows: list[_Row]


class _Generation(BaseModel):
    generator: int


def manifest_of(specs: Iterable[RowSpec]) -> dict[str, Any]:
    """Return what makes the same rows again: the generation of rows, the seed, and every spec."""
    rows = [spec._asdict() for spec in specs]
    seeds = [row.pop("seed") for row in rows]
    return {"generator": GENERATION, "seed": seeds[0] if seeds else None, "rows": rows}


def read_manifest(file: Path) -> list[RowSpec]:
    """Return the specs of a ``manifest.json``, of which the same rows can be made.

    Raises:
        DataError: when the file cannot be read, is no manifest, or is one of rows of another
            generation, which are not made any more.
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


def _spec(file: Path, place: int, row: _Row, seed: int) -> RowSpec:
    if row.source not in BY_NAME:
        raise DataError(f"{file}, rows.{place}.source: no source is named {row.source!r}")
    try:
        knobs = generator_of(row.source).knob_values(row.knobs)
    except UsageError as error:
        raise DataError(f"{file}, rows.{place}.knobs: {error}") from error
    return RowSpec(row.source, seed, row.row, row.tokens, row.questions, knobs, row.difficulty)
