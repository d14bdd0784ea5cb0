"""A model says what records say of which rules cannot tell; it is asked once a record."""

import re
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import UsageError
from mabench.models import ModelSpec
from mabench.results import Run, SourceSummary
from mabench.runs.stages.judge import read_verdict
from mabench.specs import AgentSpec, Limits
from tests.models.server import Fault, Served, serving
from tests.runs.stages.histories import SOURCES, Fact, made_row

pytestmark = pytest.mark.usefixtures("key_and_cache")


class OtherWords:
    """Says half of the facts in words that rules cannot tell, and half of them wrong."""

    def __init__(self) -> None:
        self.records: list[str] = []

    def add(self, text: str) -> None:
        fact = Fact.find(text)
        assert fact
        words = ("clearly goes with", "never went with")[len(self.records) % 2]
        self.records.append(f"It was noted that {fact.person} {words} {fact.value}.")

    def search(self, query: str, k: int) -> list[str]:
        return ["Nothing of that."]

    def list(self) -> Any:
        return self.records


def _answer(prompt: str) -> str:
    record = re.search(r"Record: (.*)", prompt)
    if record is None:
        return "nobody knows"
    return "SAME" if "clearly" in record[1] else "The word is NO."


def _run(served: Served, out: Path, *, judges: bool) -> Run:
    model = ModelSpec("m", base_url=served.url)
    return mabench.run(
        AgentSpec(agent=OtherWords, model=model),
        [made_row("facts", facts=20, asked=10)],
        sources=SOURCES,
        protocol="turns",
        limits=Limits(stages="end", judge_stages=judges),
        out=out,
    )


def _source(run: Run) -> SourceSummary:
    (source,) = run.summary.sources.values()
    assert source.stages
    assert source.stages.commonest_error is None
    return source


def test_a_model_decides_what_rules_leave_open(tmp_path: Path) -> None:
    with serving(_answer) as served:
        by_rules = _source(_run(served, tmp_path / "rules", judges=False))
        run = _run(served, tmp_path / "judged", judges=True)
        first = served.calls
        again = _run(served, tmp_path / "again", judges=True)
        cached = served.calls - first
        asked = [body.decode() for body in served.bodies if b"Record:" in body]
    assert by_rules.parts["unclear"] == 10
    assert by_rules.stages
    assert by_rules.stages.judged is None
    judged = _source(run)
    assert judged.parts["unclear"] == 0
    # Half of the records say it and are not found; the others do not say it.
    assert judged.parts["unfound"] + judged.parts["missed"] > 0
    assert judged.parts["absent"] > 0
    assert judged.stages
    assert judged.stages.judged == len(asked) == 10
    assert not [body for body in asked if "What is the" in body], "it sees no question"
    # Replies are kept: only what no cache answers is sent again.
    assert cached <= 1
    assert _source(again).parts == judged.parts
    assert run.summary.calls
    assert run.summary.calls.late.calls == 10, "they are counted, and are no part of answering"
    assert run.summary.calls.answering.totals.calls + run.summary.calls.answering.totals.kept == 10


def test_it_takes_a_model() -> None:
    with pytest.raises(UsageError, match="takes a language model"):
        mabench.run(OtherWords, [made_row("facts")], limits=Limits(judge_stages=True))


@pytest.mark.parametrize(
    ("reply", "holding"),
    [
        ("SAME", "whole"),
        ("The word is OTHER.", "changed"),
        ("NO", "none"),
        ("NOT SAME? NO", "unclear"),
        ("same", "unclear"),
        ("", "unclear"),
    ],
)
def test_a_reply_counts_only_if_it_has_one_of_the_words(reply: str, holding: str) -> None:
    assert read_verdict(reply) == holding


def test_a_model_that_fails_leaves_it_to_the_rules(tmp_path: Path) -> None:
    def refuse(prompt: str) -> str | Fault:
        return Fault("400") if "Record:" in prompt else _answer(prompt)

    with serving(refuse) as served:
        source = _source(_run(served, tmp_path / "run", judges=True))
    assert (source.errors, source.parts["unclear"]) == (0, 10)
