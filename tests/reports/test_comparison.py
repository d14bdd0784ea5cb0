import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mabench.comparison import compare
from mabench.reports.comparison import show_comparison
from mabench.results import Run, RunFolder
from tests.comparison.made import FACTS, QA, made_run, parted_run, share, told
from tests.printing import markdown, print_on


def printed(*runs: Run | Path, layout: str = "markdown", pairs: bool = False) -> str:
    comparison = compare(runs)
    return print_on(400, lambda console: show_comparison(comparison, layout, console, pairs=pairs))


@pytest.fixture
def four(tmp_path: Path) -> list[Path]:
    """Two runs that cannot be told apart, one that is worse, and one that is worst."""
    return [
        made_run(tmp_path / name, {QA: [share(right)], FACTS: [share(right)]}, agent=name)
        for name, right in {"bad": 10, "good": 88, "fair": 50, "fine": 90}.items()
    ]


def test_one_table_ranks_all_runs_and_marks_what_is_not_shown_to_differ(four: list[Path]) -> None:
    text = printed(*four)
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[0].startswith(f"| Agent | Mean | {QA} | {FACTS} |")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    assert [row[0] for row in cells] == ["fine", "good", "fair", "bad"]
    assert [row[1].split()[-1] for row in cells] == ["a", "a", "b", "c"]
    assert "fine is best; good is not significantly worse." in text
    assert "p adjusted for 6 pairs, Holm" in text
    assert "95 % interval |" not in text, "pairs are printed on demand"
    shown = printed(*four, pairs=True)
    assert shown.count("| Source | A | B | A - B |") == 6
    assert "all others are significantly worse" in printed(*four[:1], *four[2:])


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
    assert {(row["run_a"], row["run_b"]) for row in pairs} == {(str(four[0]), str(four[1]))}
    assert float(pairs[0]["difference"]) == -78
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
    assert "% fine is best; good is not significantly worse." in text


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
    assert f"| {QA} | Misread | 10.0 | 25.0 | -15.0 | {row} |" in text
    sentence = f"{QA}: of 100 questions B has 15.0 more misread than A (A - B: {row})."
    assert sentence in text.replace("\\", "")


def test_nothing_is_said_of_parts_that_may_hide_among_the_unclear(tmp_path: Path) -> None:
    a = parted_run(tmp_path / "a", QA, ["rrrrruuuuu"] * 12)
    b = parted_run(tmp_path / "b", QA, ["rrrrrxxxxx"] * 12)
    assert "more misread" not in printed(a, b)
    c = parted_run(tmp_path / "c", QA, ["rrrrrrrruu"] * 12)
    assert "B has 50.0 more misread than A" in printed(c, b)
