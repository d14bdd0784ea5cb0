import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mabench.cli.console import command_line
from mabench.reports.formats import print_table
from mabench.reports.run_lists import runs_table
from mabench.results import PARTS, ListedRun, Sample, list_runs
from mabench.results.records.record import ModelRecord
from mabench.results.records.store import RunFolder
from tests.command_line import mabench, succeed
from tests.comparison.made import made_run
from tests.printing import print_on

_SMALL = ("--data", "synthetic:small", "--source", "ruler_qa1", "--limit-questions", "3")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "one"
    succeed("run", "bm25", *_SMALL, "--out", str(out), cwd=out.parent)
    return out


def _listed(place: Path, *words: str) -> dict[str, dict[str, object]]:
    done = succeed("runs", *words, "--format", "json", cwd=place)
    return {Path(one["folder"]).name: one for one in json.loads(done.stdout)}


def _copy(finished: Path, to: Path, **changed: object) -> Path:
    shutil.copytree(finished, to)
    record = json.loads((to / "run.json").read_text())
    (to / "run.json").write_text(json.dumps({**record, **changed}))
    return to


def _edit_samples(folder: Path, *, keep: int = 3, error: str | None = None) -> None:
    lines = [json.loads(one) for one in (folder / "samples.jsonl").read_text().splitlines()]
    if error:
        lines[0] |= {"error": error, "prediction": None}
    (folder / "samples.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines[:keep]))


def test_the_runs_of_a_folder_with_their_states(finished: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    _copy(finished, runs / "complete", date="2026-01-03T00:00:00+00:00")
    _edit_samples(_copy(finished, runs / "deep" / "stopped", date="2026-01-02T00:00:00"), keep=2)
    _edit_samples(_copy(finished, runs / "failed", date="2026-01-04T00:00:00"), error="oops")
    running = _copy(finished, runs / "running")
    with RunFolder(running).own():
        listed = _listed(tmp_path)
    states = {name: one["state"] for name, one in listed.items() if name != "running"}
    assert [*states.items()] == [
        ("failed", "failed"), ("complete", "complete"), ("stopped", "interrupted"),
    ]  # fmt: skip
    assert listed["running"]["state"] == "running"
    complete, stopped = listed["complete"], listed["stopped"]
    assert (complete["agent"], complete["data"]) == ("bm25", "synthetic:small")
    summary = json.loads((finished / "summary.json").read_text())
    score = summary["sources"]["ruler_qa1_197K"]["official"]
    assert complete["score"] == pytest.approx(score)
    assert (stopped["asked"], stopped["questions"], stopped["score"]) == (2, 3, None)
    assert _listed(runs, ".").keys() == listed.keys()
    printed = " ".join(mabench("runs", cwd=tmp_path).stdout.replace("│", " ").split())
    assert printed.startswith("4 runs, all on synthetic:small, the newest first.")
    assert "1 deep/stopped bm25 ruler_qa1_197K - interrupted, 2/3" in printed
    table = mabench("runs", "--format", "csv", cwd=tmp_path).stdout
    rows = list(csv.reader(io.StringIO(table)))
    assert (len(rows), rows[0][:3]) == (5, ["No.", "Run", "Agent"])


def test_runs_are_listed_by_their_summaries_unless_answers_came_later(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, removed = _copy(finished, tmp_path / "later"), _copy(finished, tmp_path / "removed")
    _copy(finished, tmp_path / "same")
    for number, name in enumerate(("samples.jsonl", "summary.json")):
        for folder in ("same", "removed"):
            os.utime(tmp_path / folder / name, (100 + number, 100 + number))
    _edit_samples(later, error="oops")
    os.utime(later / "summary.json", (100, 100))
    (removed / "samples.jsonl").unlink()
    read = RunFolder.samples
    opened: list[str] = []

    def noting(folder: RunFolder, *, every: bool = False) -> Iterator[Sample]:
        opened.append(folder.path.name)
        return read(folder, every=every)

    monkeypatch.setattr(RunFolder, "samples", noting)
    listed = {Path(run.folder).name: run for run in list_runs(tmp_path)}
    assert sorted(opened) == ["later", "removed"]
    assert [(listed[n].state, listed[n].asked, listed[n].errors) for n in ("same", "later")] == [
        ("complete", 3, 0),
        ("failed", 3, 1),
    ]
    assert (listed["removed"].state, listed["removed"].asked) == ("interrupted", 0)


def test_a_run_is_named_by_its_number_or_a_part_of_its_name(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day, name in enumerate(("first-try", "second-try", "second-try-2"), 1):
        _copy(finished, tmp_path / "runs" / name, date=f"2026-01-0{day}T00:00:00", agent=name)
    monkeypatch.setenv("COLUMNS", "80")
    lines = mabench("runs", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[1:4:2] for line in lines[4:7]] == [
        ["3", "second-try-2"],
        ["2", "second-try"],
        ["1", "first-try"],
    ]
    for name in ("1", "first", "first-try", "runs/first-try"):
        assert succeed("report", name, cwd=tmp_path).stdout.startswith("first-try on "), name
    assert succeed("report", "second-try", cwd=tmp_path).stdout.startswith("second-try on ")
    (tmp_path / "first").mkdir()
    assert succeed("report", "first", cwd=tmp_path).stdout.startswith("first-try on ")
    shutil.copytree(tmp_path / "runs" / "second-try", tmp_path / "1")
    assert succeed("report", "1", cwd=tmp_path).stdout.startswith("second-try on ")
    several = mabench("show", "try", cwd=tmp_path)
    assert several.returncode == 2
    assert "'try' matches several names: runs/first-try, runs/second-try" in several.stderr
    assert "`mabench runs` lists 3" in mabench("show", "4", cwd=tmp_path).stderr
    assert "no run here" in mabench("show", "third", cwd=tmp_path).stderr


def test_a_command_is_named_as_it_is_called_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["here/bin/mabench"])
    for found, name in (("/bin/mabench", "mabench"), (None, "here/bin/mabench")):
        monkeypatch.setattr("mabench.cli.console.command_lines.which", lambda _, found=found: found)
        assert command_line("show", Path("a b")) == f"{name} show 'a b'"


def test_the_data_of_a_run_can_be_read_on_a_narrow_terminal() -> None:
    run = ListedRun(
        folder="runs/one", number=1, agent="a" * 40, data="synthetic:compare", state="damaged",
        problem="p" * 40,
    )  # fmt: skip
    table = runs_table([run])
    assert " synthetic:compare " in print_on(80, lambda console: print_table(table, console))


@pytest.mark.parametrize(
    ("age", "written"),
    [
        (timedelta(days=3, hours=2), "3 days"),
        (timedelta(hours=5, minutes=10), "5 h"),
        (timedelta(minutes=20, seconds=5), "20 min"),
        (timedelta(minutes=100), "100 min"),
    ],
)
def test_the_age_of_a_run_is_in_its_unit(age: timedelta, written: str) -> None:
    date = (datetime.now(UTC) - age).isoformat()
    table = runs_table([ListedRun(folder="runs/one", date=date, state="complete")])
    assert written in table.in_format("table").rows[0]


@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.parametrize("numbered", [True, False])
def test_runs_can_be_told_apart_on_every_terminal(width: int, numbered: bool) -> None:
    names = [f"runs/bm25-compare-factconsolidation-mh-32k-limit-5-{end}" for end in ("one", "two")]
    runs = [
        ListedRun(
            folder=name, number=place if numbered else None, agent="b", data="r", state="complete"
        )
        for place, name in enumerate(names, 1)
    ]
    table = runs_table(runs).in_format("table")
    text = print_on(width, lambda console: print_table(table, console))
    rows = [line.split("│") for line in text.splitlines() if line.startswith("│")]
    shown = [row[1 + numbered].strip() for row in rows]
    if numbered:  # A number is enough to name a run.
        assert [name.partition("…")[2][-3:] for name in shown] == ["one", "two"]
        assert max(map(len, shown)) <= 16
    else:
        assert all(name in "".join(shown) for name in names)


@pytest.mark.corrupts_runs
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a named pipe")
def test_hostile_and_damaged_folders_are_listed_as_what_they_are(
    finished: Path, tmp_path: Path
) -> None:
    contents: dict[str, bytes] = {
        "empty": b"",
        "binary": bytes(range(256)),
        "deep": b"[" * 200_000,
        "list": b"[]",
        "future": b'{"schema": 99}',
        "typed": b'{"schema": 1, "agent": {"a": 1}}',
    }
    for name, content in contents.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_bytes(content)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "run.json")
    (tmp_path / "folder" / "run.json").mkdir(parents=True)
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "samples.jsonl").write_text("{}\n")
    torn = _copy(finished, tmp_path / "torn")
    (torn / "samples.jsonl").write_bytes(b'{"split": \n\xff\xfe\n')
    piped = _copy(finished, tmp_path / "piped")
    (piped / "samples.jsonl").unlink()
    os.mkfifo(piped / "samples.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(_copy(finished, tmp_path / "lock") / ".lock2")
    summary = _copy(finished, tmp_path / "summary") / "summary.json"
    summary.write_text('{"overall": "much", "sources": []}')
    evil = _copy(finished, tmp_path / "evil", agent="\x1b[31mred")
    listed = _listed(tmp_path, ".")
    damaged = {name for name, one in listed.items() if one["state"] == "damaged"}
    # Of one whose agent was renamed by hand, no answer is its own.
    assert damaged == {*contents, "pipe", "folder", "lost", "torn", "piped", "evil"}
    assert all(one["problem"] for one in listed.values() if one["state"] == "damaged")
    assert listed["summary"]["state"] == "complete"
    assert listed["summary"]["score"] is None
    printed = mabench("runs", ".", cwd=tmp_path)
    assert "Traceback" not in printed.stderr
    assert "\x1b" not in printed.stdout
    assert evil.exists()


def test_where_there_are_no_runs(tmp_path: Path) -> None:
    done = mabench("runs", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "no runs under runs" in done.stderr
    assert mabench("runs", "--format", "json", cwd=tmp_path).stdout == "[]\n"


def test_quiet_prints_the_folder_alone_wherever_a_memory_moves(tmp_path: Path) -> None:
    def ended(run: str) -> object:
        return json.loads((tmp_path / run / "run.json").read_text()).get("finished")

    words = ("run", "bm25", *_SMALL, "--out", "out", "--quiet")
    assert mabench(*words, cwd=tmp_path) == (0, "out\n", "")
    first = ended("out")
    listed = mabench(*words, "--format", "json", cwd=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert json.loads(listed.stdout)["agent"] == "bm25"
    assert ended("out") == first
    (tmp_path / "bad.py").write_text(
        "import os\nclass Bad:\n    def memorize(self, chunk): os.chdir('/')\n"
        "    def answer(self, query): raise OSError"
    )
    words = ("run", "bad:Bad", *_SMALL, "--out", "bad", "--quiet")
    assert mabench(*words, "--fail-fast", cwd=tmp_path).returncode == 1
    assert ended("bad") is None
    bad = mabench(*words, cwd=tmp_path)
    assert (bad.returncode, bad.stdout) == (1, "bad\n")
    for said, is_said in ("OSError", True), ("--out bad --retry-errors", True), ("Trace", False):
        assert (said in bad.stderr) == is_said
    assert ended("bad") is not None
    line = "generate icl_banking77 --tokens 1k --out d --quiet"
    assert mabench(*line.split(), cwd=tmp_path) == (0, "d\n", "")


_QA = "ruler_qa1_197K"


def _print(folder: Path, *arguments: str) -> str:
    return succeed(*arguments, cwd=folder).stdout


def test_a_run_stands_among_what_was_published(tmp_path: Path) -> None:
    scores = {_QA: [[1.0] * 70 + [0.0] * 30]}
    model = ModelRecord(name="gpt-4o-mini", temperature=0)
    run = made_run(tmp_path / "mine", scores, agent="mine", model=model)
    content = json.loads(_print(tmp_path, "leaderboard", str(run), "--format", "json"))
    mine, *others = [one for one in content["figures"] if one["party"] == "own"]
    assert (mine["system"], mine["on"], mine["score"], others) == ("mine", "SH-QA", 70, [])
    assert mine["low"] < 70 < mine["high"]
    (bm25,) = [
        one
        for one in content["figures"]
        if (one["system"], one["reader"], one["on"]) == ("BM25", "gpt-4o-mini", "SH-QA")
    ]
    assert (bm25["score"], bm25["asked"], bm25["low"]) == (66, 100, None)
    line = ("leaderboard", str(run), "--column", "SH-QA", "--format", "markdown")
    printed = _print(tmp_path, *line)
    assert "70.0 ±8.8†" in printed
    assert "BM25" in printed
    assert printed.index("70.0 ±8.8†") < printed.index("metric or questions not stated")
    printed = " ".join(_print(tmp_path, "leaderboard", str(run)).split())
    assert f"{run} has figures on SH-QA: name a column" in printed
    assert "±" not in printed


def test_the_full_leaderboard_is_one_table_of_the_categories_or_of_a_column(tmp_path: Path) -> None:
    printed = _print(tmp_path, "leaderboard", "--full")
    assert re.search(
        r"│ BM25 +│ gpt-4o-mini +│ gpt-4o │ 60.5 │ 44.5 │ 35.6 │ 25.5 │ +41.5 │", printed
    )
    printed = _print(tmp_path, "leaderboard", "--column", "SH-QA", "--format", "json")
    assert {one["on"] for one in json.loads(printed)["figures"]} == {"SH-QA"}
    failed = mabench("leaderboard", "--column", "SHQA", cwd=tmp_path)
    assert failed.returncode == 2
    assert "--column: no figures on 'SHQA': did you mean SH-QA or MH-QA?" in failed.stderr


def test_a_run_that_completes_no_column_is_told_what_it_lacks(tmp_path: Path) -> None:
    scores = {_QA: [[1.0] * 30], "factconsolidation_sh_6k": [[1.0] * 100]}
    run = str(made_run(tmp_path / "mine", scores))
    printed = " ".join(_print(tmp_path, "leaderboard", run).split())
    assert f"{run} does not complete any column: SH-QA needs {_QA} (30 of 100 asked); " in printed
    assert "FC-SH needs factconsolidation_sh_262k" in printed


def test_a_report_has_a_published_system_beside_its_columns(tmp_path: Path) -> None:
    model = ModelRecord(name="gpt-4o-mini", temperature=0)
    run = str(made_run(tmp_path / "mine", {_QA: [[1.0] * 100]}, model=model))
    printed = _print(tmp_path, "report", run, "--beside", "bm25")
    assert re.search(r"SH-QA .* 66\.0 .* \+34\.0", printed)
    assert re.search(r"passages .* - .* 10 ", printed)
    assert not re.search(r"│ reader", printed), "it is the same"
    assert "grepmem" in _print(tmp_path, "report", run, "--beside", "best")
    content = json.loads(_print(tmp_path, "report", run, "--beside", "best", "--format", "json"))
    assert content["beside"]["SH-QA"]["score"] == 93


def test_csv_of_a_report_is_one_table_with_numbers(tmp_path: Path) -> None:
    run = str(made_run(tmp_path / "mine", {_QA: [[1.0] * 60 + [0.0] * 40]}))
    printed = _print(tmp_path, "report", run, "--format", "csv", "--beside", "BM25")
    lines = csv.DictReader(io.StringIO(printed))
    rows = {(row["run"], row["source"], row["metric"]): row for row in lines}
    official = rows[run, _QA, "substring_exact_match"]
    assert ",".join(official) == "run,agent,source,metric,n,score,low,high,interval"
    assert (official["agent"], official["n"], float(official["score"])) == ("made", "100", 60)
    assert float(official["low"]) < 60 < float(official["high"])
    parts = [float(row["score"]) for (_, _, metric), row in rows.items() if metric in PARTS]
    assert sum(parts) == pytest.approx(100)
    assert float(rows[run, "SH-QA", "official"]["score"]) == 60
    assert rows["arXiv 2507.05257v4, main table", "SH-QA", "official"]["agent"] == "BM25"


def test_what_an_agent_takes(tmp_path: Path) -> None:
    (tmp_path / "dated.py").write_text(
        "class Dated:\n"
        "    unit = 'session'\n"
        "    def __init__(self, folder): self.folder = folder\n"
        "    def add(self, text, *, time, user=None): open(self.folder / 'a', 'w').write(text)\n"
        "    def search(self, query, k, *, timestamp=None): return []\n"
        "    def delete(self, id): pass\n"
    )
    for python in ((), ("--python", sys.executable)):
        done = succeed("agents", "dated:Dated", *python, cwd=tmp_path)
        assert "│ add(text)          │ time, user" in done.stdout
        assert "dated:Dated, memory: gets conversations one session at a time." in done.stdout
        assert "search takes `timestamp`: name it `time` to be passed the time." in done.stdout
        done = succeed("agents", "dated:Dated", *python, "--format", "json", cwd=tmp_path)
        look = json.loads(done.stdout)
        assert look["takes"] == {"add": ["time", "user"], "search": [], "delete": ["id"]}
    done = succeed("run", "dated:Dated", *_SMALL, cwd=tmp_path)
    assert done.stderr.count("dated:Dated: search takes `timestamp`: name it `time`") == 1


def test_the_examples_in_the_docs_export_and_an_unfinished_run_says_so(tmp_path: Path) -> None:
    for name in ("mine", "runs/bm25", "runs/none"):
        made_run(tmp_path / name, {"ruler_qa1_197K": [[1, 0, 1]]})
    page = Path(__file__).parents[2] / "docs" / "guides" / "export.md"
    commands = re.findall(r"^mabench (export .+)$", page.read_text("utf-8"), re.MULTILINE)
    assert len(commands) == 3
    for line in commands:
        if "inspect" not in line:  # tests/export has those.
            done, (*_, out) = mabench(*line.split(), cwd=tmp_path), line.split()
            assert (done.returncode, done.stdout) == (0, "")
            assert f"written: {out}" in done.stderr
            assert (tmp_path / out).stat().st_size
    file = tmp_path / "mine" / "samples.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:2]))
    done = succeed("export", "mine", "--to", "csv", "--out", "x.csv", cwd=tmp_path)
    assert "mine: unfinished, 2 of 3 questions" in done.stderr
