"""Inspect's logs and tasks, by inspect_ai itself: `make test-exports` installs it."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import export_hub_layout
from mabench.data.formats import published_sources
from mabench.data.inventory import BY_NAME
from mabench.data.writing.example import write_example
from mabench.errors import UsageError
from mabench.export import export
from mabench.families import SYSTEM_MESSAGE
from mabench.results import Run, RunFolder, ScoredQuestion
from tests.command_line import run_python
from tests.comparison.made import made_run
from tests.export.agents import Hearing, Noting
from tests.models.server import serving
from tests.published_files import locomo, written
from tests.rows import dataset

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: run make test-exports")
log = pytest.importorskip("inspect_ai.log")

_NOTING = "tests.export.agents:Noting"
_FACTS, _QA, _CHATS = "factconsolidation_sh_6k", "ruler_qa1_197K", "longmemeval_s*"


def _logs(run: Run, folder: Path) -> dict[str, Any]:
    export(run, "inspect", folder)
    read = [log.read_eval_log(str(file)) for file in sorted(folder.iterdir())]
    return {one.eval.metadata["source"]: one for one in read}


def test_there_is_a_log_for_each_source_with_equal_scores(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()  # An empty folder is welcome, and nothing is overwritten.
    logs = _logs(run, tmp_path / "logs")
    with pytest.raises(UsageError, match="exists already"):
        export(run, "inspect", tmp_path / "logs")
    listed = log.list_eval_logs(str(tmp_path / "logs"))  # As the viewer finds them.
    assert {one.task for one in listed} == {f"mabench/{name}" for name in (_FACTS, _QA)}
    assert logs.keys() == run.summary.sources.keys()
    for name, source in run.summary.sources.items():
        scores = {score.name: score for score in logs[name].results.scores}
        for kind in ("official", "corrected"):
            value = scores[kind].metrics["mean"].value
            assert value == pytest.approx(source[kind] / 100)
            values = [sample.scores[kind].value for sample in logs[name].samples]
            assert sum(values) / len(values) == pytest.approx(value)
        assert logs[name].status == "success"
    rows = [row for row in run.questions() if row.sample.source == _FACTS]
    for sample, row in zip(logs[_FACTS].samples, rows, strict=True):
        assert (sample.input, sample.target) == (row.sample.question, row.sample.answers)
        assert sample.output.completion == row.sample.prediction
        assert sample.metadata["history"] == f"{row.sample.split}-{row.sample.row}"
        found = (sample.metadata["hit_rank"], sample.metadata["rule"])
        assert found == (row.sample.hit_rank, row.rule)
        assert sample.total_time == row.seconds
        assert sample.metadata["search_seconds"] == row.search_seconds
        assert "/" not in sample.id
    assert len({sample.id for sample in logs[_FACTS].samples}) == len(rows)
    assert logs[_FACTS].eval.metadata["memory"]["search"]["n"] == len(rows)


def test_intervals_and_hostile_names_stand_in_a_log(tmp_path: Path) -> None:
    run = Run(made_run(tmp_path / "run", {_QA: [[1] * 9 + [0]]}))
    (score, _) = _logs(run, tmp_path / "logs")[_QA].results.scores
    interval = run.summary.sources[_QA].interval
    assert interval is not None
    assert interval.these_histories is not None
    limits = [score.metrics[name].value for name in ("interval_low", "interval_high")]
    assert limits == pytest.approx([limit / 100 for limit in interval.these_histories])
    folder = made_run(tmp_path / "hostile", {_CHATS: [[1.0]]}, agent="a/../b \ud83d")
    store = RunFolder(folder)
    answer = "</script>\u2028\ud83d\x00"
    store.replace_samples([replace(one, prediction=answer) for one in list(store.samples())])
    (sample,) = _logs(Run(folder), tmp_path / "hostile logs")[_CHATS].samples
    assert [file.name for file in (tmp_path / "hostile logs").iterdir()] == ["longmemeval_s.eval"]
    assert sample.output.completion.startswith("</script>\u2028\ufffd")


@pytest.fixture
def data(tmp_path: Path) -> str:
    export_hub_layout(dataset(), tmp_path / "data")
    return str(tmp_path / "data")


def _evaluated(task: str, folder: Path, *, epochs: int = 1, **arguments: object) -> Any:
    import inspect_ai

    (done,) = inspect_ai.eval(
        f"mabench/{task}", task_args=arguments, log_dir=str(folder), display="none", epochs=epochs
    )
    return done


def test_there_is_a_task_for_each_source_that_evaluates_as_a_run_does(
    run: Run, data: str, tmp_path: Path
) -> None:
    from mabench.export.inspect_tasks import _TASKS

    assert _TASKS.keys() == {*BY_NAME, *published_sources(), "own"}
    done = _evaluated(_FACTS, tmp_path / "logs", agent="bm25", data=data)
    _scored_alike(done, [row for row in run.questions() if row.sample.source == _FACTS])
    official = run.summary.sources[_FACTS].official
    assert official is not None
    means = {score.name: score.metrics["mean"].value for score in done.results.scores}
    assert means["official"] == pytest.approx(official / 100)
    # A single history has no standard error.
    assert math.isnan(done.results.scores[0].metrics["stderr"].value)


def test_sources_of_ones_own_and_other_benchmarks_are_evaluated_as_in_a_run(tmp_path: Path) -> None:
    write_example(tmp_path / "tickets")
    written(tmp_path / "locomo10.json", locomo())
    own: dict[str, Any] = {"source": "my_documents"}
    for task, name, agent, more in (
        ("own", "tickets", "bm25", own),
        ("own", "tickets", "oracle", own),
        ("locomo", "locomo10.json", "oracle", {}),
    ):
        run = mabench.run(agent, tmp_path / name, out=tmp_path / f"{name}-{agent}")
        data = str(tmp_path / name)
        done = _evaluated(task, tmp_path / f"{name}-{agent}-logs", agent=agent, data=data, **more)
        _scored_alike(done, [*run.questions()])


def _scored_alike(done: Any, rows: list[ScoredQuestion]) -> None:
    assert done.status == "success", done.error
    for one, row in zip(done.samples, rows, strict=True):
        scores = (one.scores["official"].value, one.scores["corrected"].value)
        assert (one.output.completion, *scores) == (
            row.sample.prediction,
            row.official,
            row.corrected,
        )
        assert one.scores["corrected"].explanation == row.rule
        assert one.metadata["hit_rank"] == row.sample.hit_rank


def test_standard_errors_are_clustered_by_history(tmp_path: Path) -> None:
    done = _evaluated("detective_qa", tmp_path / "logs", agent="bm25", data="synthetic:compare")
    assert done.status == "success", done.error
    histories: dict[str, list[float]] = {}
    for sample in done.samples:
        histories.setdefault(sample.metadata["history"], []).append(sample.scores["official"].value)
    whole = [value for values in histories.values() for value in values]
    mean = sum(whole) / len(whole)
    off = [sum(value - mean for value in values) for values in histories.values()]
    groups = len(histories)
    assert groups > 1
    expected = math.sqrt(groups / (groups - 1) * sum(one**2 for one in off)) / len(whole)
    assert done.results.scores[0].metrics["stderr"].value == pytest.approx(expected)


def test_questions_that_are_left_out_keep_no_program_from_ending(data: str, tmp_path: Path) -> None:
    code = (
        "import inspect_ai, sys\n"
        "inspect_ai.eval(sys.argv[1], task_args={'agent': sys.argv[2], 'data': sys.argv[3]},"
        " limit=1, display='none', log_dir=sys.argv[4])\n"
        "from tests.export.agents import Noting\n"
        "print('left open:', [one.closed for one in Noting.made])\n"
    )
    words = (f"mabench/{_FACTS}", _NOTING, data, str(tmp_path / "logs"))
    done = run_python(code, *words, timeout=100, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert "left open: [False]" in done.stdout


def test_each_history_and_epoch_has_one_memory_and_a_failed_answer_ends_nothing(
    data: str, tmp_path: Path
) -> None:
    how: dict[str, Any] = {"settings": {"fail_on": "Bob"}, "data": data, "epochs": 2}
    done = _evaluated(_FACTS, tmp_path / "logs", agent=_NOTING, **how)
    assert done.status == "success"
    assert [(len(one.asked), one.closed) for one in Noting.made] == [(3, True)] * 2
    failed = next(one for one in done.samples if "Bob" in one.input)
    assert failed.metadata["error"].startswith("ValueError: I will not say (answer of ")
    scores = failed.scores["official"].value, failed.scores["corrected"].explanation
    assert scores == (0, "no-answer")


def test_a_secret_is_scored_as_said_and_not_logged(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "300 metres")
    done = _evaluated(_QA, tmp_path / "logs", agent="tests.export.agents:Secretive", data=data)
    right = done.samples[0]
    assert right.output.completion == "[secret]"
    assert [right.scores[kind].value for kind in ("official", "corrected")] == [1, 1]
    assert right.scores["corrected"].explanation


def test_a_task_takes_what_a_run_takes(data: str, tmp_path: Path) -> None:
    """tests/export/test_exporting.py holds what comes of it against a run."""
    prompts = tmp_path / "prompts.toml"
    prompts.write_text('[factconsolidation]\nmemorize = "Read: {chunk}"\n', encoding="utf-8")
    named: dict[str, Any] = {"source": _FACTS, "model": "openai/m", "answer_timeout": 0.2}
    named |= {"protocol": "paper", "prompts": str(prompts), "data": data}
    named |= {"agent": "tests.export.agents:Hearing", "settings": {"hang_on": "Bob"}}
    with serving(lambda prompt: "Bern") as served:
        done = _evaluated("own", tmp_path / "logs", base_url=served.url, **named)
    assert done.status == "success", done.error
    errors = {sample.input: sample.metadata["error"] for sample in done.samples}
    assert errors["Where does Bob live?"].startswith("TimeoutError: no result within 0.2 s (")
    assert errors["Where does Ann live?"] is None
    assert all(said in str(Hearing.heard) for said in (SYSTEM_MESSAGE, "Read: "))
    calls = [sample.metadata["memory_calls"]["calls"] for sample in done.samples]
    assert sum(calls) == served.paid.total() == 1


def test_titles_are_scored_by_entities_and_what_takes_a_judge_is_not(tmp_path: Path) -> None:
    done = _evaluated("recsys_redial_full", tmp_path / "logs", agent="oracle")
    means = {score.name: score.metrics["mean"].value for score in done.results.scores}
    assert means == {"official": 1.0, "corrected": 1.0}
    done = _evaluated("longmemeval_s", tmp_path / "logs", agent="no-memory")
    assert done.status == "success"
    score = done.samples[0].scores["official"]
    assert math.isnan(score.value)
    assert "language model's verdict" in score.explanation
