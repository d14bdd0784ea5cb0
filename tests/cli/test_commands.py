import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mabench import __version__
from mabench.data import export_hub_layout
from tests.command_line import mabench, start, succeed
from tests.models.server import serving
from tests.rows import dataset


@pytest.fixture
def data(tmp_path: Path) -> str:
    export_hub_layout(dataset(), tmp_path / "data-set")
    return str(tmp_path / "data-set")


def test_the_version_and_the_inventory_are_printed(tmp_path: Path) -> None:
    for asked in ("--version", "version"):
        assert mabench(asked, cwd=tmp_path).stdout == f"mabench {__version__}\n"
    whole = mabench("--help", cwd=tmp_path).stdout
    assert mabench("-h", cwd=tmp_path).stdout == whole == mabench("help", cwd=tmp_path).stdout
    of_run = mabench("run", "--help", cwd=tmp_path).stdout
    assert of_run == mabench("run", "-h", cwd=tmp_path).stdout
    assert of_run == mabench("help", "run", cwd=tmp_path).stdout
    listed = json.loads(mabench("sources", "--format", "json", cwd=tmp_path).stdout)
    assert len(listed) == 22
    assert sum(source["questions"] for source in listed) == 3671
    assert listed[0]["name"] in mabench("sources", cwd=tmp_path).stdout


LOUD = """
import atexit, os, subprocess, sys, threading

def loud(*words):
    print("loud")
    print("loud", file=sys.__stdout__)
    os.write(1, b"loud\\n")
    subprocess.run(["echo", "loud"])

class Memory:
    def __init__(self):
        loud()
        thread = threading.Thread(target=loud)
        thread.start()
        thread.join()
        atexit.register(loud)

    def add(self, text):
        print("loud")

    def search(self, query, k):
        print("loud")
        return []

loud()
"""
SMALL = ["--data", "synthetic:small", "--source", "ruler_qa1_197K", "--limit-questions", "1"]
_RUN = f"run loud:Memory {' '.join(SMALL)}"
_SLOW = (
    *("check loud:Memory", f"{_RUN} --repeat 2", f"{_RUN} --executor processes"),
    "sweep loud:Memory --source detective_qa --knob tokens=6k,7k",
)


@pytest.mark.parametrize(
    "line", [_RUN, *(pytest.param(line, marks=pytest.mark.slow) for line in _SLOW)]
)
def test_json_stands_alone_whatever_a_memory_prints(tmp_path: Path, line: str) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    command = [sys.executable, "-m", "mabench", *line.split(), "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout), done.stderr
    assert "loud" in done.stderr


def test_a_run_that_only_fails_stops_and_says_how_to_continue(tmp_path: Path) -> None:
    memory = "class Memory:\n    def add(self, text): pass\n"
    memory += "    def search(self, query, k): raise RuntimeError('boom')\n"
    (tmp_path / "broken.py").write_text(memory)
    done = mabench("run", "broken:Memory", *SMALL[:2], "--format", "json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    for said in (
        "the first 20 answers of ruler_qa1_197K, row 0, all failed with the same error",
        *("set --max-same-errors to 0", "To resume: mabench run broken:Memory"),
        "add --retry-errors",
    ):
        assert said in done.stderr


def test_an_agent_in_a_file_of_its_own_runs_with_its_settings(tmp_path: Path, data: str) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, depth, tone): self.said = repr((depth, tone))\n"
        "    def memorize(self, chunk): ...\n"
        "    def answer(self, query): return self.said\n"
        "def make(depth=1, tone=''): return Mine(depth, tone)\n"
    )
    command = ("run", "mine:make", "--data", data, "--out", "out", "--set", "tone=dark")
    done = succeed(*command, "--set", "depth=7", cwd=tmp_path)
    assert "mine:make[depth=7,tone=dark]" in done.stdout
    samples = (tmp_path / "out" / "samples.jsonl").read_text().splitlines()
    assert {json.loads(sample)["prediction"] for sample in samples} == {"(7, 'dark')"}
    other = mabench(*command, "--set", "depth=8", cwd=tmp_path)
    assert (other.returncode, "holds another run: agent is" in other.stderr) == (2, True)


def test_an_audit_can_be_kept_and_reported_by_as_run_printed(tmp_path: Path, data: str) -> None:
    ran = mabench("run", "bm25", "--data", data, "--out", "out", cwd=tmp_path)
    reported = mabench("report", "out", cwd=tmp_path)
    assert ran.stdout == reported.stdout
    assert ran.returncode == reported.returncode == 0
    assert "Of 5 questions, none has a gold" in mabench("audit", data, cwd=tmp_path).stdout
    audited = mabench("audit", data, "--format", "json", cwd=tmp_path)
    (tmp_path / "audit.json").write_text(audited.stdout)
    reported = succeed("report", "out", "--verified", "audit.json", cwd=tmp_path)
    assert "n verified" in reported.stdout


PAID = """
from mabench import Answer

class Paid:
    def memorize(self, chunk): ...
    def answer(self, query): return Answer("Rome", cost=1.0)
"""


@pytest.mark.parametrize(
    "line",
    [
        "run paid:Paid --data DATA --max-cost=2 --out out",
        "sweep paid:Paid --source factconsolidation_mh --knob questions=3,4 --knob tokens=2k "
        "--max-cost 2 --out out",
    ],
)
def test_a_stop_by_cost_names_the_command_with_a_higher_limit(
    tmp_path: Path, data: str, line: str
) -> None:
    (tmp_path / "paid.py").write_text(PAID)
    words, limits = line.replace("DATA", data).split(), [2.0]
    while (done := mabench(*words, cwd=tmp_path)).returncode:
        assert "Traceback" not in done.stderr
        assert "To ask again what failed" not in done.stderr  # Nothing did.
        found = re.search(r"To resume with a higher limit: mabench (.*)", done.stderr)
        assert found
        words = shlex.split(found[1])
        limits.append(float(words[words.index("--max-cost") + 1]))
        assert limits[-1] >= 2 * limits[-2] - 1
    assert 2 <= len(limits) <= 4


def test_validate_exits_by_what_it_finds(tmp_path: Path, data: str) -> None:
    partial = succeed("data", "validate", data, "--format", "json", cwd=tmp_path)
    assert {problem["severity"] for problem in json.loads(partial.stdout)} == {"warning"}
    assert mabench("data", "validate", data, "--complete", cwd=tmp_path).returncode == 1
    (tmp_path / "bad.jsonl").write_text('{"context": 3}\n')
    bad = mabench("data", "validate", "bad.jsonl", cwd=tmp_path)
    assert bad.returncode == 1
    assert "bad.jsonl, row 0, context" in bad.stdout


def test_data_is_shown_exported_and_its_chunks_listed(tmp_path: Path, data: str) -> None:
    def printed(*words: str) -> str:
        return succeed("data", *words, cwd=tmp_path).stdout

    shown = printed("show", data)
    assert "ruler_qa1_197K" in shown
    printed("export", data, "copy")
    assert printed("show", "copy").splitlines()[-2:] == shown.splitlines()[-2:]
    printed("export", data, "q.jsonl", "--as-questions")
    questions = [json.loads(line) for line in (tmp_path / "q.jsonl").open()]
    assert [bool(one["source"]) for one in questions] == [True] * 5
    listed = json.loads(printed("chunks", data, "--format", "json"))
    facts = next(row for row in listed if row["source"] == "factconsolidation_sh_6k")
    assert (facts["chunks"], len(facts["lengths"]), len(facts["sha256"][0])) == (1, 1, 64)
    small = json.loads(printed("chunks", data, "--format", "json", "--chunk-tokens", "10"))
    assert all(row["chunk_tokens"] == 10 for row in small)
    assert small[0]["chunks"] > 1
    assert len(printed("chunks", data, "--source", "ruler_qa1_197K").splitlines()) == 2


def test_rows_of_an_unknown_source_are_shown_and_not_run(tmp_path: Path, data: str) -> None:
    file = next(Path(data).glob("data/Accurate*.parquet"))
    table = pq.read_table(file)
    rows = table.to_pylist()
    rows[0]["metadata"]["source"] = "ruler_qa9"
    pq.write_table(table.from_pylist(rows, schema=table.schema), file)
    assert "unknown source" in mabench("data", "show", data, cwd=tmp_path).stdout
    for command in (["run", "--data"], ["data", "chunks"]):
        done = mabench(*command, data, cwd=tmp_path)
        assert done.returncode == 2
        assert "unknown source 'ruler_qa9'" in done.stderr
        assert "Traceback" not in done.stderr


def test_score_takes_predictions_of_another_tool(tmp_path: Path, data: str) -> None:
    line = {"source": "factconsolidation_sh_6k", "row": 0, "prediction": "Bern"}
    lines = [json.dumps({**line, "question_index": index}) for index in (0, 1)]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    words = ("score", "p.jsonl", "--data", data)
    scored = mabench(*words, cwd=tmp_path)
    assert scored.returncode == 1
    assert "1 missing" in scored.stdout
    assert "question 2" in scored.stdout
    listed = json.loads(mabench(*words, "--format", "json", cwd=tmp_path).stdout)
    assert listed["sources"]["factconsolidation_sh_6k"]["answered"] == 2


MEMORIES = """
class Bomb:
    def add(self, text): print("[bold]stored[/bold]")
    def search(self, query, k): __import__("time").sleep(60)


class Notes:
    def __init__(self, best=3): self.texts, self.best = [], best
    def memorize(self, chunk): print("stored"); self.texts.append(chunk)
    def answer(self, query):
        words = set(query.search_query.split())
        alike = sorted(self.texts, key=lambda text: -len(words & set(text.split())))
        return " ".join(alike[:self.best])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MEMORIES)
    return tmp_path


@pytest.mark.usefixtures("short_texts")
def test_a_sound_agent_exits_with_0(folder: Path) -> None:
    done = succeed("check", "mine:Notes", "--set", "best=2", cwd=folder)
    assert "mine:Notes[best=2]: nothing was found that would invalidate its scores; " in done.stdout
    assert "┏" not in done.stdout, "everything was passed or could not be checked"
    every = succeed("check", "mine:Notes", "--set", "best=2", "--full", cwd=folder).stdout
    assert "three processes know only their own facts" in every
    assert [line for line in done.stderr.splitlines() if " of 17: " in line][::16] == [
        "1 of 17: fresh instance",
        "17 of 17: growth",
    ]
    assert "stored" not in done.stdout


def test_a_broken_memory_exits_with_1_a_finding_names_an_option_and_its_name_is_no_picture(
    folder: Path,
) -> None:
    words = ("check", "mine:Bomb", "--timeout", "0.5")
    done = mabench(*words, "--format", "json", cwd=folder)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert (report["schema"], report["agent"], report["valid"]) == (1, "mine:Bomb", False)
    (failed,) = (one for one in report["findings"] if one["invalidates"])
    assert set(failed) == {"check", "status", "message", "invalidates", "seconds"}
    assert (failed["check"], failed["status"]) == ("fresh instance", "failed")
    said = "answer hangs: no result within 0.5 s; if it is only slow, allow more with --timeout"
    assert said in failed["message"]
    done = mabench(*words, cwd=folder)
    assert (done.returncode, "FAILED" in done.stdout) == (1, True), done.stderr
    assert "mine:Bomb: its scores would mean nothing; failed: fresh instance." in done.stdout
    assert said in " ".join(done.stdout.split())
    (folder / "mute.py").write_text("class Mute:\n  add = search = lambda *_: None\n")
    table = mabench("check", "mute:Mute", cwd=folder).stdout
    assert table.count("passages are") == 3
    assert table.count("the same as in 'found'") == 5


@pytest.mark.slow  # Processes of its own.
@pytest.mark.usefixtures("key_and_cache")
def test_a_check_stops_at_its_limit_of_cost(folder: Path) -> None:
    with serving(lambda prompt: "no idea") as served:
        words = ("check", "bm25", "--model", "gpt-4o", "--base-url", served.url)
        stopped = mabench(*words, "--max-cost", "0.001", cwd=folder)
        asked = served.asked.total()
        unknown = mabench(*words[:3], "x", *words[4:], "--max-cost", "1", cwd=folder)
    assert (stopped.returncode, stopped.stdout) == (1, ""), stopped.stderr
    assert "the check stopped: $0.00" in stopped.stderr
    assert "To check with a higher limit: mabench check bm25" in stopped.stderr
    assert "--max-cost 0.00" in stopped.stderr.split("higher limit")[1]
    assert 0 < asked < 40
    assert (unknown.returncode, served.asked.total()) == (2, asked)
    assert "the price of x is unknown" in unknown.stderr
    assert "--prices" in unknown.stderr


ENDING = """
import os
class Memory:
    def __init__(self):
        self.texts = []
    def add(self, text):
        self.texts.append(text)
        if len(self.texts) > 3:
            END
    def search(self, query, k):
        return self.texts[:k]
"""


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("os._exit(0)", "stress ending:Memory --for 3"),
        ("os.execvp('true', ['true'])", "run ending:Memory --data synthetic:small"),
        ("os._exit(0)", "check ending:Memory"),
    ],
)
def test_a_memory_that_ends_the_process_does_not_pass(
    tmp_path: Path, ending: str, words: str
) -> None:
    (tmp_path / "ending.py").write_text(ENDING.replace("END", ending))
    process = start(*words.split(), cwd=tmp_path)
    _, said = process.communicate(timeout=600)
    assert (process.returncode, "the agent ended the process" in said) == (1, True)
