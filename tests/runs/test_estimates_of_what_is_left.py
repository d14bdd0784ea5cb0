"""An estimate of a run that its folder holds already counts what is left."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.models import ModelSpec
from mabench.reports.assumptions import run_assumptions
from mabench.runs import estimate_run
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, RunSpec
from tests.models.server import Answering, Fault, serving
from tests.rows import dataset, row
from tests.run_folders import keep_samples

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


NOWHERE = ModelSpec("openai/m", base_url="http://127.0.0.1:9/v1", cache=False)


def spec(
    out: str | None = None, model: ModelSpec = NOWHERE, tokens: int | None = None, **data: Any
) -> RunSpec:
    agent, injection = AgentSpec(agent="bm25", model=model), InjectionSpec(chunk_tokens=tokens)
    where = Path(out) if out else None
    return RunSpec(agent=agent, data=DataSpec(data=rows(), **data), injection=injection, out=where)


def red_but_for_box_1(prompt: str) -> str | Fault:
    return Fault("400") if "box 1" in prompt else "red"


def ran(out: str | None = None, answer: Answering = lambda _: "red", **given: Any) -> None:
    with serving(answer) as served:
        model = ModelSpec("openai/m", base_url=served.url, cache=False)
        mabench.run("bm25", rows(), model=model, out=out, **given)


def left(*given: Any, **more: Any) -> list[tuple[int, int]]:
    """Return how many questions of each source are left to ask, and how many were."""
    return [(one.calls, one.done) for one in estimate_run(spec(*given, **more))]


def test_of_a_run_that_is_extended_what_is_left_is_counted() -> None:
    whole = estimate_run(spec())
    assert left() == [(6, 0), (3, 0)]
    ran("run", limit_questions=1)
    estimates = estimate_run(spec("run"))
    assert left("run") == [(4, 2), (2, 1)]
    for one, other in zip(whole, estimates, strict=True):
        assert (other.source, other.chunks) == (one.source, one.chunks)
        assert other.output_tokens == one.output_tokens * 2 // 3
    said = "3 questions of this run are already answered and not included."
    assert said in run_assumptions(spec(), estimates)
    ran("facts", sources=[FACTS])  # Its row is finished, and not memorized again.
    ruler, facts = estimate_run(spec("facts"))
    assert left("facts") == [(6, 0), (0, 3)]
    assert (facts.chunks, facts.input_tokens, ruler.chunks) == (0, 0, 2)


def test_without_a_folder_that_of_the_unfinished_run_is_looked_at() -> None:
    ran(limit_questions=1)
    assert left(limit_questions=1) == [(2, 0), (1, 0)]
    keep_samples(next(Path("runs").iterdir()), 2)
    assert left(limit_questions=1) == [(0, 2), (1, 0)]


def test_errors_are_left_where_they_are_asked_again_and_another_run_is_refused() -> None:
    ran("run", red_but_for_box_1)
    before = Path("run/run.json").read_bytes()
    assert left("run") == [(0, 6), (0, 3)]
    again = estimate_run(replace(spec("run"), retry_errors=True))
    assert [(one.calls, one.done) for one in again] == [(2, 4), (1, 2)]
    with pytest.raises(UsageError, match="holds another run"):
        left("run", tokens=77)
    with pytest.raises(UsageError, match="holds a run with more questions"):
        left("run", limit_questions=1)
    assert Path("run/run.json").read_bytes() == before


def test_questions_with_kept_replies_cost_nothing() -> None:
    with serving(red_but_for_box_1) as served:
        model = ModelSpec("openai/m", base_url=served.url)
        mabench.run("bm25", rows(), model=model, sources=[RULER], limit_questions=2, out="first")
        sent = served.asked.total()
        estimates = estimate_run(spec("other", model))
        assert served.asked.total() == sent
        served.answer = lambda prompt: "red"
        mabench.run("bm25", rows(), model=model, out="other")
        by_hand = served.asked.total() - sent
    # Those that failed have no reply.
    assert [(one.calls, one.kept) for one in estimates] == [(4, 2), (3, 0)]
    assert sum(one.calls for one in estimates) == by_hand
    said = "2 questions have cached replies and are not included."
    assert said in run_assumptions(spec(), estimates)
    for other in {"cache": False}, {"name": "openai/n"}, {"base_url": NOWHERE.base_url}:
        assert left("none", replace(model, **other)) == [(6, 0), (3, 0)]
    assert left("none", model, tokens=7) == [(6, 0), (3, 0)]
