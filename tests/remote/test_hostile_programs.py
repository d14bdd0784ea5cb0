import json
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from concurrent import futures
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.contract.methods import Takes
from mabench.data import export_hub_layout
from mabench.errors import NotMadeError, UsageError
from mabench.remote.channel import RemoteError
from mabench.remote.stdio_channel import process_factory
from mabench.remote.variables import choose_variables
from mabench.remote.worker_process import WorkerProcess
from mabench.runs.conversation import Conversation
from mabench.specs import Limits
from tests import parts
from tests.command_line import run_python, start, until, within
from tests.remote import worker_agents
from tests.remote.http_serving import Handler, running, serving
from tests.remote.mcp_serving import MAPS, SERVER, mcp_over_http, needs_mcp, write_map
from tests.remote.test_http_channel import problems
from tests.remote.worker_agents import DIARY, Diary, Words, ask_diary
from tests.rows import dataset
from tests.runs.agents import converse


def program(mode: str, *arguments: object) -> str:
    return shlex.join([sys.executable, worker_agents.__file__, mode, *map(str, arguments)])


def alive(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if _runs(file.name)]


def _runs(process: str) -> bool:
    try:
        status = Path("/proc", process, "stat").read_text("utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("nested", "sent an invalid reply"),
        ("large", "sent a reply of more than 33,554,432 bytes"),
        ("flood", "ended with exit code 5; it said: .*the last word"),
        ("leave", "ended with exit code 7"),
        ("deaf", "closed its standard output"),
    ],
)
def test_a_hostile_program_fails_its_row_by_name(
    tmp_path: Path, mode: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mode == "deaf":
        monkeypatch.setattr("mabench.remote.worker_process._END_SECONDS", 0.5)
    folder = tmp_path / "processes"
    folder.mkdir()
    agent, limits = f"stdio:{program(mode, folder)}", Limits(answer_seconds=3600.0)
    with within(600):  # Not after the limit of an answer.
        run = mabench.run(agent, dataset(), out=tmp_path / "run", limits=limits)
    first, _, _, other, _ = run.samples()
    for sample in (first, other):  # The first of each row.
        assert re.search(said, sample.error or "")
    if Path("/proc/self").exists():
        until(lambda: not alive(folder))


_STARTS = """
import sys
sys.argv = ["", "", {folder!r}]
from tests.remote.worker_agents import stay
class Starts:
    def memorize(self, chunk): pass
    def answer(self, query): stay(0)
"""
_ROOT = Path(__file__).parents[2]
_PATHS = {"PYTHONPATH": os.pathsep.join([str(_ROOT), str(Path(mabench.__file__).parents[1])])}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", ["program", "interpreter", "processes"])
@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_nothing_outlives_the_run(tmp_path: Path, how: str, number: int) -> None:
    folder = tmp_path / "processes"
    folder.mkdir()
    (tmp_path / "starts.py").write_text(_STARTS.format(folder=str(folder)), "utf-8")
    (tmp_path / "tests").symlink_to(_ROOT / "tests")
    export_hub_layout(dataset(), tmp_path / "rows")
    words = {
        "program": [f"stdio:{program('stay', folder)}"],
        "interpreter": ["starts:Starts", "--python", sys.executable],
        "processes": ["starts:Starts", "--executor", "processes"],
    }
    run = start("run", *words[how], "--data", "rows", "--out", "run", cwd=tmp_path)
    try:
        until(lambda: len(alive(folder)) >= 3, 60)
        run.send_signal(number)
        if number == signal.SIGTERM:
            run.send_signal(number)  # The second does not wait for the answer.
            time.sleep(0.5)
    finally:
        run.kill()
    run.communicate(timeout=60)
    until(lambda: not alive(folder))


_MEASURED = """
import resource, sys
import mabench
from mabench.specs import Limits
from tests.rows import dataset
mabench.run("floor", dataset(), out=sys.argv[2] + "/first")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
agent = mabench.AgentSpec(agent=sys.argv[1], mcp_map=sys.argv[3] if sys.argv[3:] else None)
run = mabench.run(
    agent, dataset(), out=sys.argv[2] + "/run", limit_questions=1, rows=[0],
    sources=["factconsolidation_sh_6k"],
)
[sample] = run.samples()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
print(sample.error)
"""
_LIMIT = 1 << 25


def measured(folder: Path, agent: str, *more: str) -> tuple[int, str]:
    """Return how many bytes a run in a process of its own needed, and the error of its sample."""
    environment = {**os.environ, **_PATHS}
    done = run_python(_MEASURED, agent, str(folder), *more, env=environment, timeout=200)
    assert done.returncode == 0, done.stderr
    size, error = done.stdout.splitlines()[-2:]
    return int(size) * (1 if sys.platform == "darwin" else 1024), error


class _Large(Handler):
    """Replies to a question with 300 MB, and as it should to all else."""

    def respond(self) -> None:
        self.read()
        self.close_connection = True  # There is no length.
        self.send_response(200)
        self.end_headers()
        asked = self.path == "/answer"
        self.wfile.write(b"x" * (300 << 20) if asked else b'{"session": "1", "kind": "agent"}')


@pytest.mark.slow  # An MCP server takes most of the time, and its package 30 MB.
@pytest.mark.parametrize(
    ("mode", "limit", "own"),
    [
        ("large", _LIMIT, 8 << 20),
        ("flood", 1 << 23, 8 << 20),
        ("server", _LIMIT, 8 << 20),
        pytest.param("mcp large", _LIMIT, 40 << 20, marks=needs_mcp),
        pytest.param("mcp flood", _LIMIT, 40 << 20, marks=needs_mcp),
        pytest.param("mcp over http", _LIMIT, 40 << 20, marks=needs_mcp),
    ],
)
def test_what_comes_takes_twice_its_limit_at_most(
    tmp_path: Path, mode: str, limit: int, own: int
) -> None:
    word, maps = mode.rpartition(" ")[2], [write_map(tmp_path)] if mode.startswith("mcp") else []
    with ExitStack() as stack:
        if mode == "server":
            agent = stack.enter_context(running(_Large))
        elif mode == "mcp over http":
            agent = f"mcp:{stack.enter_context(mcp_over_http('large'))}"
        else:
            agent = f"mcp:{SERVER} - {word}" if maps else f"stdio:{program(mode)}"
        size, error = measured(tmp_path, agent, *maps)
    assert (f"sent a reply of more than {_LIMIT:,} bytes" in error) == (word != "flood")
    assert size < 2 * limit + own


_NAMES = st.sampled_from(["id", "result", "error", "message", "data", "traceback"])
REPLIES = st.one_of(
    st.binary(max_size=300),
    st.binary(max_size=100).map(lambda noise: b"\x1e" + noise + b"\n"),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner),
        max_leaves=8,
    ).map(lambda value: b"\x1e" + json.dumps(value).encode() + b"\n"),
    st.integers(1, 400_000).map(lambda n: b'\x1e{"id": 1, "result": ' + b'{"a":' * n + b"\n"),
)


@pytest.mark.parametrize("examples", [15, pytest.param(600, marks=pytest.mark.slow)])
def test_no_reply_hangs_a_call(tmp_path: Path, examples: int) -> None:
    """There is a result or an error, whatever a program replies that ends then."""
    file = tmp_path / "replies"

    @settings(max_examples=examples)
    @given(st.lists(REPLIES, max_size=6))
    def answered(replies: list[bytes]) -> None:
        file.write_bytes(b"".join(replies))
        process = WorkerProcess(["cat", str(file)], choose_variables())
        try:
            process.send("answer").result(20)
        except futures.TimeoutError as error:
            raise AssertionError("it hangs") from error
        except RemoteError:
            pass
        finally:
            process.end()

    answered()


PROGRAM = shlex.join([sys.executable, worker_agents.__file__, "diary"])
MAY = datetime.fromisoformat("2024-05-01T09:30:00+02:00")
FIELDS = {"time": MAY, "speaker": "Bo", "role": "user", "session": "s1", "user": "Ada"}
KEY = {"gold": "Oslo", "evidence": "t1", "question_type": "as-of"}
MAP = (MAPS / "diary.toml").read_text("utf-8")
CALLS = [
    "add a 2024-05-01T09:30:00+02:00 Ada s1",
    "add b None nobody None",
    "search where 2024-05-01T09:30:00+02:00",
    "update 1 c 2024-05-01T09:30:00+02:00 None",
    "delete id-2 None",
    "delete None Ada",
    "list Ada",
]


@contextmanager
def made(transport: str, folder: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield how a diary is named that is reached so."""
    diaries: dict[str, Diary] = {}

    def respond(path: str, body: Any) -> tuple[int, Any]:
        if path == "/reset":
            diaries["1"] = Diary()
            said = json.loads(json.dumps(DIARY).replace('"session"]', '"conversation"]'))
            said["takes"]["add"] = ["time", "user", "conversation"]
            return 200, {**said, "session": "1"}
        method, session = path[1:], body["session"]
        if path in ("/close", "/stats"):
            return 200, {}
        try:
            given = {name: body[name] for name in body if name != "session"}
            given |= {"session": given.pop("conversation")} if "conversation" in given else {}
            result = ask_diary(diaries[session], method, given)
        except LookupError as error:
            return 404, {"error": str(error)}
        body["session"] = session
        names = {"add": "id", "search": "passages", "list": "passages"}
        return 200, {names[method]: result} if method in names else {}

    with serving(respond) as served:
        yield {
            "local": (Diary, {}),
            "worker": ("tests.remote.worker_agents:Diary", {"python": sys.executable}),
            "stdio": (f"stdio:{PROGRAM}", {}),
            "http": (served.url, {}),
            "mcp": (f"mcp:{SERVER} -", {"mcp_map": write_map(folder, MAP)}),
        }[transport]
        assert [problem for one in served.exchanges for problem in problems(one)] == []


@pytest.mark.parametrize(
    "transport", ["local", "worker", "stdio", "http", pytest.param("mcp", marks=needs_mcp)]
)
def test_the_same_crosses_by_every_transport(transport: str, tmp_path: Path) -> None:
    async def use(door: Conversation) -> list[str]:
        takes = door.takes
        assert takes.told == {"time", "user", "session"}
        assert takes.fields["update"].keys() == {"time", "session"}
        assert takes.fields["delete"].keys() == {"id", "user"}
        assert {"update", "delete", "list"} <= takes.methods
        assert takes.unit == ("turn" if transport == "mcp" else "session")
        [first] = await door.tell("a", FIELDS | KEY)
        second = [*await door.tell("b", KEY), "id-2"]
        [passage] = await door.search("where", 3, FIELDS | KEY)
        assert passage.text == "found"
        assert passage.time == (None if transport == "mcp" else MAY)
        await door.update(first, "c", {"time": MAY})
        with pytest.raises((LookupError, RemoteError), match="no such text"):
            await door.delete(id="id-0")
        await door.delete(id="id-2" if transport == "mcp" else second[0])
        await door.delete(user="Ada")
        held = await door.list_texts("Ada")
        if transport in ("local", "worker", "stdio"):
            assert (door.folder / "calls").read_text("utf-8").splitlines() == held  # type: ignore[operator]
        await door.ready()
        return held

    with made(transport, tmp_path) as (agent, settings):
        assert converse(agent, use, **settings) == CALLS


@needs_mcp
def test_near_misses_of_a_server_are_known_here(tmp_path: Path) -> None:
    async def use(door: Conversation) -> list[str]:
        return [*Takes.of(door.agent).misses]

    mapping = write_map(tmp_path, MAP.replace("{time}", "{timestamp}", 1))
    expected = ["add takes `timestamp`: name it `time` to be passed the time"]
    assert converse(f"mcp:{SERVER} -", use, mcp_map=mapping) == expected


def test_what_knows_nothing_of_fields_goes_on_working() -> None:
    async def use(door: Conversation) -> Any:
        assert await door.tell("the gate is green", FIELDS) == []
        assert not door.takes.fields
        await door.ready()
        return (await door.search("gate", 1, FIELDS))[0].text

    assert converse(Words, use) == "the gate is green"
    there = converse("tests.remote.worker_agents:Words", use, python=sys.executable)
    assert there == "the gate is green"


strange = st.one_of(st.none(), st.integers(), st.lists(st.text(max_size=3)), st.text(max_size=5))


@given(takes=strange | st.dictionaries(st.text(max_size=9), strange), methods=strange, unit=strange)
@settings(max_examples=40, deadline=None)
def test_what_a_server_says_wrongly_says_nothing(takes: Any, methods: Any, unit: Any) -> None:
    def respond(path: str, body: Any) -> tuple[int, Any]:
        said = {"takes": takes, "methods": methods, "unit": unit}
        return 200, {"session": "1", "kind": "memory", "passages": ["a"], **said}

    async def use(door: Conversation) -> str:
        await door.tell("a", FIELDS)
        return (await door.search("b"))[0].text

    with serving(respond) as served:
        assert converse(served.url, use) == "a"


PLAIN = """
import json, sys
for line in sys.stdin:
    request = json.loads(line.lstrip(chr(30)))
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"kind": "memory"}}))
    sys.stdout.flush()
"""
CHATTY = """
import json, sys
print("loading", flush=True)
print('{"id": "x", "event": "ready"}', flush=True)
sys.stdin.readline()
print('{"id": 99, "result": 1}', flush=True)
sys.stdin.read()
"""


def test_a_reply_without_its_mark_is_named_at_once() -> None:
    said = r"sent a reply without the byte 0x1E before it: b'\{\"jsonrpc.*; write 0x1E before each"
    with within(600), pytest.raises(NotMadeError, match=said):
        process_factory(shlex.join([sys.executable, "-c", PLAIN]))()


def test_lines_that_were_ignored_are_told_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mabench.remote.stdio_channel._START_SECONDS", 3.0)
    monkeypatch.setattr("mabench.remote.child_process._END_SECONDS", 0.1)
    said = r"not ready within 3 s; [123] lines? of its output without .* ignored, first b'loading'"
    with pytest.raises(NotMadeError, match=said):
        process_factory(shlex.join([sys.executable, "-c", CHATTY]))()


# Says nothing, and does not heed the polite request to end.
SILENT = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1], str(os.getpid())).touch()
time.sleep(600)
"""


@pytest.mark.parametrize("transport", ["stdio", pytest.param("mcp", marks=needs_mcp)])
def test_a_program_that_is_never_ready_is_ended_at_the_limit(
    tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabench.remote.child_process._END_SECONDS", 0.2)
    (tmp_path / "seen").mkdir()
    command = shlex.join([sys.executable, "-c", SILENT, str(tmp_path / "seen")])
    mcp_map = "server-memory" if transport == "mcp" else None
    agent = f"{transport}:{command}"
    limits = Limits(memorize_seconds=2.0)
    with within(120), pytest.raises((NotMadeError, UsageError), match=r"within 2 s"):
        parts.run(agent, dataset(), out=tmp_path / "run", limits=limits, mcp_map=mcp_map)
    (process,) = (path.name for path in (tmp_path / "seen").iterdir())
    assert not _runs(process)
