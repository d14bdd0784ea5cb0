import json
import re
import shlex
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.command_line import Done, mabench, succeed
from tests.models.server import KEY, Served

DATA = ("--data", "synthetic:small", "--source", "ruler_qa1_197K", "--limit-questions", "3")

pytestmark = pytest.mark.usefixtures("key_and_cache")


def run(url: str, cwd: Path, *more: str) -> Done:
    agent = "tests.metering.memories:Calling"
    reader = ("--model", "openai/m", "--base-url", url, "--chunk-tokens", "2000")
    return mabench("run", agent, *DATA, *reader, *more, cwd=cwd)


def lines(folder: Path) -> list[str]:
    return sorted((folder / "samples.jsonl").read_text("utf-8").splitlines())


def words(command: str) -> list[str]:
    return shlex.split(command)[1:]


def test_a_run_is_reproduced_elsewhere_from_a_copied_folder_without_a_key(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_CACHE", "replies")
    done = run(served.url, tmp_path, "--out", "first", "--cache")
    assert done.returncode == 0, done.stderr
    before = served.calls
    content = b"".join(file.read_bytes() for file in (tmp_path / "replies").glob("*.sqlite*"))
    assert KEY.encode() not in content
    assert b"sk-mabench" not in content

    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(tmp_path / "replies", elsewhere / "replies")
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "nothing"))
    done = run(served.url, elsewhere, "--out", "again", "--replay", "replies")
    assert done.returncode == 0, done.stderr
    assert "answered from the cache and cost nothing" in done.stdout
    assert served.calls == before
    assert lines(elsewhere / "again") == lines(tmp_path / "first")


def test_a_replay_that_lacks_a_reply_names_it_and_the_commands_that_resume(
    served: Served, tmp_path: Path, key_and_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(served.url, tmp_path, "--out", "first", "--cache").returncode == 0
    copy = tmp_path / "a copy"
    shutil.copytree(key_and_cache, copy)
    calls = [json.loads(line) for line in (tmp_path / "first" / "calls.jsonl").open()]
    name = next(one["reply"] for one in calls if one["path"] == "embeddings" and "reply" in one)
    connection = sqlite3.connect(copy / "replies.sqlite")
    connection.execute("DELETE FROM replies WHERE key = ?", (name,))
    connection.commit()
    connection.close()
    succeed("cache", "clear", cwd=tmp_path)

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


def test_what_cannot_be_done_is_said_with_its_remedy(served: Served, tmp_path: Path) -> None:
    done = run(served.url, tmp_path, "--replay", "cache", "--cache")
    assert done.returncode == 2
    assert "--replay sends nothing: leave out --cache" in done.stderr
    done = run(served.url, tmp_path, "--replay", "nothing")
    assert done.returncode == 1
    assert "nothing: no cached replies here; name the folder" in done.stderr
    assert not [*tmp_path.glob("runs/*")]
