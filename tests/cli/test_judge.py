import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import mabench
from mabench.models import ResponseCache
from tests.command_line import Done, succeed
from tests.command_line import mabench as mabench_command
from tests.models.server import KEY, Fault, Served, serving
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("key_and_cache")
_SOURCES = ["longmemeval_s*", "infbench_sum_eng_shots2"]


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "run"
    return mabench.run("bm25", "synthetic:small", sources=_SOURCES, out=out).folder


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished_run, tmp_path / "run"))


def judged(folder: Path, served: Served, *options: str) -> Done:
    words = ("judge", str(folder), "--base-url", served.url, *options)
    return mabench_command(*words, cwd=folder.parent)


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
    done = mabench_command("judge", str(folder), cwd=folder.parent)
    assert (done.returncode, "OPENAI_API_KEY" in done.stderr) == (2, True)


def test_two_judges_are_compared(folder: Path) -> None:
    with serving(verdict) as served:
        for model in ("one", "two"):
            judged(folder, served, "--model", model)
        code, out, _ = judged(folder, served, "--compare")
        compared = json.loads(judged(folder, served, "--compare", "--format", "json").stdout)
    assert (code, "Kappa" in out) == (0, True)
    assert [one["source"] for one in compared] == _SOURCES
    assert compared[0]["one"]["model"] == "one"
    assert compared[0]["kappa"] is None, "both always say yes: chance alone explains it"
