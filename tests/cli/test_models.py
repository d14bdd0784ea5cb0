import json
import re
import shlex
import shutil
import sqlite3
import sys
from inspect import getsource
from pathlib import Path

import pytest

from mabench.data import export_hub_layout
from tests.command_line import Done, mabench, succeed
from tests.models.server import KEY, Served, serving
from tests.rows import dataset, row
from tests.runs.agents import Shelf

pytestmark = pytest.mark.usefixtures("key_and_cache")
SMALL = ("--data", "synthetic:small", "--source", "ruler_qa1_197K")


def test_an_estimate_asks_nothing(tmp_path: Path) -> None:
    with serving(lambda _: "no idea") as served:
        words = (*SMALL, "--base-url", served.url, "--estimate", "--model")
        long = succeed("run", "long-context", *words, "openai/gpt-4o-mini", cwd=tmp_path).stdout
        short = succeed("run", "bm25", *words, "nobody/knows", cwd=tmp_path).stdout
        assert not served.asked
    for said in (
        *("All", "25", "gpt-4o-mini costs $0.15 per million input tokens and $0.6 of output"),
        *("Each question is one request", "the model's window of 128,000 tokens"),
        "Every reply is assumed to use its limit: 50 tokens",
        "A reply takes 2 seconds, and 16 are awaited at any time.",
        "--questions-in-parallel",
    ):
        assert said in long
    for said in (
        "The price of nobody/knows is unknown: give a file with its price as --prices",
        "Each request shows 10 chunks of 512 tokens",
    ):
        assert said in short
    assert re.search(r"Not included: .* about \d+ chunks, .* own model calls", short)
    assert not (tmp_path / "runs").exists()


MEMORY = f"""import os, urllib.request

{getsource(Shelf)}
class Elsewhere(Shelf):
    def __init__(self, model=None): super().__init__()

    def add(self, text):
        urllib.request.urlopen(os.environ["ELSEWHERE"] + "/models").read()
        super().add(text)
"""
SAID = "No model calls of the memory were metered: it makes none, or it does not use the address"


@pytest.mark.parametrize("where", ["here", "python"])
def test_calls_that_pass_by_the_meter_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "unseen.py").write_text(MEMORY)
    one = row("ruler_qa1_197K", "Document 1:\nA box is red.", [("Which?", ["red"])])
    export_hub_layout(dataset([one]), tmp_path / "rows")
    with serving() as served, serving() as other:
        monkeypatch.setenv("ELSEWHERE", other.url)
        agent = ["unseen:Elsewhere"]
        if where == "python":
            agent = ["unseen.py:Elsewhere", "--python", sys.executable, "--env", "ELSEWHERE"]
        words = ["run", *agent, "--data", "rows", "--model", "openai/m", "--no-cache"]
        done = succeed(*words, "--base-url", served.url, "--out", "out", cwd=tmp_path)
        assert other.calls == 1
    for printed in (done, mabench("report", "out", cwd=tmp_path)):
        assert SAID in printed.stdout.replace("\n", " ")
    shutil.copytree(tmp_path / "out", tmp_path / "copy")
    both = mabench("compare", "out", "copy", "--format", "markdown", cwd=tmp_path).stdout
    assert both.count(SAID) == 2
    calls = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["calls"]
    counts = [calls[f"by_{who}"]["calls"] for who in ("memory", "reader")]
    assert (calls["metered"], counts) == (True, [0, 2]), "with the preflight"


def run(url: str, cwd: Path, *more: str) -> Done:
    agent = "tests.metering.memories:Calling"
    reader = ("--model", "openai/m", "--base-url", url, "--chunk-tokens", "2000")
    return mabench("run", agent, *SMALL, "--limit-questions", "3", *reader, *more, cwd=cwd)


def lines(folder: Path) -> list[str]:
    return sorted((folder / "samples.jsonl").read_text("utf-8").splitlines())


def words(command: str) -> list[str]:
    return shlex.split(command)[1:]


def test_a_replay_that_lacks_a_reply_names_it_and_the_commands_that_resume(
    served: Served, tmp_path: Path, key_and_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(served.url, tmp_path, "--out", "first", "--cache").returncode == 0
    copy = tmp_path / "a copy"
    shutil.copytree(key_and_cache, copy)
    content = b"".join(file.read_bytes() for file in copy.glob("*.sqlite*"))
    assert KEY.encode() not in content
    assert b"sk-mabench" not in content
    calls = [json.loads(line) for line in (tmp_path / "first" / "calls.jsonl").open()]
    name = next(one["reply"] for one in calls if one["path"] == "embeddings" and "reply" in one)
    connection = sqlite3.connect(copy / "replies.sqlite")
    connection.execute("DELETE FROM replies WHERE key = ?", (name,))
    connection.commit()
    connection.close()
    shown = succeed("cache", "show", cwd=tmp_path).stdout
    kept = re.search(r": (\d+ replies), ", shown)
    assert kept
    assert f"{kept[1]} forgotten" in succeed("cache", "clear", cwd=tmp_path).stdout
    assert ": 0 replies" in succeed("cache", "show", cwd=tmp_path).stdout

    before = served.calls
    done = run(served.url, tmp_path, "--out", "again", "--replay", "a copy")
    assert done.returncode == 1
    assert served.calls == before
    assert re.search(
        rf"the run stopped: ruler_qa1_197K, row \d+, question \d: no reply to embeddings of e "
        rf"\(request {name[:12]}\) is cached in {copy}\n",
        done.stderr,
    )
    once = re.search(r"^To resume, once the reply is kept there: (.*)$", done.stderr, re.M)
    asking = re.search(r"^To ask the server for what is not kept, .*?: (.*)$", done.stderr, re.M)
    assert once
    assert asking
    assert mabench(*words(once[1]), cwd=tmp_path).returncode == 1
    assert served.calls == before
    place, *resuming = shlex.split(asking[1])
    monkeypatch.setenv(*place.split("=", 1))
    done = succeed(*resuming[1:], cwd=tmp_path)
    preflights = sum("Reply with OK." in body.decode() for body in served.bodies[before:])
    assert served.calls - before - preflights == 1, "only what was not kept"
    assert lines(tmp_path / "again") == lines(tmp_path / "first")
    before = served.calls
    done = run(served.url, tmp_path, "--out", "once more", "--replay", "a copy")
    assert done.returncode == 0, done.stderr
    assert served.calls == before, "what was asked is kept in the copy"
