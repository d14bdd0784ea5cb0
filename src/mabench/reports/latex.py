"""Reports in LaTeX, for `booktabs`: intervals in small print, bold for the best, notes below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Never

from mabench.printable import printable
from mabench.reports.tables import THESE, Column, Measure, Table, Value

if TYPE_CHECKING:
    from mabench.reports.layout import Report

# What LaTeX would obey, or at the beginning of a row take for an argument.
_SPECIAL = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"}
    | {"±": r"$\pm$", "†": r"\textdagger{}"}
)
_LIGATURES = re.compile(r"([-`',])(?=\1)")


def format_latex(report: Report) -> str:
    """Return a report in LaTeX; remarks that explain no table become comments."""
    lines = []
    tables = [table.in_format("latex") for table in report.tables]
    for table in filter(lambda table: table.values, tables):
        caption = [rf"\caption{{{_escape(report.title)}}}"] if report.title else []
        notes = [rf"\par\smallskip{{\footnotesize {_escape(' '.join(report.notes))}\par}}"]
        body = [*_tabular(table), *(notes if report.notes else [])]
        lines += [r"\begin{table}", r"\centering\small\setlength{\tabcolsep}{4pt}", *caption, *body]
        lines.append(r"\end{table}")
    lines += [f"% {' '.join(printable(remark).split())}" for remark in report.remarks]
    return "\n".join(["% \\usepackage{booktabs}"] * bool(tables) + lines)


def _tabular(table: Table) -> list[str]:
    letters = "".join("r" if numeric else "l" for numeric in table.numeric)
    heads = [_escape(header) for header in table.headers]
    rows = [map(_cell, table.columns, row) for row in table.values]
    return [
        rf"\begin{{tabular}}{{{letters}}}",
        *(r"\toprule", _row(heads), r"\midrule"),
        *(_row([*row]) for row in rows),
        *(r"\bottomrule", r"\end{tabular}"),
    ]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(column: Column[Never], value: Value) -> str:
    if not isinstance(value, Measure) or column.spec:
        return _escape(column.text(value))
    score = rf"\textbf{{{value.value:.1f}}}" if value.best else f"{value.value:.1f}"
    half = f"{value._replace(letters='')}".removeprefix(f"{value.value:.1f}").replace(THESE, "")
    mark = r"\dagger" if THESE in f"{value}" else ""
    interval = rf" {{\footnotesize {_escape(half.strip())}}}" if half else ""
    above = "".join([mark, rf"\textrm{{{value.letters}}}" if value.letters else ""])
    return score + interval + (f"$^{{{above}}}$" if above else "")


def _escape(text: str) -> str:
    """Return ``text`` so that LaTeX prints it as it is."""
    text = _LIGATURES.sub(r"\1\0", " ".join(printable(text).split()))
    return text.translate(_SPECIAL).replace("\0", "{}")
