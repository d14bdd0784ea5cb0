"""Keeping, exporting, importing and replaying replies, as people do it at a command line."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.command_line import Done, mabench
from tests.metering.upstream import KEY, Served

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


def test_a_run_is_reproduced_elsewhere_from_one_file_without_a_key(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(served.url, tmp_path, "--out", "first", "--cache")
    assert done.returncode == 0, done.stderr
    before = served.calls
    done = mabench("cache", "export", "first.replies.gz", "--run", "first", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "first.replies.gz"
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        content = stream.read()
    assert KEY not in content
    assert "sk-mabench" not in content
    assert "uthorization" not in content
    assert f": {content.count(chr(10)) - 1:,} replies" in done.stdout
    found = re.search(r"^To use them: (.*)$", done.stderr, re.M)
    assert found

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(file, elsewhere)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "nothing"))
    done = mabench(*words(found[1]), "--folder", "replies", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert "--replay" in done.stderr
    done = run(served.url, elsewhere, "--out", "again", "--replay", "replies")
    assert done.returncode == 0, done.stderr
    assert "answered by kept replies and cost nothing" in done.stdout
    assert served.calls == before
    assert lines(elsewhere / "again") == lines(tmp_path / "first")


def test_a_replay_that_lacks_a_reply_names_it_and_the_commands_that_resume(
    served: Served, tmp_path: Path
) -> None:
    assert run(served.url, tmp_path, "--out", "first", "--cache").returncode == 0
    assert mabench("cache", "export", "all.gz", "--run", "first", cwd=tmp_path).returncode == 0
    with gzip.open(tmp_path / "all.gz", "rt", encoding="utf-8") as stream:
        kept = stream.readlines()
    embedded = [line for line in kept if "embedding" in line]
    with gzip.open(tmp_path / "some.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(line for line in kept if line != embedded[0])
    done = mabench("cache", "import", "some.gz", "--folder", "some", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert mabench("cache", "clear", cwd=tmp_path).returncode == 0

    before = served.calls
    done = run(served.url, tmp_path, "--out", "again", "--replay", "some")
    assert done.returncode == 1
    assert served.calls == before
    name = json.loads(embedded[0])["key"][:12]
    assert re.search(
        rf"the run stopped: ruler_qa1_197K, row \d+, question \d: no reply to embeddings of e "
        rf"\(request {name}\) is kept in {tmp_path / 'some'}\n",
        done.stderr,
    )
    once = re.search(r"^To resume, once the reply is kept there: (.*)$", done.stderr, re.M)
    asking = re.search(r"^To ask the server for what is not kept: (.*)$", done.stderr, re.M)
    assert once
    assert asking
    assert mabench(*words(once[1]), cwd=tmp_path).returncode == 1
    assert served.calls == before
    merging, resuming = asking[1].split(" && ")
    assert mabench(*words(merging), cwd=tmp_path).returncode == 0
    done = mabench(*words(resuming), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    preflights = sum("Reply with OK." in body.decode() for body in served.bodies[before:])
    assert served.calls - before - preflights == 1, "only what was not kept"
    assert lines(tmp_path / "again") == lines(tmp_path / "first")


def test_what_cannot_be_done_is_said_with_its_remedy(served: Served, tmp_path: Path) -> None:
    done = run(served.url, tmp_path, "--out", "plain", "--no-cache")
    assert done.returncode == 0, done.stderr
    done = mabench("cache", "export", "a.gz", "--run", "plain", cwd=tmp_path)
    assert done.returncode == 1
    assert "calls have no kept reply" in done.stderr
    assert "the run used no kept replies; a run with --cache keeps those it gets" in done.stderr
    done = mabench("cache", "import", "nothing.gz", cwd=tmp_path)
    assert done.returncode == 1
    assert "nothing.gz: cannot be read" in done.stderr
    done = mabench("cache", "show", "--folder", "nothing", cwd=tmp_path)
    assert done.returncode == 1
    assert "no kept replies are there" in done.stderr
    done = run(served.url, tmp_path, "--replay", "cache", "--cache")
    assert done.returncode == 2
    assert "--replay sends nothing: leave out --cache" in done.stderr
    done = mabench("run", "floor", "--replay", "cache", cwd=tmp_path)
    assert done.returncode == 2
    assert "--replay is about a model" in done.stderr
    done = run(served.url, tmp_path, "--replay", "nothing")
    assert done.returncode == 1
    assert "nothing: no kept replies are there; `mabench cache import`" in done.stderr
    assert not [*tmp_path.glob("runs/*")]
