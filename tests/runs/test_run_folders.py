"""Which folder a run gets, what it says of itself, and what is refused there, run anew or left."""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mabench
from mabench.cli.console import again
from mabench.contract import Query
from mabench.errors import DataError, MabenchError, MissingPackageError, UsageError
from mabench.results import Run, packages_of_agent, rescore
from mabench.results.records.store import RunFolder
from mabench.runs import run_repeatedly
from mabench.runs.folders.foreign import refuse_foreign
from mabench.runs.folders.names import name_folder
from mabench.specs import AgentSpec, DataSpec, RunSpec
from tests import parts
from tests.command_line import Done
from tests.command_line import mabench as command
from tests.progress import RecordedProgress
from tests.rows import dataset, keep_samples, write_rows
from tests.runs.agents import Oslo, like

SMALL = ("--data", "synthetic:small", "--source", "factconsolidation_sh_6k")
FEW = ("run", "agent:Agent", *SMALL, "--limit-questions", "2")
_SECRET = "a-secret-of-mine-123"
_RULER = "ruler_qa1_197K"
_SILENT = """
class Silent:
    def memorize(self, chunk):
        pass

    def answer(self, query):
        return ""
"""
Say = Callable[..., Done]
Change = Callable[[object], None]


@pytest.fixture
def say(tmp_path: Path) -> Say:
    """Runs a command in the folder of the test."""
    return partial(command, cwd=tmp_path)


def test_a_run_says_when_and_how_it_began(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", _SECRET)
    say(
        *("run", f"{__name__}:Settable", *SMALL, "--limit-questions", "1", "--out", "a run"),
        *("--set", "password=hunter two", f"--set=note={_SECRET}"),
        *("--set", "url=https://ann:hunter@example.org/x?token=hunter"),
    )
    content = (tmp_path / "a run" / "run.json").read_text()
    record = json.loads(content)
    assert record["command"] == (
        "mabench run tests.runs.test_run_folders:Settable --data synthetic:small --source "
        "factconsolidation_sh_6k --limit-questions 1 --out 'a run' --set password=[secret] "
        "--set=note=[secret] --set 'url=https://[secret]@example.org/x?token=[secret]'"
    )
    assert _SECRET not in content
    began, ended = (
        datetime.fromisoformat(record[name]).timestamp() for name in ("date", "finished")
    )
    assert -1 < time.time() - began < 60
    assert began <= ended
    assert record["mabench"] == mabench.__version__


def test_a_checkout_names_its_commit_and_resuming_leaves_what_a_run_says(tmp_path: Path) -> None:
    root = Path(mabench.__file__).parents[2]
    if not (root / ".git").exists():
        pytest.skip(f"{root} is no checkout")
    git = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(git, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    assert run.record.commit in (head, f"{head}-dirty")
    assert run.record.command is None, "it was not begun by a command"
    file = run.folder / "run.json"
    other = {"date": "2020-01-01T00:00:00+00:00", "commit": "other"}
    file.write_text(json.dumps(json.loads(file.read_text()) | other))
    before = file.read_bytes()
    mabench.run("bm25", dataset(), out=tmp_path / "run")
    assert file.read_bytes() == before


class Settable(Oslo):
    def __init__(self, password: str = "", note: str = "", url: str = "") -> None: ...


def test_a_name_says_what_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[tuple[dict[str, Any], str]] = [
        ({}, "bm25-small-rows"),
        ({"limit_questions": 1}, "bm25-small-rows-limit-1"),
        ({"sources": [_RULER]}, "bm25-small-rows-ruler-qa1-197K"),
        (
            {"sources": [_RULER, "factconsolidation_sh_6k"], "rows": [0]},
            "bm25-small-rows-factconsolidation-sh-6k-and-1-more-row-0",
        ),
        ({"rows": [2, 0, 1]}, "bm25-small-rows-rows-0-1-2"),
        ({"rows": range(9)}, "bm25-small-rows-rows-0-to-8"),
        ({"rows": [0, 5, 6, 9]}, "bm25-small-rows-4-rows"),
    ]
    for narrowed, name in asked:
        assert mabench.run("bm25", dataset(), **narrowed).folder == tmp_path / "runs" / name


@example(["a" * 32, "b" * 32, "c" * 13, "d"])  # It is cut after a joint.
@given(st.lists(st.text(max_size=300), max_size=9))
def test_a_name_is_short_and_fit_for_any_file_system(parts: list[str]) -> None:
    name = name_folder(parts)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,199}", name)
    assert not name.endswith((".", "-"))


class Broken(Oslo):
    error: Exception = RuntimeError("no server")

    def __init__(self) -> None:
        raise self.error


@pytest.mark.parametrize("out", [None, "deep/in/a/folder"])
def test_a_failed_start_leaves_no_folder(
    out: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    missing = like(Broken, error=MissingPackageError("some package is not installed"))
    hows: list[dict[str, Any]] = [
        *({"agent": agent} for agent in (Broken, missing, "stdio:no-such-program")),
        *({"agent": "http://127.0.0.1:9"}, {"agent": Broken, "executor": "processes"}),
        {"data": DataSpec(entities="no-such-file.json")},
        *({"sources": ["recsys_redial_full"]}, {"rows": [7]}),
    ]
    for how in hows:
        with pytest.raises(MabenchError):
            mabench.run(**{"agent": "bm25", "data": dataset(), "out": out, **how})
        assert list(tmp_path.iterdir()) == [], how


def test_what_others_put_into_a_folder_is_left_and_refused(say: Say, tmp_path: Path) -> None:
    (tmp_path / ".mine").touch()
    with pytest.raises(MabenchError):
        mabench.run(Broken, dataset(), out=tmp_path)
    assert [*tmp_path.iterdir()] == [tmp_path / ".mine"]
    home = tmp_path / "home"
    home.mkdir()
    (home / "letters.txt").touch()
    for words in (
        "run no-memory --data synthetic:small",
        "run no-memory --data synthetic:small --repeat 2",
        "sweep no-memory --source ruler_qa1_197K --knob tokens=2k,3k",
        "race oracle no-memory --data synthetic:ruler_qa1_197K",
    ):
        done = say(*words.split(), "--out", "home")
        assert done.returncode == 2
        assert "home holds other things, such as letters.txt, and no run; give a" in done.stderr
        assert [*home.iterdir()] == [home / "letters.txt"]


class Failing(Oslo):
    """Answers the first questions, and can then not be made for the next row."""

    made = 0

    def __init__(self) -> None:
        Failing.made += 1
        if Failing.made > 1:
            raise RuntimeError("no server")


def test_what_was_answered_before_a_failure_stays(tmp_path: Path) -> None:
    def answered(run: Run) -> int:
        return sum(sample.error is None for sample in run.samples())

    Failing.made = 0
    kept = answered(mabench.run(Failing, dataset(), out=tmp_path / "run"))
    assert 0 < kept < 5
    Failing.made = -9
    with pytest.raises(MabenchError):
        mabench.run(Broken, dataset(), out=tmp_path / "run")
    assert answered(Run(tmp_path / "run")) == kept
    assert answered(mabench.run(Failing, dataset(), out=tmp_path / "run", retry_errors=True)) == 5


def test_repeated_runs_need_no_folder_and_their_errors_are_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def repeats(times: int, **more: Any) -> list[str]:
        runs = run_repeatedly(RunSpec(data=DataSpec(data=dataset()), **more), times)
        return [str(run.folder.relative_to(tmp_path / "runs")) for run in runs]

    monkeypatch.chdir(tmp_path)
    name = "floor-small-rows-repeated"
    three = [f"{name}/repeat-{number}" for number in (1, 2, 3)]
    assert repeats(2) == three[:2]
    assert repeats(3) == three
    samples = tmp_path / "runs" / name / "repeat-2" / "samples.jsonl"
    whole = samples.read_bytes()
    keep_samples(samples.parent, 2)
    assert repeats(3) == three
    assert samples.read_bytes() == whole, "unfinished runs are resumed"
    first_line, rest = whole.decode().split("\n", 1)
    failed = {**json.loads(first_line), "prediction": None, "error": "ValueError: not today"}
    samples.write_text(f"{json.dumps(failed)}\n{rest}")
    assert repeats(3, retry_errors=True) == three
    assert not any(sample.error for sample in Run(samples.parent).samples())
    with pytest.raises(MabenchError, match="errors to retry"):
        repeats(3, retry_errors=True)
    assert repeats(3)[0] == f"{name}-2/repeat-1", "finished ones are left"
    assert repeats(1) == ["floor-small-rows"]


def test_what_is_not_there_or_not_of_the_run_is_named(tmp_path: Path) -> None:
    small, out = "synthetic:small", tmp_path / "run"
    with pytest.raises(DataError, match="no rows of eventqa_65536; leave it out of `sources`"):
        mabench.run("no-memory", small, sources=[_RULER, "eventqa_65536"], out=out)
    with pytest.raises(UsageError, match=r"no\.toml: .*: No such file or directory; give one"):
        parts.run("no-memory", dataset(), out=out, prompts=tmp_path / "no.toml")
    mabench.run("no-memory", small, sources=_RULER, limit_questions=1, out=out)
    with pytest.raises(UsageError, match="synthetic:medium does not hold the rows"):
        rescore(out, data="synthetic:medium")
    with pytest.raises(DataError, match="no such file or folder"):
        rescore(out, data=str(tmp_path / "nowhere"))
    sources = rescore(out, data=small).summary.sources
    assert {name: source.n for name, source in sources.items()} == {_RULER: 1}
    out.rename(tmp_path / "repeat-1")
    with pytest.raises(UsageError, match=r"give what is in it: .*repeat-1$"):
        rescore(tmp_path)


def test_a_command_without_its_secrets_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["mabench", "run", "m:A", "--set", "apikey=Abcdefgh12"])
    assert again().endswith("(put your own in the place of [secret])")
    monkeypatch.setattr("sys.argv", ["mabench", "run", "m:A"])
    assert again("--retry-errors") == "mabench run m:A --retry-errors"


AGENT = """
import helper
class Agent:
    def memorize(self, chunk): ...
    def answer(self, query): return helper.ANSWER
"""


@pytest.fixture
def change(tmp_path: Path) -> Change:
    """Writes another answer into the code of an agent, which is first Oslo."""
    (tmp_path / "agent.py").write_text(AGENT)

    def write(answer: object) -> None:
        (tmp_path / "helper.py").write_text(f"ANSWER = {answer!r}\n")

    write("Oslo")
    return write


def _answers(*folders: Path) -> list[str]:
    """Return the one answer that all questions of each folder have."""
    said = [{sample.prediction or "" for sample in Run(one).samples()} for one in folders]
    return [answer for (answer,) in said]


def test_changed_code_is_refused_by_name_and_run_anew_by_command(
    say: Say, change: Change, tmp_path: Path
) -> None:
    out, words = tmp_path / "run", (*FEW, "--out", "run")
    say(*words)
    change("Bergen")
    before = {file: file.read_bytes() for file in out.iterdir()}
    said = "run holds answers of different code: helper.py has changed. --fresh sets"
    for more in ((), ("--estimate",), ("--limit-questions", "3")):
        refused = say(*words, *more)
        assert refused.returncode == 2
        assert said in refused.stderr
        assert f"To run anew: mabench {' '.join((*words, *more))} --fresh\n" in refused.stderr
        assert {file: file.read_bytes() for file in out.iterdir()} == before
    assert say(*words, "--estimate", "--fresh").returncode == 0
    anew = say(*words, *more, "--fresh")
    assert anew.returncode == 0
    assert "its contents were moved to set-aside-1." in anew.stderr
    assert _answers(out, out / "set-aside-1") == ["Bergen", "Oslo"]
    assert say("report", "run/set-aside-1").returncode == 0


def test_a_folder_of_ours_is_left_unfinished_and_a_changed_agent_gets_another(
    say: Say, change: Change, tmp_path: Path
) -> None:
    say(*FEW)
    first = next((tmp_path / "runs").iterdir())
    keep_samples(first, 1)
    change("Bergen")
    anew = say(*FEW)
    second = first.with_name(f"{first.name}-2")
    left = f"runs/{first.name} is left unfinished: helper.py has changed. The run starts over in"
    assert left in anew.stderr
    assert _answers(first, second) == ["Oslo", "Bergen"]
    change("Oslo")
    assert f"Run folder: runs/{first.name}\n" in say(*FEW).stderr
    assert f"runs/{second.name}: its contents were moved" in say(*FEW, "--fresh").stderr
    assert _answers(first, second) == ["Oslo", "Oslo"]


def test_what_resumes_a_run_anew_does_not_begin_it_again(say: Say, change: Change) -> None:
    change(5)
    words = (*FEW, "--out", "run", "--fail-fast")
    resume = f"To resume: mabench {' '.join(words[:-3])} --fail-fast --out run\n"
    assert resume in say(*words, "--fresh").stderr
    change("Oslo")
    anew = f"To run anew: mabench {' '.join(words)} --fresh\n"
    assert anew in say(*words, "--retry-errors").stderr


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((*FEW, "--out", "all", "--repeat", "2"), ["repeat-1", "repeat-2"]),
        (
            (
                *("sweep", "agent:Agent", "--source", "factconsolidation_sh", "--out", "all"),
                *("--knob", "tokens=500,600", "--knob", "questions=1"),
            ),
            ["tokens-500/agent-Agent", "tokens-600/agent-Agent"],
        ),
    ],
)
def test_repeats_and_sweeps_are_run_anew_as_a_whole_and_resumed_one_by_one(
    say: Say, change: Change, tmp_path: Path, words: tuple[str, ...], names: list[str]
) -> None:
    first = say(*words)
    assert first.returncode == 0
    assert ("SD" in first.stdout) is ("--repeat" in words)
    change("Bergen")
    refused = say(*words).stderr
    assert "helper.py has changed" in refused
    assert f"To run anew: mabench {' '.join(words)} --fresh\n" in refused
    for more in (["--fresh"], []):  # The same code resumes.
        assert say(*words, *more).returncode == 0
        for run in (tmp_path / "all" / name for name in names):
            assert _answers(run, run / "set-aside-1") == ["Bergen", "Oslo"]


def test_code_that_cannot_be_told_is_said(tmp_path: Path) -> None:
    odd = type("Odd", (), {"memorize": lambda self, chunk: None, "answer": lambda self, query: ""})
    odd.__module__ = "no_such_module"
    progress = RecordedProgress()
    run = mabench.run(odd, dataset(), out=tmp_path / "run", progress=progress)
    assert run.record.code is not None
    assert run.record.code.unknown == ("no_such_module was not found as a file",)
    said = "its code is unknown: no_such_module was not found as a file."
    assert progress.events.count(f"say no_such_module:Odd: {said}") == 1


def test_a_run_of_unknown_code_is_resumed_only_by_those_who_say_that_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = (lambda city=city: like(Oslo, answer=lambda *_: city)() for city in ("a", "b"))
    for out in (tmp_path / "run", None):
        run = mabench.run(one, dataset(), out=out)
        keep_samples(run.folder, 1)
        progress = RecordedProgress()
        if out:
            said = "run holds answers of code that may differ: it is defined within a function"
            for agent in (one, other):
                with pytest.raises(UsageError, match=said) as refused:
                    mabench.run(agent, dataset(), out=out)
                assert "`same_code` resumes the run if the code is the same" in str(refused.value)
        else:
            assert mabench.run(other, dataset(), progress=progress).folder != run.folder
            left = f"runs/{run.folder.name} is left unfinished: it is defined within a function"
            assert left in "\n".join(progress.events)
        same = mabench.run(AgentSpec(agent=one, same_code=True), dataset(), out=out)
        assert (same.folder, _answers(same.folder)) == (run.folder, ["a"])
    mabench.run(other, dataset(), out=tmp_path / "run", fresh=True)
    assert _answers(tmp_path / "run") == ["b"]


def test_unknown_code_takes_no_memory_that_other_unknown_code_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))

    class Saving(Oslo):
        loaded = 0

        def save(self, folder: Path) -> None:
            (folder / "memory").touch()

        def load(self, folder: Path) -> None:
            Saving.loaded += 1

    for same, loaded in ((True, 0), (False, 0), (False, 0), (True, 2)):
        spec = AgentSpec(agent=Saving, same_code=same, keep_memories=True)
        mabench.run(spec, dataset(), out=tmp_path / "run", fresh=True)
        assert Saving.loaded == loaded


class Moody(Oslo):
    """Fails one question of five unless it is well."""

    well, asked = False, 0

    def answer(self, query: Query) -> str:
        Moody.asked += 1
        if "Oslo" in query.question and not Moody.well:
            raise ValueError("not today")
        return "Oslo"


def test_retrying_takes_the_newest_run_with_errors_and_asks_nothing_else(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Moody, "asked", 0)
    write_rows(tmp_path / "rows.jsonl")
    words = ("run", f"{__name__}:Moody", "--data", "rows.jsonl")
    first = say(*words)
    (folder,) = (tmp_path / "runs").iterdir()
    again = f"mabench {' '.join(words)} --out runs/{folder.name} --retry-errors"
    assert (first.returncode, Moody.asked) == (1, 5)
    assert f"To ask again what failed: {again}" in first.stderr
    monkeypatch.setattr(Moody, "well", True)
    assert (say(*words, "--retry-errors").returncode, Moody.asked) == (0, 6)
    assert [*(tmp_path / "runs").iterdir()] == [folder]
    third = say(*words, "--retry-errors")
    assert (third.returncode, Moody.asked) == (2, 6)
    assert "--retry-errors: no run under runs with these settings has errors" in third.stderr
    with pytest.raises(UsageError, match="leave out `retry_errors`"):
        mabench.run("bm25", dataset(), out=tmp_path / "run", fresh=True, retry_errors=True)
    monkeypatch.setattr(Moody, "well", False)
    stopped = say(*words, "--out", "stopped", "--fail-fast")
    assert "To ask again what failed, add --retry-errors." in stopped.stderr


def test_scoring_waits_for_whoever_writes_in_the_folder(tmp_path: Path) -> None:
    run = mabench.run("bm25", dataset(), out=tmp_path / "run")
    before = (run.folder / "samples.jsonl").read_bytes()
    refused = pytest.raises(UsageError, match=f"in use by process {os.getpid()}")
    with RunFolder(run.folder).own(), refused:
        rescore(run.folder)
    assert (run.folder / "samples.jsonl").read_bytes() == before
    assert len(list(rescore(run.folder).samples())) == 5


@pytest.mark.parametrize(
    ("agent", "settings", "protocol", "used"),
    [
        ("bm25", {}, "structured", {"bm25s"}),
        ("bm25", {"recipe": "published"}, "structured", {"scikit-learn"}),
        ("floor", {}, "structured", {"scikit-learn"}),
        ("no-memory", {}, "structured", set()),
        ("no-memory", {}, "paper", {"llama-index-core", "tiktoken"}),
    ],
)
def test_a_run_lists_the_packages_on_which_its_figures_depend(
    tmp_path: Path, agent: str, settings: dict[str, object], protocol: str, used: set[str]
) -> None:
    if protocol == "paper":
        pytest.importorskip("tiktoken", reason="the extra `paper` is not installed")
        pytest.importorskip("llama_index.core", reason="the extra `paper` is not installed")
    run = parts.run(agent, dataset(), out=tmp_path / "run", settings=settings, protocol=protocol)
    assert {*run.record.packages} == {"nltk", "numpy", "scipy", "sentencex"} | used
    assert run.record.packages["numpy"] == version("numpy")


def test_the_packages_of_an_agent_are_those_that_its_files_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reads_rich.py").write_text("import helps_rich\n" + _SILENT, "utf-8")
    (tmp_path / "helps_rich.py").write_text("import json\nfrom rich import box\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    run = mabench.run("reads_rich:Silent", dataset(), out=tmp_path / "run")
    assert {"rich"} == {*run.record.packages} - {"nltk", "numpy", "scipy", "sentencex"}


def test_embeddings_are_packages_only_where_they_are_local() -> None:
    local = {"sentence-transformers", "torch", "transformers"}
    assert packages_of_agent("dense", {}, ()) == local
    assert packages_of_agent("hybrid", {}, ()) == local | {"bm25s"}
    assert packages_of_agent("dense", {"embeddings": "openai/m"}, ()) == set()
    assert packages_of_agent("floor", {"embeddings": "m"}, ()) == local | {"scikit-learn"}
    assert packages_of_agent("mem0", {}, ()) >= {"mem0ai", "qdrant-client", *local}


def test_scores_are_numbers_of_one_type_whatever_became_of_an_answer(
    tmp_path: Path,
) -> None:
    failing = next(iter(dataset().rows())).questions[0]

    class Fails:
        def memorize(self, chunk: str) -> None:
            pass

        def answer(self, query: Query) -> str:
            if query.question == failing:
                raise OSError("down")
            return "nothing of the kind"

    run = mabench.run(Fails, dataset(), out=tmp_path / "run")
    written = [json.loads(line) for line in (run.folder / "samples.jsonl").open(encoding="utf-8")]
    values = [
        value
        for one in written
        for kind in ("official", "corrected")
        for value in one[kind].values()
    ]
    assert {type(value) for value in values} == {float}


def test_what_a_stopped_sweep_left_before_its_first_run_is_no_other_thing(tmp_path: Path) -> None:
    place = tmp_path / "sweep"
    (place / "tokens-2000" / "bm25").mkdir(parents=True)
    refuse_foreign(place)
    (place / "tokens-2000" / "bm25" / ".lock").write_text("")
    refuse_foreign(place)
    (place / "tokens-2000" / "bm25" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds other things, such as tokens-2000"):
        refuse_foreign(place)


def test_a_link_in_a_folder_is_another_thing(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "tokens-2000").symlink_to("../elsewhere")
    with pytest.raises(UsageError, match="holds other things"):
        refuse_foreign(tmp_path / "sweep")
