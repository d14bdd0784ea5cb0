"""Commands in one line: the examples of each help, mistakes, and what commands ask of models."""

import json
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import tomllib
from importlib.util import find_spec
from inspect import getsource
from pathlib import Path

import pytest

from mabench import run as run_agent
from mabench.cli.options import COMMAND_TEXTS
from mabench.data import export_hub_layout
from mabench.models import ResponseCache
from tests.chats.exports import slack_files, zipped
from tests.cli.commands import COMMANDS
from tests.command_line import Done, mabench, succeed, until
from tests.models.server import KEY, Fault, Served, serving
from tests.published_files import beam, locomo
from tests.rows import dataset, row
from tests.runs.agents import Shelf

_EXAMPLES = {
    name: [line.removeprefix(f"mabench {name}").strip() for line in command.epilog.splitlines()[1:]]
    for name, command in COMMANDS.items()
}
_LONG = ("run", "sweep", "race", "check", "stress", "audit", "generate")
_LINES = [
    pytest.param(name, line, marks=[pytest.mark.slow] * (name in _LONG))
    for name, both in _EXAMPLES.items()
    for line in both
]
_MEMORY = f"""{getsource(Shelf)}
class MyMemory(Shelf):
    def __init__(self, k: int = 10) -> None:
        super().__init__()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("examples")
    (place / "my_agent.py").write_text(_MEMORY)
    small = "--data synthetic:start --source ruler_qa1 --source longmemeval --limit-questions 3"
    for agent in ("no-memory", "bm25"):
        succeed("run", agent, *small.split(), cwd=place)
    # A plan needs runs of several histories.
    made = "ruler_qa1 --rows 2 --tokens 4k --questions 3 --out several/rows"
    succeed("generate", *made.split(), cwd=place)
    for agent in ("no-memory", "bm25"):
        succeed("run", agent, "--data", "rows", cwd=place / "several")
    run = next((place / "runs").iterdir())
    shutil.copy(run / "samples.jsonl", place / "answers.jsonl")
    lines = [f"{agent},s,{n // 4},{n},{n % 2}" for agent in ("a", "b") for n in range(24)]
    (place / "scores.csv").write_text("\n".join(["agent,source,history,question,score", *lines]))
    ResponseCache(place / "replies").close()
    succeed("data", "init", "my-rows", cwd=place)
    (place / "locomo10.json").write_text(json.dumps(locomo()))
    beam(place)
    zipped(place / "export.zip", slack_files())
    succeed("data", "import", "chats", "export.zip", "--out", "support", cwd=place)
    return place


def test_every_command_has_two_and_nothing_is_said_of_what_is_not_there() -> None:
    assert {name: len(set(both)) for name, both in _EXAMPLES.items()} == dict.fromkeys(COMMANDS, 2)
    for name, command in COMMANDS.items():
        assert max(map(len, command.epilog.splitlines())) <= 78  # A longer one is cut in two.
        parameters = {parameter.name for parameter in command.params}
        assert {*COMMAND_TEXTS[name]} - {"panel", "help", "examples"} <= parameters


def _press_ctrl_c(_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("name", "line"), _LINES, ids=str)
def test_each_runs(
    name: str, line: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    shutil.copytree(place, here)
    words = [*name.split()]
    for word in shlex.split(line):
        runs = (str(run.relative_to(here)) for run in sorted((here / "runs").iterdir()))
        words += runs if word == "runs/*" else [word]
    if name == "judge":
        words.append("--estimate")  # Else it would be paid for.
    if name == "data init":
        shutil.rmtree(here / "my-rows")
    if name == "gate" and "agent" in line:  # The default rows take a minute.
        words += ["--data", "synthetic:small", "--source", "factconsolidation_sh_6k"]
    if name == "view":  # It serves until Ctrl-C.
        monkeypatch.setattr("mabench.viewing.ViewServer.serve_forever", _press_ctrl_c)
        monkeypatch.setattr("webbrowser.open", lambda address: True)
    if name == "demo":
        monkeypatch.setattr("webbrowser.open", lambda address: True)
    if line.startswith("chats "):
        shutil.rmtree(here / "support")
    done = mabench(*words, cwd=here / "several" if name == "plan" else here)
    if "is not installed" in done.stderr:
        pytest.skip(done.stderr)
    accepted = (0, 1) if name == "gate" else (0,)  # A memory of the example may fail it.
    assert done.returncode in accepted, done.stdout + done.stderr


_SMALL = "--data synthetic:small --source factconsolidation_sh_6k --limit-questions 1 --quiet"
_NOTES = """
class Notes:
    def __init__(self, best=3): ...
    def memorize(self, chunk): ...
    def answer(self, query): return ""
"""
_MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistakes"]


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spoilt = tmp_path_factory.mktemp("mistakes")
    for name in ("a", "b"):
        succeed("run", "bm25", *_SMALL.split(), "--out", f"all runs/{name}", cwd=spoilt)
    (spoilt / "list.json").write_text('[{"role": "user"}]')
    (spoilt / "object.json").write_text("{}")
    (spoilt / "old.json").write_text('{"generator": 1, "seed": 0, "rows": []}')
    (spoilt / "bare.json").write_text('{"generator": 4, "seed": 0}')
    row = {"source": "detective_qa", "row": 0, "tokens": 9, "questions": 1, "knobs": {"hops": 1}}
    manifest = {"generator": 4, "seed": 0, "rows": [row | {"difficulty": "real"}]}
    (spoilt / "hops.json").write_text(json.dumps(manifest))
    (spoilt / "mine.py").write_text(_NOTES)
    return spoilt


@pytest.mark.parametrize(("line", "code", "message"), _MISTAKES)
def test_a_mistake_is_answered_in_one_line(
    spoilt: Path, line: str, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if message == "[inspect]'" and find_spec("inspect_ai"):
        pytest.skip("it is installed")
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    before = sorted(spoilt.rglob("*"))
    done = mabench(*shlex.split(line), cwd=spoilt)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert done.stderr.startswith("mabench: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "_Chats" not in done.stderr
    assert sorted(spoilt.rglob("*")) == before


def test_one_chunk_and_one_question_are_not_called_several(tmp_path: Path) -> None:
    made = ("generate", "infbench", "--rows", "1", "--tokens", "300", "--out", "rows")
    succeed(*made, cwd=tmp_path)
    said = mabench("run", "bm25", "--data", "rows", cwd=tmp_path).stderr
    assert "row 0: 1 chunk, 1 question\n" in said
    listed = mabench("data", "chunks", "rows", cwd=tmp_path).stdout
    assert ": 1 chunk of " in listed


@pytest.mark.parametrize(
    ("to", "code", "said"), [(">/dev/full", 1, "mabench: no space is left on the"), (">&-", 0, "")]
)
def test_an_output_that_is_full_or_closed_leaves_no_traceback(
    to: str, code: int, said: str, tmp_path: Path
) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m mabench sources {to}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr[: len(said)]) == (code, said)
    assert "Traceback" not in done.stderr


SMALL = ("--data", "synthetic:small", "--source", "ruler_qa1_197K")


@pytest.mark.usefixtures("key_and_cache")
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
        "A reply takes 2 seconds, with 16 in flight.",
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


@pytest.mark.usefixtures("key_and_cache")
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


_SOURCES = ["longmemeval_s*", "infbench_sum_eng_shots2"]


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "run"
    return run_agent("bm25", "synthetic:small", sources=_SOURCES, out=out).folder


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path, key_and_cache: Path) -> Path:
    return Path(shutil.copytree(finished_run, tmp_path / "run"))


def judged(folder: Path, served: Served, *options: str) -> Done:
    words = ("judge", str(folder), "--base-url", served.url, *options)
    return mabench(*words, cwd=folder.parent)


def verdict(prompt: str) -> str:
    if '{"found"' in prompt:
        return '{"found": 2}'
    if '"sentences"' in prompt:
        return '{"supported": 2, "sentences": 4}'
    return '{"fluent": 1}' if '{"fluent"' in prompt else "yes"


def test_a_killed_judge_goes_on_and_pays_for_nothing_twice(
    folder: Path, key_and_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough = 9
    open_again = threading.Event()

    def answer(prompt: str) -> str | Fault:
        dead = sum(served.paid.values()) >= enough and not open_again.is_set()
        return Fault("hang") if dead else verdict(prompt)

    with serving(answer) as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        words = [sys.executable, "-m", "mabench", "judge", str(folder), "--requests-in-flight", "1"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        cache = ResponseCache(key_and_cache)
        until(lambda: cache.contents().replies == enough and sum(served.asked.values()) > enough)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        paid = dict(served.paid)
        open_again.set()
        _, out, err = succeed("judge", str(folder), cwd=folder.parent)
    assert "longmemeval of 20k judged by gpt-4o" in out
    assert all(count == 1 for count in served.paid.values())
    assert all(served.asked[prompt] == 1 for prompt in paid)
    assert KEY not in out + err
    lines = (folder / "judgments.jsonl").read_text(encoding="utf-8").splitlines()
    places = [(one["split"], one["row"], one["question_index"]) for one in map(json.loads, lines)]
    samples = (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(places) == len(set(places)) == len(samples)


def test_failures_at_the_server_that_is_named_are_said_and_the_exit_code_is_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(prompt: str) -> str | Fault:
        return Fault("422") if '{"found"' in prompt else verdict(prompt)

    with serving(answer) as served, serving() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        code, out, err = judged(folder, served, "--model", "small")
        assert not other.asked
    assert code == 1
    assert "infbench_sum_eng_shots2, row 0, question 0: small at " in err
    assert "2 without a verdict; the same command asks for them again." in err
    assert "longmemeval of 20k judged by small" in out


def test_a_cost_that_is_reached_stops_and_names_the_command_that_resumes(
    folder: Path, dollars: Path
) -> None:
    with serving(verdict) as served:
        options = ("--model", "m", "--prices", str(dollars), "--max-cost", "19.5")
        code, out, err = judged(folder, served, *options, "--requests-in-flight", "1")
        assert (code, out) == (1, "")
        assert "$20.0000 spent of $19.5000" in err
        (resume,) = re.findall(r"To resume with a higher limit: mabench judge (.*)", err)
        name, *options_again = shlex.split(resume)
        limit = float(options_again[options_again.index("--max-cost") + 1])
        assert limit >= 2 * 19.5
        code, out, err = judged(Path(name), served, *options_again)
    assert sum(served.paid.values()) > 20
    assert max(served.paid.values()) == 1
    assert code == 0, err
    assert "longmemeval of 20k judged by m" in out


def test_an_estimate_takes_neither_a_key_nor_a_server(
    folder: Path, dollars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    arguments = ("judge", str(folder), "--estimate", "--model", "m", "--prices", str(dollars))
    table = succeed(*arguments, cwd=folder.parent).stdout
    for said in (
        *("Answers to judge", "have no verdict from this judge yet; they need"),
        *(f"of output, in {dollars}.", "Every reply is assumed to use its limit: 1,024 tokens."),
    ):
        assert said in table
    estimates = json.loads(succeed(*arguments, "--format", "json", cwd=folder.parent).stdout)
    answers = len((folder / "samples.jsonl").read_text(encoding="utf-8").splitlines())
    assert [one["source"] for one in estimates] == _SOURCES
    assert sum(one["answers"] for one in estimates) == answers
    assert estimates[1]["calls"] == 3 * estimates[1]["answers"]
    assert not (folder / "judgments.jsonl").exists()
    done = mabench("judge", str(folder), cwd=folder.parent)
    assert (done.returncode, "OPENAI_API_KEY" in done.stderr) == (2, True)


def test_two_judges_are_compared(folder: Path) -> None:
    with serving(verdict) as served:
        for model in ("one", "two"):
            judged(folder, served, "--model", model)
        code, out, _ = judged(folder, served, "--compare")
        done = json.loads(judged(folder, served, "--compare", "--format", "json").stdout)
    compared = done["agreements"]
    assert (code, "one and two agree on 100.0 %" in out) == (0, True)
    assert "Kappa" not in out, "nothing is known of it"
    assert [one["source"] for one in compared] == _SOURCES
    assert compared[0]["one"]["model"] == "one"
    assert compared[0]["kappa"] is None, "both always say yes: chance alone explains it"
