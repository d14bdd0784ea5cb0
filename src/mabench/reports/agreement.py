"""The table of how far judges agree."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.reports.table import Table
from mabench.runs import Agreement, JudgeName

_HASH = 8


def agreement_table(found: Sequence[Agreement]) -> Table:
    """Return one row for each two judges of a source."""
    headers = ("Source", "Judge", "Other judge", "Compared", "n", "Agree", "Kappa", "Score apart")
    rows = [
        (
            one.source,
            judge_name(one.one),
            judge_name(one.other),
            one.compared,
            str(one.n),
            f"{one.agreed:.1%}",
            "-" if one.kappa is None else f"{one.kappa:.3f}",
            f"{100 * one.difference:.1f}",
        )
        for one in found
    ]
    return Table(headers, rows, (False, False, False, False, True, True, True, True))


def judge_name(judge: JudgeName) -> str:
    """Return a judge's name for a reader: the model, and the start of the prompts' hash."""
    return f"{judge.model} ({judge.prompts[:_HASH]})"
