"""Tables fit a terminal of 80 columns, and no name in them is broken inside a word."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import mabench
from mabench.reports.layout import Table, print_table
from tests.command_line import mabench as mabench_command

_WIDTH = 80
_LONG = "icl_banking77_5900shot_balance"
_OWN = "answers_of_our_support_team_in_the_second_half_of_2025_x"
_WORDS = st.text(st.sampled_from("abc_-."), min_size=1, max_size=30)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_NUMBERS = st.floats(-1e6, 1e6).map(lambda value: f"{value:,.1f} ±3.2")


def _printed(table: Table, width: int = _WIDTH) -> str:
    stream = io.StringIO()
    print_table(table, Console(file=stream, width=width))
    return stream.getvalue()


@st.composite
def _tables(draw: st.DrawFn) -> Table:
    numeric = (False, *draw(st.lists(st.booleans(), max_size=7)))
    cells = [_NUMBERS if one else _TEXTS for one in numeric]
    rows = draw(st.lists(st.tuples(_WORDS, *cells[1:]), max_size=4))
    return Table(tuple(draw(_TEXTS) for _ in numeric), rows, numeric)


@given(_tables())
def test_any_table_fits_and_keeps_its_words(table: Table) -> None:
    printed = _printed(table)
    assert max(map(len, printed.splitlines())) <= _WIDTH
    words = {*printed.replace("│", " ").replace("┃", " ").split()}
    given_words = {
        word for row in (table.headers, *table.rows) for cell in row for word in cell.split()
    }
    assert given_words <= words


def test_a_number_is_never_folded() -> None:
    rows = [(_LONG, "100.0 ±12.5†", "100.0 ±12.5†", "100.0 ±12.5†", "word " * 30)]
    table = Table(
        ("Source", "Official", "Corrected", "Verified", "Text"),
        rows,
        (False, True, True, True, False),
    )
    assert _printed(table).count("100.0 ±12.5†") == 3


def test_a_name_wider_than_the_terminal_is_still_all_there() -> None:
    name = "x" * 200
    printed = _printed(Table(("Source", "n"), [(name, "1")], (False, True)))
    assert printed.count("x") == 200
    assert max(map(len, printed.splitlines())) <= _WIDTH


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data of long names and two runs over them."""
    place = tmp_path_factory.mktemp("long")
    (place / "own").mkdir()
    (place / "own" / "sources.toml").write_text(f'[{_OWN}]\nfamily = "answer"\n')
    (place / "own" / "rows.jsonl").write_text(
        '{"context": "Bern is the capital.", "questions": ["What is the capital?"], '
        f'"answers": [["Bern"]], "metadata": {{"source": "{_OWN}"}}}}\n'
    )
    for agent in ("bm25", "no-memory"):
        mabench.run(agent, place / "own", out=place / f"own-{agent}")
        mabench.run(
            agent, "synthetic:small", sources=_LONG, out=place / f"icl-{agent}", limit_questions=4
        )
    return place


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("report icl-bm25", [_LONG]),
        ("report icl-bm25 --published", [_LONG]),
        ("report own-bm25", [_OWN]),
        ("compare icl-bm25 icl-no-memory --flipped", [_LONG]),
        ("compare own-bm25 own-no-memory", [_OWN]),
        ("show icl-no-memory --wrong", [_LONG]),
        ("show own-no-memory --question 0", [_OWN]),
        ("audit own", []),
        ("sources", [_LONG, "icl_trec_coarse_6600shot_balance", "substring_exact_match"]),
        ("agents", ["long-context", "llama-index"]),
        ("data show own", [_OWN]),
        ("data validate own", []),
        ("leaderboard icl-bm25", ["text-embedding-3-small"]),
        (f"run bm25 --data own --source {_OWN} --estimate", [_OWN]),
        ("runs .", ["own-no-memory", "icl-bm25"]),
    ],
)
def test_what_commands_print_on_80_columns(
    line: str, names: list[str], runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(_WIDTH))
    done = mabench_command(*line.split(), cwd=runs)
    assert done.returncode == 0, done.stderr
    for name in names:
        assert name in done.stdout, done.stdout
    tables = [one for one in done.stdout.splitlines() if one[:1] in "│┃┏├└┡"]
    assert all(len(one) <= _WIDTH for one in tables)
