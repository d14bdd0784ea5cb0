"""An estimate of a run that its folder holds already counts what is left."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.models import Estimate, ModelSpec
from mabench.reports.assumptions import run_assumptions
from mabench.runs import estimate_run
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, RunSpec
from tests.models.server import Answering, Fault, serving
from tests.rows import dataset, row

RULER, FACTS = "ruler_qa1_197K", "factconsolidation_sh_6k"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key_and_cache: Path) -> None:
    monkeypatch.chdir(tmp_path)


def rows() -> Dataset:
    asked = [(f"Which is box {i}?", ["red"]) for i in range(3)]
    made = [
        row(source, f"Document 1:\nBox {index} of {source} is red.", asked, index)
        for source, index in ((RULER, 0), (RULER, 1), (FACTS, 0))
    ]
    return dataset(made)


def spec(out: Path | None = None, chunk_tokens: int | None = None, **data: Any) -> RunSpec:
    model = ModelSpec("openai/m", base_url="http://127.0.0.1:9/v1", cache=False)
    agent, injection = (
        AgentSpec(agent="bm25", model=model),
        InjectionSpec(chunk_tokens=chunk_tokens),
    )
    return RunSpec(agent=agent, data=DataSpec(data=rows(), **data), injection=injection, out=out)


def red_but_for_box_1(prompt: str) -> str | Fault:
    return Fault("400") if "box 1" in prompt else "red"


def ran(out: Path | None = None, answer: Answering = lambda _: "red", **given: Any) -> None:
    with serving(answer) as served:
        model = ModelSpec("openai/m", base_url=served.url, cache=False)
        mabench.run("bm25", rows(), model=model, out=out, **given)


def counted(estimates: list[Estimate]) -> dict[str, tuple[int, int]]:
    return {one.source: (one.calls, one.done) for one in estimates}


def test_of_an_extension_what_is_left_is_counted(tmp_path: Path) -> None:
    whole = estimate_run(spec())
    assert counted(whole) == {RULER: (6, 0), FACTS: (3, 0)}
    ran(tmp_path / "run", limit_questions=1)
    left = estimate_run(spec(tmp_path / "run"))
    assert counted(left) == {RULER: (4, 2), FACTS: (2, 1)}
    assert [one.output_tokens for one in left] == [one.output_tokens * 2 // 3 for one in whole]
    assert [one.chunks for one in left] == [one.chunks for one in whole]
    said = "3 questions of this run are already answered and not included."
    assert said in run_assumptions(spec(), left)


def test_a_row_that_is_finished_is_not_memorized(tmp_path: Path) -> None:
    ran(tmp_path / "run", sources=[FACTS])
    ruler, facts = estimate_run(spec(tmp_path / "run"))
    assert counted([ruler, facts]) == {RULER: (6, 0), FACTS: (0, 3)}
    assert (facts.chunks, facts.input_tokens) == (0, 0)
    assert ruler.chunks == 2


def test_without_a_folder_that_of_the_unfinished_run_is_looked_at(tmp_path: Path) -> None:
    ran(limit_questions=1)
    (folder,) = (tmp_path / "runs").iterdir()
    assert counted(estimate_run(spec(limit_questions=1))) == {RULER: (2, 0), FACTS: (1, 0)}
    lines = (folder / "samples.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "samples.jsonl").write_text("".join(lines[:2]), "utf-8")
    assert counted(estimate_run(spec(limit_questions=1))) == {RULER: (0, 2), FACTS: (1, 0)}


def test_errors_are_left_where_they_are_asked_again(tmp_path: Path) -> None:
    ran(tmp_path / "run", red_but_for_box_1)
    assert counted(estimate_run(spec(tmp_path / "run"))) == {RULER: (0, 6), FACTS: (0, 3)}
    again = estimate_run(replace(spec(tmp_path / "run"), retry_errors=True))
    assert counted(again) == {RULER: (2, 4), FACTS: (1, 2)}


def test_questions_with_kept_replies_cost_nothing(tmp_path: Path) -> None:
    with serving(red_but_for_box_1) as served:
        model = ModelSpec("openai/m", base_url=served.url)
        mabench.run("bm25", rows(), model=model, sources=[RULER], limit_questions=2, out="first")
        again = replace(spec(tmp_path / "other"), agent=AgentSpec(agent="bm25", model=model))
        sent = served.asked.total()
        left = estimate_run(again)
        assert served.asked.total() == sent
        served.answer = lambda prompt: "red"
        mabench.run("bm25", rows(), model=model, out="other")
        by_hand = served.asked.total() - sent
    # Those that failed have no reply.
    assert counted(left) == {RULER: (4, 0), FACTS: (3, 0)}
    assert [one.kept for one in left] == [2, 0]
    assert sum(one.calls for one in left) == by_hand
    said = "2 questions have cached replies and are not included."
    assert said in run_assumptions(again, left)
    others = [
        replace(again, agent=AgentSpec(agent="bm25", model=replace(model, **other)))
        for other in ({"cache": False}, {"name": "openai/n"}, {"base_url": "http://127.0.0.1:9/v1"})
    ]
    others.append(replace(again, injection=InjectionSpec(chunk_tokens=7), out=None))
    for other in others:
        other = replace(other, out=tmp_path / "none")
        assert sum(one.calls for one in estimate_run(other)) == 9


def test_a_folder_with_another_run_is_refused(tmp_path: Path) -> None:
    ran(tmp_path / "run")
    before = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(UsageError, match="holds another run"):
        estimate_run(spec(tmp_path / "run", chunk_tokens=77))
    with pytest.raises(UsageError, match="holds a run with more questions"):
        estimate_run(spec(tmp_path / "run", limit_questions=1))
    estimate_run(spec(tmp_path / "run"))
    assert (tmp_path / "run" / "run.json").read_bytes() == before
