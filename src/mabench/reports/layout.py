"""Printing reports: tables and remarks on a terminal, in Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple, Never, Self

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mabench.csv_text import write_csv
from mabench.errors import UsageError, unknown
from mabench.json_text import to_json
from mabench.printable import printable, printable_json
from mabench.reports.tables import Column, Table, Value
from mabench.results import THESE, Measure
from mabench.uncertainty import MIN_HISTORIES

# What Markdown would not show as it is: the beginning of an entity, marks, and underscores that
# do not stand between letters or digits.
_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKS = re.compile(r"[\\|*`\[\]~]")
_UNDERSCORES = re.compile(r"(?<![^\W_])(?<!_)_+|(?<!_)_+(?![^\W_])(?!_)")
# What a column takes beside its text, how narrow one of long text may become, and how long a text
# is a name, for which other columns go before it is folded.
_BORDER = 3
_FOLDED = 25
_NAME = 40
# What LaTeX would obey, or at the beginning of a row take for an argument.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"}
    | {"±": r"$\pm$", "†": r"\textdagger{}"}
)
_LIGATURES = re.compile(r"([-`',])(?=\1)")
# So many characters are about twice a line: a table that is wider is turned on its side.
_SIDEWAYS = 150
# Makes a table that is wider than the line as wide as it, and leaves the others alone.
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


class Report(NamedTuple):
    """What a reader sees: a title, which may be empty, tables, and a sentence for each remark.

    ``first`` are sentences without which the tables would mislead: they come before them.
    ``notes`` say what the tables mean, and stand in the same table in LaTeX.
    """

    title: str = ""
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    notes: Sequence[str] = ()
    first: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        title: str,
        tables: Sequence[Table],
        remarks: Sequence[str] = (),
        *notes: str,
        compares: bool = False,
    ) -> Self:
        """Return a report whose notes also say what the intervals in its tables mean.

        One that ``compares`` runs says how many histories a claim about their difference takes: one
        more than an interval of a score does.
        """
        values = [value for table in tables for row in table.values for value in row]
        measures = [value for value in values if isinstance(value, Measure)]
        said = []
        if any(measure.new for measure in measures):
            said.append(say("of_new_histories", fewest=MIN_HISTORIES))
        if any(measure.these and not measure.new for measure in measures):
            if compares:
                said.append(say("compared_these_histories", mark=THESE))
            else:
                said.append(say("of_these_histories", mark=THESE))
        if said and any(f"{measure}".find("[") > 0 for measure in measures):
            said[-1] += " Near 0 and 100 the interval itself is shown in brackets."
        return cls(title, tables, remarks, [*said, *notes])

    def as_markdown(self) -> str:
        """Return a report in Markdown."""
        parts = [f"**{_escape(self.title)}**"] if self.title else []
        parts += map(_escape, self.first)
        for table in self.tables:
            shown = table.in_format("markdown")
            rules = ["---:" if numeric else "---" for numeric in shown.numeric]
            rows = [map(_escape, shown.headers), rules, *(map(_escape, row) for row in shown.rows)]
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        if remarks := [*self.notes, *self.remarks]:
            parts.append("\n".join(f"- {_escape(remark)}" for remark in remarks))
        return "\n\n".join(parts)


def say(sentence: str, /, **parts: object) -> str:
    """Return a sentence of ``sentences.toml``, by its name, with its parts filled in."""
    return _sentences()[sentence].format(**parts)


@cache
def _sentences() -> Mapping[str, str]:
    return tomllib.loads(files("mabench.reports").joinpath("sentences.toml").read_text("utf-8"))


def show_reports(
    reports: Iterable[Report],
    content: Callable[[], object],
    layout: str,
    console: Console,
    tidy: Callable[[], Table] | None = None,
) -> None:
    """Print reports, or what ``content`` returns as JSON; raises ``UsageError``.

    ``tidy`` returns the one table that CSV has in their place, with the key in every line.
    """
    if layout not in _LAYOUTS:
        raise UsageError(unknown("unknown format", layout, _LAYOUTS), parameter="layout")
    plain = partial(console.print, markup=False, highlight=False, soft_wrap=True)
    if layout == "json":
        plain(printable_json(to_json(_rounded(content()), indent=2)))
        return
    if layout == "csv" and tidy:
        reports = [Report(tables=[tidy()])]
    for report in reports:
        shown = report._replace(tables=[table.in_format(layout) for table in report.tables])
        if layout == "table":
            if report.title:
                console.print(Text(printable(report.title), style="bold"))
            for sentence in report.first:
                console.print(Text(printable(sentence)))
            for table in shown.tables:
                print_table(table, console)
            for remark in (*report.notes, *report.remarks):
                console.print(Text(printable(remark)))
        elif text := _WRITERS[layout](shown):
            plain(text)


def _rounded(value: object) -> object:
    """Return a value of JSON with 12 digits of each fraction: 14.5, not 14.499999999999998."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, Mapping):
        return {name: _rounded(part) for name, part in value.items()}
    return [*map(_rounded, value)] if isinstance(value, list | tuple) else value


def print_table(table: Table, console: Console) -> None:
    """Print a table on a terminal; its cells are text, never markup.

    Where it is too wide, columns that say nothing new go, then texts are cut or folded between
    words, so that names stay whole. What is still too wide is printed in parts, one below the
    other, each with what names the rows; for more than two, columns that say the least go.
    """
    headers, rows = table.headers, table.rows
    columns = [
        _Width.of(column, header, [row[place] for row in rows])
        for place, (column, header) in enumerate(zip(table.columns, headers, strict=True))
    ]
    keys = [place for place, column in enumerate(table.columns) if column.key or not place]
    places, ranks = [*range(len(columns))], dict(enumerate(table.ranks))
    by_rank = sorted(ranks, key=lambda place: abs(ranks[place]))
    spare, parting = ([p for p in by_rank if sign * ranks[p] > 0] for sign in (1, -1))
    while spare and _room(console.width, [columns[place].whole for place in places]) < 0:
        places.remove(spare.pop(0))
    while len(parts := _split(columns, places, keys, console.width)) > 2 and parting:
        places.remove(parting.pop(0))
    for part in parts:
        grid = Grid()
        for place, width in part:
            grid.add_column(
                Text(headers[place]),
                justify="left" if table.columns[place].spec is None else "right",
                width=width,
                overflow="fold" if table.columns[place].least is None else "ellipsis",
                no_wrap=table.columns[place].least is not None,
            )
        for row in rows:
            grid.add_row(*[Text(row[place]) for place, _ in part])
        console.print(grid)


class _Width(NamedTuple):
    """How wide a column is where nothing is folded or cut, and how narrow it can be."""

    full: int
    least: int
    whole: int  # What it takes before columns that say nothing new go.

    @classmethod
    def of(cls, column: Column[Never], header: str, cells: Sequence[str]) -> _Width:
        """Return the widths of a column: of numbers, only the header can be folded."""
        from rich.cells import cell_len

        full = max(map(cell_len, (header, *cells)))
        if column.least is not None:
            least = min(full, max(column.least, cell_len(header)))
            return cls(full, least, max(least, min(full, _NAME)))
        is_text = column.spec is None
        words = (*header.split(), *(" ".join(cells).split() if is_text else cells))
        longest = max(map(cell_len, words), default=1)
        least = max(longest, min(full, _FOLDED)) if is_text else longest
        return cls(full, least, max(least, min(full, _NAME)))


def _room(width: int, widths: Iterable[int]) -> int:
    return width - 1 - sum(width + _BORDER for width in widths)


def _split(
    columns: Sequence[_Width], places: Sequence[int], keys: Sequence[int], width: int
) -> list[list[tuple[int, int]]]:
    """Return the columns of each part of a table that fits into a width, with their widths."""

    def room(group: Iterable[int]) -> int:
        return _room(width, [columns[place].least for place in group])

    named = [place for place in places if place in keys]
    if room(named) < width // 3:  # What names a row must leave room for what is said of it.
        named = named[:1]
    groups = [named]
    for place in places:
        if place in named:
            continue
        if len(groups[-1]) > len(named) and room([*groups[-1], place]) < 0:
            groups.append(named)
        groups[-1] = [*groups[-1], place]
    parts = []
    for group in map(sorted, groups):
        widths, left = [columns[place].least for place in group], room(group)
        if left < 0:  # A name is too long to stay whole.
            widest = widths.index(max(widths))
            widths[widest] = max(1, widths[widest] + left)
        grown = share_room(widths, [columns[place].full for place in group], left)
        parts.append([*zip(group, grown, strict=True)])
    return parts


def share_room(widths: Sequence[int], full: Sequence[int], room: int) -> list[int]:
    """Return widths that share what room is left, none wider than its full width."""
    widths = [*widths]
    while room > 0 and (growing := [n for n, width in enumerate(widths) if width < full[n]]):
        for place in growing:
            more = min(max(1, room // len(growing)), full[place] - widths[place], room)
            widths[place] += more
            room -= more
    return widths


def _format_latex(report: Report) -> str:
    """Return a report in LaTeX, for `booktabs`; remarks that explain no table become comments.

    The first table has the title, the others also say what their rows are, if it is something else.
    Notes explain scores and their intervals: they are below the tables that have some, or below the
    last of none.
    """
    lines = []
    tables = [table for table in report.tables if table.values]
    scored = [any(isinstance(cell, Measure) for cell in table.values[0]) for table in tables]
    for number, table in enumerate(tables):
        rows_are = "continued" if table.headers[0] == tables[0].headers[0] else table.headers[0]
        title = f"{report.title}: {rows_are}" if number else report.title
        caption = [rf"\caption{{{_escape_latex(title)}}}"] if report.title else []
        explained = scored[number] or (number == len(tables) - 1 and not any(scored))
        notes = [rf"\par\smallskip{{\footnotesize {_escape_latex(' '.join(report.notes))}\par}}"]
        letters = "".join("r" if numeric else "l" for numeric in table.numeric)
        body = (map(_latex_cell, table.columns, row) for row in table.values)
        texts = [map(_escape_latex, table.headers), *body]
        heads, *rows = (" & ".join(cells) + r" \\" for cells in texts)
        cells = zip(table.headers, *table.rows, strict=True)
        wide = sum(2 + max(map(len, column)) for column in cells) > _SIDEWAYS
        name = "sidewaystable" if wide else "table"
        lines += [rf"\begin{{{name}}}", r"\centering\small\setlength{\tabcolsep}{4pt}", *caption]
        lines += [_SHRUNK, rf"\begin{{tabular}}{{{letters}}}", r"\toprule", heads, r"\midrule"]
        lines += [*rows, r"\bottomrule", r"\end{tabular}}"]
        lines += notes if report.notes and explained else []
        lines.append(rf"\end{{{name}}}")
    lines += [
        f"% {' '.join(printable(remark).split())}" for remark in (*report.first, *report.remarks)
    ]
    rotating = ",rotating" * (r"\begin{sidewaystable}" in lines)
    return "\n".join([rf"% \usepackage{{booktabs,graphicx{rotating}}}"] * bool(tables) + lines)


def _latex_cell(column: Column[Never], value: Value) -> str:
    if not isinstance(value, Measure) or column.spec:
        return _escape_latex(column.text(value))
    score = rf"\textbf{{{value.value:.1f}}}" if value.best else f"{value.value:.1f}"
    half = f"{value._replace(letters='')}".removeprefix(f"{value.value:.1f}").replace(THESE, "")
    mark = r"\dagger" if THESE in f"{value}" else ""
    interval = rf" {{\footnotesize {_escape_latex(half.strip())}}}" if half else ""
    above = "".join([mark, rf"\textrm{{{value.letters}}}" if value.letters else ""])
    return score + interval + (f"$^{{{above}}}$" if above else "")


def _escape_latex(text: str) -> str:
    text = _LIGATURES.sub(r"\1\0", " ".join(printable(text).split()))
    return text.translate(_LATEX).replace("\0", "{}")


def _format_csv(report: Report) -> str:
    lines = io.StringIO()
    for number, table in enumerate(report.tables):
        lines.write("\n" * bool(number))
        write_csv(lines, [table.headers, *table.plain_rows], line_end="\n")
    return lines.getvalue().removesuffix("\n")


_WRITERS = {"markdown": Report.as_markdown, "latex": _format_latex, "csv": _format_csv}
_LAYOUTS = ("table", *_WRITERS, "json")


def _escape(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is, without anything that is HTML."""
    text = _ENTITY.sub("&amp;", printable(text))
    text = _MARKS.sub(r"\\\g<0>", text)
    text = _UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), text)
    return " ".join(text.replace("<", "&lt;").replace(">", "&gt;").split())
