"""The report on an import of exported chats: the histories made of them, and what was skipped."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.chats import ChatImport, ImportedHistory
from mabench.printable import write_count
from mabench.reports.report import Report
from mabench.reports.tables import Column, tabulate

# How many histories the table has; an export may have thousands of users.
_MOST_SHOWN = 20
# How many files without chats are named.
_MOST_FILES = 5
# Characters of the date in a time such as ``2026-11-30T21:05:00``.
_DATE = 10
_NO_ANONYMIZATION = (
    "Renamed, not anonymized: who wrote what to whom and when is still there, and so are names "
    "that the export does not list. Read the texts before you give them away."
)
_COLUMNS: tuple[Column[ImportedHistory], ...] = (
    Column("History", lambda history: history.id),
    Column("turns", lambda history: history.turns, spec=","),
    Column("sessions", lambda history: history.sessions, spec=","),
    Column("from", lambda history: _date_of(history.first)),
    Column("to", lambda history: _date_of(history.last)),
)


def _date_of(time: str | None) -> str | None:
    """Return the date of a time of ISO 8601; None without a time."""
    return None if time is None else time[:_DATE]


def import_report(imported: ChatImport, *, renamed: bool) -> Report:
    """Return what was imported, and what was not; ``renamed`` says if people got other names."""
    messages = write_count(imported.messages, "message")
    turns = write_count(imported.turns, "turn")
    sessions = write_count(imported.sessions, "session")
    histories = write_count(len(imported.histories), "history")
    title = (
        f"{messages} of {' and '.join(imported.formats)}: {turns} in {sessions} of {histories} "
        f"(by {imported.history_unit}), {imported.skipped.total():,} skipped."
    )
    table = tabulate(_COLUMNS, imported.histories[:_MOST_SHOWN])
    return Report(title, [table], [*_remarks(imported, renamed=renamed)])


def _remarks(imported: ChatImport, *, renamed: bool) -> Iterator[str]:
    """Yield what is not shown, what was skipped or not understood, and what renaming leaves."""
    if len(imported.histories) > _MOST_SHOWN:
        yield f"{len(imported.histories) - _MOST_SHOWN:,} more histories are not shown."
    if imported.skipped:
        reasons = (f"{count:,} {why}" for why, count in imported.skipped.most_common())
        yield f"Skipped: {'; '.join(reasons)}."
    if imported.untimed:
        turns = write_count(imported.untimed, "turn")
        yield f"Without a time: {turns}, told where they are in the export."
    if imported.unread:
        files = write_count(len(imported.unread), "file")
        names = ", ".join(path.name for path in imported.unread[:_MOST_FILES])
        more = ", and more" if len(imported.unread) > _MOST_FILES else ""
        yield f"No export of chats: {files} ({names}{more})."
    if renamed:
        yield _NO_ANONYMIZATION
