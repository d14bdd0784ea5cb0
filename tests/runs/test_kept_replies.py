"""Whole runs whose replies are kept: run again they cost nothing, and they can be replayed."""

import contextlib
import json
import operator
import re
import shutil
import sys
import time
import urllib.error
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

import mabench
from mabench.errors import UsageError
from mabench.models import ModelSpec, ResponseCache
from mabench.reports.costs import call_remarks
from mabench.results import CallRecord, JudgingStoppedError, Run, Sample, judge
from mabench.results.records.store import RunFolder
from mabench.runs import RunStoppedError
from mabench.specs import JudgeSpec, Limits
from tests import parts
from tests.metering import memories
from tests.metering.memories import Calling
from tests.models.server import Served, serving
from tests.runs.test_runs_with_models import rows


@pytest.fixture(autouse=True)
def cache(key_and_cache: Path) -> Path:
    return key_and_cache


class Fixed(Calling):
    """Extracts with a model of its own choice, whoever reads."""

    def __init__(self, model: dict[str, str]) -> None:
        super().__init__({**model, "name": "m"})


class Swallowing(Calling):
    """Passes over every error of its model, as some memories do."""

    def _call(self, path: str, body: dict[str, Any]) -> None:
        with contextlib.suppress(urllib.error.HTTPError):
            super()._call(path, body)


def run(url: str, out: Path, agent: Any = Calling, name: str = "openai/m", **given: Any) -> Run:
    """Run with the model m of a server, which may be gone by then."""
    how = {name: given.pop(name) for name in {"prices", "cache", "replay"} & {*given}}
    wanted: dict[str, Any] = {"data": rows(2, 3), "chunk_tokens": 100} | given
    return parts.run(agent, out=out, model=ModelSpec(name, base_url=url, **how), **wanted)


def calls(made: Run) -> list[CallRecord]:
    return [*RunFolder(made.folder).calls()]


def samples(made: Run) -> list[Sample]:
    return sorted(made.samples(), key=lambda one: one.key)


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


# Of row 1: what is asked by whom and of which question, and what is said of it.
MISSES: dict[str, tuple[tuple[str, str, int | None], str]] = {
    "memorizing": (
        ("memory", "chat/completions", None),
        "row 1, memorizing: no reply to chat/completions of m",
    ),
    "searching": (("memory", "embeddings", 2), "row 1, question 2: no reply to embeddings of e"),
    "reading": (
        ("reader", "chat/completions", 1),
        "row 1, question 1: no reply to chat/completions of openai/m",
    ),
}


def forget(cache: Path, made: Run, wanted: tuple[str, str, int | None]) -> str:
    """Let a cache lack the reply to one call of a run, and return how that is shown."""
    found = [
        c.reply for c in calls(made) if c.row == 1 and (c.by, c.path, c.question_index) == wanted
    ]
    store = ResponseCache(cache)
    store._connection.execute("DELETE FROM replies WHERE key = ?", found[:1])
    store.close()
    return str(found[0])[:12]


@pytest.mark.parametrize(
    ("where", "agent", "how"),
    [
        *((where, agent, {}) for where in MISSES for agent in (Calling, Swallowing)),
        ("memorizing", Calling, PROCESSES),
        pytest.param("reading", Calling, PROCESSES, marks=pytest.mark.slow),
    ],
)
def test_what_is_not_kept_stops_the_replay_and_is_named(
    where: str, agent: type, how: dict[str, Any], served: Served, cache: Path, tmp_path: Path
) -> None:
    first = run(served.url, tmp_path / "a", agent, cache=True)
    chosen, named = MISSES[where]
    shutil.copytree(cache, tmp_path / "whole")
    reply = forget(cache, first, chosen)
    before, began = served.calls, time.monotonic()
    with pytest.raises(RunStoppedError, match=re.escape(f"{named} (request {reply}")) as stopped:
        run(served.url, tmp_path / "b", agent, replay=cache, **how)
    assert time.monotonic() - began < 20, "nothing is retried"
    assert stopped.value.not_kept
    if not how:
        found = [sample.key[1:] for sample in samples(Run(tmp_path / "b"))]
        asked = {"memorizing": 0, "searching": 2, "reading": 1}[where]  # None for want of a reply.
        assert found == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)][: 3 + asked]
    again = run(served.url, tmp_path / "b", agent, replay=tmp_path / "whole", **how)
    assert samples(again) == samples(first)
    assert served.calls == before


def test_a_memory_that_calls_past_the_meter_is_not_replayed(cache: Path, tmp_path: Path) -> None:
    ResponseCache(cache).close()
    with pytest.raises(UsageError, match="embeddings=openai/e bypasses the meter") as raised:
        run("", tmp_path / "a", "dense", replay=cache, settings={"embeddings": "openai/e"})
    assert raised.value.parameter == "replay"
    assert not (tmp_path / "a").exists()


def test_a_meter_alone_keeps_and_replays(cache: Path, tmp_path: Path) -> None:
    agent = f"{memories.__file__}:Plain"
    how: dict[str, Any] = {"data": rows(1, 3), "python": sys.executable}
    with serving() as served:
        first = parts.run(agent, out=tmp_path / "a", meter=served.url, cache=True, **how)
        before = served.calls
        parts.run(agent, out=tmp_path / "b", meter=served.url, cache=True, **how)
        assert served.calls == before
    again = parts.run(agent, out=tmp_path / "c", meter=served.url, replay=cache, **how)
    assert samples(again) == samples(first)


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
