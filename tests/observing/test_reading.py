"""A language model answers with what observed memories returned, and its answers are compared."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mabench.models import ModelSpec
from mabench.observing import AskedOf, Observation, observe
from mabench.results import Run
from mabench.runs import RunStoppedError
from mabench.specs import AgentSpec, InjectionSpec, RunSpec
from tests.command_line import succeed
from tests.models.server import Served, serving
from tests.observing.test_observe import TEXTS, Newest, Oldest, write_conversations

_ASKED = [TEXTS[4][1], TEXTS[6][1]]
_REPLY_DOLLARS = 11e-6 + 3 * 10e-6  # By the tokens that the server counts, and the prices.


def _answer(prompt: str) -> str:
    """The first word that is found of the passages; the code is known to ``Newest`` alone."""
    if _ASKED[1] in prompt:
        return "Bergen." if "Oslo" in prompt else "bergen"
    return "It is K417." if "Torggata" in prompt else "I do not know."


@pytest.fixture
def served(key_and_cache: Path) -> Iterator[Served]:
    with serving(_answer) as server:
        yield server


def _specs(served: Served, prices: Path, max_cost: float | None = None) -> list[RunSpec]:
    model = ModelSpec("m", base_url=served.url, prices=prices, requests_in_flight=1, cache=False)
    return [
        RunSpec(
            agent=AgentSpec(agent=agent, model=model),
            injection=InjectionSpec(protocol="turns"),
            max_cost=max_cost,
        )
        for agent in (Newest, Oldest)
    ]


def _observe(
    folder: Path, specs: list[RunSpec], asked: AskedOf = AskedOf.USERS
) -> tuple[Observation, list[Run]]:
    *runs, observation = observe(folder, specs, asked, folder.with_name("out"))
    assert isinstance(observation, Observation)
    return observation, [run for run in runs if isinstance(run, Run)]


def test_a_model_answers_what_users_asked_and_its_answers_are_compared(
    served: Served, prices: Path, tmp_path: Path
) -> None:
    folder = write_conversations(tmp_path / "own")
    found, runs = _observe(folder, _specs(served, prices))
    newest, oldest = found.runs
    assert [sample.prediction for sample in runs[0].samples()] == ["It is K417.", "bergen"]
    assert [newest.model, oldest.model] == ["m", "m"]
    assert (newest.input_tokens, newest.output_tokens) == (22, 6)
    # With the request that asked whether the server is there.
    assert newest.read_dollars == pytest.approx(3 * _REPLY_DOLLARS)
    assert found.pairs[0].same_answers == 50, "the answers to the second differ in form alone"
    [differing] = found.differing
    assert (differing.question, differing.known) == (_ASKED[0], TEXTS[5][1])
    assert [*differing.answers.values()] == ["It is K417.", "I do not know."]
    for run in runs:
        (source,) = run.summary.sources.values()
        assert (source.errors, source.official, source.corrected) == (0, None, None)


def test_no_reply_is_paid_for_twice(served: Served, prices: Path, tmp_path: Path) -> None:
    folder = write_conversations(tmp_path / "own")
    with pytest.raises(RunStoppedError):  # After the request that asks whether it is there.
        _observe(folder, _specs(served, prices, max_cost=1.5 * _REPLY_DOLLARS))
    assert served.paid.total() == 1
    found, _ = _observe(folder, _specs(served, prices))
    assert served.paid.total() == 4, "two questions, with two memories"
    assert {*served.paid.values()} == {1}
    assert found.pairs[0].same_answers == 50
    again, _ = _observe(folder, _specs(served, prices))
    assert (again, served.paid.total()) == (found, 4)


def test_answers_to_nothing_that_was_asked_are_not_compared(
    served: Served, prices: Path, tmp_path: Path
) -> None:
    folder = write_conversations(tmp_path / "own")
    found, _ = _observe(folder, _specs(served, prices), asked=AskedOf.NOBODY)
    assert (found.pairs[0].same_answers, found.differing) == (None, ())


def test_answers_without_a_model_are_not_compared(
    served: Served, prices: Path, tmp_path: Path
) -> None:
    folder = write_conversations(tmp_path / "own")
    first, second = _specs(served, prices)
    found, _ = _observe(folder, [first, replace(second, agent=AgentSpec(agent=Oldest))])
    assert [run.model for run in found.runs] == ["m", None]
    assert (found.pairs[0].same_answers, found.differing) == (None, ())


def test_the_command_shows_the_answers_that_differ(
    served: Served, prices: Path, tmp_path: Path
) -> None:
    write_conversations(tmp_path / "own")
    module = "tests.observing.test_observe"
    words = ["observe", "own", f"{module}:Newest", f"{module}:Oldest", "--out", "out"]
    words += ["--model", "m", "--base-url", served.url, "--prices", str(prices)]
    said = succeed(*words, "--full", cwd=tmp_path).stdout
    assert f"m gives the same answer to 50 % of the questions with {module}:Newest" in " ".join(
        said.split()
    )
    assert "Said next" in said
    assert "K417" in said
    told = json.loads(succeed(*words, "--format", "json", cwd=tmp_path).stdout)
    assert [run["input_tokens"] for run in told["runs"]] == [22, 22]
    assert [one["question"] for one in told["differing"]] == [_ASKED[0]]
