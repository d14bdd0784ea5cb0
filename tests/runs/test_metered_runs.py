"""Whole runs with memories that call models: every call is counted, kept and replayed."""

import contextlib
import json
import operator
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import mabench
from mabench.errors import UsageError
from mabench.models import ModelSpec, ResponseCache
from mabench.reports.costs.calls import call_remarks, calls_table
from mabench.results import CallRecord, JudgingStoppedError, Run, Sample, judge
from mabench.results.records.store import RunFolder
from mabench.runs import RunStoppedError
from mabench.specs import JudgeSpec, Limits
from tests import parts
from tests.command_line import until
from tests.metering import memories
from tests.metering.memories import Calling, Late
from tests.models.server import FAULTS, KEY, Served, serving
from tests.run_folders import check_run_folder
from tests.runs.test_runs_with_models import rows
from tests.talks import talk, talks, turns

MEMORIES = Path(memories.__file__)
Metered = Callable[..., Run]


@pytest.fixture(autouse=True)
def cache(key_and_cache: Path) -> Path:
    return key_and_cache


def run(url: str, out: Path, agent: Any = Calling, name: str = "openai/m", **given: Any) -> Run:
    """Run with the model m of a server, which may be gone by then."""
    how = {name: given.pop(name) for name in {"prices", "cache", "replay"} & {*given}}
    wanted: dict[str, Any] = {"data": rows(2, 3), "chunk_tokens": 100} | given
    return parts.run(agent, out=out, model=ModelSpec(name, base_url=url, **how), **wanted)


def calls(made: Run) -> list[CallRecord]:
    return [*RunFolder(made.folder).calls()]


def sums(made: Run) -> Any:
    return made.summary.calls


def samples(made: Run) -> list[Sample]:
    """Return the samples in order, without the run that they are of."""
    return sorted((replace(one, run=None) for one in made.samples()), key=lambda one: one.key)


@pytest.fixture
def metered(served: Served, prices: Path, tmp_path: Path) -> Metered:
    """Runs with priced models, and keeps no replies."""
    how: dict[str, Any] = {"prices": prices, "cache": False}
    return lambda agent=Calling, **given: run(served.url, tmp_path / "run", agent, **how | given)


def test_every_call_is_kept_with_its_row_phase_and_question(
    metered: Metered, served: Served
) -> None:
    made = metered(limits=Limits(rows=2))
    found = calls(made)
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
    (own,) = call_remarks(summary)
    assert own.endswith(f"cost ${summary.by_memory.cost:.4f}, besides the answers.")


def test_calls_between_questions_belong_to_the_telling(metered: Metered) -> None:
    asked = [("Which code?", "M902"), ("Which colour?", "blue")]
    data = talks(talk(turns(), asked, asked_after=["t1", None]))
    made = metered(data=data, protocol="turns", chunk_tokens=None)
    began = [call for call in calls(made) if call.by == "memory"]
    assert [(call.phase, call.question_index) for call in began] == [
        *[("memorizing", None)] * 2,
        ("answering", 0),
        *[("memorizing", None)] * 2,
        ("answering", 1),
    ]


@pytest.mark.parametrize(
    ("agent", "executor"),
    [("bm25", "local"), (f"{memories.__name__}:Calling", "processes")],
)
def test_every_request_that_the_server_got_is_counted_and_priced(
    agent: str, executor: str, metered: Metered, served: Served
) -> None:
    """The check before the run is one; a run that is resumed is checked again."""
    for questions, checks in ((1, 1), (3, 2)):
        given = {"limit_questions": questions, "executor": executor, "limits": Limits(rows=2)}
        made = metered(agent, **given)
        found = calls(made)
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
def test_no_memory_or_file_has_the_key(
    env: dict[str, Any], metered: Metered, served: Served
) -> None:
    """The variables of the meter come before those that are passed on."""
    agent = f"{MEMORIES}:FromEnvironment"
    made = metered(agent, python=sys.executable, **env)
    assert {call.by for call in calls(made)} == {"memory", "reader"}
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


def test_a_meter_needs_no_model_and_keeps_and_replays(
    served: Served, prices: Path, cache: Path, tmp_path: Path
) -> None:
    agent, how = f"{MEMORIES}:Plain", {"data": rows(1, 3), "python": sys.executable}
    for name, more in (("unpriced", {}), ("priced", {"prices": prices})):
        before = served.calls
        made = parts.run(agent, out=tmp_path / name, meter=served.url, **how, **more)
        found = calls(made)
        assert len(found) == served.calls - before > 0
        assert {call.by for call in found} == {"memory"}
        assert {call.cost is not None for call in found} == {bool(sums(made).by_memory.cost)}
        assert bool(sums(made).by_memory.cost) is bool(more)
    first = parts.run(agent, out=tmp_path / "a", meter=served.url, cache=True, **how)
    before = served.calls
    parts.run(agent, out=tmp_path / "b", meter=served.url, cache=True, **how)
    again = parts.run(agent, out=tmp_path / "c", meter=served.url, replay=cache, **how)
    assert samples(again) == samples(first)
    assert served.calls == before


def test_a_call_that_comes_late_is_of_its_row(metered: Metered, served: Served) -> None:
    served.pause = 0.03
    made = metered(Late, data=rows(3, 2))
    late = [call for call in calls(made) if call.phase == "late"]
    assert {call.row for call in late} >= {0, 1}
    assert sums(made).late.calls == len(late)
    assert any("after their row had finished" in line for line in call_remarks(sums(made)))


def test_the_cost_of_a_memorys_calls_stops_a_run_for_good(metered: Metered, tmp_path: Path) -> None:
    each = 41e-6
    with pytest.raises(RunStoppedError) as stopped:
        metered(max_cost=each * 5.5, data=rows(1, 3))
    assert stopped.value.by_cost
    found = [call for call in calls(stopped.value.run) if call.by == "memory"]
    assert len(found) == 5
    assert not (tmp_path / "run" / "samples.jsonl").exists()
    with pytest.raises(RunStoppedError):
        metered(max_cost=each * 5.5, data=rows(1, 3))
    assert [call for call in calls(stopped.value.run) if call.by == "memory"] == found
    made = metered(max_cost=1.0, data=rows(1, 3))
    assert made.summary.spent.n == 3
    assert made.summary.spent.errors == 0


def test_a_memorys_model_without_a_price_cannot_be_limited(
    metered: Metered, tmp_path: Path
) -> None:
    (tmp_path / "some.toml").write_text("[m]\ninput = 1\noutput = 10\n")
    with pytest.raises(RunStoppedError, match="price of e, which the memory calls, is unknown"):
        metered(prices=tmp_path / "some.toml", max_cost=1.0)


@pytest.mark.parametrize("executor", ["local", "processes"])
def test_the_embeddings_of_a_memory_that_comes_with_mabench_are_calls_of_that_memory(
    executor: str, served: Served, prices: Path, tmp_path: Path
) -> None:
    settings = {"embeddings": "openai/e", "base_url": served.url}

    def embed(prices: Path | None = None, **given: Any) -> Run:
        agent = mabench.AgentSpec(agent="hybrid", settings=settings, prices=prices)
        how = mabench.InjectionSpec(protocol="structured", chunk_tokens=100)
        given |= {"executor": executor, "limits": Limits(rows=2, questions=2), "protocol": how}
        return mabench.run(agent, rows(2, 3), **given)

    made = embed(out=tmp_path / "unpriced")
    check_run_folder(made.folder)
    found = calls(made)
    assert len(found) == served.calls
    assert {(call.by, call.path, call.model) for call in found} == {("memory", "embeddings", "e")}
    chunks = {memory.row: memory.chunks for memory in RunFolder(made.folder).memories().values()}
    wanted: dict[Any, Any] = {(row, "memorizing", None): chunks[row] for row in (0, 1)}
    wanted |= {(row, "answering", question): 1 for row in (0, 1) for question in range(3)}
    counted = Counter((call.row, call.phase, call.question_index) for call in found)
    assert counted == wanted
    total = sums(made).by_memory
    assert (total.input_tokens, total.cost, total.estimated) == (11 * len(found), None, 0)
    assert not [*call_remarks(sums(made))]
    priced = embed(prices, out=tmp_path / "priced")
    assert samples(priced) == samples(made)
    assert sums(priced).by_memory.cost == pytest.approx(0.5 * 11 / 1e6 * len(found))
    with pytest.raises(RunStoppedError, match="price of e, which the memory calls, is unknown"):
        embed(out=tmp_path / "unknown", max_cost=1.0)
    with pytest.raises(RunStoppedError, match="spent of") as stopped:
        embed(prices, out=tmp_path / "dear", max_cost=0.5 * 11 / 1e6 * 5.5)
    assert stopped.value.by_cost


def test_of_embeddings_that_a_server_does_not_count_or_give_the_calls_are_recorded(
    served: Served, tmp_path: Path
) -> None:
    settings = {"embeddings": "openai/e", "base_url": served.url}
    served.counts, served.fault = False, lambda number: 500 if number == 2 else None
    made = run(served.url, tmp_path, "dense", settings=settings, data=rows(1, 1), cache=False)
    failed, again, *_ = [call for call in calls(made) if call.failed or call.again]
    assert (failed.error, failed.by, again.again) == ("HTTP 500: status 500", "memory", True)
    assert {call.by for call in calls(made) if call.estimated} == {"memory", "reader"}
    assert all(call.input_tokens for call in calls(made) if not call.failed)
    assert sums(made).by_memory.calls == served.paths["/v1/embeddings"]


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
    found = calls(Run(out))
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
    served: Served, prices: Path, tmp_path: Path, cached: str, each: float
) -> None:
    prices.write_text(f"[m]\ninput = 1\noutput = 10\n{cached}\n[e]\ninput = 0\noutput = 0\n")
    made, again = (
        run(served.url, tmp_path / name, data=rows(1, 1), prices=prices) for name in ("a", "b")
    )
    for call in calls(made):
        if call.model == "m":
            assert call.cached_tokens == 4
            assert call.cost == pytest.approx(each / 1e6)
    for one in (made, again):
        (sample,) = one.samples()
        assert sample.cost == pytest.approx(each / 1e6), "a kept reply says what it did cost"
    summary = sums(made)
    memorized = summary.memorizing.totals.calls
    assert summary.by_memory.cached_tokens == 4 * memorized
    assert summary.by_reader.cached_tokens == 4 + 4, "with the preflight"


# Replies that are kept: run again they cost nothing, and they can be replayed.


class Fixed(Calling):
    """Extracts with a model of its own choice, whoever reads."""

    def __init__(self, model: dict[str, str]) -> None:
        super().__init__({**model, "name": "m"})


class Swallowing(Calling):
    """Passes over every error of its model, as some memories do."""

    def _call(self, path: str, body: dict[str, Any]) -> None:
        with contextlib.suppress(urllib.error.HTTPError):
            super()._call(path, body)


def test_run_again_extraction_is_free(served: Served, prices: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"prices": prices, "cache": True, "agent": Fixed}
    first = run(served.url, tmp_path / "a", **given)
    sent = len(served.requests)
    second = run(served.url, tmp_path / "b", name="openai/n", **given)
    asked = [request["model"] for request in served.requests[sent:]]
    assert asked == ["n"] * 6, "the questions to the new reader"
    paid, kept = ([c for c in calls(one) if c.by == "memory"] for one in (first, second))
    assert len(paid) > 6
    assert not any(call.kept for call in paid)
    assert all(call.kept and call.cost == 0 and call.status == 200 for call in kept)
    what = operator.attrgetter("row", "phase", "path", "input_tokens", "reply")
    assert Counter(map(what, paid)) == Counter(map(what, kept))
    before, after = (cast(Any, one.summary.calls) for one in (first, second))
    assert before.by_memory.cost
    assert (after.by_memory.cost, after.by_memory.kept) == (0, len(kept))
    assert any("answered from the cache" in line for line in call_remarks(after))
    sent = served.calls
    given["offline"] = True  # Without a preflight, unless a reply is not cached.
    assert samples(run(served.url, tmp_path / "c", **given)) == samples(first)
    assert served.calls == sent
    again = run(served.url, tmp_path / "d", max_cost=41e-6 / 2, **given)  # Half of a call.
    assert (again.summary.spent.n, again.summary.spent.errors) == (6, 0)


def test_memories_calls_are_kept_only_where_it_is_asked_for(served: Served, tmp_path: Path) -> None:
    for name in ("a", "b"):
        made = run(served.url, tmp_path / name, data=rows(1, 3))
        assert not any(call.kept for call in calls(made) if call.by == "memory")
    assert sum(call.kept for call in calls(made) if call.by == "reader") == 3


PROCESSES: dict[str, Any] = {"executor": "processes", "limits": Limits(rows=2, questions=3)}


@pytest.mark.parametrize("how", [{}, PROCESSES], ids=["local", "processes"])
def test_a_replay_without_server_and_key_gives_the_same_samples(
    how: dict[str, Any], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as served:
        first = run(served.url, tmp_path / "a", cache=True)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "empty"))
    cache.chmod(0o500)
    try:
        again = run(served.url, tmp_path / "b", replay=cache, **how)
    finally:
        cache.chmod(0o700)
    assert samples(again) == samples(first)
    found = calls(again)
    assert len(found) == len([call for call in calls(first) if call.phase != "preflight"])
    assert all(call.kept and call.cost == 0 for call in found)
    assert not (tmp_path / "empty" / "replies.sqlite").exists()


# Of row 1: what is asked by whom and of which question, what is said of it, and how many answers
# there are by then.
@pytest.mark.parametrize(
    ("wanted", "named", "answers"),
    [
        (("memory", "chat/completions", None), "memorizing: no reply to chat/completions of m", 0),
        (("memory", "embeddings", 2), "question 2: no reply to embeddings of e", 2),
        (
            ("reader", "chat/completions", 1),
            "question 1: no reply to chat/completions of open",
            1,
        ),
    ],
)
def test_what_is_not_kept_stops_the_replay_and_is_named(
    wanted: tuple[str, str, int | None],
    named: str,
    answers: int,
    served: Served,
    cache: Path,
    tmp_path: Path,
) -> None:
    first = run(served.url, tmp_path / "first", cache=True)
    shutil.copytree(cache, tmp_path / "whole")
    row = [call for call in calls(first) if call.row == 1]
    reply = next(c.reply for c in row if (c.by, c.path, c.question_index) == wanted)
    store = ResponseCache(cache)
    store._rows._connection.execute("DELETE FROM replies WHERE key = ?", [reply])
    store.close()
    before = served.calls
    # One after the other, so that it is known what was answered before the stop.
    one: dict[str, Any] = {"limits": Limits(questions=1)}
    ways = [(Calling, one), (Swallowing, one), *([(Calling, PROCESSES)] if not answers else [])]
    for number, (agent, how) in enumerate(ways):
        said, out = re.escape(f"row 1, {named}"), tmp_path / f"{number}"
        with pytest.raises(RunStoppedError, match=rf"{said}.*\(request {str(reply)[:12]}") as stop:
            run(served.url, out, agent, replay=cache, **how)
        assert stop.value.not_kept
        found = [sample.key[1:] for sample in samples(Run(out))]
        assert how is PROCESSES or found == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)][: 3 + answers]
        again = run(served.url, out, agent, replay=tmp_path / "whole", **how)
        assert samples(again) == samples(first)
    assert served.calls == before


def test_a_memory_that_calls_past_the_meter_is_not_replayed(cache: Path, tmp_path: Path) -> None:
    ResponseCache(cache).close()
    with pytest.raises(UsageError, match="embeddings=openai/e bypasses the meter") as raised:
        run("", tmp_path / "a", "dense", replay=cache, settings={"embeddings": "openai/e"})
    assert raised.value.parameter == "replay"
    assert not (tmp_path / "a").exists()


def test_a_judge_is_replayed(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how: dict[str, Any] = {"sources": "longmemeval_s*", "limit_questions": 2}
    made = mabench.run("bm25", **how, out=tmp_path / "run")
    file = made.folder / "judgments.jsonl"

    def judged(url: str, **how: Any) -> list[str]:
        file.unlink(missing_ok=True)
        judge(made.folder, JudgeSpec(model=ModelSpec("m", base_url=url, **how)))
        return sorted(file.read_text("utf-8").splitlines())

    with serving(lambda _: "yes") as served:
        first = judged(served.url)
    assert all(json.loads(line)["verdict"] for line in first)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert judged(served.url, replay=cache) == first
    store = ResponseCache(cache)
    store.clear()
    store.close()
    with pytest.raises(JudgingStoppedError, match=r"question \d+: no reply to chat/com") as stopped:
        judged(served.url, replay=cache)
    assert stopped.value.not_kept
