import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabench.data import Row
from mabench.errors import DataError, UsageError
from mabench.export.histories import Histories
from mabench.families import SYSTEM_MESSAGE
from mabench.models import ModelSpec
from mabench.models.reading_model import _PREFLIGHT_PROMPT
from mabench.runs.execution import execute
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, RunSpec
from tests.export.agents import Hearing, Noting
from tests.models.server import Served
from tests.rows import FACTS, dataset, row
from tests.talks import SOURCE, talk, talks, turns

_SOURCE = "factconsolidation_sh_6k"
_NOTING, _HEARING = "tests.export.agents:Noting", "tests.export.agents:Hearing"


def _rows(more_facts: str = "") -> list[Row]:
    pairs = [("Where does Ann live?", ["Bern"]), ("Where does Bob live?", ["Oslo"])]
    return [
        row(_SOURCE, FACTS.replace("Ann", name) + more_facts, pairs, index)
        for index, name in enumerate(("Ann", "Eve"))
    ]


def _histories(agent: str = _NOTING, **settings: object) -> Histories:
    spec = RunSpec(
        agent=AgentSpec(agent=agent, settings=settings),
        data=DataSpec(data=dataset(_rows()), sources=(_SOURCE,)),
    )
    return Histories(spec, _SOURCE)


def _ask(histories: Histories, places: Sequence[tuple[int, int]], epoch: int = 1) -> list[Any]:
    """Ask several questions at a time; a place is a row and a question of it."""

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(histories.ask(*place, epoch) for place in places))

    return asyncio.run(all_at_once())


def test_each_point_of_a_history_has_an_agent_that_knows_no_more() -> None:
    pairs, points = [("Which code?", "K417")] * 3, ["t2", "t0", "t2"]
    data = talks(talk(turns(), pairs, asked_after=points))
    agent, data_spec = AgentSpec(agent=_NOTING), DataSpec(data=data, sources=(SOURCE,))
    spec = RunSpec(agent=agent, data=data_spec, injection=InjectionSpec(protocol="turns"))
    _ask(Histories(spec, SOURCE), [(0, 0), (0, 1), (0, 2)])
    agents = sorted(Noting.made, key=lambda agent: len(agent.told))
    assert [(len(agent.told), len(agent.asked)) for agent in agents] == [(1, 1), (3, 2)]


def test_each_history_has_one_agent_an_epoch_that_is_asked_in_turn() -> None:
    histories = _histories()
    _ask(histories, [(0, 0), (1, 0), (0, 1), (1, 1)])
    one, other = sorted("".join(agent.told) for agent in Noting.made)
    assert ("Ann" in one, "Eve" in other) == (True, True)
    for epoch, question in ((2, 0), (3, 1)):
        _ask(histories, [(0, question)], epoch)
    asked = [(len(agent.asked), agent.closed) for agent in Noting.made]
    assert asked == [(2, True)] * 2 + [(1, False)] * 2
    assert Noting.most_at_once == 1


def test_an_agent_stays_open_while_questions_are_left() -> None:
    histories = _histories()
    _ask(histories, [(0, 0)])
    _ask(histories, [(1, 0), (1, 1)])  # Another event loop of the caller does not matter.
    assert [agent.closed for agent in Noting.made] == [False, True]
    histories.close()
    assert [agent.closed for agent in Noting.made] == [True, True]
    with pytest.raises(UsageError, match="no agent named 'nobody'"):
        _histories("nobody")
    spec = RunSpec(data=DataSpec(data=dataset(_rows()), sources=("eventqa_full",)))
    with pytest.raises(DataError, match="no rows of eventqa_full"):
        Histories(spec, "eventqa_full")


def test_failures_are_recorded_and_the_next_is_asked() -> None:
    failed, answered = _ask(_histories(fail_on="Ann"), [(0, 0), (0, 1)])
    assert (failed.sample.prediction, failed.sample.error) == (None, "ValueError: I will not say")
    assert answered.sample.prediction == "Bern"
    Noting.made.clear()
    answers = _ask(_histories(forget=True), [(0, 0), (0, 1)])
    error = "memorizing failed: OSError: no room left"
    assert {answer.sample.error for answer in answers} == {error}
    assert [agent.asked for agent in Noting.made] == [[]]


@pytest.mark.parametrize(
    ("agent", "settings", "limits"),
    [
        ("bm25", {}, Limits()),
        ("long-context", {}, Limits()),
        (_HEARING, {}, Limits()),
        (_HEARING, {"hang_on": "Ann"}, Limits(answer_seconds=0.2)),
    ],
)
@pytest.mark.parametrize(("protocol", "own_prompts"), [("structured", True), ("paper", False)])
@pytest.mark.usefixtures("key_and_cache")
def test_agents_and_models_get_what_they_get_in_a_run(
    agent: str,
    settings: dict[str, object],
    limits: Limits,
    protocol: str,
    own_prompts: bool,
    served: Served,
    tmp_path: Path,
) -> None:
    """Equal prompts, system messages, cuts of the history, limits and calls that are counted."""
    prompts = tmp_path / "prompts.toml"
    prompts.write_text('[factconsolidation]\nmemorize = "Read: {chunk}"\n', encoding="utf-8")
    facts = "".join(f"{number}. The cat eats.\n" for number in range(3, 400))
    spec = RunSpec(
        agent=AgentSpec(
            agent=agent,
            settings=settings,
            model=ModelSpec("openai/m", base_url=served.url, cache=False, window=3000),
        ),
        data=DataSpec(data=dataset(_rows(facts)), sources=(_SOURCE,)),
        injection=InjectionSpec(
            protocol=protocol, chunk_tokens=300, prompts=prompts if own_prompts else None
        ),
        limits=limits,
        out=tmp_path / "run",
    )
    run = execute(spec)
    heard, sent = [*Hearing.heard], [*served.requests]
    Hearing.heard.clear()
    served.requests.clear()
    histories = Histories(spec, _SOURCE)
    samples = [*run.samples()]
    answers = [_ask(histories, [(one.row, one.question_index)])[0] for one in samples]
    assert Hearing.heard == heard
    assert served.requests == [request for request in sent if _PREFLIGHT_PROMPT not in str(request)]
    assert [answer.sample for answer in answers] == [replace(one, prompt=None) for one in samples]
    histories.close()
    counted = run.summary.calls
    assert counted
    assert sum(answer.calls.calls for answer in answers if answer.calls) == counted.by_memory.calls
    assert protocol == "structured" or SYSTEM_MESSAGE in str(heard or sent)
