"""The history of a run, read again from its data set and cut into the chunks that agents heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.data import Row
from mabench.errors import DataError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.results import Place, Run


class ChunkReader:
    """Reads the chunks that an agent was told again from the data set of its run.

    It raises DataError when that is gone, cannot be read, is another, or lacks a row.
    """

    def __init__(self, run: Run, data: object = None) -> None:
        self._record = record = run.record
        location = record.data.location if data is None else data
        if location is None:
            raise DataError(
                f"{run.folder}: the rows of {record.data.name} came from memory, so the history "
                "cannot be reread; name a file with them as `data`"
            )
        declared = {name: record.all_sources[name] for name in record.sources or ()}
        try:
            self._dataset = load(location, offline=True, sources=declared)
            fingerprint = self._dataset.fingerprint
        except DataError as error:
            raise DataError(f"the data of {run.folder} cannot be reread: {error}") from error
        if fingerprint != record.data.fingerprint:
            raise DataError(
                f"{location} has changed since {run.folder} was run: its fingerprint is "
                f"{fingerprint}, that of the run {record.data.fingerprint}; name the rows of the "
                "run as `data`"
            )
        self._last: tuple[Place, Sequence[str]] | None = None
        self._rows: Iterator[Row] = iter(())

    def chunks(self, place: Place) -> Sequence[str]:
        """Return the chunks of a row, without the words that prompts put around them."""
        if self._last and self._last[0] == place:
            return self._last[1]
        record, dataset = self._record, self._dataset
        protocol, takes = protocol_named(record.protocol), record.takes
        native, unit = (takes.told, takes.unit) if takes else ((), "turn")
        # Rows that are asked for in the order of the data are read once.
        for again in (False, True):
            if again:
                self._rows = dataset.rows(list(record.questions))
            for row in self._rows:
                if (row.split, row.index) == place:
                    family, size = family_of(row.source, dataset.sources), record.chunk_tokens
                    script = protocol.script(
                        family, row, size, native=native, unit=unit, offline=True
                    )
                    self._last = place, [piece.text for piece in script.pieces]
                    return self._last[1]
        raise DataError(f"{dataset.name}: no row {place[1]} of {place[0]}")
