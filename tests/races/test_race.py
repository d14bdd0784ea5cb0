"""Races: the same histories for all, until it is plain who is better, whatever happens."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from mabench import Answer
from mabench import race as race_from_python
from mabench.data import Dataset
from mabench.errors import DataError, UsageError
from mabench.models import ModelSpec
from mabench.progress import NoProgress
from mabench.races import Race, open_race, run_race
from mabench.races.decision import decide
from mabench.reports.experiments.race import race_report
from mabench.results import RaceFile, RacePlan, Run
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, RaceSpec, RunSpec
from tests.command_line import mabench, succeed
from tests.metering.memories import Calling
from tests.models.server import Served
from tests.rows import dataset, row
from tests.run_folders import validators
from tests.runs.agents import Oslo

QUESTIONS = 4


def saying(name: str, answer: Any) -> Any:
    return type(name, (Oslo,), {"answer": lambda self, query: answer, "__module__": __name__})


Rome, Bern = saying("Rome", "Rome"), saying("Bern", "Bern")
Dear, DearRome = (saying(f"Dear{city}", Answer(city, cost=0.25)) for city in ("Oslo", "Rome"))


class Snapping(Oslo):
    """Copies what is on the disk before each answer, as a kill would leave it."""

    folder: Path | None = None
    asked = 0

    def answer(self, query: Any) -> Any:
        if folder := Snapping.folder:
            shutil.copytree(folder, folder.with_name(f"at-{Snapping.asked}"))
            Snapping.asked += 1
        return super().answer(query)


def histories(count: int, share: float = 0.9, source: str = "ruler_qa1_197K") -> Dataset:
    """Rows whose questions are mostly answered by Oslo, else by Rome."""
    random, rows = Random(3), []
    for index in range(count):
        golds = ["Oslo" if random.random() < share else "Rome" for _ in range(QUESTIONS)]
        pairs = [(f"Which city is number {n}?", [gold]) for n, gold in enumerate(golds)]
        rows.append(row(source, f"Document 1:\nHistory {index} is told.", pairs, index))
    return dataset(rows)


def looks(folder: Path, agents: list[object], data: object, **settings: Any) -> list[Race]:
    run = RunSpec(data=DataSpec(data=data), out=folder, **settings.pop("run", {}))
    named = [one if isinstance(one, AgentSpec) else AgentSpec(agent=one) for one in agents]  # type: ignore[arg-type]
    return [*run_race(named, RaceSpec(run=run, **settings))]


def end(folder: Path, agents: list[object], data: object, **settings: Any) -> Race:
    return looks(folder, agents, data, **settings)[-1]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[Race]:
    """The looks of a race that Oslo wins."""
    return looks(tmp_path_factory.mktemp("plain") / "race", [Oslo, Rome], histories(40))


def test_a_race_ends_when_one_is_better_and_leaves_ordinary_runs(
    plain: list[Race], tmp_path: Path
) -> None:
    last = plain[-1]
    result = last.result.as_dict()
    validators()["race-result.json"].validate(result)
    validators()["race.json"].validate(json.loads((last.folder / "race.json").read_text()))
    assert (result["decision"], last.limit) == ("a", "")
    assert len(plain) == last.histories + 1 < 20
    assert last.pairs[0].low >= 0
    for place in ("Oslo", "Rome"):
        run = Run(last.folder / place)
        assert run.record.finished
        assert run.summary.spent.n == QUESTIONS * last.histories
    swapped = end(tmp_path / "swapped", [Rome, Oslo], histories(40)).result
    assert (swapped.decision, swapped.histories) == ("b", result["histories"])
    assert swapped.low == pytest.approx(-float(str(result["high"])))
    # Histories that run in parallel are told between two looks; the first that decides counts.
    many = looks(tmp_path / "many", [Oslo, Rome], histories(40), run={"limits": Limits(rows=5)})
    assert [look.histories for look in many] == [0, 5, 10, 15][: len(many)]
    # Builds of a history are averaged, and are no new histories.
    twice = end(tmp_path / "twice", [Oslo, Rome], histories(40), builds=2)
    assert (tmp_path / "twice" / "Rome" / "repeat-2" / "run.json").exists()
    assert twice.pairs == many[-1].pairs == last.pairs


def test_the_mean_decides_and_signs_only_where_symmetry_is_assumed(tmp_path: Path) -> None:
    # Before the first of its failures, a memory that fails whole histories seems better.
    scores = {"steady": np.full(24, 0.9), "failing": np.full(24, 1.0)}
    ((*_, by_mean),) = decide(scores, None, 0.05)[1]
    assert by_mean.decision == "undecided"
    ((*_, by_signs),) = decide(scores, None, 0.05, symmetric=True)[1]
    assert (by_signs.decision, by_signs.is_by_signs) == ("b", True)
    last = end(tmp_path, [Oslo, Rome], histories(40), assume_symmetric=True)
    assert last.histories < 20
    assert "Oslo is more often better after" in last.conclusion
    assert "Assumed: differences between equal agents are symmetric" in last.conclusion
    report, _ = race_report(last)
    assert "Stopped early: the difference is likely smaller than it looks" in report.remarks[1]
    assert [row[-1] for row in report.tables[1].values] == ["A is more often better"]


def test_the_plan_is_there_before_the_first_history_and_cannot_change(tmp_path: Path) -> None:
    begun = run_race(
        [AgentSpec(agent=Oslo), AgentSpec(agent=Rome)],
        RaceSpec(
            run=RunSpec(data=DataSpec(data=histories(9)), out=tmp_path), equal_within=5, seed=2
        ),
    )
    first = next(begun)
    file = RaceFile.read(tmp_path)
    assert file
    assert (first.histories, file.plan.equal_within, file.plan.seed) == (0, 5.0, 2)
    assert file.plan.order
    assert [*file.plan.order["ruler_qa1_197K"]] != sorted(file.plan.order["ruler_qa1_197K"])
    assert not [*tmp_path.glob("*/run.json")]
    with pytest.raises(UsageError, match=r"equal_within 5\.0 there and 4\.0 here"):
        end(tmp_path, [Oslo, Rome], histories(9), equal_within=4, seed=2)
    with pytest.raises(UsageError, match="holds another race: its histories differ"):
        end(tmp_path, [Oslo, Rome], histories(9, share=0.5), equal_within=5, seed=2)
    content = json.loads((tmp_path / "race.json").read_text())
    content["plan"]["equal_within"] = 50.0
    (tmp_path / "race.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match="not the plan that was begun with"):
        open_race(tmp_path)


# At each question of four.
@pytest.mark.parametrize(("builds", "step"), [(1, 11), pytest.param(2, 21, marks=pytest.mark.slow)])
def test_a_race_that_was_killed_at_any_instant_decides_as_one_that_was_not(
    tmp_path: Path, builds: int, step: int
) -> None:
    Snapping.folder, Snapping.asked = tmp_path / "race", 0
    whole = end(tmp_path / "race", [Snapping, Rome], histories(30), builds=builds)
    assert whole.pairs[0].decision == "a"
    Snapping.folder = None
    for number in range(0, Snapping.asked, step):
        resumed = end(tmp_path / f"at-{number}", [Snapping, Rome], histories(30), builds=builds)
        assert resumed.result == whole.result
        for run in (tmp_path / "race").glob("**/samples.jsonl"):
            there = tmp_path / f"at-{number}" / run.relative_to(tmp_path / "race")
            assert there.read_text() == run.read_text()


def test_a_limit_ends_a_race_undecided_and_a_higher_one_extends_it(tmp_path: Path) -> None:
    last = end(tmp_path, [Oslo, Rome], histories(40), max_histories=3)
    assert "seen 3 histories of each source" in last.limit
    assert last.result.decision == "undecided"
    before = (tmp_path / "Oslo" / "samples.jsonl").read_text()
    found = looks(tmp_path, [Oslo, Rome], histories(40), max_histories=40)
    assert found[0].histories == 3
    assert found[-1].pairs[0].decision == "a"
    assert (tmp_path / "Oslo" / "samples.jsonl").read_text().startswith(before)
    assert looks(tmp_path, [Oslo, Rome], histories(40))[0].histories > 3
    late = looks(tmp_path / "late", [Oslo, Rome], histories(40), max_hours=1e-9)
    assert [look.limit for look in late] == ["1e-09 hours have passed (`max_hours`)"]
    ends = end(tmp_path / "short", [Oslo, Rome], histories(5)).limit
    assert ends == "the agents have seen 5 histories of each source (the data have no more)"


def test_what_cannot_be_raced_is_refused_with_what_can_be_done(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has 4 histories of ruler_qa1_197K.*endless made-up"):
        end(tmp_path / "race", [Oslo, Rome], histories(4))
    with pytest.raises(UsageError, match="`tokens` is for made-up rows"):
        end(tmp_path / "race", [Oslo, Rome], histories(9), tokens=100)
    with pytest.raises(UsageError, match="a judge scores longmemeval"):
        end(tmp_path / "race", [Oslo, Rome], "synthetic:longmemeval_s*")
    with pytest.raises(UsageError, match="two or more different agents"):
        end(tmp_path / "race", [Oslo, Oslo], histories(9))
    assert not (tmp_path / "race").exists()
    with pytest.raises(UsageError, match="no scores of history 1"):
        end(tmp_path, [Oslo, Rome], histories(6, source="recsys_redial_full"))


def test_endless_rows_of_several_sources_race_by_their_mean(tmp_path: Path) -> None:
    sources = {"over": ("ruler_qa1",), "tokens": 4_000, "questions": 4}
    data = "synthetic:factconsolidation_sh_6k"
    found = end(tmp_path, ["oracle", "no-memory"], data, max_histories=2, **sources)
    assert found.plan.sources == ("factconsolidation_sh_6k", "ruler_qa1_197K")
    assert found.scores["oracle"] == pytest.approx([1.0, 1.0])
    before = Run(tmp_path / "oracle").record.data.fingerprint
    more = end(tmp_path, ["oracle", "no-memory"], data, **sources)
    assert 5 <= more.histories <= 8
    assert Run(tmp_path / "oracle").record.data.fingerprint == before
    rows = {(sample.source, sample.row) for sample in Run(tmp_path / "oracle").samples()}
    assert len(rows) == 2 * more.histories


def test_who_is_beaten_drops_out_and_the_rest_are_tied_with_the_best(tmp_path: Path) -> None:
    found = end(tmp_path, [Oslo, Bern, Rome], histories(60, 0.5), max_histories=25)
    first, second, third = found.scores
    assert found.left == found.result.left == [first, third]
    assert {pair.beaten for pair in found.pairs} == {second, None}
    last = max(pair.histories for pair in found.pairs if pair.beaten)
    assert last < 25
    assert [len(of) for of in found.scores.values()] == [25, last, 25]
    assert found.result.decision is None
    assert "cannot be told apart" in found.conclusion


@pytest.mark.parametrize(("k", "says"), [(99, True), (1, False)])
def test_a_race_without_search_says_so(tmp_path: Path, k: int, says: bool) -> None:
    words = ["--data", "synthetic:factconsolidation_sh_6k", "--tokens", "4k", "--questions", "2"]
    agents = [f"bm25[k={k}]", f"bm25[k={k + 1}]"]
    done = succeed("race", *agents, *words, "--max-histories", "5", cwd=tmp_path)
    assert ("retrieved every chunk of every history" in " ".join(done.stdout.split())) is says


def test_pairs_share_the_error_and_equality_takes_an_interval_within_the_margin() -> None:
    random = np.random.default_rng(1)
    means = {"a": 0.7, "b": 0.5, "c": 0.5, "d": 0.68}
    scores = {name: np.clip(random.normal(mean, 0.1, 60), 0, 1) for name, mean in means.items()}
    left, by_pair = decide(scores, None, 0.05)
    assert left == ["a", "d"]
    ((*_, alone),) = decide({name: scores[name] for name in "ab"}, None, 0.05)[1]
    (of_six,) = [seen[-1] for seen in by_pair if (seen[-1].a, seen[-1].b) == ("a", "b")]
    assert (alone.decision, of_six.decision) == ("a", "a")
    assert alone.histories < of_six.histories

    # Equality takes an interval within the margin.
    same = dict.fromkeys("ab", np.full(200, 0.5))
    ((*_, pair),) = decide(same, 3.0, 0.05)[1]
    assert pair.decision == "equal"
    assert -3 <= pair.low < -2.9
    assert pair.high <= 3
    assert decide(same, None, 0.05)[1][0][-1].decision == "undecided"
    assert decide(same, 1.0, 0.05)[1][0][-1].decision == "undecided"


def test_who_beat_each_other_in_a_circle_are_all_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bets on signs are not transitive: at one look, each may be beaten by another."""
    better = {("a", "b"): "a", ("b", "c"): "a", ("a", "c"): "b"}

    def look(scores: Any, pair: Any, *more: Any) -> Any:
        yield pair
        yield replace(pair, decision=better[pair.a, pair.b], histories=1, difference=1.0)

    plan = RaceFile.read(looks(tmp_path / "race", ["oracle", "no-memory"], histories(5))[0].folder)
    assert plan
    monkeypatch.setattr("mabench.races.decision.track_pair", look)
    scores = {name: np.array([0.5]) for name in "abc"}
    left, seen = decide(scores, None, 0.05)
    assert left == ["a", "b", "c"]
    circle = Race(tmp_path, plan.plan, scores, left, [own[-1] for own in seen], seen)
    assert circle.histories == 1
    assert circle.is_decided
    assert circle.conclusion == (
        "a, b and c beat each other in a circle, so that none is best, after 1 history."
    )


def test_a_race_from_python_in_processes(tmp_path: Path) -> None:
    settings = RaceSpec(
        run=RunSpec(executor="processes"), tokens=4_000, questions=4, max_histories=2
    )
    events: list[str] = []
    progress = NoProgress()
    progress.say = events.append  # type: ignore[method-assign]
    data = "synthetic:factconsolidation_sh_6k"
    there = race_from_python(["oracle", "bm25"], data, settings, out=tmp_path, progress=progress)
    assert there.histories == 2
    assert not events, "no process of ours is named as one of an agent's"
    here = race_from_python(
        ["oracle", "bm25"], data, replace(settings, run=RunSpec()), out=tmp_path
    )
    assert here.result == there.result


def test_the_commands_show_a_race(tmp_path: Path) -> None:
    words = ["--data", "synthetic:factconsolidation_sh_6k", "--tokens", "4k", "--questions", "4"]
    command = ["race", "oracle", "bm25[k=3]", "bm25[k=4]", *words, "--max-histories", "6"]
    done = mabench(*command, cwd=tmp_path)
    said = "the agents have seen 6 histories of each source (--max-histories). To continue"
    assert said in done.stderr
    assert done.returncode == 0
    folder = "runs/race-factconsolidation-sh-6k-oracle-bm25-k-3-bm25-k-4-seed-0"
    assert f"Race folder: {folder}" in done.stderr
    again = succeed(*command, "--format", "json", cwd=tmp_path).stdout
    result = json.loads(again)
    validators()["race-result.json"].validate(result)
    assert len(result["pairs"]) == 3
    for shown in (
        succeed(verb, folder, "--full", cwd=tmp_path).stdout for verb in ("compare", "report")
    ):
        assert "cannot be told apart after 6 histories" in shown
        assert result["plan"][:12] in shown
    brief = succeed("report", folder, cwd=tmp_path).stdout
    assert brief.startswith("oracle, bm25[k=3] and bm25[k=4] cannot be told apart")
    assert " points, not shown (95 % interval -" in brief
    assert brief.count("┏") == 1
    line = succeed("compare", folder, "--format", "csv", cwd=tmp_path).stdout.splitlines()[1]
    assert line.startswith("oracle,bm25[k=3],undecided,")
    runs = json.loads(succeed("runs", "--format", "json", cwd=tmp_path).stdout)
    assert len(runs) == 3
    assert all("after 6 histories" in run["race"] for run in runs)
    apart = mabench(
        "compare", *(f"{folder}/{name}" for name in ("oracle", "bm25-k-3")), cwd=tmp_path
    )
    assert f"see mabench compare {folder}" in apart.stderr
    succeed("page", folder, "--out", "race.html", cwd=tmp_path)
    page = (tmp_path / "race.html").read_text()
    assert "Differences after each history" in page
    assert "bm25[k=3] - bm25[k=4]" in page


def test_the_cost_of_all_runs_together_ends_a_race_that_a_higher_limit_extends(
    tmp_path: Path,
) -> None:
    last = end(tmp_path, [Dear, DearRome], histories(40), run={"max_cost": 6.5})
    assert "$6.5 are spent" in last.limit
    assert last.histories == 3, "a history costs 2 dollars"
    costs = [Run(tmp_path / name).summary.spent.cost for name in ("DearOslo", "DearRome")]
    assert sum(filter(None, costs)) == pytest.approx(6.5, abs=0.3)
    same: list[object] = [AgentSpec(agent=one, same_code=True) for one in (Dear, DearRome)]
    again = end(tmp_path, same, histories(40), run={"max_cost": 100.0})
    assert again.pairs[0].decision == "a"


class Weak(Oslo):
    fails = True

    def answer(self, query: Any) -> Any:
        if Weak.fails:
            raise RuntimeError("not today")
        return super().answer(query)


def test_failed_answers_are_wrong_until_they_are_asked_again(tmp_path: Path) -> None:
    Weak.fails = True
    failed = end(tmp_path, [Weak, Rome], histories(40), max_histories=3)
    assert failed.scores[failed.left[0]].tolist() == [0, 0, 0]
    Weak.fails = False
    found = end(tmp_path, [Weak, Rome], histories(40), run={"retry_errors": True})
    assert found.result == end(tmp_path / "other", [Weak, Rome], histories(40)).result


def test_a_race_is_metered_and_can_be_replayed(
    served: Served, prices: Path, key_and_cache: Path, tmp_path: Path
) -> None:
    def race(out: str, **kept: Any) -> Race:
        model = ModelSpec("openai/m", base_url=served.url, prices=prices, **kept)
        agents: list[object] = [
            AgentSpec(agent=Calling, settings={"k": k}, model=model) for k in (1, 2)
        ]
        run = {"injection": InjectionSpec(chunk_tokens=100)}
        return end(tmp_path / out, agents, histories(6), max_histories=2, run=run)

    first = race("a", cache=True)
    calls = [run.summary.calls for run in first.runs]
    assert calls[0]
    assert calls[0].by_memory.cost
    assert calls[1]
    assert calls[1].by_memory.kept, "as the first agent's memory asked them"
    sent = served.calls
    again = race("b", replay=key_and_cache)
    assert again.result == first.result
    assert served.calls == sent
    assert [len([*Run(run.folder).samples()]) for run in again.runs] == [8, 8]


@pytest.mark.parametrize("name", ["../precious", "/tmp/precious", "..", "", "a/b", "a\\b"])
@pytest.mark.corrupts_runs
def test_a_race_file_that_names_a_place_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "run.json").write_text("{}")
    race = tmp_path / "race"
    race.mkdir()
    plan = RacePlan(
        runs={"A": name, "B": "b"},
        data="d",
        fingerprint="f",
        sources=("s",),
        seed=0,
        builds=1,
        equal_within=None,
    )
    plan.write(race, "not begun")
    with pytest.raises(DataError, match="expected the name of a folder beside it"):
        open_race(race)
    assert mabench("report", "race", cwd=tmp_path).returncode == 1
    assert [*precious.iterdir()] == [precious / "run.json"]
