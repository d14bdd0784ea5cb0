"""Run folders with files missing, torn, edited or no files: what can be read is reported."""

import contextlib
import copy
import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mabench
from mabench.data import Metadata, Row
from mabench.errors import DataError, MabenchError
from mabench.models import ModelSpec
from mabench.results import Judgment, Run, RunFolder, compare_judges, estimate_judging, rescore
from mabench.specs import JudgeSpec
from tests.command_line import mabench as command
from tests.command_line import within
from tests.printing import markdown
from tests.progress import RecordedProgress
from tests.rows import dataset, row, two_rows, write_rows

pytestmark = pytest.mark.corrupts_runs

_CHAT = (
    "['Chat Time: 2023/05/27 (Sat) 22:54', [{'role': 'user', 'content': 'I moved to Oslo.', "
    "'has_answer': True}]]"
)
_LINES = ("samples.jsonl", "timings.jsonl", "memories.jsonl", "judgments.jsonl")
_FILES = (*_LINES, "run.json", "summary.json", "damaged.jsonl")


class Echo:
    def memorize(self, chunk: str) -> None:
        self.chunk = chunk

    def answer(self, query: Any) -> dict[str, Any]:
        return {"text": query.question, "retrieved": [self.chunk], "input_tokens": 7, "cost": 0.5}


def _rows() -> list[Row]:
    chat = row("longmemeval_s*", _CHAT, [("Where do I live?", ["Oslo"]), ("My dog?", ["none"])])
    metadata = Metadata(
        source="longmemeval_s*",
        qa_pair_ids=["a", "b"],
        question_ids=["q1", "q2_abs"],
        question_types=["knowledge-update", "single-session-user"],
    )
    return [*two_rows(), chat.model_copy(update={"index": 1, "metadata": metadata})]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rows and a finished run over them, judged by two judges."""
    place = tmp_path_factory.mktemp("finished")
    run = mabench.run(Echo, str(write_rows(place / "rows.jsonl", _rows())), out=place / "run")
    for sample in run.samples():
        if sample.source == "longmemeval_s*":
            for model in ("one", "other"):
                answer = sample.answer_hash
                judgment = Judgment(*sample.key, sample.source, model, "p", answer, {"yes": 1}, 1)
                RunFolder(run.folder).append_judgment(judgment)
    (run.folder / ".lock").unlink(missing_ok=True)
    return place


@pytest.fixture
def run_folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, which a test may damage."""
    shutil.copytree(finished / "run", tmp_path / "run")
    return tmp_path / "run"


def _resumed(finished: Path, folder: Path, **more: Any) -> Run:
    return mabench.run(Echo, str(finished / "rows.jsonl"), out=folder, **more)


def _spoil(file: Path, line: int, change: Callable[[bytes], bytes]) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    lines[line] = change(lines[line])
    file.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{broken\n", "not JSON"),
        (b"\xff\xfe\n", "not JSON: 'utf-8' codec"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b"null\n", "all of it"),
        (b"[]\n", "all of it"),
        (b"{}\n", "split: "),
        (b'{"split": 3}\n', "split: "),
        (b'{"split": "x", "row": NaN}\n', "NaN is not a JSON number"),
        (b'{"split": "x", "row": 1e999}\n', "1e999 is not a JSON number"),
        (b'{"split": "x", "row": ' + b"9" * 5000 + b"}\n", "an integer of more than 18 digits"),
    ],
)
@pytest.mark.parametrize("name", _LINES)
def test_a_line_that_cannot_be_read_is_named_and_the_others_are_reported(
    run_folder: Path, name: str, content: bytes, reason: str
) -> None:
    before = Run(run_folder).summary
    _spoil(run_folder / name, 1, lambda line: content)
    after = Run(run_folder).summary
    assert after.spent.n == before.spent.n - (name == "samples.jsonl")
    assert after.damaged is not None
    (damage,) = after.damaged
    assert f"{name}, line 2 cannot be read: " in damage
    assert reason in damage
    assert damage.replace("[", "\\[")[:20] in markdown(Run(run_folder))


def test_a_damaged_answer_is_set_aside_and_asked_again(finished: Path, run_folder: Path) -> None:
    samples = run_folder / "samples.jsonl"
    before = samples.read_bytes().splitlines()
    broken = b"\xff\xed\xa0\xbd" + before[2][4:]
    _spoil(samples, 2, lambda line: broken + b"\n")
    (run_folder / "damaged.jsonl").write_bytes(b'{"file": "x", "line"')  # Half written.
    said = RecordedProgress()
    run = _resumed(finished, run_folder, progress=said)
    assert sorted(samples.read_bytes().splitlines()) == sorted(before)
    assert any("samples.jsonl, line 3" in line for line in said.events)
    assert "samples.jsonl, line 3 could not be read and was set aside" in str(run.summary.damaged)
    assert (run_folder / "samples.jsonl.damaged").read_bytes() == broken + b"\n"
    # A last line without its end is whole.
    after = samples.read_bytes()
    samples.write_bytes(after.rstrip(b"\n"))
    assert Run(run_folder).summary.spent.n == 7
    _resumed(finished, run_folder)
    assert samples.read_bytes() == after


def test_a_duplicate_line_counts_once_and_the_last_one_counts(
    finished: Path, run_folder: Path
) -> None:
    before = Run(run_folder).summary
    for name in _LINES:
        file = run_folder / name
        first = file.read_bytes().splitlines(keepends=True)[0]
        file.write_bytes(file.read_bytes() + first)
    assert Run(run_folder).summary == before
    _spoil(run_folder / "samples.jsonl", -1, lambda line: line.replace(b"Ann live", b"Bob live"))
    samples = list(Run(run_folder).samples())
    assert len(samples) == 7
    assert samples[-1].question == "Where does Bob live?"
    assert len(list(_resumed(finished, run_folder).samples())) == 7


def test_lost_lines_mean_unknown_seconds_and_those_of_other_sources_are_named(
    run_folder: Path,
) -> None:
    for name in ("memories.jsonl", "timings.jsonl"):
        _spoil(run_folder / name, 0, lambda line: b"")
    first, *others = Run(run_folder).summary.sources.values()
    assert (first.seconds_memorize, first.seconds_answer) == (None, None)
    assert all(one.seconds_memorize and one.seconds_answer for one in others)
    for name in ("memories.jsonl", "timings.jsonl"):
        (run_folder / name).unlink()
    sources = Run(run_folder).summary.sources.values()
    assert [(one.seconds_memorize, one.seconds_answer) for one in sources] == [(None, None)] * 3
    _spoil(run_folder / "samples.jsonl", 0, lambda line: line.replace(b"factcon", b"factcan"))
    summary = Run(run_folder).summary
    assert summary.spent.n == 6
    assert "line 1 cannot be read: the run has no source 'factcan" in str(summary.damaged)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        *((content, "not readable") for content in (b"", b"\xff", b"{", b"[" * 100_000)),
        (b"[1]", "schema None, this version of mabench reads 1"),
        (b'{"schema": 2}', "schema 2, this version"),
        (b'{"schema": 1, "agent": "a"}', "data: "),
    ],
)
def test_a_broken_record_is_an_error_with_a_remedy(
    run_folder: Path, content: bytes, reason: str
) -> None:
    (run_folder / "run.json").write_bytes(content)
    with pytest.raises(DataError, match=rf"run\.json: .*{reason}.*restore a copy of it"):
        _ = Run(run_folder).summary


# Values that stand where others belong.
_VALUES: Any = (None, [], {}, [[]], {"a": None}, "", "x\ud800", True, -1, 0, 2**60, 1e300, 0.5)
_BYTES = [b"\xff", b"\xed\xa0\xbd", b"\x00", b"[" * 50_000, b'{"a":' * 50_000, b"NaN", b"\n", b"]"]


def _edited(draw: st.DataObject, text: bytes) -> bytes:
    """Return JSON with one value replaced, or one key dropped or named otherwise."""
    content = json.loads(text)
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict | list):
            for key in value if isinstance(value, dict) else range(len(value)):
                places.append((value, key))
                walk(value[key])

    walk(content)
    holder, key = draw.draw(st.sampled_from(places), label="place")
    if draw.draw(st.booleans(), label="dropped"):
        value = holder.pop(key)
        if isinstance(holder, dict) and draw.draw(st.booleans(), label="renamed"):
            holder[draw.draw(st.sampled_from(["", "x", "\ud83d", "source"]))] = value
    else:
        holder[key] = copy.deepcopy(draw.draw(st.sampled_from(_VALUES), label="value"))
    return json.dumps(content).encode()


def _corrupted(draw: st.DataObject, content: bytes) -> bytes:
    """Return what is left of a file, or of a line of one, after an accident or an edit."""
    kinds = ["edit", "edit", "cut", "insert", "replace", "empty", "twice"]
    kind = draw.draw(st.sampled_from(kinds))
    at = draw.draw(st.integers(0, len(content)), label="at")
    some = draw.draw(st.sampled_from(_BYTES), label="some")
    is_one = content.startswith(b"{\n") or content.count(b"\n") == 1
    if kind == "edit" and is_one:
        return _edited(draw, content) + b"\n"
    return {
        "cut": content[:at],
        "insert": content[:at] + some + content[at:],
        "replace": some + b"\n",
        "twice": content * 2,
    }.get(kind, b"")


def _corrupt(draw: st.DataObject, folder: Path) -> str:
    """Damage one file of a run in some way, and return its name."""
    name: str = draw.draw(st.sampled_from(_FILES), label="file")
    file = folder / name
    how = draw.draw(st.sampled_from(["lost", "whole", *["line"] * 7]), label="how")
    content = file.read_bytes() if file.is_file() else b'{"file": "x", "line": 1, "reason": ""}\n'
    file.unlink(missing_ok=True)
    if how == "whole" or (how == "line" and file.suffix == ".json"):
        file.write_bytes(_corrupted(draw, content))
    elif how == "line":
        lines = content.splitlines(keepends=True)
        number = draw.draw(st.integers(0, len(lines) - 1), label="line")
        lines[number] = _corrupted(draw, lines[number])
        file.write_bytes(b"".join(lines))
    return name


def _use(finished: Path, folder: Path) -> None:
    """Report, compare, estimate, score and resume a run; only errors of ours may be raised."""
    spec = JudgeSpec(model=ModelSpec("m"), data=str(finished / "rows.jsonl"))
    for use in (
        lambda: markdown(Run(folder)).encode(),
        lambda: compare_judges(folder),
        lambda: estimate_judging(folder, spec),
        lambda: rescore(folder),
        lambda: _resumed(finished, folder),
    ):
        with contextlib.suppress(MabenchError):
            use()


@pytest.mark.parametrize("examples", [30, pytest.param(1_500, marks=pytest.mark.slow)])
def test_no_damage_ends_in_a_traceback(finished: Path, tmp_path: Path, examples: int) -> None:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]

    @settings(max_examples=examples, suppress_health_check=slow)
    @given(draw=st.data())
    def survives(draw: st.DataObject) -> None:
        folder = tmp_path / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(finished / "run", folder)
        name = _corrupt(draw, folder)
        if name != "run.json":
            markdown(Run(folder))
        _use(finished, folder)
        if name != "run.json" and (folder / name).is_file():
            keys = {sample.key for sample in Run(folder).samples()}
            asked = {sample.key for sample in Run(finished / "run").samples()}
            assert asked <= keys, "what was damaged is asked again, and nothing else is lost"

    survives()


_PLACES = (*_FILES, ".lock", ".owner")


def _bind(path: Path) -> None:
    # A socket's path must be short.
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(path.parent):
        one.bind(path.name)


_MAKERS: dict[str, Callable[[Path], object]] = {
    "a named pipe": os.mkfifo,
    "a socket": _bind,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
}


def _ended(work: Callable[[], Any]) -> str:
    """Return the error that ends some work within 10 seconds; an empty text without one."""
    with within(10):
        try:
            work()
        except MabenchError as error:
            return str(error)
    return ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("kind", _MAKERS)
@pytest.mark.parametrize("name", _PLACES)
def test_what_is_no_file_is_named(finished: Path, run_folder: Path, name: str, kind: str) -> None:
    file = run_folder / name
    file.unlink(missing_ok=True)
    _MAKERS[kind](file)
    said = _ended(lambda: _resumed(finished, run_folder))
    # Only a user with all rights can make a device, so that here a link leads to one.
    assert f"{file} is {kind}, not a file; remove it" in said or (
        file.is_symlink() and f"{file}: a link" in said
    )
    if name.endswith(".jsonl"):
        assert f"{file} is {kind}" in _ended(lambda: Run(run_folder).summary)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("name", _PLACES)
def test_a_run_is_not_begun_over_a_pipe(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    os.mkfifo(folder / name)
    said = _ended(lambda: mabench.run("bm25", dataset(), out=folder))
    is_opened = name == "run.json" or name.startswith(".")
    assert ("is a named pipe" if is_opened else f"holds other things, such as {name}") in said


def _with(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def edit(line: bytes) -> bytes:
        sample = json.loads(line)
        change(sample)
        return json.dumps(sample).encode() + b"\n"

    return edit


_CANNOT_COUNT: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "too much": (lambda one: one["official"].update(f1=10), "official.f1: 10 is no score"),
    "too little": (lambda one: one["official"].update(f1=-0.1), "official.f1: -0.1 is no score"),
    "corrected": (
        lambda one: one["corrected"].update(dict.fromkeys(one["corrected"], 2.0)),
        "2.0 is no score, which is from 0 to 1",
    ),
    "recall": (lambda one: one.update(evidence_recall=1.5), "evidence_recall: 1.5 is no score"),
    "wrong": (lambda one: one.update(verdict="right"), "the verdict right contradicts corrected."),
    "partial": (lambda one: one.update(verdict="partial"), "the verdict partial contradicts"),
    "word": (lambda one: one.update(verdict="good"), "verdict: 'good' is none of right, wrong"),
    "run": (lambda one: one.update(run="0" * 16), "an answer of another run"),
    "split": (lambda one: one.update(split="Other"), "not in 'Other'"),
    "row": (lambda one: one.update(row=-1), "it has no row -1"),
    "question": (lambda one: one.update(question_index=-1), "it has no question -1"),
}


@pytest.mark.parametrize("name", _CANNOT_COUNT)
def test_a_line_that_cannot_count_is_named_and_counts_for_nothing(
    run_folder: Path, name: str
) -> None:
    change, reason = _CANNOT_COUNT[name]
    before = Run(run_folder).summary
    _spoil(run_folder / "samples.jsonl", 1, _with(change))
    after = Run(run_folder).summary
    assert after.spent.n == before.spent.n - 1
    (damage,) = after.damaged or ()
    assert damage.startswith("samples.jsonl, line 2 cannot be read: ")
    assert reason in damage


def test_a_judgment_outside_zero_to_one_counts_for_nothing(run_folder: Path) -> None:
    _spoil(run_folder / "judgments.jsonl", 0, _with(lambda one: one.update(value=7)))
    (damage,) = Run(run_folder).summary.damaged or ()
    assert "judgments.jsonl, line 1 cannot be read: value: 7 is no score" in damage


def test_questions_beyond_those_of_the_run_count_for_nothing(run_folder: Path) -> None:
    before, samples = Run(run_folder).summary, run_folder / "samples.jsonl"
    other = _with(lambda one: one.update(question_index=77, run=None))
    samples.write_bytes(samples.read_bytes() + other(samples.read_bytes().splitlines()[0]))
    after = Run(run_folder).summary
    assert after.sources == before.sources
    (damage,) = after.damaged or ()
    assert "no question of the run: it asks" in damage


def test_the_samples_of_another_agent_over_the_same_data_count_for_nothing(
    finished: Path, run_folder: Path, tmp_path: Path
) -> None:
    before = Run(run_folder).summary
    other = mabench.run("bm25", str(finished / "rows.jsonl"), out=tmp_path / "other")
    samples = run_folder / "samples.jsonl"
    added = (other.folder / "samples.jsonl").read_bytes()
    samples.write_bytes(samples.read_bytes() + added)
    after = Run(run_folder)
    assert after.summary.sources == before.sources
    reasons = [line.reason for line in after.store.damaged()]
    assert len(reasons) == len(added.splitlines())
    assert all("an answer of another run" in reason for reason in reasons)


def test_scoring_again_says_which_scores_changed(run_folder: Path) -> None:
    before = Run(run_folder).summary
    sample = json.loads((run_folder / "samples.jsonl").read_bytes().splitlines()[0])
    was = sample["verdict"]  # Of a made-up answer: wrong, or unclear.
    changed = {"official": {}, "corrected": {}, "verdict": "right"}
    for kind in ("official", "corrected"):
        changed[kind] = dict.fromkeys(sample[kind], 1.0)
    _spoil(run_folder / "samples.jsonl", 0, _with(lambda one: one.update(changed)))
    place = f"{sample['source']}, row {sample['row']}, question {sample['question_index']}"
    scores = f"official 100.0 -> 0.0, corrected 100.0 -> 0.0, verdict right -> {was}"
    said = command("score", "run", cwd=run_folder.parent).stderr
    assert f"1 score changed (from 0 to 100, old -> new):\n  {place}: {scores}\n" in said
    assert "No score changed." in command("score", "run", cwd=run_folder.parent).stderr
    assert Run(run_folder).summary.sources == before.sources
