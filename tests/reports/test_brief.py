"""What comes first: sentences, one table that fits, and few remarks."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.data import BY_NAME, Problem
from mabench.reports.answers.why import why_wrong
from mabench.reports.brief.remarks import first_remarks, shared_title
from mabench.reports.comparison import show_comparison
from mabench.reports.costs.questions import QuestionCosts, write_dollars
from mabench.reports.own_data.problems import problem_lines
from mabench.reports.run_report import show
from mabench.results import ListedRun, RetrievedPassage, Run, RunFolder, list_runs, merge_races
from mabench.scoring import RULES
from tests.comparison.made import FACTS, QA, called, made_run, parted_run, share
from tests.printing import print_on

_TEN = [name for name in BY_NAME if name not in ("longmemeval_s*", "infbench_sum_eng_shots2")][:10]


def _compared(*runs: Path, width: int = 80) -> str:
    comparison = mabench.compare(runs)
    return print_on(width, lambda console: show_comparison(comparison, "table", console))


def _words(text: str) -> str:
    return " ".join(text.split())


def _many(folder: Path, right: int) -> Path:
    return made_run(folder, {name: [share(right)[::4]] for name in _TEN}, agent=folder.name)


def test_ten_sources_and_five_runs_fit_on_a_screen(tmp_path: Path) -> None:
    runs = [_many(tmp_path / f"agent_{number}", 40 + 10 * number) for number in range(5)]
    assert len(_compared(*runs).splitlines()) <= 27, "three lines are left for the next commands"
    assert len(_compared(*runs[:2]).splitlines()) <= 27
    alone = print_on(80, lambda console: show(Run(runs[0]), "table", console))
    assert len(alone.splitlines()) <= 27
    assert alone.count("┏") == 1


def test_a_comparison_says_first_who_leads_and_whether_it_is_shown(tmp_path: Path) -> None:
    close = [
        made_run(tmp_path / name, {QA: [share(right)]}, agent=name)
        for name, right in (("one", 50), ("two", 47), ("far", 5))
    ]
    said = _words(_compared(*close[:2]))
    assert said.startswith(f"On {QA}, one leads two by 3.0 points, not shown (95 % interval -")
    assert "Such a comparison shows a difference of" in said
    said = _words(_compared(close[0], close[2]))
    assert said.startswith(f"On {QA}, one beats far by 45.0 points (95 % interval ")
    said = _words(_compared(*close))
    assert said.startswith(f"On {QA}, one leads two by 3.0 points, not shown (")
    assert "far is shown to be worse than one." in said
    same = made_run(tmp_path / "same", {QA: [share(50)]}, agent="same")
    assert "have the same score." in _compared(close[0], same)


def test_a_comparison_says_at_what_cost_and_where_points_were_lost(tmp_path: Path) -> None:
    dear = called(tmp_path / "dear", 0.02, agent="dear")
    cheap = called(tmp_path / "cheap", 0.0, agent="cheap")
    said = _words(_compared(dear, cheap))
    assert "dear and cheap have the same score, for $20.00 per 1,000 questions against" in said
    assert "│ Cost per 1,000 questions │ $" in said
    lost = [
        parted_run(tmp_path / name, FACTS, [letters * 10] * 2)
        for name, letters in (("a", "rrrx"), ("b", "rmmx"))
    ]
    said = _words(_compared(*lost))
    assert "of 100 questions 0 are missed (not retrieved) and 25 misread (retrieved, and" in said
    assert "; with made (" in said
    assert ", 50 and 25." in said


_COSTS = st.none() | st.floats(0, 1e4)


@given(_COSTS, _COSTS)
def test_costs_are_set_against_each_other_only_where_both_are_known(
    dollars: float | None, others: float | None
) -> None:
    said = QuestionCosts(dollars, 60.0).against(QuestionCosts(others, 1.0))
    if dollars is None or others is None:
        assert not said
    if dollars and others and max(dollars / others, others / dollars) < 1.4:
        assert not said


def test_a_cost_is_a_ratio_in_words() -> None:
    def said(dollars: float, other: float) -> str:
        return QuestionCosts(dollars).against(QuestionCosts(other))

    assert said(14.0, 1.0) == ", at 14 times the cost"
    assert said(1.0, 2.5) == ", at 1/2.5 of the cost"
    assert said(0.5, 0.0) == ", for $0.50 per 1,000 questions against nothing"
    assert said(1.0, 1.2) == ""
    assert (write_dollars(0.0123), write_dollars(0.0), write_dollars(1.005)) == (
        "$0.012",
        "$0.00",
        "$1.01",
    )


def test_what_all_titles_share_is_said_once() -> None:
    titles = {"a": "qa, 6k, made up", "b": "facts, 6k, made up, as b"}
    assert shared_title(titles) == ("made up, 6k", {"a": "qa", "b": "facts, as b"})
    titles["c"] = "facts, 8k, made up"
    assert shared_title(titles)[0] == "made up"
    assert shared_title(titles)[1]["a"] == "qa, 6k"
    assert shared_title({"a": "qa, 6k, made up"}) == ("made up", {"a": "qa, 6k"})
    assert shared_title({"a": "mine", "b": "qa, made up"}) == (
        "",
        {"a": "mine", "b": "qa, made up"},
    )
    assert first_remarks(["a", "b", "c"]) == ["a", "b", "c"]
    assert first_remarks(list("abcde"))[-1] == "c (2 more remarks in the full report.)"


def test_why_needs_no_legend(tmp_path: Path) -> None:
    run = RunFolder(parted_run(tmp_path / "run", FACTS, ["xml"]))
    samples = [
        replace(
            sample,
            rule=rule,
            verdict="right" if rule == "answer-alone" else "wrong",
            retrieved=[RetrievedPassage(chunk=number) for number in range(10)],
            hit_rank=sample.hit_rank and 7,
        )
        for sample, rule in zip(
            run.samples(), ("another-chosen", "several-labels", "answer-alone"), strict=True
        )
    ]
    run.replace_samples(samples)
    assert [why_wrong(question) for question in Run(tmp_path / "run").questions()] == [
        "support at rank 7, names another",
        "support not among 10, names several labels",
        "support not among 10",
    ]


@pytest.mark.parametrize("rule", RULES)
def test_no_name_of_a_rule_is_shown(rule: str, tmp_path: Path) -> None:
    run = RunFolder(parted_run(tmp_path / "run", FACTS, ["x"]))
    run.replace_samples([replace(one, rule=rule, verdict="wrong") for one in run.samples()])
    [question] = Run(tmp_path / "run").questions()
    assert "-" not in why_wrong(question)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (["refusal"], "1 answer: the answer declines to answer."),
        (
            ["refusal", "no-answer", "refusal"],
            "on 2, the answer declines to answer; on 1, ",
        ),
        (["no-option", "no-title", "no-label", "no-rival"], "; on 1, for other reasons."),
    ],
)
def test_where_the_scores_differ_is_said_in_words(
    tmp_path: Path, rules: list[str], said: str
) -> None:
    run = RunFolder(made_run(tmp_path / "run", {QA: [[1.0] * len(rules)]}))
    samples = zip(run.samples(), rules, strict=True)
    run.replace_samples(
        replace(
            one,
            rule=rule,
            verdict="wrong",
            difference=rule,
            corrected=dict.fromkeys(one.corrected, 0.0),
        )
        for one, rule in [*samples]
    )
    printed = _words(print_on(80, lambda console: show(Run(tmp_path / "run"), "table", console)))
    assert f"Official and corrected differ on {len(rules)} answer" in printed
    assert said in printed
    assert not [rule for rule in rules if re.search(rf"\b{rule}\b", printed) and "-" in rule]


def _number(name: str) -> int | None:
    return next(run.number for run in list_runs() if Path(run.folder).name == name)


def test_numbers_of_runs_do_not_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def make(name: str, day: int) -> Path:
        date = f"2026-01-{day:02}T00:00:00"
        return made_run(Path("runs") / name, {QA: [[1.0]]}, date=date)

    first, _, _ = make("first", 2), make("second", 3), make("third", 4)
    assert [_number(name) for name in ("first", "second", "third")] == [1, 2, 3]
    for file in first.iterdir():
        file.unlink()
    first.rmdir()
    make("earlier", 1)
    assert [_number(name) for name in ("second", "third", "earlier")] == [2, 3, 4]
    make("first", 5)
    assert _number("first") == 1, "a folder keeps its number"
    (Path("runs") / ".numbers.json").write_text("spoiled")
    assert sorted(run.number or 0 for run in list_runs()) == [1, 2, 3, 4]


def test_a_race_is_one_line_with_its_verdict() -> None:
    def run(name: str, **fields: object) -> ListedRun:
        return ListedRun(folder=f"runs/{name}", state="complete", agent=name, **fields)  # type: ignore[arg-type]

    race = {"race": "one is better after 7 histories.", "race_folder": "runs/race", "number": 2}
    merged = merge_races([run("race/two", **race), run("race/one", **race), run("alone", number=1)])
    assert [(one.folder, one.number, one.agent, one.state) for one in merged] == [
        ("runs/race", 2, "race/one, race/two", race["race"]),
        ("runs/alone", 1, "alone", "complete"),
    ]


def test_a_fault_that_all_rows_have_is_one_line_with_a_count() -> None:
    def fault(row: int, turn: int, field: str = "time") -> Problem:
        return Problem("error", "rows.jsonl", row, f"turns[{turn}].{field}", "'noon'", "a zone")

    many = [fault(row, turn) for row in range(3) for turn in range(2)]
    lines = [*problem_lines([*many, fault(1, 1, "user")])]
    assert lines == [
        "error: 6 times in 3 rows, first in rows.jsonl, row 0, turns[0].time: found 'noon'; "
        "expected a zone",
        "error: rows.jsonl, row 1, turns[1].user: found 'noon'; expected a zone",
    ]


def test_latex_has_the_best_alone_in_bold_a_label_and_no_table_of_memories(tmp_path: Path) -> None:
    runs = [
        made_run(tmp_path / name, {QA: [share(right)], FACTS: [share(60)]}, agent=name)
        for name, right in (("one", 60), ("two", 57), ("far", 5))
    ]
    comparison = mabench.compare(runs)
    text = print_on(400, lambda console: show_comparison(comparison, "latex", console))
    first, second, *_ = (line for line in text.splitlines() if line.startswith(("one &", "two &")))
    assert first.count(r"\textbf{60.0}") == 2, "of the mean and of the one source"
    assert r"\textbf" not in second, "it is tied by its letter alone"
    assert second.count(r"\textrm{a}") == 3
    assert r"\label{tab:official-scores-on-made-up-structured}" in text
    assert text.count(r"\begin{tabular}") == 1
