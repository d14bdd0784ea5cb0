"""The summary that a run adds up while it writes is the one that its files give."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mabench
from mabench.errors import DataError
from mabench.json_text import parse
from mabench.results import Judgment, Run, RunFolder, Sample
from mabench.results.records.files import OwnFile
from mabench.runs import RunStoppedError
from tests.rows import dataset, two_rows


class Erratic:
    """Answers, fails, retrieves and costs as a seed says."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._chunks: list[str] = []

    def memorize(self, chunk: str) -> None:
        self._chunks.append(chunk)

    def answer(self, query: Any) -> dict[str, Any]:
        draw = self._random.random
        if draw() < 0.3:
            raise ValueError(f"failed at {draw()}")
        return {
            "text": self._random.choice([query.question, "Bern", "", "\ud83d", "1994"]),
            "retrieved": self._random.sample(self._chunks, int(draw() * len(self._chunks))),
            "cost": draw() if draw() < 0.5 else None,
            "input_tokens": int(draw() * 1e6),
        }

    def stats(self) -> dict[str, int]:
        return {"memories": len(self._chunks), "bytes": 7}


@pytest.fixture
def samples_read(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The kinds of the lines that are read, one for each time."""
    read: list[type] = []

    def noting(kind: type, content: bytes) -> object:
        read.append(kind)
        return parse(kind, content)

    monkeypatch.setattr("mabench.results.records.files.parse", noting)
    return read


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 1000), first=st.integers(1, 3), retried=st.booleans())
def test_it_is_the_one_that_the_files_give_also_after_several_sittings(
    tmp_path_factory: pytest.TempPathFactory, seed: int, first: int, retried: bool
) -> None:
    place = tmp_path_factory.mktemp("runs") / "run"
    agent = f"{__name__}:Erratic"
    settings = {"seed": seed}
    begun = mabench.run(agent, dataset(), out=place, settings=settings, limit_questions=first)
    assert begun.summary == Run(place).summary
    resumed = mabench.run(agent, dataset(), out=place, settings=settings, retry_errors=retried)
    assert resumed.summary == Run(place).summary
    stored = (place / "summary.json").read_text(encoding="utf-8")
    assert stored == f"{Run(place).summary.to_json(2)}\n"


def test_no_answer_is_read_back_for_it(tmp_path: Path, samples_read: list[type]) -> None:
    run = mabench.run("no-memory", dataset(), out=tmp_path / "run")
    assert run.summary.spent.n > 1
    assert Sample not in samples_read
    mabench.run("no-memory", dataset(), out=tmp_path / "run")
    assert samples_read.count(Sample) == run.summary.spent.n, "once on resume"


def test_a_resumed_run_that_was_judged_counts_verdicts(tmp_path: Path) -> None:
    """A verdict on an answer that is lost counts again once the answer is given again."""
    run = mabench.run("no-memory", dataset(two_rows()), out=tmp_path / "run")
    for sample in run.samples():
        verdict = Judgment(*sample.key, sample.source, "m", "p", sample.answer_hash, {"yes": 1}, 1)
        RunFolder(run.folder).append_judgment(verdict)
    file = run.folder / "samples.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:1]))
    resumed = mabench.run("no-memory", dataset(two_rows()), out=tmp_path / "run")
    assert resumed.summary.spent.n == run.summary.spent.n
    assert resumed.summary == Run(run.folder).summary


def test_a_score_that_cannot_count_is_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mabench.results.samples import score_sample

    def too_good(*arguments: Any, **more: Any) -> Sample:
        return replace(score_sample(*arguments, **more), official={"substring_exact_match": 7.0})

    monkeypatch.setattr("mabench.runs.row.score_sample", too_good)
    with pytest.raises(RunStoppedError, match="not asked: 5 of 5") as stopped:
        mabench.run("no-memory", dataset(two_rows()), out=tmp_path / "run")
    summary = stopped.value.run.summary
    assert summary.damaged is not None
    assert "7.0 is no score" in summary.damaged[0]
    assert summary == Run(tmp_path / "run").summary


def test_an_answer_that_could_not_be_written_whole_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = OwnFile.add

    def full(file: OwnFile, content: bytes) -> None:
        if file.path.name == "samples.jsonl" and file.path.exists():
            add(file, content[:20])
            raise DataError("the disk is full")
        add(file, content)

    monkeypatch.setattr(OwnFile, "add", full)
    with pytest.raises(DataError, match="full"):
        mabench.run("no-memory", dataset(), out=tmp_path / "run")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["spent"]["n"] == 1
    assert "torn" in summary["damaged"][0]
