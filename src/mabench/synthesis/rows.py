"""From specs to the rows of a data set, each at its place in the order of the hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row
from mabench.synthesis.families import generator_of
from mabench.synthesis.generator import RowSpec

# Goes up whenever the same spec would make another row.
GENERATOR_VERSION = 1


def make_rows(specs: Iterable[RowSpec], sources: Collection[str] | None = None) -> Iterator[Row]:
    """Make the rows of ``specs``, only those of ``sources`` when given.

    Every row depends on its spec alone; its place is that among all specs of its split.

    Raises:
        UsageError: when a row is too short for its questions, or cannot have so many.
    """
    for split, index, spec in _placed(specs):
        if sources is None or spec.source in sources:
            yield _make_row(split, index, spec)


def row_at(specs: Iterable[RowSpec], split: str, index: int) -> Row:
    """Make the row at one place, and no other: the same row as ``make_rows`` makes there.

    Raises:
        LookupError: when there is no row at that place.
        UsageError: when the row is too short for its questions, or cannot have so many.
    """
    for its_split, its_index, spec in _placed(specs):
        if (its_split, its_index) == (split, index):
            return _make_row(split, index, spec)
    raise LookupError(f"there is no row {index} of {split}")


def question_count(spec: RowSpec) -> int:
    """Return how many questions the row of a spec has, without making the row.

    That is ``spec.questions`` but for two families: a summary row has one question, and many
    unanswerable questions come on top of the number asked for in LongMemEval.

    Raises:
        UsageError: when a row cannot have so many questions.
    """
    return generator_of(spec.source).question_count(spec)


def entities_of(specs: Iterable[RowSpec]) -> dict[str, int] | None:
    """Return the entities that the golds of recommendation rows refer to; None without any.

    The keys are entity names and the values their ids, as in the hub's entity2id.json.
    """
    for spec in specs:
        entities = generator_of(spec.source).entities
        if entities is not None:
            return entities(spec)
    return None


def manifest_of(specs: Iterable[RowSpec]) -> dict[str, Any]:
    """Return what makes the same rows again: generator version, seed, and every spec."""
    rows = [spec._asdict() for spec in specs]
    seeds = [row.pop("seed") for row in rows]
    return {"generator": GENERATOR_VERSION, "seed": seeds[0] if seeds else None, "rows": rows}


def _placed(specs: Iterable[RowSpec]) -> Iterator[tuple[str, int, RowSpec]]:
    """Yield each spec with the split and the index, from 0, of its row."""
    rows: Counter[str] = Counter()
    for spec in specs:
        split = BY_NAME[spec.source].split
        yield split, rows[split], spec
        rows[split] += 1


def _make_row(split: str, index: int, spec: RowSpec) -> Row:
    content = generator_of(spec.source).make_row(spec)
    return Row(**dict(content), split=split, index=index)
