"""Whole runs whose replies are kept: run again they cost nothing, and they can be replayed."""

import contextlib
import json
import shutil
import sys
import time
import urllib.error
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.models import ModelSpec, ResponseCache
from mabench.reports.calls import call_remarks
from mabench.results import Run, judge
from mabench.results.judging.judging import JudgingStoppedError
from mabench.results.records.measurements import CallRecord
from mabench.results.records.store import RunFolder
from mabench.runs import RunStoppedError
from mabench.specs import JudgeSpec, Limits
from tests import parts
from tests.metering import memories
from tests.metering.memories import Calling
from tests.models.server import Served, serving
from tests.rows import dataset, row

NAME = "ruler_qa1_197K"


@pytest.fixture(autouse=True)
def cache(key_and_cache: Path) -> Path:
    return key_and_cache


class Fixed(Calling):
    """Extracts with a model of its own choice, whoever reads."""

    def __init__(self, model: dict[str, str]) -> None:
        super().__init__({**model, "name": "m"})


class Drawing(Calling):
    """Draws an answer for each chunk twice, and stores what was drawn."""

    def add(self, text: str) -> None:
        body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 1}
        for _ in range(2):
            self._call("chat/completions", body)
        self.texts.append(text)


class Swallowing(Calling):
    """Passes over every error of its model, as some memories do."""

    def _call(self, path: str, body: dict[str, Any]) -> None:
        with contextlib.suppress(urllib.error.HTTPError):
            super()._call(path, body)


def rows(count: int = 2, questions: int = 3, same: bool = False) -> Dataset:
    made = []
    for index in range(count):
        what = "box" if same else f"box {index}"
        context = "\n\n".join(f"Document {i}:\nThe code of {what} {i} is {i}." for i in range(40))
        asked = [(f"What is the code of {what} {i}?", [str(i)]) for i in range(questions)]
        made.append(row(NAME, context, asked, index=index))
    return dataset(made)


def run(out: Path, agent: Any = Calling, **given: Any) -> Run:
    """Run with the model m of a server; a ``served`` names it, a ``url`` one that is gone."""
    served, url = given.pop("served", None), given.pop("url", None)
    names = {"prices", "temperature", "cache", "replay"} & given.keys()
    how = {name: given.pop(name) for name in names}
    name = given.pop("name", "openai/m")
    model = ModelSpec(name, base_url=served.url if served else url, **how)
    wanted: dict[str, Any] = {"data": rows(), "chunk_tokens": 100, "model": model} | given
    return parts.run(agent, out=out, **wanted)


def calls(made: Run) -> list[CallRecord]:
    return [*RunFolder(made.folder).calls()]


def samples(made: Run) -> list[dict[str, Any]]:
    lines = (made.folder / "samples.jsonl").read_text("utf-8").splitlines()
    found = map(json.loads, lines)
    return sorted(found, key=lambda one: (one["row"], one["question_index"]))


def test_run_again_extraction_is_free(served: Served, prices: Path, tmp_path: Path) -> None:
    given = {"served": served, "prices": prices, "cache": True, "agent": Fixed}
    first = run(tmp_path / "a", **given)
    before = Counter(request.get("model") for request in served.requests)
    second = run(tmp_path / "b", name="openai/n", **given)
    after = Counter(request.get("model") for request in served.requests)
    assert after - before == {"n": 6}, "the questions to the new reader"
    paid, kept = ([c for c in calls(one) if c.by == "memory"] for one in (first, second))
    assert len(paid) == len(kept) > 6
    assert not any(call.kept for call in paid)
    assert all(call.kept and call.cost == 0 and call.status == 200 for call in kept)
    assert Counter((c.row, c.phase, c.path, c.input_tokens, c.reply) for c in paid) == Counter(
        (c.row, c.phase, c.path, c.input_tokens, c.reply) for c in kept
    )
    assert first.summary.calls
    assert second.summary.calls
    assert first.summary.calls.by_memory.cost
    assert second.summary.calls.by_memory.cost == 0
    assert second.summary.calls.by_memory.kept == len(kept)
    assert any("answered by kept replies" in line for line in call_remarks(second.summary.calls))
    sent = served.calls
    third = run(tmp_path / "c", **given)
    assert served.calls == sent
    assert samples(third) == samples(first)


def test_memories_calls_are_kept_only_where_it_is_asked_for(served: Served, tmp_path: Path) -> None:
    for name in ("a", "b"):
        made = run(tmp_path / name, served=served, data=rows(1))
        assert not any(call.kept for call in calls(made) if call.by == "memory")
    assert sum(call.kept for call in calls(made) if call.by == "reader") == 3


def test_rows_of_the_same_text_at_once_pay_once(served: Served, tmp_path: Path) -> None:
    served.pause = 0.02
    made = run(
        tmp_path / "a", served=served, cache=True, data=rows(4, same=True), limits=Limits(rows=4)
    )
    memory = [call for call in calls(made) if call.by == "memory"]
    assert sum(not call.kept for call in memory) == len(memory) / 4
    assert served.calls == len(memory) / 4 + 3 + 1, "and three questions, and the preflight"


def test_kept_replies_count_not_for_max_cost(served: Served, prices: Path, tmp_path: Path) -> None:
    given = {"served": served, "prices": prices, "cache": True, "agent": Fixed}
    run(tmp_path / "a", **given)
    each = 41e-6
    again = run(tmp_path / "b", max_cost=each / 2, **given)
    assert again.summary.spent.n == 6
    assert again.summary.spent.errors == 0


def in_processes(name: str) -> dict[str, Any]:
    how = {"executor": "processes", "limits": Limits(rows=2, questions=3)}
    return {"agent": f"tests.metering.memories:{name}", **how}


@pytest.mark.parametrize("how", [{}, in_processes("Calling")], ids=["local", "processes"])
def test_a_replay_without_server_and_key_gives_the_same_samples(
    how: dict[str, Any], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as served:
        url = served.url
        first = run(tmp_path / "a", served=served, cache=True)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "empty"))
    cache.chmod(0o500)
    try:
        again = run(tmp_path / "b", url=url, replay=cache, **how)
    finally:
        cache.chmod(0o700)
    assert samples(again) == samples(first)
    found = calls(again)
    assert len(found) == len([call for call in calls(first) if call.phase != "preflight"])
    assert all(call.kept and call.cost == 0 for call in found)
    assert not (tmp_path / "empty" / "replies.sqlite").exists()


def test_drawn_replies_are_replayed_in_their_order(cache: Path, tmp_path: Path) -> None:
    with serving() as served:
        url = served.url
        first = run(tmp_path / "a", Drawing, served=served, cache=True)
    chats = [c for c in calls(first) if c.by == "memory" and c.phase == "memorizing"]
    names = [{c.reply for c in chats if c.row == index} for index in (0, 1)]
    assert names[0] == names[1]
    assert len(names[0]) == len(chats) / 2, "within a row none is given twice"
    assert samples(run(tmp_path / "b", Drawing, url=url, replay=cache)) == samples(first)


def forget(cache: Path, made: Run, wanted: Callable[[CallRecord], bool]) -> CallRecord:
    """Let a cache lack the reply to one call of a run."""
    call = next(call for call in calls(made) if wanted(call))
    store = ResponseCache(cache)
    store._connection.execute("DELETE FROM replies WHERE key = ?", (call.reply,))
    store.close()
    return call


MISSES: dict[str, tuple[Callable[[CallRecord], bool], str]] = {
    "memorizing": (
        lambda c: c.phase == "memorizing" and c.row == 1,
        "row 1, memorizing: no reply to chat/completions of m",
    ),
    "searching": (
        lambda c: c.path == "embeddings" and c.question_index == 2 and c.row == 1,
        "row 1, question 2: no reply to embeddings of e",
    ),
    "reading": (
        lambda c: c.by == "reader" and c.question_index == 1 and c.row == 1,
        "row 1, question 1: no reply to chat/completions of openai/m",
    ),
}


@pytest.mark.parametrize("agent", [Calling, Swallowing])
@pytest.mark.parametrize("where", MISSES)
def test_what_is_not_kept_stops_the_replay_and_is_named(
    where: str, agent: type, served: Served, cache: Path, tmp_path: Path
) -> None:
    first = run(tmp_path / "a", agent, served=served, cache=True)
    chosen, named = MISSES[where]
    shutil.copytree(cache, tmp_path / "whole")
    call = forget(cache, first, chosen)
    assert call.reply
    before = served.calls
    began = time.monotonic()
    with pytest.raises(RunStoppedError) as stopped:
        run(tmp_path / "b", agent, served=served, replay=cache)
    assert time.monotonic() - began < 20, "nothing is retried"
    error = stopped.value
    assert error.not_kept
    assert error.reason.startswith(f"{NAME}, {named} (request {call.reply[:12]}) is kept in")
    assert served.calls == before
    found = {(one["row"], one["question_index"]): one for one in samples(Run(tmp_path / "b"))}
    assert {one for one in found if one[0] == 0} == {(0, 0), (0, 1), (0, 2)}
    asked = {"memorizing": 0, "searching": 2, "reading": 1}[where]
    assert sum(place[0] == 1 for place in found) == asked, "none is scored for want of a reply"
    again = run(tmp_path / "b", agent, served=served, replay=tmp_path / "whole")
    assert samples(again) == samples(first)
    assert served.calls == before


@pytest.mark.parametrize("where", ["memorizing", pytest.param("reading", marks=pytest.mark.slow)])
def test_a_miss_elsewhere_stops_it(where: str, served: Served, cache: Path, tmp_path: Path) -> None:
    first = run(tmp_path / "a", served=served, cache=True)
    chosen, named = MISSES[where]
    forget(cache, first, chosen)
    with pytest.raises(RunStoppedError) as stopped:
        run(tmp_path / "b", served=served, replay=cache, **in_processes("Calling"))
    assert stopped.value.not_kept
    assert named in stopped.value.reason


def test_a_model_is_not_cached_and_replayed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`replay` sends nothing"):
        ModelSpec("m", cache=True, replay=tmp_path)


def test_a_memory_that_calls_past_the_meter_is_not_replayed(cache: Path, tmp_path: Path) -> None:
    ResponseCache(cache).close()
    with pytest.raises(UsageError, match="embeddings=openai/e is asked past the meter") as raised:
        run(tmp_path / "a", "dense", replay=cache, settings={"embeddings": "openai/e"})
    assert raised.value.parameter == "replay"
    assert not (tmp_path / "a").exists()


def test_a_meter_alone_keeps_and_replays(cache: Path, tmp_path: Path) -> None:
    agent = f"{memories.__file__}:Plain"
    how: dict[str, Any] = {"data": rows(1), "python": sys.executable}
    with serving() as served:
        first = parts.run(agent, out=tmp_path / "a", meter=served.url, cache=True, **how)
        url, before = served.url, served.calls
        parts.run(agent, out=tmp_path / "b", meter=served.url, cache=True, **how)
        assert served.calls == before
    again = parts.run(agent, out=tmp_path / "c", meter=url, replay=cache, **how)
    assert samples(again) == samples(first)


def test_a_judge_is_replayed(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "longmemeval_s*"
    made = mabench.run("bm25", sources=source, limit_questions=2, out=tmp_path / "run")
    lines = made.folder / "judgments.jsonl"
    with serving() as served:
        served.reply = lambda content: b'{"choices": [{"message": {"content": "yes"}}]}'
        url = served.url
        spec = JudgeSpec(model=ModelSpec("m", base_url=url))
        judge(made.folder, spec)
    first = lines.read_text("utf-8")
    assert all(json.loads(line)["verdict"] for line in first.splitlines())
    lines.unlink()
    monkeypatch.delenv("OPENAI_API_KEY")
    replayed = JudgeSpec(model=ModelSpec("m", base_url=url, replay=cache))
    judge(made.folder, replayed)
    assert lines.read_text("utf-8") == first
    lines.unlink()
    store = ResponseCache(cache)
    store.clear()
    store.close()
    with pytest.raises(JudgingStoppedError, match=r"question \d+: no reply to chat/com") as stopped:
        judge(made.folder, replayed)
    assert stopped.value.not_kept
