"""What runs are: settings and versions, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.page.parts import Section
from mabench.reports.layout import NONE, Table
from mabench.results import Run
from mabench.results.records.record import RunRecord


def settings(runs: Sequence[Run], names: Sequence[str]) -> Section:
    """Return the settings and versions of runs, a column for each."""
    told = [_told(run.record) for run in runs]
    keys = list(dict.fromkeys(key for one in told for key, value in one.items() if value))
    rows = [(key, *(one.get(key) or NONE for one in told)) for key in keys]
    headers = ("Setting", *(names if len(runs) > 1 else ["Value"]))
    return Section(
        "settings",
        "Settings and versions",
        tables=[Table(headers, rows, (False,) * len(headers))],
    )


def _told(record: RunRecord) -> dict[str, str | None]:
    model = record.model
    return {
        "agent": record.agent,
        "data": record.data.name,
        "data from": record.data.location,
        "revision": record.data.revision,
        "fingerprint": record.data.fingerprint,
        "questions": f"{sum(record.questions.values()):,}",
        "protocol": record.protocol,
        "chunk tokens": str(record.chunk_tokens or "the protocol's"),
        "prompts": record.prompts,
        "model": f"{model.name}, temperature {model.temperature:g}" if model else None,
        "rows": ", ".join(map(str, record.rows)) if record.rows is not None else "all",
        "questions of each row": str(record.limit_questions or "all"),
        "date": record.date,
        "command": record.command,
        "mabench": record.mabench + (f", {record.commit[:12]}" if record.commit else ""),
        "python": f"{record.python} on {record.platform}",
        **record.packages,
    }
