import ast
import re
from collections.abc import Sequence
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.page.document import Section, render
from mabench.reports import layout
from mabench.reports.layout import Report, print_table, show_reports
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import Measure
from mabench.userfile import read_toml_file
from tests.command_line import succeed
from tests.printing import print_on

_WIDTH = 80
_LONG = "icl_banking77_5900shot_balance"
_TITLE = "icl_banking77, 12k, made up"
_OWN = "answers_of_our_support_team_in_the_second_half_of_2025_x"
_WORDS = st.text(st.sampled_from("abc_-."), min_size=1, max_size=30)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_NUMBERS = st.floats(-1e6, 1e6).map(lambda value: f"{value:,.1f} ±3.2")


def _printed(table: Table, width: int = _WIDTH) -> str:
    return print_on(width, lambda console: print_table(table, console))


def _columns(*titles: str, numeric: Sequence[int]) -> list[Column[tuple[str, ...]]]:
    return [
        Column(title, itemgetter(place), "" if is_number else None)
        for place, (title, is_number) in enumerate(zip(titles, numeric, strict=True))
    ]


def test_a_column_that_is_declared_once_is_in_every_format() -> None:
    columns: list[Column[tuple[str, float]]] = [
        Column("Source", lambda row: row[0]),
        Column("Answered", lambda row: row[1], ".0%"),
        Column("Judged", lambda row: None, ",d", missing="nobody"),
        Column("Only CSV", lambda row: 1_000_000, ",d", formats=["csv"]),
        Column("Silent", lambda row: 0, "", when=lambda rows: len(rows) > 9),
    ]
    report = Report("", [tabulate(columns, [("a_source", 20 / 21)])])

    def shown(layout: str) -> list[str]:
        text = print_on(_WIDTH, lambda console: show_reports([report], dict, layout, console))
        return text.splitlines()

    assert shown("table")[1].endswith("┃ Answered ┃ Judged ┃")
    assert shown("table")[3].endswith("│     95 % │ nobody │")
    assert shown("markdown") == [
        "| Source | Answered | Judged |",
        "| --- | ---: | ---: |",
        "| a_source | 95 % | nobody |",
    ]
    assert shown("csv") == ["Source,Answered,Judged,Only CSV", "a_source,0.952381,nobody,1000000"]
    if all(map(find_spec, ("jinja2", "vl_convert"))):
        text = render("", "", [], [Section("x", "X", tables=report.tables)], Section("y", "Y"))
        assert '<th scope="col" class="number">Answered</th>' in text
        assert '<td class="number">95 %</td><td class="number">nobody</td></tr>' in text
        assert "Only CSV" not in text


@st.composite
def _tables(draw: st.DrawFn) -> Table:
    numeric = (False, *draw(st.lists(st.booleans(), max_size=7)))
    cells = [_NUMBERS if is_number else _TEXTS for is_number in numeric]
    rows = draw(st.lists(st.tuples(_WORDS, *cells[1:]), max_size=4))
    return tabulate(_columns(*(draw(_TEXTS) for _ in numeric), numeric=numeric), rows)


@given(_tables())
def test_any_table_fits_and_keeps_its_words(table: Table) -> None:
    printed = _printed(table)
    assert max(map(len, printed.splitlines())) <= _WIDTH
    words = {*printed.replace("│", " ").replace("┃", " ").split()}
    cells = [cell for row in (table.headers, *table.rows) for cell in row]
    assert {*" ".join(cells).split()} <= words


def test_a_number_is_never_folded_and_a_wide_name_is_all_there() -> None:
    number = "100.0 ±12.5†"
    titles, numeric = ("Source", "Official", "Corrected", "Verified", "Text"), (0, 1, 1, 1, 0)
    columns = _columns(*titles, numeric=numeric)
    printed = _printed(tabulate(columns, [(_LONG, number, number, number, "word " * 30)]))
    assert printed.count(number) == 3
    printed = _printed(tabulate(_columns("Source", "n", numeric=(False, True)), [("x" * 200, "1")]))
    assert printed.count("x") == 200
    assert max(map(len, printed.splitlines())) <= _WIDTH


def test_what_says_nothing_new_goes_before_texts_are_cut_and_then_parts_keep_their_keys() -> None:
    columns: list[Column[tuple[str, ...]]] = [
        Column("Agent", itemgetter(0)),
        Column("Source", itemgetter(1), key=True),
        Column("Metric", itemgetter(2), spare=lambda _: 1),
        Column("Question", itemgetter(3), least=10),
        Column("Score", itemgetter(4), ""),
    ]
    row = ("bm25", "eventqa", "substring_exact_match", "what was said " * 3, "50.0")
    table = tabulate(columns, [row])
    assert "substring_exact_match" in _printed(table, 120)
    assert "what was said what was said what was said" in _printed(table, 75)
    narrow = _printed(table, 55)
    assert "substring" not in narrow
    assert "said what was s…" in narrow
    assert narrow.count("bm25") == 1
    wide = [Column(f"Figure {n}", itemgetter(4), "") for n in range(5)]
    parts = _printed(tabulate([*columns[:2], *wide], [row]), 40)
    assert parts.count("bm25") == parts.count("eventqa") > 1


def test_near_its_ends_an_interval_is_printed_as_it_is() -> None:
    assert f"{Measure(50.0, (40.0, 60.0))}" == "50.0 ±10.0†"
    assert f"{Measure(98.0, None, (93.75, 100.0))}" == "98.0 [93.8, 100]"
    assert f"{Measure(2.0, (0.0, 9.0))}" == "2.0 [0, 9.0]†"
    assert f"{Measure(98.0)}" == "98.0"


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
        ("report icl-bm25", [_TITLE]),
        ("report icl-bm25 --beside best", [_TITLE]),
        ("report own-bm25", [_OWN]),
        ("compare icl-bm25 icl-no-memory --flipped", [_TITLE]),
        ("compare own-bm25 own-no-memory", [_OWN]),
        ("show icl-no-memory --wrong", [_TITLE]),
        ("show own-no-memory --question 0", [_OWN]),
        ("audit own", []),
        ("sources", [_LONG, "icl_trec_coarse_6600shot_balance", "substring_exact_match"]),
        ("agents", ["long-context", "llama-index"]),
        ("data show own", [_OWN]),
        ("data validate own", []),
        ("leaderboard", ["text-embedding-3-small"]),
        ("leaderboard icl-bm25", ["icl-bm25 feeds no column"]),
        (f"run bm25 --data own --source {_OWN} --estimate", [_OWN]),
        ("runs .", ["own-no-memory", "icl-bm25"]),
    ],
)
def test_what_commands_print_on_80_columns(
    line: str, names: list[str], runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(_WIDTH))
    done = succeed(*line.split(), cwd=runs)
    for name in names:
        assert name in done.stdout, done.stdout
    lines = [line for line in done.stdout.splitlines() if line[:1] in "│┃┏├└┡"]
    assert all(len(line) <= _WIDTH for line in lines)


def _cell(text: str) -> str:
    table = tabulate(_columns("Source", numeric=(False,)), [(text,)])
    lines = Report("", [table]).as_markdown().splitlines()
    assert len(lines) == 3
    return lines[2].removeprefix("| ").removesuffix(" |")


_AS_IT_IS = ("ruler_qa1_197K", "substring_exact_match", "a__b", "é_1", "AT&T")
_ESCAPED = {
    "_x_": r"\_x\_",
    "__init__": r"\_\_init\_\_",
    "a_ _b": r"a\_ \_b",
    "(_a_)": r"(\_a\_)",
    "longmemeval_s*": r"longmemeval_s\*",
    "~~x~~": r"\~\~x\~\~",
    "[x](y)": r"\[x\](y)",
    "a|b": r"a\|b",
    "&lt;b&gt;": "&amp;lt;b&amp;gt;",
    "<img src=x onerror=alert(1)>": "&lt;img src=x onerror=alert(1)&gt;",
}


def test_names_and_marks_are_shown_as_they_are_in_markdown() -> None:
    for text, escaped in {**dict(zip(_AS_IT_IS, _AS_IT_IS, strict=True)), **_ESCAPED}.items():
        assert _cell(text) == escaped


@given(st.text(st.sampled_from("<>&;_ab/!- lt"), max_size=20))
def test_there_is_no_html_in_markdown(text: str) -> None:
    cell = _cell(text)
    assert not {"<", ">"} & {*cell}
    # Every entity is one of ours.
    assert {*re.findall(r"&#?\w+;", cell)} <= {"&lt;", "&gt;", "&amp;"}


def test_every_sentence_is_said_with_the_parts_that_it_has() -> None:
    folder = Path(layout.__file__).parent
    sentences = read_toml_file(folder / "sentences.toml")
    said = set()
    for file in (*folder.glob("*.py"), *(folder.parent / "page").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                name = ast.literal_eval(node.args[0])
                slots = {slot for _, slot, _, _ in Formatter().parse(sentences[name]) if slot}
                given = {word.arg for word in node.keywords}  # None stands for a mapping of some.
                assert given == slots or (None in given and given - {None} <= slots), name
                said.add(name)
    assert said == {*sentences}
