"""Whole runs with memories that call models by themselves: all calls are found in the folder."""

import json
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import UsageError
from mabench.models import ModelSpec
from mabench.reports.costs import call_remarks, calls_table
from mabench.results import CallRecord, Run
from mabench.results.records.store import RunFolder
from mabench.runs import RunStoppedError
from mabench.specs import Limits
from tests import parts
from tests.metering import memories
from tests.metering.memories import Calling, Late
from tests.models.server import FAULTS, KEY, Served
from tests.run_folders import check_run_folder
from tests.runs.test_runs_with_models import rows
from tests.talks import talk, talks, turns
from tests.waiting import until

MEMORIES = Path(memories.__file__)

pytestmark = pytest.mark.usefixtures("key_and_cache")


Running = Callable[..., tuple[Run, list[CallRecord]]]


@pytest.fixture
def run(served: Served, prices: Path, tmp_path: Path) -> Running:
    def work(agent: Any = Calling, out: str = "run", **given: Any) -> tuple[Run, list[CallRecord]]:
        priced = given.pop("prices", prices)
        model = ModelSpec("openai/m", base_url=served.url, prices=priced, cache=False)
        given = {"data": rows(2, 3), "chunk_tokens": 100, "model": model, **given}
        return parts.run(agent, out=tmp_path / out, **given), calls(tmp_path / out)

    return work


def calls(out: Path) -> list[CallRecord]:
    return [*RunFolder(out).calls()]


def sums(made: Run) -> Any:
    return made.summary.calls


def test_every_call_is_kept_with_its_row_phase_and_question(run: Running, served: Served) -> None:
    made, found = run(limits=Limits(rows=2))
    check_run_folder(made.folder)
    assert len(found) == served.calls
    chunks = {memory.row: memory.chunks for memory in RunFolder(made.folder).memories().values()}
    counted = Counter((call.row, call.by, call.phase, call.model) for call in found)
    assert counted == {
        (0, "reader", "preflight", "m"): 1,
        **{(r, "memory", "memorizing", "m"): chunks[r] for r in (0, 1)},
        **{(r, "memory", "answering", "e"): 3 for r in (0, 1)},
        **{(r, "reader", "answering", "m"): 3 for r in (0, 1)},
    }
    for by in ("memory", "reader"):
        asked = [c.question_index for c in found if c.by == by and c.phase == "answering"]
        assert sorted(one for one in asked if one is not None) == [0, 0, 1, 1, 2, 2]
    summary = sums(made)
    told = summary.memorizing
    assert told.models["m"].calls == sum(chunk or 0 for chunk in chunks.values())
    assert told.totals.cost == pytest.approx(told.totals.calls * (11 + 30) / 1e6)
    assert told.each.calls == pytest.approx(1000 * told.totals.calls / summary.history_tokens)
    assert summary.answering.each.calls == 2
    table = calls_table(summary)
    assert [line[:3] for line in table.rows][-1] == ("answering", "per question", "2.00")
    assert ("answering", "e per question", "1.00") in [line[:3] for line in table.rows]
    each = summary.answering.each_model or {}
    assert {name: one.calls for name, one in each.items()} == {"e": 1, "m": 1}
    assert told.each_model == {"m": told.each}
    assert not [*call_remarks(summary)]


def test_calls_between_questions_belong_to_the_telling(run: Running) -> None:
    asked = [("Which code?", "M902"), ("Which colour?", "blue")]
    data = talks(talk(turns(), asked, asked_after=["t1", None]))
    _, found = run(data=data, protocol="turns", chunk_tokens=None)
    began = [call for call in found if call.by == "memory"]
    assert [(call.phase, call.question_index) for call in began] == [
        ("memorizing", None),
        ("memorizing", None),
        ("answering", 0),
        ("memorizing", None),
        ("memorizing", None),
        ("answering", 1),
    ]


@pytest.mark.parametrize(
    ("agent", "executor"),
    [
        ("bm25", "local"),
        (f"{memories.__name__}:Calling", "processes"),
        pytest.param("bm25", "processes", marks=pytest.mark.slow),
        pytest.param(f"{memories.__name__}:Calling", "local", marks=pytest.mark.slow),
    ],
)
def test_every_request_that_the_server_got_is_counted_and_priced(
    agent: str, executor: str, run: Running, served: Served
) -> None:
    """The check before the run is one; a run that is resumed is checked again."""
    for questions, checks in ((1, 1), (3, 2)):
        given = {"limit_questions": questions, "executor": executor, "limits": Limits(rows=2)}
        made, found = run(agent, **given)
        assert Counter(call.row for call in found if call.phase == "preflight") == {0: checks}
        read = Counter(call.row for call in found if call.by == "reader")
        assert read == {0: questions + checks, 1: questions}
        summary = sums(made)
        assert summary.by_memory.calls + summary.by_reader.calls == len(found) == served.calls
        assert summary.preflight.calls == checks
        assert any("before the run" in line for line in calls_table(summary).rows)
        cost = sum(call.cost or 0 for call in found if call.by == "reader")
        assert made.summary.spent.cost == pytest.approx(cost)


@pytest.mark.parametrize("env", [{}, {"env": ["OPENAI_API_KEY"]}])
def test_no_memory_or_file_has_the_key(env: dict[str, Any], run: Running, served: Served) -> None:
    """The variables of the meter come before those that are passed on."""
    agent = f"{MEMORIES}:FromEnvironment"
    made, found = run(agent, python=sys.executable, **env)
    assert {call.by for call in found} == {"memory", "reader"}
    bodies = [body.decode() for body in served.bodies]
    shown = [text for text in bodies if " of [" in text]
    assert shown
    assert all(re.search(r"with sk-mabench-[\w-]{32} of ", text) for text in shown)
    assert not any(KEY in text for text in bodies)
    assert {headers.get("Authorization") for headers in served.headers} == {f"Bearer {KEY}"}
    for file in [*made.folder.glob("*.json"), *made.folder.glob("*.jsonl")]:
        content = file.read_text("utf-8")
        assert KEY not in content
        assert "sk-mabench-" not in content


@pytest.mark.parametrize("priced", [False, True])
def test_a_meter_needs_no_model(priced: bool, served: Served, prices: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"python": sys.executable, "prices": prices if priced else None}
    agent = mabench.AgentSpec(agent=f"{MEMORIES}:FromEnvironment", meter=served.url, **how)
    made = mabench.run(agent, rows(1, 3), out=tmp_path / "run")
    found = calls(tmp_path / "run")
    assert len(found) == served.calls > 0
    assert {call.by for call in found} == {"memory"}
    assert {call.cost is not None for call in found} == {priced}
    assert bool(sums(made).by_memory.cost) is priced


def test_a_call_that_comes_late_is_of_its_row(run: Running, served: Served) -> None:
    served.pause = 0.03
    made, found = run(Late, data=rows(3, 2))
    late = [call for call in found if call.phase == "late"]
    assert {call.row for call in late} >= {0, 1}
    assert sums(made).late.calls == len(late)
    assert any("after their row had finished" in line for line in call_remarks(sums(made)))


def test_the_cost_of_a_memorys_calls_stops_a_run_for_good(run: Running, tmp_path: Path) -> None:
    each = 41e-6
    with pytest.raises(RunStoppedError) as stopped:
        run(max_cost=each * 5.5, data=rows(1, 3))
    assert stopped.value.by_cost
    found = [call for call in calls(tmp_path / "run") if call.by == "memory"]
    assert len(found) == 5
    assert not (tmp_path / "run" / "samples.jsonl").exists()
    with pytest.raises(RunStoppedError):
        run(max_cost=each * 5.5, data=rows(1, 3))
    assert [call for call in calls(tmp_path / "run") if call.by == "memory"] == found
    made, _ = run(max_cost=1.0, data=rows(1, 3))
    assert made.summary.spent.n == 3
    assert made.summary.spent.errors == 0


def test_a_memorys_model_without_a_price_cannot_be_limited(run: Running, tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text("[m]\ninput = 1\noutput = 10\n")
    with pytest.raises(RunStoppedError, match="price of e, which the memory calls, is unknown"):
        run(prices=tmp_path / "some.toml", max_cost=1.0)


def test_what_cannot_be_metered_is_refused(served: Served, tmp_path: Path) -> None:
    for url in (served.url, "nothing", "http://user:secret@host/v1", "ftp://host"):
        said = "cannot be told where to call" if url == served.url else None
        with pytest.raises(UsageError, match=said) as raised:
            mabench.run(
                mabench.AgentSpec(agent="bm25", meter=url), rows(1, 3), out=tmp_path / "run"
            )
        assert raised.value.parameter == "meter"
    assert not (tmp_path / "run").exists()


_RUN = """
import sys
import mabench
from mabench.models import ModelSpec
from mabench.specs import Limits
from tests.metering.memories import Calling
from tests.runs.test_runs_with_models import rows
from pathlib import Path
url, prices, out, count = sys.argv[1:]
model = ModelSpec("openai/m", base_url=url, prices=Path(prices), cache=False)
mabench.run(Calling, rows(int(count), 10), model=model, out=out,
            protocol=mabench.InjectionSpec(chunk_tokens=30), limits=Limits(rows=4))
"""


def start(served: Served, prices: Path, out: Path, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _RUN, served.url, str(prices), str(out), str(count)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[2])


def listening(process: int) -> list[int]:
    """Return the ports on which a process listens, by what Linux tells of its sockets."""
    inodes = set()
    for link in Path(f"/proc/{process}/fd").iterdir():
        found = re.match(r"socket:\[(\d+)\]", str(link.readlink())) if link.is_symlink() else None
        inodes |= {found[1]} if found else set()
    lines = Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]
    parts = [line.split() for line in lines]
    return [int(p[1].split(":")[1], 16) for p in parts if p[3] == "0A" and p[9] in inodes]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells who listens")
def test_nothing_listens_after_a_killed_run(served: Served, prices: Path, tmp_path: Path) -> None:
    served.pause = 0.05
    process = start(served, prices, tmp_path / "run", 4)
    try:
        until(lambda: served.calls >= 10, 120)
        (port,) = listening(process.pid)
    finally:
        process.kill()
        process.wait()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=2)


@pytest.mark.slow
def test_no_call_is_lost_or_doubled_over_kills_faults_and_resumes(
    served: Served, prices: Path, tmp_path: Path
) -> None:
    served.fault = lambda call: FAULTS[call // 10 % len(FAULTS)] if 1 < call % 10 < 5 else None
    sittings, out, killed = 0, tmp_path / "run", True
    while killed:
        sittings += 1
        process = start(served, prices, out, 40)
        before = served.calls
        while process.poll() is None and served.calls < before + 600:
            time.sleep(0.01)
        killed = process.poll() is None
        process.kill()
        process.wait()
    assert sittings >= 3
    found = calls(out)
    assert len({call.call for call in found}) == len(found)
    unfinished = [call for call in found if not call.ended]
    sent = served.calls  # With a preflight in each sitting.
    assert sent >= 2000
    # What was begun at the instant of a kill may not have reached the server.
    assert len(found) - len(unfinished) <= sent <= len(found)
    assert len(unfinished) <= 16 * sittings
    assert json.loads((out / "summary.json").read_text("utf-8"))["calls"]


# The server of the tests says that 4 of 11 tokens of a chat were kept, and that 3 came back.
@pytest.mark.parametrize(("cached", "each"), [("", 11 + 30), ("cached_input = 0.1", 7 + 0.4 + 30)])
def test_tokens_that_the_server_had_kept_have_their_own_price(
    run: Running, served: Served, prices: Path, cached: str, each: float
) -> None:
    prices.write_text(f"[m]\ninput = 1\noutput = 10\n{cached}\n[e]\ninput = 0\noutput = 0\n")
    model = ModelSpec("openai/m", base_url=served.url, prices=prices)
    made, found = run(out="a", data=rows(1, 1), model=model)
    for call in found:
        if call.model == "m":
            assert call.cached_tokens == 4
            assert call.cost == pytest.approx(each / 1e6)
    again, _ = run(out="b", data=rows(1, 1), model=model)
    for one in (made, again):
        (sample,) = one.samples()
        assert sample.cost == pytest.approx(each / 1e6), "a kept reply says what it did cost"
    summary = sums(made)
    memorized = summary.memorizing.totals.calls
    assert summary.by_memory.cached_tokens == 4 * memorized
    assert summary.by_reader.cached_tokens == 4 + 4, "with the preflight"
