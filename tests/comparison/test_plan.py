"""Plans: how many histories tell a difference, what that costs, and what cannot be told."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.plan import check

from mabench import run
from mabench.comparison import Design, Pilot, plan, read_pilots
from mabench.errors import UsageError
from mabench.uncertainty.components import Components
from mabench.uncertainty.power import TYPICAL, histories_needed, least_difference, power
from tests.command_line import mabench, succeed
from tests.comparison.made import made_run

SOURCE = "detective_qa"


def made_pair(folder: Path, histories: int = 6, questions: int = 10) -> list[Path]:
    random = np.random.default_rng(1)
    return [
        made_run(
            folder / name,
            {
                SOURCE: [
                    [float(x < share) for x in random.random(questions)] for _ in range(histories)
                ]
            },
        )
        for name, share in (("a", 0.7), ("b", 0.5))
    ]


@pytest.mark.parametrize("kind", [TYPICAL["middling"], Components(0.005, 0.005, 0.08, 0.08)])
@pytest.mark.parametrize(("points", "builds"), [(0.05, 1), (0.10, 2)])
def test_the_power_of_a_plan_is_that_of_simulated_comparisons(
    kind: Components, points: float, builds: int
) -> None:
    found = check("kind", kind, (points, 20, builds), 0.8, 1_500)
    assert found
    # Three points, and two standard errors of the simulation.
    assert found.interval == pytest.approx(found.planned, abs=0.05)


def test_as_many_histories_as_needed_and_no_more() -> None:
    variance = TYPICAL["middling"].variance(20)
    needed = histories_needed(0.1, variance, 0.8)
    assert needed
    assert power(0.1, variance, needed) >= 0.8 > power(0.1, variance, needed - 1)
    told = least_difference(TYPICAL["middling"], needed, 20, 1, 0.8)
    assert told == pytest.approx(0.1, rel=0.1)
    assert (told or 1) <= 0.1
    assert histories_needed(0.001, variance, 0.8) is None


def designs(folder: Path, purpose: str = "difference", **settings: object) -> list[Design]:
    pilots, _, _ = read_pilots(made_pair(folder))
    limits = settings.pop("limits", {})
    found = plan(pilots, settings.pop("difference", None), limits)  # type: ignore[arg-type]
    return [design for design in found.designs if design.purpose == purpose]


def test_smaller_differences_and_more_power_take_more_histories(tmp_path: Path) -> None:
    rough, fine = (designs(tmp_path / f"{points}", difference=points) for points in (20.0, 5.0))
    for less, more in zip(rough, fine, strict=True):
        counts = (less.low, less.histories, less.high)
        assert counts == tuple(sorted(count or 0 for count in counts))
        assert (less.histories or 0) < (more.histories or 0)
    at = {each.power: each.histories or 0 for each in fine if each.questions == 20}
    assert at[80] < at[95]
    seen = {each.difference for each in designs(tmp_path / "seen")}
    pilots, _, _ = read_pilots(made_pair(tmp_path / "again"))
    assert [*seen] == [pytest.approx(100 * abs(pilots[0].seen or 0))]


def test_published_rows_tell_what_they_can(tmp_path: Path) -> None:
    found = designs(tmp_path, "published")
    assert {each.histories for each in found} == {10}
    assert all(each.difference for each in found)
    single = made_run(tmp_path / "c", {"ruler_qa1_197K": [[1.0, 0.0] * 9]})
    pilots, _, _ = read_pilots([single])
    one = plan(pilots, 10.0, {})
    assert {pilot.variation for pilot in one.designs} == {*TYPICAL}
    assert [d.difference for d in one.designs if d.purpose == "published"] == [None] * 6


def test_what_more_histories_take_is_what_was_planned(tmp_path: Path) -> None:
    made = "generate factconsolidation_mh_6k --rows 9 --tokens 4k --questions 6 --out rows"
    succeed(*made.split(), cwd=tmp_path)

    def told(rows: int, questions: int) -> Pilot:
        runs = [
            run(
                agent,
                data=str(tmp_path / "rows"),
                rows=[*range(rows)],
                limit_questions=questions,
                out=tmp_path / f"{agent}-{rows}",
            ).folder
            for agent in ("bm25", "floor")
        ]
        return read_pilots(runs)[0][0]

    few, many = told(3, 4), told(9, 6)
    planned, spent = (pilot.history + 6 * pilot.question for pilot in (few, many))
    assert planned[0] == pytest.approx(spent[0], rel=0.15)
    assert spent[3] > 0


def test_a_plan_on_the_command_line_and_mistakes(tmp_path: Path) -> None:
    made_pair(tmp_path)
    done = mabench("plan", "a", "b", "--format", "json", cwd=tmp_path)
    content = json.loads(done.stdout)
    assert (*content,) == ("agents", "sources", "designs")
    made_run(tmp_path / "other", {"eventqa_full": [[1.0, 0.0]] * 5})
    for words, message in [
        ("a other", "no source in common"),
        ("a", "--difference"),
        ("bm25 floor", "--difference"),
        ("bm25 --difference 5", "name another agent"),
        ("bm25 flor --difference 5", "did you mean floor"),
        ("a b --difference 0", "between 0 and 100"),
        ("a b --difference 5 --max-cost 1", "is not known"),
        ("a b a", "and not of 3"),
        ("a bm25 --difference 5", "no run here"),
    ]:
        failed = mabench("plan", *words.split(), cwd=tmp_path)
        assert failed.returncode == 2, words
        assert message in failed.stderr, (words, failed.stderr)


def test_unfinished_runs_are_refused(tmp_path: Path) -> None:
    a, _ = made_pair(tmp_path)
    lines = (a / "samples.jsonl").read_text().splitlines(keepends=True)
    (a / "samples.jsonl").write_text("".join(lines[:-1]))
    with pytest.raises(UsageError, match="unfinished"):
        read_pilots([a])
