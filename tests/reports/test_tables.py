import ast
import csv
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.comparison import compare
from mabench.page.document import Section, render
from mabench.printable import write_count, write_number, write_points
from mabench.reports import sentences
from mabench.reports.comparison import Detail, show_comparison
from mabench.reports.formats import print_table, show_reports
from mabench.reports.formats.markdown import format_markdown
from mabench.reports.report import Report
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import Measure, RetrievedPassage, Run, RunFolder
from mabench.userfile import read_toml_file
from tests.command_line import succeed
from tests.comparison.made import FACTS, QA, made_run, parted_run, share, told
from tests.printing import markdown, print_on

_WIDTH = 80
_LONG = "icl_banking77_5900shot_balance"
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
        text = render(("", ""), [], [Section("x", "X", tables=report.tables)], Section("y", "Y"))
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
    words = {*re.split(r"[\s│┃:,]+", printed)}
    cells = [cell for row in (table.headers, *table.rows) for cell in row]
    assert {*re.split(r"[\s,]+", " ".join(cells))} <= words


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
        Column("Metric", itemgetter(2), drop_rank=lambda _: 1),
        Column("Question", itemgetter(3), least=10),
        Column("Score", itemgetter(4), ""),
    ]
    row = ("bm25", "eventqa", "substring_exact_match", "what was said " * 3, "50.0")
    table = tabulate(columns, [row])
    assert "substring_exact_match" in _printed(table, 120)
    assert "what was said what was said what was said" in _printed(table, 75)
    narrow = _printed(table, 55)
    assert "substring" not in narrow
    assert "what was sai…at was said" in narrow
    assert narrow.count("bm25") == 1
    wide = [Column(f"Figure {n}", itemgetter(4), "") for n in range(5)]
    parts = _printed(tabulate([*columns[:2], *wide], [row]), 40)
    assert parts.count("bm25") == parts.count("eventqa") > 1


def test_parts_of_a_table_keep_both_names_and_a_figure_with_its_interval() -> None:
    long = ("a_memory_of_a_long_name[k=3]", "another_memory_of_a_long_name[k=5]")
    columns: list[Column[tuple[str, ...]]] = [
        Column("A", itemgetter(0), key=True),
        Column("B", itemgetter(1), key=True),
        Column("Histories that both of them saw", itemgetter(2), ""),
        Column("Difference", itemgetter(3), ""),
        Column("95 % interval", itemgetter(4), "", joined=True),
    ]
    table = tabulate(columns, [(*long, "12", "+3.1", "-100.4 to +100.6")])
    for width in range(70, 110, 3):
        parts = _printed(table, width).split("┏")[1:]
        assert all(" A " in part and " B " in part for part in parts)
        assert sum("+3.1" in part and "+100.6" in part for part in parts) == 1


def test_a_column_without_a_value_is_for_programs_alone() -> None:
    columns: list[Column[str]] = [
        Column("Source", str),
        Column("Judged", lambda row: None, ".1f"),
        Column("Note", lambda row: "" if row == "a" else "seen"),
    ]
    report = Report("", [tabulate(columns, ["a", "b"])])
    for layout in ("table", "markdown", "latex"):
        shown = print_on(_WIDTH, partial(show_reports, [report], dict, layout))
        assert "Judged" not in shown
        assert "seen" in shown
    shown = print_on(_WIDTH, lambda console: show_reports([report], dict, "csv", console))
    assert shown.startswith("Source,Judged,Note")


def test_a_table_of_one_column_is_a_line() -> None:
    assert (
        _printed(tabulate(_columns("Passed", numeric=(False,)), [("a",), ("b",)]))
        == "Passed: a, b\n"
    )


@given(st.integers(-(10**6), 10**6), st.integers(0, 3))
def test_halves_are_rounded_away_from_zero(tenths: int, digits: int) -> None:
    half = (2 * tenths + 1) / (2 * 10**digits)
    expected = (abs(2 * tenths + 1) + 1) // 2 / 10**digits
    written = write_number(half, f".{digits}f")
    assert written.startswith("-") == (half < 0)
    assert written.lstrip("-") == f"{expected:.{digits}f}"


def test_sentences_and_intervals_round_as_tables_do() -> None:
    assert f"{Measure(12.25, (2.25, 22.25))}" == "12.3 ±10.0†"
    assert Measure(0.25, (-0.25, 0.75)).range("+.1f") == "-0.3 to +0.8†"
    shares: Column[float] = Column("Share", lambda row: row, ".0f")
    table = tabulate([shares], [12.5, 13.5])
    assert table.rows == [("13",), ("14",)]
    assert "(12.3 %" in sentences.say("unclear", unclear=1, asked=8, percent=12.25, them="it")


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
        ("report icl-bm25", ["icl_banking77, 12k", "(made up)"]),
        ("report icl-bm25 --full", ["icl_banking77, 12k", "(made up)"]),
        ("report icl-bm25 --beside best", ["icl_banking77, 12k", "(made up)"]),
        ("report own-bm25", [_OWN]),
        ("compare icl-bm25 icl-no-memory --flipped", ["icl_banking77, 12k", "(made up)"]),
        ("compare own-bm25 own-no-memory", [_OWN]),
        ("show icl-no-memory --wrong", ["icl_banking77, 12k"]),
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
    lines = format_markdown(Report("", [table])).splitlines()
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
    folder = Path(sentences.__file__).parent
    written = read_toml_file(folder / "sentences.toml")
    said = set()
    for file in (*folder.rglob("*.py"), *(folder.parent / "page").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                name = ast.literal_eval(node.args[0])
                slots = {slot for _, slot, _, _ in Formatter().parse(written[name]) if slot}
                given = {word.arg for word in node.keywords}  # None stands for a mapping of some.
                assert given == slots or (None in given and given - {None} <= slots), name
                said.add(name)
    assert said == {*written}


def printed(*runs: Run | Path, layout: str = "markdown", pairs: bool = False) -> str:
    comparison = compare(runs)
    return print_on(
        400,
        lambda console: show_comparison(
            comparison, layout, console, detail=Detail.EVERY_PAIR if pairs else Detail.FULL
        ),
    )


@pytest.fixture
def four(tmp_path: Path) -> list[Path]:
    """Two runs that cannot be told apart, one that is worse, and one that is worst."""
    return [
        made_run(tmp_path / name, {QA: [share(right)], FACTS: [share(right)]}, agent=name)
        for name, right in {"bad": 10, "good": 88, "fair": 50, "fine": 90}.items()
    ]


def test_one_table_ranks_all_runs_and_marks_what_is_not_shown_to_differ(
    four: list[Path], tmp_path: Path
) -> None:
    text = printed(*four)
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[0].startswith(f"| Agent | Mean | {QA} | {FACTS} |")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    assert [row[0] for row in cells] == ["fine", "good", "fair", "bad"]
    assert [row[1].split()[-1] for row in cells] == ["a", "a", "b", "c"]
    others = "the rest are shown to be worse, on these histories, of these builds"
    assert f"fine leads, and good is not shown to differ; {others}." in text
    assert "p adjusted for 6 pairs, Holm" in text
    assert "95 % interval |" not in text, "pairs are printed on demand"
    shown = printed(*four, pairs=True)
    assert shown.count("| Source | A | B | A - B |") == 6
    best = "fine is best: shown to be better than all others, on these histories, of these builds."
    assert best in printed(*four[:1], *four[2:])
    same = [shutil.copytree(four[3], tmp_path / name) for name in ("one", "two")]
    assert f"{same[0]} and {same[1]} have the same score." in printed(*same)
    alike = f"{same[1]} and {four[1]} are not shown to differ."
    assert f"{same[0]} leads, and {alike}" in printed(*same, four[1])
    worse = f"{four[0]} is shown to be worse, on these histories, of these builds."
    ahead = f"{same[0]} leads, and {same[1]} is not shown to differ; {worse}"
    assert ahead in printed(*same, four[0])


def test_columns_of_the_paper_stand_across_and_folders_tell_agents_apart(tmp_path: Path) -> None:
    full = {QA: [share(60)], "factconsolidation_sh_262k": [share(50)]}
    runs = [made_run(tmp_path / name, full) for name in "ab"]
    text = printed(*runs)
    assert "| Agent | Mean | SH-QA | FC-SH |" in text
    assert f"| made ({runs[0]}) |" in text
    assert f"| made ({runs[1]}) |" in text


def test_csv_is_one_table_with_the_key_in_every_line(four: list[Path]) -> None:
    rows = [*csv.DictReader(printed(*four, layout="csv").splitlines())]
    assert ",".join(rows[0]) == "run,agent,source,metric,n,score,low,high,interval"
    good = [row for row in rows if row["agent"] == "good"]
    assert [row["source"] for row in good] == [QA, FACTS, "SH-QA", "Mean"]
    assert [row["metric"] for row in good] == ["substring_exact_match"] * 2 + ["official"] * 2
    assert (good[0]["n"], float(good[0]["score"])) == ("100", 88)
    assert float(good[0]["low"]) < 88 < float(good[0]["high"])
    assert good[0]["interval"] == "these histories"
    assert {row["run"] for row in rows} == {*map(str, four)}
    pairs = [*csv.DictReader(printed(*four[:2], layout="csv").splitlines())]
    assert ",".join(pairs[0]) == "run_a,run_b,source,metric,n,a,b,difference,low,high,interval,p"
    assert {(row["run_a"], row["run_b"]) for row in pairs} == {(str(four[1]), str(four[0]))}
    assert float(pairs[0]["difference"]) == 78
    assert 0 <= float(pairs[0]["p"]) < 0.001


def test_latex_has_bold_letters_intervals_and_a_note(four: list[Path], tmp_path: Path) -> None:
    odd = made_run(tmp_path / "odd", {QA: [share(5)], FACTS: [share(5)]}, agent=r"50%_\x{[a]}--&")
    text = printed(*four, odd, layout="latex")
    assert text.count(r"\begin{table}") == text.count(r"\bottomrule") == 1
    assert text.startswith("% \\usepackage{booktabs,graphicx}\n")
    (fine,) = re.findall(r"^fine .*$", text, re.M)
    assert fine.startswith(r"fine & \textbf{90.0} {\footnotesize $\pm$")
    assert r"$^{\dagger\textrm{a}}$" in fine
    (bad,) = re.findall(r"^bad .*$", text, re.M)
    assert "textbf" not in bad
    assert r"50\%\_\textbackslash{}x\{{[}a{]}\}-{}-\&" in text
    assert "share a letter" in text.partition(r"\end{tabular}")[2]
    assert "% fine leads, and good is not shown to differ; the rest are shown" in text


def test_latex_tables_are_as_wide_as_the_text_and_say_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # How wide a table is depends on the names of folders.
    text = printed(*(told(Path("run" * 20 + name)) for name in "ab"), layout="latex")
    tables = re.split(r"\\begin\{(?:sideways)?table\}", text)[1:]
    assert all(r"\linewidth\linewidth\else\width\fi}{!}{%" in table for table in tables)
    assert text.startswith(r"% \usepackage{booktabs,graphicx,rotating}")
    assert text.count("{sidewaystable}") == 2, "that of the memories is wider than two lines"
    (title,) = re.findall(r"\\caption\{(.*)\}", tables[0])
    (memory,) = re.findall(r"\\caption\{(.*)\}", tables[1])
    assert memory == f"{title}: Memory"
    assert ["95" in table.partition(r"\end{tabular}")[2] for table in tables[:2]] == [True, False]


def test_names_of_agents_are_text_and_never_markup(tmp_path: Path) -> None:
    a, b = (made_run(tmp_path / n, {QA: [[1, 1]]}, agent=f"Blind[tone=[bold]|*{n}*]") for n in "ab")
    RunFolder(b).replace_samples([replace(one, shown_tokens=0) for one in Run(b).samples()])
    text = printed(a, b, layout="table")
    assert f"B: Blind[tone=[bold]|*b*] ({b})" in text
    ails = f"Blind[tone=[bold]|*b*] retrieved nothing for all 2 questions of {QA}."
    assert f"{b}: {ails}" in text
    assert r"\[tone=\[bold\]\|\*b\*\]" in printed(a, b)
    assert r"\[bold\]\|\*b\*\] retrieved nothing" in markdown(Run(b))


def test_the_parts_that_make_the_difference_are_named_with_their_intervals(tmp_path: Path) -> None:
    a = parted_run(tmp_path / "a", QA, ["rrrrrrrxmm"] * 12)
    b = parted_run(tmp_path / "b", QA, ["rrrlxxmmmm", "rrlxxxmmmm"] * 6)
    (pair,) = compare([a, b]).pairs
    parts = pair.parts[QA]
    assert {part: (round(one.a, 9), round(one.b, 9)) for part, one in parts.items()} == {
        "right": (70, 25),
        "right_unretrieved": (0, 10),
        "missed": (20, 40),
        "misread": (10, 25),
    }
    assert sum(one.difference for one in parts.values()) == pytest.approx(0)
    misread = parts["misread"].new_histories
    assert misread
    assert misread.low < parts["misread"].difference < misread.high < 0
    text = printed(a, b)
    row = f"{misread.low:+.1f} to {misread.high:+.1f}"
    more = f"{-misread.high:.1f} to {-misread.low:.1f}"
    assert f"| {QA} | Misread | 10.0 | 25.0 | -15.0 | {row} |" in text
    sentence = f"{QA}: of 100 questions, B has 15.0 more misread than A (95 % interval {more})"
    sentence += ", of these two builds."
    assert sentence in text.replace("\\", "")


@pytest.mark.parametrize("unclear", ["rrrrruuuuu", "rrrrrrrrru", "mmmmmmmmmu"])
@pytest.mark.parametrize("unclear_first", [True, False])
def test_no_part_is_compared_that_a_run_cannot_tell(
    tmp_path: Path, unclear: str, unclear_first: bool
) -> None:
    a = parted_run(tmp_path / "a", QA, [unclear] * 12)
    b = parted_run(tmp_path / "b", QA, ["rrrrrxxxxx" if unclear_first else "rrrrrrrrrx"] * 12)
    (pair,) = compare([a, b]).pairs
    assert not {"missed", "misread", "unclear"} & {*pair.parts[QA]}
    text = printed(a, b).replace("\\", "")
    assert "more misread" not in text
    assert "more missed" not in text
    assert "| Misread |" not in text
    assert "Misread are not compared: one run does not tell" in text.replace("Missed and ", "")


def test_right_is_not_compared_with_right_anyway_where_no_passages_are_told(
    tmp_path: Path,
) -> None:
    a = parted_run(tmp_path / "a", QA, ["rrrrrrrrff"] * 12)
    silent = [replace(one, shown_tokens=None) for one in RunFolder(a).samples()]
    RunFolder(a).replace_samples(silent)
    b = parted_run(tmp_path / "b", QA, ["rrrlllllll"] * 12)
    (pair,) = compare([a, b]).pairs
    assert {*pair.parts[QA]} == {"failed"}, "which both runs know"
    assert pair.unknown_parts == {QA: ("right_unretrieved",)}
    assert "Right, unsupported | " not in printed(a, b)
    # Where neither tells, nobody misses it.
    (pair,) = compare([a, made_run(tmp_path / "c", {QA: [[1.0] * 10] * 12})]).pairs
    assert pair.unknown_parts == {}


@pytest.mark.parametrize(("histories", "names"), [(1, True), (4, True), (5, False), (7, False)])
def test_a_comparison_names_one_number_of_histories_that_it_needs(
    tmp_path: Path, histories: int, names: bool
) -> None:
    a = made_run(tmp_path / "a", {QA: [[1, 1, 0]] * histories})
    b = made_run(tmp_path / "b", {QA: [[1, 0, 0]] + [[1, 1, 0]] * (histories - 1)})
    numbers = re.findall(r"needs at least (\w+)", printed(a, b))
    assert {*numbers} == ({"5"} if names else set())


@pytest.mark.parametrize("whole", [2, 1, 0])
def test_many_runs_say_where_no_search_is_compared(tmp_path: Path, whole: int) -> None:
    runs = []
    for place, name in enumerate("abc"):
        store = RunFolder(made_run(tmp_path / name, {QA: [[1.0, 0.0]], FACTS: [[1.0, 0.0]]}))
        store.replace_samples(
            replace(
                one,
                retrieved=[RetrievedPassage(chunk=0)],
                shown_tokens=9,
                every_chunk=one.source == QA and (place > 0 or whole == 2),
            )
            for one in [*store.samples()]
        )
        runs.append(store.path)
    said = f"{QA}: every chunk was retrieved in all runs, so this does not compare their search."
    for some in (runs, runs[1:] if whole else runs[:2]):
        text = printed(*some).replace("\\", "")
        assert (said in text) == (whole == 2 or (whole == 1 and len(some) == 2))
        assert f"{FACTS}: every chunk" not in text


def test_a_plural_has_more_than_one(tmp_path: Path) -> None:
    counts = [write_count(n, "history") for n in (0, 1, 2)]
    assert counts == ["0 histories", "1 history", "2 histories"]
    assert [write_points(n) for n in (1, 1.0, 2.5)] == ["1 point", "1 point", "2.5 points"]
    run = made_run(tmp_path / "run", {QA: [[1.0]]}, questions={QA: 1})
    RunFolder(run).replace_samples([])
    assert "Unfinished: 0 of 1 question so far." in markdown(Run(run))
