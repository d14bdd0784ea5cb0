"""Anybody's scores: a file, a data frame or records, compared as runs are."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import mabench
from mabench.comparison import Comparison
from mabench.errors import DataError, UsageError
from tests.command_line import mabench as run_mabench
from tests.command_line import succeed
from tests.comparison.made import QA, made_run

Columns = dict[str, list[Any]]


def made_columns(chances: Sequence[float] = (0.9, 0.4), histories: int = 12) -> Columns:
    """Return the scores of agents with these chances on ten questions of each history."""
    random = np.random.default_rng(3)
    columns: Columns = {name: [] for name in ("agent", "source", "history", "question", "score")}
    for place, chance in enumerate(chances):
        for history in range(histories):
            for question in range(10):
                line = (f"agent {place}", "own", history, question, float(random.random() < chance))
                for name, value in zip(columns, line, strict=True):
                    columns[name].append(value)
    return columns


def records(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]


def write_csv(path: Path, columns: Columns) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def differences(comparison: Comparison) -> Any:
    return [pair.as_dict() for pair in comparison.pairs]


def test_a_file_a_frame_and_records_say_what_runs_say(tmp_path: Path) -> None:
    columns = made_columns()
    written = write_csv(tmp_path / "scores.csv", columns)
    parquet = tmp_path / "scores.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), parquet)
    expected = differences(mabench.compare(columns))
    for given in (written, str(written), parquet, records(columns), [written]):
        assert differences(mabench.compare(given)) == expected
    pandas = pytest.importorskip("pandas")
    assert differences(mabench.compare(pandas.DataFrame(columns))) == expected
    # The same scores as runs.
    runs = []
    for place in range(2):
        own = columns["score"][120 * place : 120 * (place + 1)]
        scores = [own[begin : begin + 10] for begin in range(0, 120, 10)]
        runs.append(made_run(tmp_path / f"{place}", {QA: scores}))
    (of_runs,) = mabench.compare(runs).pairs
    assert of_runs.sources[QA].as_dict() == expected[0]["sources"]["own"]


def test_several_builds_count_as_one_agent(tmp_path: Path) -> None:
    columns = made_columns()
    single = mabench.compare(columns)
    assert single.pairs[0].builds_may_differ
    twice = {name: values * 2 for name, values in columns.items()}
    twice["build"] = ["a"] * 240 + ["b"] * 240
    comparison = mabench.compare(twice)
    assert [run.builds for run in comparison.runs] == [2, 2]
    assert not comparison.pairs[0].builds_may_differ
    new = [each.pairs[0].sources["own"].new_histories for each in (single, comparison)]
    assert new[0] == new[1]


def test_histories_of_one_text_are_one_cluster() -> None:
    columns = made_columns(histories=8)
    assert mabench.compare(columns).pairs[0].headline.of_new_histories
    columns["text"] = [f"book {history // 2}" for history in columns["history"]]
    assert not mabench.compare(columns).pairs[0].headline.of_new_histories


def test_parts_are_told_where_each_question_has_one() -> None:
    columns = made_columns()
    columns["part"] = ["right" if score else "missed" for score in columns["score"]]
    (pair,) = mabench.compare(columns).pairs
    assert pair.parts["own"]["missed"].is_shown
    assert pair.parts["own"]["missed"].difference == pytest.approx(-pair.mean.difference)
    columns["part"][5] = ""
    (pair,) = mabench.compare(columns).pairs
    assert pair.parts["own"] == {}


def _change(columns: Columns, name: str, place: int, value: object) -> Columns:
    return {**columns, name: [*columns[name][:place], value, *columns[name][place + 1 :]]}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("score", float("nan"), r"scores.csv, line 5, score: found 'nan'; expected a number"),
        ("score", "", "line 5, score: found ''"),
        ("score", 1.5, "divide percents by 100"),
        ("agent", " ", "line 5, agent: it is empty; name the agent"),
        ("question", 2, "line 5: agent 0 has a score on question 2 .* line 4, too.*column build"),
        ("question", 77, "different questions of own, such as question 3 of history 0; `common`"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, name: str, value: object, message: str
) -> None:
    path = write_csv(tmp_path / "scores.csv", _change(made_columns(), name, 3, value))
    with pytest.raises((DataError, UsageError), match=message):
        mabench.compare(path)


def test_tables_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    columns = made_columns()
    for given, message in (
        ({name: columns[name] for name in columns if name != "history"}, "no column history"),
        (made_columns([0.5]), "has only agent 0: a comparison needs two"),
        ({**columns, "score": columns["score"][1:]}, "score: not as long as the column agent"),
        ([*records(columns), 7], "record 241: found a int"),
        (_change(columns, "score", 2, None), "line 3, score: found None"),
    ):
        with pytest.raises((DataError, UsageError), match=message):
            mabench.compare(given)
    with pytest.raises(UsageError, match=r"did you mean .*agent 0"):
        mabench.compare(columns, baseline="agent 9")
    path = tmp_path / "scores.csv"
    for text, message in (
        ("agent,agent,source,history,question,score\n", "two columns are called agent"),
        ("agent,source,history,question,score\na,b,c\n", "line 2: it has 3 values"),
        ("", "no column agent; there are none"),
        ("agent,source,history,question,score\n", "has no line"),
    ):
        path.write_text(text)
        with pytest.raises((DataError, UsageError), match=message):
            mabench.compare(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not readable as CSV"):
        mabench.compare(path)
    (tmp_path / "scores.parquet").write_text("no parquet")
    with pytest.raises(DataError, match="not readable as Parquet"):
        mabench.compare(tmp_path / "scores.parquet")


def test_only_shared_questions_are_compared_on_demand() -> None:
    columns = made_columns()
    columns = _change(columns, "question", 3, 77)
    comparison = mabench.compare(columns, common=True)
    assert [run.sources["own"].n for run in comparison.runs] == [119, 119]


def test_the_command_compares_a_file(tmp_path: Path) -> None:
    write_csv(tmp_path / "scores.csv", made_columns([0.9, 0.5, 0.45]))
    said = " ".join(succeed("compare", "scores.csv", cwd=tmp_path).stdout.split())
    assert "On own, agent 0 beats agent 1 by 45.8 points" in said
    assert "of these two builds" in said
    content = json.loads(succeed("compare", "scores.csv", "--format", "json", cwd=tmp_path).stdout)
    assert content["score"] == "given"
    assert [run["headline"]["letters"] for run in content["runs"]] == ["a", "b", "b"]
    equal = ("--baseline", "agent 1", "--equal-within", "60")
    said = " ".join(succeed("compare", "scores.csv", *equal, cwd=tmp_path).stdout.split())
    assert "are equal within 60 points, on new histories too" in said
    for words in (["scores.csv", "other.csv"], ["scores.csv", "--flipped"]):
        assert run_mabench("compare", *words, cwd=tmp_path).returncode == 2
