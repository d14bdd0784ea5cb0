"""Races whose agents call models: limits, meters and replies are those of runs."""

from pathlib import Path
from typing import Any

from mabench.models import ModelSpec
from mabench.races import Race, run_race
from mabench.results import Run
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, RaceSpec, RunSpec
from tests.metering.memories import Calling
from tests.models.server import Served
from tests.races.test_race import histories


def test_a_race_is_metered_and_can_be_replayed(
    served: Served, prices: Path, key_and_cache: Path, tmp_path: Path
) -> None:
    def end(out: str, **kept: Any) -> Race:
        model = ModelSpec("openai/m", base_url=served.url, prices=prices, **kept)
        agents = [AgentSpec(agent=Calling, settings={"k": k}, model=model) for k in (1, 2)]
        run = RunSpec(
            data=DataSpec(data=histories(6)),
            injection=InjectionSpec(chunk_tokens=100),
            out=tmp_path / out,
        )
        return [*run_race(agents, RaceSpec(run=run, max_histories=2))][-1]

    first = end("a", cache=True)
    calls = [run.summary.calls for run in first.runs]
    assert calls[0]
    assert calls[0].by_memory.cost
    assert calls[1]
    assert calls[1].by_memory.kept, "as the first agent's memory asked them"
    sent = served.calls
    again = end("b", replay=key_and_cache)
    assert again.result == first.result
    assert served.calls == sent
    assert [len([*Run(run.folder).samples()]) for run in again.runs] == [8, 8]
