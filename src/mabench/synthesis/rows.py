"""From specs to the rows of a data set, each at its place in the order of the hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row
from mabench.errors import UsageError
from mabench.synthesis.families import generator_of
from mabench.synthesis.generator import RowSpec


def make_rows(specs: Iterable[RowSpec], sources: Collection[str] | None = None) -> Iterator[Row]:
    """Make the rows of ``specs``, only those of ``sources`` when given.

    Every row depends on its spec alone; its place is that among all specs of its split.

    Raises:
        UsageError: when a row is too short for its questions, or cannot have so many.
    """
    places: Counter[str] = Counter()
    for spec in specs:
        split = BY_NAME[spec.source].split
        if sources is None or spec.source in sources:
            content = generator_of(spec.source).make_row(spec)
            yield Row(**dict(content), split=split, index=places[split])
        places[split] += 1


def entities_of(specs: Iterable[RowSpec]) -> dict[str, int] | None:
    """Return the entities that the golds of recommendation rows refer to; None without any.

    The keys are entity names and the values their ids, as in the hub's entity2id.json.

    Raises:
        UsageError: when such rows are of several seeds, whose entities differ.
    """
    named = [spec for spec in specs if generator_of(spec.source).entities is not None]
    if len({spec.seed for spec in named}) > 1:
        raise UsageError(
            f"rows of {named[0].source} of several seeds have different titles; make a data set "
            "for each seed"
        )
    entities = generator_of(named[0].source).entities if named else None
    return entities(named[0]) if entities else None
