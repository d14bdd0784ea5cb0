"""The chunks that an agent was told, read again from the data set of its run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.data import Dataset, Row
from mabench.errors import DataError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.results import Run
from mabench.results.records.measurements import Place


class Histories:
    """The histories of a run, one row at a time.

    Args:
        run: the run.
        data: its data set, if it has moved; as for ``mabench.load``.

    Raises:
        DataError: when the data set is gone, cannot be read, or is another than the run's.
    """

    def __init__(self, run: Run, data: object = None) -> None:
        self._record = run.record
        self._dataset = _dataset(run, data)
        self._protocol = protocol_named(self._record.protocol)
        self._last: tuple[Place, Sequence[str]] | None = None
        self._rows: Iterator[Row] = iter(())

    def chunks(self, place: Place) -> Sequence[str]:
        """Return the chunks of a row, without the words that prompts put around them.

        Raises:
            DataError: when the row is not there.
        """
        if self._last is None or self._last[0] != place:
            self._last = (place, self._cut(self._row(place)))
        return self._last[1]

    def _row(self, place: Place) -> Row:
        # Rows that are asked for in the order of the data are read once.
        for row in self._rows:
            if (row.split, row.index) == place:
                return row
        self._rows = iter(self._dataset.rows(list(self._record.questions)))
        for row in self._rows:
            if (row.split, row.index) == place:
                return row
        raise DataError(f"{self._dataset.name}: no row {place[1]} of {place[0]}")

    def _cut(self, row: Row) -> list[str]:
        family = family_of(row.source, self._dataset.sources)
        chunks = self._protocol.chunks(family, row.context, self._record.chunk_tokens, offline=True)
        return [chunk for chunk in chunks if chunk]


def _dataset(run: Run, data: object) -> Dataset:
    record = run.record
    location = record.data.location if data is None else data
    if location is None:
        raise DataError(
            f"{run.folder}: the rows of {record.data.name} came from memory, so the history "
            "cannot be read again; name a file with them as `data`"
        )
    declared = {name: record.all_sources[name] for name in record.sources or ()}
    try:
        dataset = load(location, offline=True, sources=declared)
        found = dataset.fingerprint
    except DataError as error:
        raise DataError(f"the data of {run.folder} cannot be read again: {error}") from error
    if found != record.data.fingerprint:
        raise DataError(
            f"{location} has changed since {run.folder} was run: its fingerprint is {found}, that "
            f"of the run {record.data.fingerprint}; name the rows of the run as `data`"
        )
    return dataset
