"""Reads the history of a run again and cuts it into the chunks that the agent got."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.data import Row
from mabench.data.evidence import Evidence
from mabench.errors import DataError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.results import Place, Run


class ChunkReader:
    """Reads the chunks of a run's rows from its data set, or from ``data`` if that has moved.

    Raises:
        DataError: when the data set is gone, cannot be read, has changed, or lacks a row.
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
        self._last: tuple[Place, Sequence[str], Evidence] | None = None
        self._rows: Iterator[Row] = iter(())
        self._row: Row | None = None
        self._evidence: tuple[Place, Evidence, int] | None = None

    def chunks(self, place: Place) -> Sequence[str]:
        """Return the chunks of a row, without the prompts around them."""
        _, chunks, _ = self._read(place)
        return chunks

    def evidence(self, place: Place) -> Evidence:
        """Return what the questions of a row rest on, as far as the data say it."""
        _, _, evidence = self._read(place)
        return evidence

    def _read(self, place: Place) -> tuple[Place, Sequence[str], Evidence]:
        if self._last is None or self._last[0] != place:
            row = self._find_row(place)
            self._last = place, self._cut(row), Evidence(row)
        return self._last

    def _find_row(self, place: Place) -> Row:
        """Return a row; rows that are asked for in the order of the data are read only once."""
        if self._row and (self._row.split, self._row.index) == place:
            return self._row
        for row in self._rows:
            if (row.split, row.index) == place:
                self._row = row
                return row
        self._rows = self._dataset.rows(list(self._record.questions))
        for row in self._rows:
            if (row.split, row.index) == place:
                self._row = row
                return row
        split, index = place
        raise DataError(f"{self._dataset.name}: no row {index} of {split}")

    def _cut(self, row: Row) -> Sequence[str]:
        """Return the chunks of a row, as the run's protocol made them."""
        record = self._record
        protocol, takes = protocol_named(record.protocol), record.takes
        native, unit = (takes.told, takes.unit) if takes else ((), "turn")
        family = family_of(row.source, self._dataset.sources)
        script = protocol.script(
            family, row, record.chunk_tokens, native=native, unit=unit, offline=True
        )
        return [piece.text for piece in script.pieces]
