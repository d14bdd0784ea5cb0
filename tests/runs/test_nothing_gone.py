"""Whatever became of a run's files, the commands that write on them leave all that was there."""

import gzip
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mabench import run as run_mabench
from mabench.errors import DataError
from mabench.results import CallRecord, Judgment, rescore
from mabench.results.records.store import RunFolder
from tests.command_line import Done, mabench, succeed, within
from tests.models.server import serving
from tests.rows import dataset
from tests.run_folders import check_run_folder
from tests.runs.agents import Oslo

pytestmark = pytest.mark.corrupts_runs

_AGENT = """
class Echo:
    def memorize(self, chunk):
        self.chunk = chunk
    def answer(self, query):
        prompt = f"Answer this: {query.question}"
        return {"text": query.question, "retrieved": [self.chunk], "cost": 0.5, "prompt": prompt}
"""
_JSONL = ("samples.jsonl", "timings.jsonl", "memories.jsonl", "calls.jsonl", "judgments.jsonl")
_FILES = (*_JSONL, "prompts.jsonl.gz")
_RUN = ("run", "echo:Echo", "--data", "rows", "--out", "run")
_REWRITING = {
    "resume": _RUN,
    "retry": (*_RUN, "--retry-errors"),
    "score": ("score", "run"),
    "judge": ("judge", "run", "--model", "openai/other"),
}
_READING = {
    "report": ("report", "run"),
    "json": ("report", "run", "--format", "json"),
    "compare": ("compare", "run", "other"),
    "show": ("show", "run", "--question", "0"),
    "page": ("page", "run", "--out", "page.html"),
    "csv": ("export", "run", "--to", "csv", "--out", "out.csv"),
    "inspect": ("export", "run", "--to", "inspect", "--out", "inspect"),
    "judges": ("judge", "run", "--model", "openai/other", "--compare"),
    "estimate": ("judge", "run", "--model", "openai/other", "--estimate"),
    "flipped": ("show", "other", "--flipped-from", "run"),
    "leaderboard": ("leaderboard", "run"),
    "replies": ("cache", "export", "replies.gz", "--run", "run"),
    "runs": ("runs", "."),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an agent, rows, and a run over them that has every file of a run."""
    place = tmp_path_factory.mktemp("finished")
    (place / "echo.py").write_text(_AGENT, "utf-8")
    sized = ("--tokens", "600", "--questions", "3", "--rows", "1", "--out", "rows")
    succeed("generate", "longmemeval", "factconsolidation_sh_6k", *sized, cwd=place)
    succeed(*_RUN, cwd=place)
    folder = RunFolder(place / "run")
    for number, sample in enumerate(list(folder.samples())):
        split, row, source = sample.split, sample.row, sample.source
        for seconds in (None, 0.5):
            what: Any = {"call": f"call {number}", "by": "memory", "phase": "answering"}
            what |= {"path": "chat/completions", "seconds": seconds}
            folder.append_call(CallRecord(split=split, row=row, source=source, **what))
        answer = sample.answer_hash
        folder.append_judgment(Judgment(*sample.key, source, "m", "p", answer, {"yes": 1}, 1))
    check_run_folder(place / "run")
    shutil.copytree(place / "run", place / "other")
    return place


@pytest.fixture
def place(finished: Path, tmp_path: Path) -> Iterator[Path]:
    with _copied(finished, tmp_path / "place") as place:
        yield place


@contextmanager
def _copied(finished: Path, place: Path) -> Iterator[Path]:
    """Copy that folder, and serve a judge."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(finished, place)
    with serving(lambda prompt: "yes") as served, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-of-a-test-0123456789")
        patch.setenv("OPENAI_BASE_URL", served.url)
        patch.setenv("MABENCH_CACHE", str(place / "cache"))
        yield place


def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in _FILES}


def _gone(before: dict[str, bytes], folder: Path) -> list[bytes]:
    """Return the lines that are neither in their file nor in the one beside it."""
    gone = []
    for name, content in before.items():
        beside = folder / f"{name}.damaged"
        there, rest = (folder / name).read_bytes(), beside.read_bytes() if beside.exists() else b""
        if name.endswith(".gz"):
            whole = content.removesuffix(rest)
            gone += [] if content == whole + rest and there.startswith(whole) else [content]
            continue
        lines = (line for line in re.split(rb"[\r\n]", content) if line.strip())
        gone += [line for line in lines if line not in there + rest]
    return gone


def _fine(done: Done) -> None:
    assert done.returncode in (0, 1, 2), done
    assert "Traceback" not in done.stdout + done.stderr, done


_ENDS: dict[str, Callable[[bytes], bytes]] = {
    "CR": lambda content: content.replace(b"\n", b"\r"),
    "CRLF": lambda content: content.replace(b"\n", b"\r\n"),
    "LFCR": lambda content: content.replace(b"\n", b"\n\r"),
    "U+2028": lambda content: content.replace(b"\n", "\u2028".encode()),
    "form feed": lambda content: content.replace(b"\n", b"\f"),
    "NUL": lambda content: content.replace(b"\n", b"\0"),
    "no ends": lambda content: content.replace(b"\n", b""),
    "last end lost": lambda content: content.rstrip(b"\n"),
    "cut": lambda content: content[:-20],
    "UTF-16": lambda content: content.decode().encode("utf-16"),
    "compressed": gzip.compress,
    "twice": lambda content: content * 2,
}
_READABLE = ("CR", "CRLF", "LFCR", "last end lost", "cut", "twice")


@pytest.mark.parametrize("command", _REWRITING)
@pytest.mark.parametrize(
    "ends",  # Every third by default, each with every command.
    [
        pytest.param(ends, marks=[pytest.mark.slow] * (number % 3 > 0))
        for number, ends in enumerate(_ENDS)
    ],
)
def test_other_line_ends_lose_nothing(place: Path, ends: str, command: str) -> None:
    folder = place / "run"
    for file in map(folder.joinpath, _FILES):
        content = file.read_bytes()
        spoilt = _ENDS[ends](gzip.decompress(content) if file.suffix == ".gz" else content)
        file.write_bytes(gzip.compress(spoilt) if file.suffix == ".gz" else spoilt)
    before = _contents(folder)
    done = mabench(*_REWRITING[command], cwd=place)
    _fine(done)
    assert _gone(before, folder) == []
    report = "".join((done.stdout + done.stderr).split())
    assert ("samples.jsonl,line" in report) is (ends not in _READABLE), done
    register = folder / "damaged.jsonl"
    listed = register.read_text("utf-8") if register.exists() else ""
    damaged = [name for name in _JSONL if f'"{name}.damaged"' in listed]
    assert damaged == ([] if ends in _READABLE else [*_JSONL])
    if command in ("resume", "retry"):
        assert len(list(RunFolder(folder).samples())) == 6


def _make_sparse(file: Path) -> None:
    with file.open("ab") as stream:
        stream.truncate(1 << 42)


def _add_hole(file: Path) -> None:
    with file.open("ab") as stream:
        stream.truncate(file.stat().st_size + (1 << 22))


def _chain_members(file: Path) -> None:
    """Hold prompts of which each is small, and all are too many."""
    line = b'{"prompt": "%d", "text": "%s"}\n'
    members = [gzip.compress(line % (number, b"a" * (1 << 19))) for number in range(9)]
    file.write_bytes(b"".join(members))


@pytest.mark.skipif(os.name == "nt", reason="there files are not sparse by themselves")
@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("prompts.jsonl.gz", _chain_members),
        *product([*_FILES, "run.json", "summary.json", "damaged.jsonl"], [_make_sparse, _add_hole]),
    ],
)
def test_what_is_huge_is_not_read(
    place: Path, name: str, spoil: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("userfile._LONGEST_LINE", "results.records.prompts._MOST"):
        monkeypatch.setattr(f"mabench.{limit}", 1 << 21)
    file = place / "run" / name
    spoil(file)
    size = file.stat().st_size
    for command in (_READING["report"], _READING["show"], _READING["runs"], _RUN):
        with within(60):
            done = mabench(*command, cwd=place)
        _fine(done)
    assert size == file.stat().st_size or name in ("summary.json", "prompts.jsonl.gz")


def _mutated(content: bytes, chance: random.Random) -> bytes:
    """Return what accidents and editors make of a file."""
    at = chance.randrange(len(content) + 1)
    first, rest, lines = content[:at], content[at:], content.split(b"\n")
    odd = [b"\r", b"\n", b"\r\n", b"\f", b"\0", b"\xff", b"\xed\xa0\x80", b"{", b"]", b"[" * 5000]
    some = chance.choice(odd)
    cut = [first, rest, first + some + rest, first + some + rest[len(some) :], content + first]
    changed = [content.replace(b"\n", some), content.replace(b'"', b"'", chance.randrange(9))]
    mixed = [first + content[: chance.randrange(99)] + rest, some * chance.randrange(1, 9)]
    return chance.choice([*cut, *changed, *mixed, b"\n".join(chance.sample(lines, len(lines)))])


@pytest.mark.slow
def test_no_mutation_loses_anything_or_hangs(finished: Path, tmp_path: Path) -> None:
    seed = int(os.environ.get("MABENCH_SEED") or random.SystemRandom().randrange(10**6))
    print(f"MABENCH_SEED={seed}")
    chance = random.Random(seed)
    for _ in range(int(os.environ.get("MABENCH_MUTATIONS", "150"))):
        with _copied(finished, tmp_path / "place") as place:
            folder = place / "run"
            for name in chance.sample(_FILES, chance.randrange(1, 4)):
                content = (folder / name).read_bytes()
                for _ in range(chance.randrange(1, 4)):
                    content = _mutated(content, chance)
                (folder / name).write_bytes(content)
            before, writes = _contents(folder), chance.choice([*_REWRITING])
            commands = [*chance.sample([*_READING.values()], 5), _REWRITING[writes]]
            for command in commands:
                with within(120):
                    _fine(mabench(*command, cwd=place))
            if writes in ("score", "retry"):  # They write samples anew, or leave out failed ones.
                del before["samples.jsonl"]
            assert _gone(before, folder) == [], writes


@pytest.mark.parametrize(
    "name",
    [
        *("samples.jsonl", "timings.jsonl", "memories.jsonl", "judgments.jsonl", "summary.json"),
        *("run.json", ".owner", ".lock", "memories", ".summary.json.{}.part"),
    ],
)
def test_a_link_in_a_run_folder_is_named_and_left_alone(tmp_path: Path, name: str) -> None:
    name = name.format(os.getpid())
    run = tmp_path / "run"
    run_mabench("bm25", dataset(), out=run, limit_questions=1)
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    file = run / name
    if file.is_file() and name.endswith(("json", "jsonl")):
        mine.write_bytes(file.read_bytes())
    file.unlink(missing_ok=True)
    file.symlink_to(mine)
    before = mine.read_bytes()
    again = partial(run_mabench, "bm25", dataset(), out=run, limit_questions=1, retry_errors=True)
    for write in again, partial(rescore, run):
        with pytest.raises(DataError, match=f"{name}: a link"):
            write()
    assert mine.read_bytes() == before


@pytest.mark.parametrize("name", ["samples.jsonl", ".summary.json.{}.part"])
def test_nor_is_one_that_an_agent_makes(tmp_path: Path, name: str) -> None:
    run, mine = tmp_path / "run", tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")

    class Linking(Oslo):
        def memorize(self, chunk: str) -> None:
            file = run / name.format(os.getpid())
            if not file.is_symlink():
                file.symlink_to(mine)

    with pytest.raises(DataError, match="it is a link"):
        run_mabench(Linking, dataset(), out=run)
    assert mine.read_text(encoding="utf-8") == "mine"
