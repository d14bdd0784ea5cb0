"""CSV as every command writes it: texts are texts to a spreadsheet, and numbers are numbers."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mabench.csv_text import write_csv
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.tables import plain_table
from tests.command_line import succeed
from tests.printing import print_on

_PASSED_OVER = " \t\r\n\x0b\u00a0\u200b\ufeff"
_COMMANDS = "=+-@\uff0b\uff0d\uff1d\uff20"


def _read(rows: list[list[str | int | float | list[str] | None]]) -> list[list[str]]:
    stream = io.StringIO(newline="")
    write_csv(stream, rows)
    return [*csv.reader(io.StringIO(stream.getvalue(), newline=""))]


@given(st.text(_PASSED_OVER, max_size=3), st.sampled_from(_COMMANDS), st.text(max_size=5))
@example("", "=", "cmd|' /C calc'!A0")
def test_no_text_is_a_formula(before: str, command: str, after: str) -> None:
    (cells,) = _read([[f"{before}{command}{after}", [command]]])
    assert cells[0].startswith("'")
    assert cells[0].lstrip("'")[:1] == (before + command)[0]
    assert cells[1].startswith("[")


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_number_stays_one(number: float) -> None:
    assert _read([[number, None]]) == [[str(number), ""]]


def test_a_table_of_a_report_has_no_formula_and_keeps_its_numbers() -> None:
    formula = "=cmd|' /C calc'!A0"
    table = plain_table((formula, "Difference"), [(formula, -3.5), ("bm25", -4)])
    reports = [Report("", [table])]
    text = print_on(160, lambda console: show_reports(reports, dict, "csv", console))
    rows = [*csv.reader(io.StringIO(text))]
    assert rows == [[f"'{formula}", "Difference"], [f"'{formula}", "-3.5"], ["bm25", "-4"]]


@pytest.mark.parametrize("command", ["data show", "data chunks", "audit"])
def test_commands_print_hostile_names_as_text(command: str, tmp_path: Path) -> None:
    """Of a source that its file declares; every report takes the same writer."""
    from mabench.data import export_hub_layout
    from tests.rows import dataset, row

    name = "=cmd"
    rows = dataset([row("ruler_qa1_197K", "Arden is here.", [(name, [name])])])
    export_hub_layout(rows, tmp_path / "data")
    printed = succeed(*command.split(), "data", "--format", "csv", cwd=tmp_path).stdout
    cells = [cell for line in csv.reader(io.StringIO(printed)) for cell in line]
    assert cells
    assert not [cell for cell in cells if cell.startswith(tuple("=+@\t\r"))]
