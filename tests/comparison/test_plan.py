"""Plans: how many histories tell a difference, what that costs, and what cannot be told."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.plan import check, check_pilots, measure
from benchmarks.variances import VARIANCES

from mabench import AgentSpec, ModelSpec, run
from mabench.comparison import Design, Plan, plan
from mabench.data import BY_NAME
from mabench.errors import UsageError
from mabench.reports.experiments.plan import show_plan
from mabench.results import MemoryRecord, Run, RunFolder, Timing
from mabench.uncertainty import Components
from mabench.uncertainty.power import (
    ComparisonSize,
    Variation,
    detectable_difference,
    histories_needed,
    power,
)
from tests.command_line import mabench, succeed
from tests.comparison.made import QA, made_run
from tests.models.server import Served, completion
from tests.printing import print_on
from tests.run_folders import validators

SOURCE = "detective_qa"


def made_pair(folder: Path, questions: int = 10) -> list[Path]:
    """Write two runs of six histories each."""
    random = np.random.default_rng(1)
    shares = {"a": 0.7, "b": 0.5}
    scores = {name: random.random((6, questions)) < share for name, share in shares.items()}
    return [
        made_run(folder / name, {SOURCE: of.astype(float).tolist()}) for name, of in scores.items()
    ]


@pytest.mark.parametrize("kind", [VARIANCES["medium"], Components(0.005, 0.005, 0.08, 0.08)])
@pytest.mark.parametrize(("points", "builds"), [(0.05, 1), (0.10, 2)])
def test_the_power_of_a_plan_is_that_of_simulated_comparisons(
    kind: Components, points: float, builds: int
) -> None:
    found = check("kind", kind, kind, (points, 20, builds), 0.8, 1_500)
    assert found
    # Three points, and two standard errors of the simulation.
    assert found.interval == pytest.approx(found.planned, abs=0.05)


def test_answers_of_an_agent_that_hardly_ever_loses_find_more_than_others() -> None:
    kind = VARIANCES["low"]
    found = check("kind", kind, measure(kind), (0.10, 5, 1), 0.8, 4_000)
    assert found
    # By the noncentral t alone, 19 histories found it in 81 % of cases, and in fact in 84 %.
    assert found.histories == 18
    assert found.interval == pytest.approx(found.planned, abs=0.03)
    known, size = Variation(kind), ComparisonSize(5)
    assert power(known, 0.15, 13, size) == 0, "fewer than ten questions differ"
    assert power(known, 0.15, 14, size) > 0.9


def test_as_many_histories_as_needed_and_no_more() -> None:
    kind, size = VARIANCES["medium"], ComparisonSize(20)
    needs = []
    for freedom in (float("inf"), 20, 5):
        known = Variation(kind, freedom)
        needed = histories_needed(known, 0.1, 0.8, size)
        assert needed
        needs.append(needed)
        assert power(known, 0.1, needed, size) >= 0.8 > power(known, 0.1, needed - 1, size)
        told = detectable_difference(known, needed, 0.8, size)
        assert told == pytest.approx(0.1, rel=0.1)
        assert (told or 1) <= 0.1
    # What a small pilot leaves open costs histories, and so do more agents.
    assert needs == sorted(needs)
    assert (histories_needed(Variation(kind), 0.1, 0.8, ComparisonSize(20, 1, 28)) or 0) > needs[0]
    assert histories_needed(Variation(kind), 0.001, 0.8, size) is None


@pytest.mark.parametrize("agents", [2, 5])
def test_plans_from_small_pilots_find_what_they_plan_for_on_average(agents: int) -> None:
    found = check_pilots(VARIANCES["medium"], 0.1, 7, agents, 250)
    assert found.planned == 1
    assert 0.75 <= found.shown <= 0.88


def designs(plan: Plan, purpose: str = "difference") -> list[Design]:
    return [design for design in plan.designs if design.purpose == purpose]


def test_smaller_differences_and_more_power_take_more_histories(tmp_path: Path) -> None:
    pair = made_pair(tmp_path)
    rough, fine = (designs(plan(pair, points)) for points in (20.0, 5.0))
    for less, more in zip(rough, fine, strict=True):
        counts = (less.low, less.histories, less.high)
        assert counts == tuple(sorted(count or 0 for count in counts))
        assert (less.histories or 0) < (more.histories or 0)
    at = {each.power: each.histories or 0 for each in fine if each.questions == 20}
    assert at[80] < at[95]
    # What the runs differ by is told, and nothing is planned by it.
    seen = plan(pair)
    assert abs(seen.sources[SOURCE].difference or 0) > 10
    assert {each.difference for each in designs(seen)} == {5.0}
    several = designs(plan(pair, 20.0, agents=6))
    assert {each.agents for each in several} == {6}
    for two, six in zip(rough, several, strict=True):
        assert (two.histories or 0) < (six.histories or 0)
    published = designs(seen, "published")
    assert {each.histories for each in published} == {10}
    assert all(each.difference for each in published)
    # Hardly a question differs, and fewer than ten that do are too few whatever varies.
    pair = [made_run(tmp_path / name, {SOURCE: [[1.0] * 9 + [0.0]] * 9}) for name in "de"]
    for design in designs(plan(pair, 15.0)):
        assert design.histories
        assert (design.low or 0) <= design.histories <= (design.high or 10_000)


def shown(made: Plan, width: int) -> tuple[str, list[str]]:
    """Return a plan as it is printed in full, and the heads of the parts of its tables."""
    text = print_on(width, lambda console: show_plan(made, "table", console, full=True))
    return text, [line for line in text.splitlines() if line.startswith("┃")]


def test_each_part_of_a_plan_names_its_power_and_published_rows_keep_their_names(
    tmp_path: Path,
) -> None:
    made = plan([made_run(tmp_path / name, {QA: [[1.0, 0.0] * 9] * 6}) for name in "ab"], 10.0)
    timed = [replace(each, hours=0.004 * number) for number, each in enumerate(made.designs, 1)]
    text, _ = shown(replace(made, designs=timed, titles={QA: "ruler_qa1, 8k, made up"}), 60)
    own, _, published = text.partition("What all published rows can show")
    heads = [line for line in own.splitlines() if line.startswith("┃")]
    assert len(heads) > 1
    assert all("Power" in line for line in heads)
    assert " 14 s " in own
    assert QA in published
    assert "made up" not in published
    assert {design.difference for design in designs(made, "published")} == {None}


def test_a_plan_begins_with_what_the_comparison_takes(tmp_path: Path) -> None:
    made = plan([made_run(tmp_path / name, {QA: [[1.0, 0.0] * 9] * 6}) for name in "ab"], 10.0)
    likely = next(each for each in made.designs if each.power == 80)
    text = print_on(200, lambda console: show_plan(made, "table", console))
    first, *_ = text.splitlines()
    assert first.startswith("To show a difference of 10 points between made and made in 80 of 100 ")
    assert f" takes {likely.histories} histories (" in first
    assert text.count("┏") == 1


def test_nothing_is_planned_from_one_history(tmp_path: Path) -> None:
    scores = {QA: [[1.0, 0.0] * 9] * 2, SOURCE: [[1.0, 0.0] * 9]}
    made = plan([made_run(tmp_path / "some", scores)], 10.0)
    assert {design.source for design in made.designs} == {QA}
    assert made.sources[SOURCE].histories == 1
    assert made.sources[SOURCE].variances == {}
    said = " ".join(shown(made, 70)[0].split())
    assert said.count(f"One history ({SOURCE}) does not show how") == 1
    assert said.count(f"published rows of {QA}: each has") == 1
    alone = made_run(tmp_path / "alone", {QA: [[1.0, 0.0] * 9]})
    with pytest.raises(UsageError, match="from runs of two histories or more"):
        plan([alone], 10.0)


def test_runs_cost_what_was_planned(
    tmp_path: Path, served: Served, prices: Path, key_and_cache: Path
) -> None:
    def count(content: dict[str, Any]) -> bytes:
        usage = {"prompt_tokens": len(json.dumps(content)) // 4, "completion_tokens": 3}
        return json.dumps(completion("Oslo", usage)).encode()

    served.reply = count

    def spend(rows: int, questions: int) -> list[Run]:
        made = f"--rows {rows} --tokens 4k --questions {questions} --out rows-{rows}"
        succeed("generate", "factconsolidation_mh_6k", *made.split(), cwd=tmp_path)
        model = ModelSpec("openai/m", base_url=served.url, prices=prices)
        agents = (AgentSpec(agent="bm25", settings={"k": k}, model=model) for k in (10, 3))
        folders = (tmp_path / f"{name}-{rows}" for name in "ab")
        data = str(tmp_path / f"rows-{rows}")
        return [run(of, data=data, out=out) for of, out in zip(agents, folders, strict=True)]

    (design, *_) = designs(plan(spend(3, 4), 20.0))
    runs = spend(design.histories or 0, design.questions)
    assert len([*runs[0].store.memories()]) > 6
    tokens = [memory.tokens or 0 for each in runs for memory in each.store.memories().values()]
    assert design.tokens == pytest.approx(sum(tokens), rel=0.15)
    usage = [each.summary.spent for each in runs]
    read = sum((each.input_tokens or 0) + (each.output_tokens or 0) for each in usage)
    assert design.model_tokens == pytest.approx(read, rel=0.15)
    assert design.cost == pytest.approx(sum(each.cost or 0.0 for each in usage), rel=0.15)


def test_the_first_answer_of_a_history_counts_with_the_history(tmp_path: Path) -> None:
    pair = made_pair(tmp_path, questions=5)
    for store in map(RunFolder, pair):
        for row in range(6):
            place: dict[str, Any] = {"split": BY_NAME[SOURCE].split, "row": row}
            store.append_memory(MemoryRecord(**place, source=SOURCE, seconds=1.0, tokens=100))
            for n, seconds in enumerate((7.0 if row else 12.0, 2.0, 2.0, 2.0, 2.0)):
                store.append_timing(Timing(**place, question_index=n, seconds=seconds))
    made = plan(pair, 10.0, max_hours=100)
    # 6 seconds of each history and 2 of each question, of both agents, and 5 to start.
    for design in (*designs(made), *designs(made, "budget")):
        seconds = 2 * ((design.histories or 0) * (6 + 2 * design.questions) + 5)
        assert design.hours == pytest.approx(seconds / 3600)
    shown = succeed("plan", *map(str, pair), "--difference", "10", cwd=tmp_path).stdout
    assert "mabench itself adds about 10 ms a question" in " ".join(shown.split())


def test_a_plan_on_the_command_line_and_mistakes(tmp_path: Path) -> None:
    made_pair(tmp_path)
    done = mabench("plan", "a", "b", "--format", "json", cwd=tmp_path)
    validators()["plan.json"].validate(json.loads(done.stdout))
    made_run(tmp_path / "half", {SOURCE: [[1.0, 0.0]] * 5}, questions={SOURCE: 60})
    made_run(tmp_path / "other", {"eventqa_full": [[1.0, 0.0]] * 5})
    for name in ("fewer", "race/one", "race/two/repeat-1"):
        made_run(tmp_path / name, {SOURCE: [[1.0, 0.0] * 5] * 5})
    for words, message in [
        ("a other", "share no source on which all have a score"),
        ("a b --agents 1", "at least 2"),
        ("", "plan needs RUN"),
        ("bm25 floor --difference 5", "bm25: no run here; a plan is made from one or two finished"),
        ("a b --difference 0", "between 0 and 100"),
        ("a b --difference 5 --max-cost 1", "is unknown, so no budget"),
        ("a b a", "not 3"),
        ("a bm25 --difference 5", "no run here"),
        ("race --difference 5", "give what is in it: race/one, race/two"),
        ("a fewer", "rows 0-5 against 0-4\n"),
        ("half --difference 5", "unfinished, 10 of 60 questions so far; resume it\n"),
    ]:
        failed = mabench("plan", *words.split(), cwd=tmp_path)
        assert failed.returncode == 2, words
        assert message in failed.stderr, (words, failed.stderr)


def test_a_plan_names_its_runs_by_their_numbers_and_has_a_line_for_each_design(
    tmp_path: Path,
) -> None:
    made_pair(tmp_path / "runs")
    done = succeed("plan", "1", "2", "--difference", "5", "--format", "csv", cwd=tmp_path)
    shown = succeed("plan", "1", "2", "--difference", "5", cwd=tmp_path).stdout
    assert "Designs in which fewer than ten questions would" in " ".join(shown.split())
    header, *rows = done.stdout.splitlines()
    assert header.startswith("source,variation,power,agents,purpose,difference,histories")
    assert rows[0].startswith(f"{SOURCE},as the runs,80,2,difference,5.0,")
