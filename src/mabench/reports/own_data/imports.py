"""What came out of an import of chats: a sentence, the histories, what was skipped and why."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.chats import ChatImport, ImportedHistory
from mabench.printable import write_count
from mabench.reports.report import Report
from mabench.reports.tables import Column, tabulate

_MOST_SHOWN = 20  # Histories; an export may have thousands of users.
_DAY = 10  # Characters of the date in a time.
_NO_ANONYMIZATION = (
    "Renamed, not anonymized: who wrote what to whom and when is still there, and so are names "
    "that the export does not list. Read the texts before you give them away."
)
_COLUMNS: tuple[Column[ImportedHistory], ...] = (
    Column("History", lambda history: history.id),
    Column("turns", lambda history: history.turns, ","),
    Column("sessions", lambda history: history.sessions, ","),
    Column("from", lambda history: history.first and history.first[:_DAY]),
    Column("to", lambda history: history.last and history.last[:_DAY]),
)


def import_report(imported: ChatImport, *, renamed: bool) -> Report:
    """Return what was imported, and what was not."""
    turns, sessions = (
        write_count(number, noun)
        for number, noun in ((imported.turns, "turn"), (imported.sessions, "session"))
    )
    histories = write_count(len(imported.histories), "history")
    title = (
        f"{write_count(imported.messages, 'message')} of {' and '.join(imported.formats)}: "
        f"{turns} in {sessions} of {histories} (by {imported.history_unit}), "
        f"{imported.skipped.total():,} skipped."
    )
    table = tabulate(_COLUMNS, imported.histories[:_MOST_SHOWN])
    return Report(title, [table], [*_remarks(imported, renamed)])


def _remarks(imported: ChatImport, renamed: bool) -> Iterator[str]:
    if len(imported.histories) > _MOST_SHOWN:
        yield f"{len(imported.histories) - _MOST_SHOWN:,} more histories are not shown."
    if imported.skipped:
        reasons = (f"{count:,} {why}" for why, count in imported.skipped.most_common())
        yield f"Skipped: {'; '.join(reasons)}."
    if imported.untimed:
        turns = write_count(imported.untimed, "turn")
        yield f"Without a time: {turns}, told where they are in the export."
    if imported.unread:
        shown = ", ".join(path.name for path in imported.unread[:5])
        more = ", and more" if len(imported.unread) > 5 else ""
        yield f"No export of chats: {write_count(len(imported.unread), 'file')} ({shown}{more})."
    if renamed:
        yield _NO_ANONYMIZATION
