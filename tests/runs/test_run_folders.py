"""Which folder a run gets, what it says of itself, and what is refused or left where it fails."""

import json
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.cli.commands import again
from mabench.errors import DataError, MabenchError, MissingPackageError, UsageError
from mabench.redact import redact
from mabench.results import Run, rescore
from mabench.results.records.record import DataRecord, ModelRecord
from mabench.runs import folder, run_repeatedly
from mabench.specs import DataSpec, RunSpec
from tests import parts
from tests.command_line import mabench as mabench_command
from tests.command_line import succeed
from tests.results.test_records import RECORD
from tests.rows import dataset
from tests.runs.agents import Oslo

SMALL = ("--data", "synthetic:small", "--source", "factconsolidation_sh_6k")
_SECRET = "a-secret-of-mine-123"
_RULER = "ruler_qa1_197K"


def test_a_run_says_when_and_how_it_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", _SECRET)
    succeed(
        *("run", f"{__name__}:Settable", *SMALL, "--limit-questions", "1", "--out", "a run"),
        *("--set", "password=hunter two", f"--set=note={_SECRET}"),
        *("--set", "url=https://ann:hunter@example.org/x?token=hunter"),
        cwd=tmp_path,
    )
    content = (tmp_path / "a run" / "run.json").read_text()
    record = json.loads(content)
    assert record["command"] == (
        "mabench run tests.runs.test_run_folders:Settable --data synthetic:small --source "
        "factconsolidation_sh_6k --limit-questions 1 --out 'a run' --set 'password=[secret]' "
        "'--set=note=[secret]' --set 'url=https://[secret]@example.org/x?token=[secret]'"
    )
    assert _SECRET not in content
    assert -1 < time.time() - datetime.fromisoformat(record["date"]).timestamp() < 60
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


@pytest.mark.parametrize(
    ("narrowed", "name"),
    [
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
    ],
)
def test_a_name_says_what_was_asked(
    narrowed: dict[str, Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mabench.run("bm25", dataset(), **narrowed).folder == tmp_path / "runs" / name


_LONG = st.text(max_size=300)
_SPECS = st.builds(
    DataSpec,
    sources=st.none() | st.lists(_LONG, max_size=9).map(tuple),
    rows=st.none() | st.lists(st.integers(0, 10**30), max_size=9).map(tuple),
    limit_questions=st.none() | st.integers(1, 10**300),
)


@given(texts=st.tuples(_LONG, _LONG, _LONG), spec=_SPECS, repeats=st.integers(1, 3))
def test_a_name_is_short_and_fit_for_any_file_system(
    texts: tuple[str, str, str], spec: DataSpec, repeats: int
) -> None:
    agent, model, data = texts
    named = ModelRecord(name=model, temperature=0)
    rows = DataRecord(name=data, fingerprint="", benchmark=False)
    record = replace(RECORD, agent=agent, model=named, data=rows)
    name = folder._default_name(spec, record, repeats)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,199}", name)
    assert not name.endswith((".", "-"))


class Broken(Oslo):
    error: Exception = RuntimeError("no server")

    def __init__(self) -> None:
        raise self.error


class MissingPackage(Broken):
    error = MissingPackageError("some package is not installed")


@pytest.mark.parametrize(
    "how",
    [
        {"agent": Broken},
        {"agent": MissingPackage},
        {"agent": "stdio:no-such-program"},
        {"agent": "http://127.0.0.1:9"},
        {"agent": "bm25", "data": DataSpec(entities="no-such-file.json")},
        {"agent": "bm25", "sources": ["recsys_redial_full"]},
        {"agent": "bm25", "rows": [7]},
    ],
)
@pytest.mark.parametrize("out", [None, "deep/in/a/folder"])
def test_a_failed_start_leaves_no_folder(
    how: dict[str, Any], out: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MabenchError):
        mabench.run(**{"data": dataset(), "out": out, **how})
    assert list(tmp_path.iterdir()) == []


def test_a_failed_start_leaves_what_others_put_there(tmp_path: Path) -> None:
    (tmp_path / ".mine").touch()
    with pytest.raises(MabenchError):
        mabench.run(Broken, dataset(), out=tmp_path)
    assert [*tmp_path.iterdir()] == [tmp_path / ".mine"]


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "letters.txt").touch()
    sweep = ("sweep", "no-memory", "--source", "ruler_qa1_197K", "--knob", "tokens=2k,3k")
    race = ("race", "oracle", "no-memory", "--data", "synthetic:ruler_qa1_197K")
    for words in (
        ("run", "no-memory", "--data", "synthetic:small"),
        ("run", "no-memory", "--data", "synthetic:small", "--repeat", "2"),
        sweep,
        race,
    ):
        done = mabench_command(*words, "--out", "home", cwd=tmp_path)
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


@pytest.fixture
def repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    monkeypatch.chdir(tmp_path)

    def repeat(times: int, **more: Any) -> list[str]:
        runs = run_repeatedly(RunSpec(data=DataSpec(data=dataset()), **more), times)
        return [str(run.folder.relative_to(tmp_path / "runs")) for run in runs]

    return repeat


def test_repeated_runs_need_no_folder(repeats: Callable[..., list[str]], tmp_path: Path) -> None:
    name = "floor-small-rows-repeated"
    three = [f"{name}/repeat-{number}" for number in (1, 2, 3)]
    assert repeats(2) == three[:2]
    assert repeats(3) == three
    samples = tmp_path / "runs" / name / "repeat-2" / "samples.jsonl"
    whole = samples.read_bytes()
    samples.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]))
    assert repeats(3) == three
    assert samples.read_bytes() == whole, "unfinished runs are resumed"
    assert repeats(3)[0] == f"{name}-2/repeat-1", "finished ones are left"
    assert repeats(1) == ["floor-small-rows"]


def test_errors_of_repeats_are_retried(repeats: Callable[..., list[str]], tmp_path: Path) -> None:
    first, second = repeats(2)
    samples = tmp_path / "runs" / second / "samples.jsonl"
    first_line, rest = samples.read_text().split("\n", 1)
    failed = {**json.loads(first_line), "prediction": None, "error": "ValueError: not today"}
    samples.write_text(f"{json.dumps(failed)}\n{rest}")
    assert repeats(2, retry_errors=True) == [first, second]
    assert not any(sample.error for sample in Run(samples.parent).samples())
    with pytest.raises(MabenchError, match="errors to retry"):
        repeats(2, retry_errors=True)


def test_a_source_that_the_data_lack_is_named_beside_others(tmp_path: Path) -> None:
    given: Any = {"sources": ["ruler_qa1_197K", "eventqa_65536"], "out": tmp_path / "run"}
    with pytest.raises(DataError, match="no rows of eventqa_65536; leave it out of `sources`"):
        mabench.run("no-memory", "synthetic:small", **given)


def test_a_program_that_is_not_there_is_named_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no program nosuchprogram here; install it"):
        mabench.run("stdio:nosuchprogram x", tmp_path / "no-data", out=tmp_path / "run")


def test_a_run_is_not_scored_with_another_data_set(tmp_path: Path) -> None:
    small = "synthetic:small"
    out = tmp_path / "run"
    mabench.run("no-memory", small, sources="ruler_qa1_197K", limit_questions=1, out=out)
    with pytest.raises(UsageError, match="synthetic:medium does not hold the rows"):
        rescore(out, data="synthetic:medium")
    with pytest.raises(DataError, match="no such file or folder"):
        rescore(out, data=str(tmp_path / "nowhere"))
    sources = rescore(out, data=small).summary.sources
    assert {name: source.n for name, source in sources.items()} == {"ruler_qa1_197K": 1}


def test_the_folders_of_a_repeated_run_are_named(tmp_path: Path) -> None:
    mabench.run("no-memory", dataset(), out=tmp_path / "repeat-1")
    with pytest.raises(UsageError, match=r"give what is in it: .*repeat-1$"):
        rescore(tmp_path)


def test_files_that_are_not_there_are_named_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml: .*: No such file or directory; give one"):
        parts.run("no-memory", dataset(), out=tmp_path / "run", prompts=tmp_path / "no.toml")


def test_names_of_variables_are_no_keys() -> None:
    assert redact("without HF_HUB_OFFLINE to fill it") == "without HF_HUB_OFFLINE to fill it"
    assert redact("hf_abcdefghijklmnop") == "[secret]"


def test_a_command_without_its_secrets_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["mabench", "run", "m:A", "--set", "apikey=Abcdefgh12"])
    assert again().endswith("(put your own in the place of [secret])")
    monkeypatch.setattr("sys.argv", ["mabench", "run", "m:A"])
    assert again("--retry-errors") == "mabench run m:A --retry-errors"
