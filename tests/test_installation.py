"""How mabench is installed and imported: with or without extras, guests, and POSIX."""

import io
import json
import os
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

import mabench
from mabench.cli import main
from mabench.data import export_hub_layout
from mabench.errors import MissingPackageError, require
from mabench.installation import install_command
from mabench.lookup.capabilities import Capabilities
from mabench.remote.channel import RemoteError
from mabench.remote.child_process import ChildProcess
from tests.command_line import run_python
from tests.comparison.made import made_run
from tests.rows import dataset


def _dense(embeddings: str = "x") -> None: ...


def _install(monkeypatch: pytest.MonkeyPatch, origin: object) -> None:
    """Install a distribution with the ``direct_url.json`` that an installer wrote, or without."""
    written = origin if isinstance(origin, str | None) else json.dumps(origin)
    installed = SimpleNamespace(read_text={"direct_url.json": written}.get)
    monkeypatch.setattr(metadata, "distribution", lambda name: installed)


def test_the_command_that_installs_an_extra_is_that_of_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, other = tmp_path / "my checkout", tmp_path / "other"
    wheel = tmp_path / "mabench-1-py3-none-any.whl"
    wheel.touch()
    editable = {"url": checkout.as_uri(), "dir_info": {"editable": True}}
    gone = {"url": "file:///no/such/place", "dir_info": {"editable": True}}
    elsewhere = {"url": "https://example.org/mabench.whl", "archive_info": {}}
    of_an_index: list[object] = [None, "", "no JSON", "[]", gone, elsewhere]
    for here, origin, words in (
        (checkout, editable, ["-e", ".[page]"]),
        (other, editable, ["-e", f"{checkout}[page]"]),
        (tmp_path, {"url": tmp_path.as_uri(), "dir_info": {}}, [".[page]"]),
        (tmp_path, {"url": wheel.as_uri(), "archive_info": {}}, [f"{wheel}[page]"]),
        *((tmp_path, origin, ["mabench[page]"]) for origin in of_an_index),
    ):
        here.mkdir(exist_ok=True)
        _install(monkeypatch, origin)
        monkeypatch.chdir(here)
        assert install_command("page") == shlex.join(["pip", "install", *words])


def test_every_report_of_a_missing_extra_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    system = Capabilities(module="no_such_module", extra="mem0")
    uses: dict[str, Callable[[], object]] = {
        "page": lambda: require("no_such_module", "page"),
        "mem0": lambda: system.require_packages("mem0", dict, {}),
        "embeddings": lambda: Capabilities(embeds=True).require_packages("dense", _dense, {}),
    }
    for extra, use in uses.items():
        with pytest.raises(MissingPackageError, match=rf"run: pip install -e '\.\[{extra}\]'"):
            use()
    source = Path(mabench.__file__).parent
    naming = [file for file in source.rglob("*.py") if "pip install" in file.read_text("utf-8")]
    assert [file.name for file in naming] == ["installation.py"]


def _seconds(*command: str) -> float:
    """Return the best of three in seconds of the processor, since the machines are noisy."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        before = children.ru_utime + children.ru_stime
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime - before

    return min(used() for _ in range(3))


@pytest.mark.slow
def test_import_and_help_are_fast() -> None:
    assert _seconds("-c", "import mabench") - _seconds("-c", "pass") < 0.3
    assert _seconds("-m", "mabench", "--help") < 0.6


def test_import_loads_nothing_heavy_and_sets_up_no_logging() -> None:
    code = (
        "import sys, logging, mabench; "
        "heavy = {'pyarrow', 'numpy', 'rich', 'pydantic', 'bm25s', 'nltk', 'huggingface_hub'}; "
        "sys.exit(bool(heavy & set(sys.modules) or logging.getLogger().handlers))"
    )
    assert run_python(code).returncode == 0


def test_every_public_name_is_there_and_no_other() -> None:
    assert "load" in dir(mabench)
    assert None not in [getattr(mabench, name) for name in dir(mabench)]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mabench.nothing  # type: ignore[attr-defined] # noqa: B018


# Our own modules, imported where Python has no more of POSIX than Windows offers. Libraries are
# imported before that: they know Windows by other signs.
_AS_ON_WINDOWS = """
import asyncio, multiprocessing.connection, os, pkgutil, select, signal, subprocess, sys
import filelock, httpx2, numpy, pydantic, regex, rich.progress, rich.table, scipy.special, typer

import importlib
for name in ("fork", "setsid", "killpg", "waitpid", "WNOHANG", "getpgid", "getuid", "O_NOFOLLOW"):
    delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGXFSZ", "set_wakeup_fd"):
    delattr(signal, name)
for name in ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios"):
    sys.modules[name] = None

import mabench
for module in pkgutil.walk_packages(mabench.__path__, "mabench."):
    if ".adapters." in module.name or module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        if error.name not in ("inspect_ai", "mcp"):  # These come with extras.
            raise
"""


def test_no_module_takes_what_windows_lacks_to_be_imported() -> None:
    done = run_python(_AS_ON_WINDOWS)
    assert done.returncode == 0, done.stderr


def test_a_program_is_refused_in_words_where_it_could_outlive_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(RemoteError, match="Windows cannot end a program"):
        ChildProcess([sys.executable], {})


def test_a_character_that_an_encoding_lacks_is_written_by_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_run(tmp_path / "run", {"ruler_qa1_197K": [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]})
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii", write_through=True))
    monkeypatch.setattr(sys, "argv", ["mabench", "report", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert b"\\u2020" in written.getvalue()  # The dagger.


# Runs command lines where neither the entry points nor the modules of the guests are there.
_ALONE = """
import importlib.metadata as metadata
import sys

class NoGuests:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("mabench_"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

installed = metadata.entry_points
metadata.entry_points = lambda **chosen: tuple(
    point for point in installed(**chosen) if not point.value.startswith("mabench_")
)
sys.meta_path.insert(0, NoGuests())
from mabench.cli import main
for line in [*sys.argv[1:]]:
    sys.argv = ["mabench", *line.split()]
    try:
        main()
    except SystemExit as ended:
        print("=>", ended.code or 0, file=sys.stderr)
"""
_AGENT = """
class Notes:
    def __init__(self):
        self.chunks = []
    def memorize(self, chunk):
        self.chunks.append(chunk)
    def answer(self, query):
        return self.chunks[0]

class Shelf:
    def add(self, text):
        pass
    def search(self, query, k):
        return []
"""
# Command lines that succeed, and those that fail with what they name as missing.
_SUCCEED = [
    *("run own_notes:Notes --data rows --out run", "run oracle --data rows --out best"),
    *("compare run best", "score run", "page run --out run.html", "agents", "show run"),
]
_CHECK = "check own_notes:Notes"
_FAIL = {
    "run floor --data rows": "mabench_floor",
    "run bm25 --data rows": "mabench_memories",
    "run own_notes:Shelf --data rows": "mabench_floor",
    "run mem0 --data rows": "mabench_systems",
    "run oracle --data synthetic:small": "mabench_synthetic",
    "generate ruler_qa1 --out made": "mabench_synthetic",
    "data import locomo rows --out made": "mabench_external",
}


@pytest.mark.parametrize("last", ["show best", pytest.param(_CHECK, marks=pytest.mark.slow)])
def test_an_agent_is_run_without_guests_and_a_missing_name_says_what_brings_it(
    last: str, tmp_path: Path
) -> None:
    (tmp_path / "own_notes.py").write_text(_AGENT, "utf-8")
    export_hub_layout(dataset(), tmp_path / "rows")
    lines = [*_SUCCEED, last, *_FAIL]
    *said, end = run_python(_ALONE, *lines, cwd=tmp_path).stderr.split("=> ")
    codes = [int(one[0]) for one in (*said[1:], end)]
    assert codes == [0] * (len(_SUCCEED) + 1) + [2] * len(_FAIL), said
    for part, one in zip(_FAIL.values(), said[-len(_FAIL) :], strict=True):
        assert part in one
