"""Reads the data set of a run again and cuts each history into the chunks that the agent got."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mabench.data import Row
from mabench.data.evidence import Evidence
from mabench.errors import DataError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.loading import load
from mabench.results import Place, Run


class _HistoryOfRow(NamedTuple):
    """What was read of a row."""

    place: Place  # Its split and its index.
    chunks: Sequence[str]
    evidence: Evidence


class ChunkReader:
    """Reads the chunks of a run's rows from its data set, or from ``data`` if that has moved.

    It is quick if rows are asked for in the order of the data: each is then read once, and only the
    last one is kept.

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
        self._last: _HistoryOfRow | None = None
        self._rows_ahead: Iterator[Row] = iter(())  # Those behind the last row, not read yet.

    def chunks(self, place: Place) -> Sequence[str]:
        """Return the chunks of a row, without the prompts around them."""
        return self._read(place).chunks

    def evidence(self, place: Place) -> Evidence:
        """Return what the questions of a row rest on, as far as the data say it."""
        return self._read(place).evidence

    def _read(self, place: Place) -> _HistoryOfRow:
        """Return what is read of a row; the last one that was asked for is not read again."""
        if self._last is None or self._last.place != place:
            row = self._find_row(place)
            self._last = _HistoryOfRow(place, self._cut(row), Evidence(row))
        return self._last

    def _find_row(self, place: Place) -> Row:
        """Return a row: look behind the last one, then begin again at the first row.

        Raises:
            DataError: when the data set has no such row.
        """
        row = _find_in(self._rows_ahead, place)
        if row is None:
            self._rows_ahead = self._dataset.rows(list(self._record.questions))
            row = _find_in(self._rows_ahead, place)
        if row is None:
            split, index = place
            raise DataError(f"{self._dataset.name}: no row {index} of {split}")
        return row

    def _cut(self, row: Row) -> Sequence[str]:
        """Return the chunks of a row, as the run's protocol made them."""
        record = self._record
        protocol = protocol_named(record.protocol)
        family = family_of(row.source, self._dataset.sources)
        # Which fields the agent took besides the text, and how much of a conversation at once. Runs
        # of older versions did not record it.
        takes = record.takes
        script = protocol.script(
            family,
            row,
            record.chunk_tokens,
            native=takes.told if takes else (),
            unit=takes.unit if takes else "turn",
            offline=True,
        )
        return [piece.text for piece in script.pieces]


def _find_in(rows: Iterator[Row], place: Place) -> Row | None:
    """Return the row at a place; the rows before it are used up. None if it is not among them."""
    for row in rows:
        if (row.split, row.index) == place:
            return row
    return None
