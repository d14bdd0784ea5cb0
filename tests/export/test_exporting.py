import asyncio
import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import mabench
from mabench.data import Row
from mabench.errors import DataError, UsageError
from mabench.export import export
from mabench.export.histories import Histories
from mabench.families import SYSTEM_MESSAGE
from mabench.models import ModelSpec
from mabench.models.preflight import PREFLIGHT_PROMPT
from mabench.results import COLUMN_NAMES, Run, RunFolder
from mabench.runs.execution import execute
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, RunSpec
from tests.comparison.made import made_run
from tests.export.agents import Hearing, Noting
from tests.models.server import Served
from tests.rows import FACTS, dataset, row
from tests.talks import SOURCE, talk, talks, turns

_QA = "ruler_qa1_197K"


def _lines(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_exports_say_what_was_passed_natively_and_after_what_was_asked(tmp_path: Path) -> None:
    asked = [("Where is the key?", "T555"), ("Where is the key now?", "T555")]
    rows = talks(talk(turns(), asked, asked_after=["t1", None]))
    run = mabench.run("bm25", rows, protocol="turns", out=tmp_path / "run")
    export(run, "csv", tmp_path / "run.csv")
    lines = _lines(tmp_path / "run.csv")
    assert [line["asked_after"] for line in lines] == ["t1", ""]
    passed = {"unit": "turn", "told": ["time", "user"], "asked": ["time", "user"]}
    assert json.loads(lines[0]["settings"])["takes"] == passed


def test_runs_are_one_table_with_a_line_for_each_question_run_agent_and_settings(
    run: Run, tmp_path: Path
) -> None:
    other = mabench.run("bm25", dataset(), settings={"k": 2}, out=tmp_path / "other")
    export([run, other], "csv", tmp_path / "both.csv")
    lines = _lines(tmp_path / "both.csv")
    assert [*lines[0]] == [*COLUMN_NAMES]
    for line, sample in zip(lines, [*run.samples(), *other.samples()], strict=True):
        assert (line["source"], line["question"]) == (sample.source, sample.question)
        assert json.loads(line["golds"]) == sample.answers
        assert line["prediction"] == sample.prediction
        assert float(line["official"]) in sample.official.values()
        assert float(line["seconds"]) > 0
    assert {(line["run"], line["agent"]) for line in lines} == {
        (str(one.folder), one.summary.agent) for one in (run, other)
    }
    settings = [json.loads(line["settings"]) for line in (lines[0], lines[-1])]
    assert [(one.get("k"), one["protocol"]) for one in settings] == [
        *((None, "structured"), ("2", "structured"))
    ]
    export(run, "parquet", tmp_path / "run.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "run.parquet").equals(run.table())
    export([run, other], "parquet", tmp_path / "both.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "both.parquet").num_rows == len(lines)
    with pytest.raises(UsageError, match="inspect exports one run"):
        export([run, other], "inspect", tmp_path / "both")


# What a spreadsheet would run, and answers that stay as they are; halves of characters are marked.
_FORMULAS = ['=HYPERLINK("http://evil","x")', "+1+1", "-2+3", "@SUM(A1)", "\uff1d1+1"]
_FORMULAS += [
    f"{space}=1+1" for space in ("\t", "\r", "  ", "\x0b", "\u00a0", "\u2060", "\ufeff", "\u200b")
]
_ORDINARY = ["a=b", "43", "3 - 2", "Bern, Oslo\nRome", 'so "called"', "'x", "half \ud83d of it"]


def test_what_a_spreadsheet_would_run_is_defused_and_the_rest_stays(tmp_path: Path) -> None:
    answers = [*_FORMULAS, *_ORDINARY]
    store = RunFolder(made_run(tmp_path / "run", {_QA: [[1.0] * len(answers)]}))
    samples = zip(list(store.samples()), answers, strict=True)
    store.replace_samples([replace(one, prediction=answer) for one, answer in samples])
    for form in ("csv", "parquet"):
        export(Run(store.path), form, tmp_path / f"run.{form}")
    marked = [answer.replace("\ud83d", "\ufffd") for answer in answers]
    cells = [f"'{one}" if one in _FORMULAS else one for one in marked]
    assert [line["prediction"] for line in _lines(tmp_path / "run.csv")] == cells
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    assert table["prediction"].to_pylist() == marked


def test_what_cannot_be_exported_is_said_and_nothing_is_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for form in ("csv", "parquet", "inspect"):
        with pytest.raises(UsageError, match="file exists already; choose another name"):
            export(run, form, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(UsageError, match="unknown format 'cvs': did you mean csv"):
        export(run, "cvs", tmp_path / "x")
    with pytest.raises(UsageError, match="no run here"):
        export(Run(tmp_path / "nothing"), "csv", tmp_path / "x.csv")
    with pytest.raises(UsageError, match=r"is not a folder|Not a directory"):
        export(run, "csv", tmp_path / "file" / "x.csv")
    assert not [*tmp_path.rglob("*.csv"), *tmp_path.rglob("*.part")]


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
    assert failed.sample.prediction is None
    assert (failed.sample.error or "").startswith("ValueError: I will not say (answer of ")
    assert answered.sample.prediction == "Bern"
    Noting.made.clear()
    answers = _ask(_histories(forget=True), [(0, 0), (0, 1)])
    error = "memorizing failed: OSError: no room left (memorize of "
    assert all((answer.sample.error or "").startswith(error) for answer in answers)
    assert [agent.asked for agent in Noting.made] == [[]]


@pytest.mark.parametrize(
    ("agent", "settings", "limits"),
    [
        # One question after the other, as they are asked below.
        ("bm25", {}, Limits(questions=1)),
        ("long-context", {}, Limits(questions=1)),
        (_HEARING, {}, Limits(questions=1)),
        (_HEARING, {"hang_on": "Ann"}, Limits(answer_seconds=0.2, questions=1)),
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
    assert served.requests == [request for request in sent if PREFLIGHT_PROMPT not in str(request)]
    assert [answer.sample for answer in answers] == [
        replace(one, prompt=None, run=None) for one in samples
    ]
    histories.close()
    counted = run.summary.calls
    assert counted
    assert sum(answer.calls.calls for answer in answers if answer.calls) == counted.by_memory.calls
    assert protocol == "structured" or SYSTEM_MESSAGE in str(heard or sent)
