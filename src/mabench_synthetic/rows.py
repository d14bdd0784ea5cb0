"""From specs to the rows of a data set, each at its place in the order of the hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row
from mabench.errors import UsageError
from mabench_synthetic.families import generator_of
from mabench_synthetic.generator import RowSpec


@dataclass(frozen=True, slots=True)
class RowMaker:
    """What makes one row, at its place; it can be sent to another process."""

    spec: RowSpec
    split: str
    index: int

    @property
    def source(self) -> str:
        """The name of the row's source."""
        return self.spec.source

    def __call__(self) -> Row:
        """Make the row.

        Raises:
            UsageError: when it is too short for its questions, or cannot have so many.
        """
        content = generator_of(self.spec.source).make_row(self.spec)
        return Row(**dict(content), split=self.split, index=self.index)


def row_makers(specs: Iterable[RowSpec]) -> list[RowMaker]:
    """Return what makes each row; its place is that among all specs of its split."""
    places: Counter[str] = Counter()
    makers = []
    for spec in specs:
        split = BY_NAME[spec.source].split
        makers.append(RowMaker(spec, split, places[split]))
        places[split] += 1
    return makers


def make_rows(specs: Iterable[RowSpec], sources: Collection[str] | None = None) -> Iterator[Row]:
    """Make the rows of ``specs``, only those of ``sources`` when given.

    Every row depends on its spec alone.

    Raises:
        UsageError: when a row is too short for its questions, or cannot have so many.
    """
    for maker in row_makers(specs):
        if sources is None or maker.source in sources:
            yield maker()


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
