"""The published figures."""

import json
import re
from collections import defaultdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from mabench.data.inventory import CATEGORIES, SOURCES
from mabench.reports.leaderboard import published_figures, put_beside, show_leaderboard
from mabench.results import Run
from mabench.results.records.record import ModelRecord
from tests.comparison.made import made_run
from tests.printing import print_on

# Figures are printed with one decimal, those by data set without.
_ROUNDING = 0.1001
_ROUNDING_OF_WHOLES = 0.5001


def test_every_line_follows_the_schema() -> None:
    kind = type(published_figures()[0])
    schema = TypeAdapter(kind).json_schema()
    schema["additionalProperties"] = False
    schema["required"] = [*kind.__dataclass_fields__.keys() - {"interval"}]  # Our own have it.
    validator = Draft202012Validator(schema)
    lines = files("mabench.reports").joinpath("figures.jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        content = json.loads(line)
        assert not list(validator.iter_errors(content)), f"line {number}"
        assert [*content, "interval"] == [*kind.__dataclass_fields__], f"line {number}: order"


def test_every_figure_can_be_and_stands_once() -> None:
    names = set()
    for figure in published_figures():
        assert 0 <= figure.score <= 100, figure
        assert figure.date is None or re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", figure.date), figure
        assert figure.published, figure
        counted = [
            source.questions
            for source in SOURCES
            if figure.on in (source.name, source.column, *_wholes(source.column))
        ]
        assert counted, figure
        if not figure.unlike:
            assert figure.asked == sum(counted), figure
            assert figure.answered in (None, figure.asked), figure
        assert (figure.answered or 0) <= (figure.asked or 0), figure
        of = (figure.system, figure.version, figure.reader, figure.embedder)
        name = (*of, figure.on, figure.metric, figure.published)
        assert name not in names, name
        names.add(name)


def _wholes(column: str | None) -> list[str]:
    return [whole for one in CATEGORIES if column in one.columns for whole in (one.name, "Overall")]


def test_means_are_those_of_what_they_are_made_of() -> None:
    tables: dict[tuple[str, str | None, str], dict[str, float]] = defaultdict(dict)
    for figure in published_figures():
        table = tables[figure.system, figure.reader, figure.published.split(",")[0]]
        table[figure.on] = figure.score
    checked = 0
    for name, scores in tables.items():
        parts = {one.name: one.columns for one in CATEGORIES}
        parts["Overall"] = tuple(parts)
        members = tuple(source.name for source in SOURCES if source.column == "MCC")
        for whole, of in {**parts, "MCC": members}.items():
            if whole in scores and all(part in scores for part in of):
                rounding = _ROUNDING_OF_WHOLES if whole == "MCC" else _ROUNDING
                mean = fmean(scores[part] for part in of)
                assert scores[whole] == pytest.approx(mean, abs=rounding), (name, whole)
                checked += 1
    assert checked > 100


def test_the_best_of_a_column_is_the_highest_figure_that_compares(tmp_path: Path) -> None:
    counts = {"ruler_qa1_197K": 100, "detective_qa": 71}
    scores = {name: [[1.0] * count] for name, count in counts.items()}
    best = put_beside(Run(made_run(tmp_path / "run", scores)), "best")[1]
    assert {one.on: one.score for one in best} == {"SH-QA": 93, "DetQA": 77.5}
    assert max(one.score for one in published_figures() if one.on == "DetQA") > 77.5, (
        "of another kind"
    )


@pytest.mark.parametrize(
    ("system", "on", "why"),
    [
        ("grepmem", "EventQA", "answers left out"),
        ("grepmem", "DetQA", "by substring_exact_match"),
        ("nous", "FC-SH", "some questions"),
        ("Infini Memory", "Overall", "metric or questions not stated"),
        ("grepmem", "SH-QA", ""),
    ],
)
def test_a_claim_of_another_kind_says_why(system: str, on: str, why: str) -> None:
    (claim,) = [one for one in published_figures() if (one.system, one.on) == (system, on)]
    assert claim.unlike == why


def test_it_begins_with_who_is_first_among_those_that_compare(tmp_path: Path) -> None:
    run = Run(made_run(tmp_path / "mine", {"ruler_qa1_197K": [[1.0, 0.0]]}))
    text = print_on(80, lambda console: show_leaderboard([run], "table", console))
    said = " ".join(text.partition("┏")[0].split())
    first, last = (
        "Of 16 systems that compare (reader gpt-4o-mini",
        "has the highest score on Overall",
    )
    assert said.startswith(first)
    assert f"{last}: 42.2 (no interval is known)." in said
    assert said.endswith("mine has no score on Overall.")


_FACTS = [source for source in SOURCES if source.column in ("FC-SH", "FC-MH")]


def test_it_is_one_short_table_of_those_that_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    full = {source.name: [[1.0] * source.questions] for source in _FACTS}
    runs = [
        Run(made_run(Path(reader), full, model=ModelRecord(name=reader, temperature=0)))
        for reader in ("gpt-4o-mini", "another-reader")
    ]
    few = "factconsolidation_sh_6k"  # On which no five systems compare.
    for given, column in ([], None), ([], "FC-SH"), ([], few), (runs, None), (runs, "FC-MH"):
        show = partial(show_leaderboard, given, "table", column=column)
        text = print_on(80, show)
        assert text.count("┏") == 1, text
        assert len(text.splitlines()) <= 28, text  # Two lines of commands follow.
        (left_out,) = re.findall(r"Left out: (\d+) systems.*; the full report has all", text)
        everything = print_on(
            500, partial(show_leaderboard, given, "table", column=column, full=True)
        )
        assert int(left_out) == everything.count("│\n") - text.count("│\n")
        assert "Left out" not in everything


def test_runs_of_other_readers_are_below_those_that_compare(tmp_path: Path) -> None:
    full = {source.name: [[1.0] * source.questions] for source in _FACTS}
    for reader in ("gpt-4o-mini", "another-reader"):
        model = ModelRecord(name=reader, temperature=0)
        run = Run(made_run(tmp_path / reader, full, agent="mine", model=model))
        text = print_on(80, partial(show_leaderboard, [run], "table"))
        rows = [line for line in text.splitlines() if line.startswith("│")]
        place = next(number for number, row in enumerate(rows) if "mine" in row)
        assert place == (0 if reader == "gpt-4o-mini" else len(rows) - 1)
        # Only the category of the run, with its interval.
        assert "CR" in text
        assert "Overall ┃" not in text
        assert ("Do not rank" in text) is (reader == "another-reader")
