"""Runs the commands of ``commands.toml`` in a fresh folder and keeps what they printed and wrote.

Nothing of the user's is touched: home, caches and temporary files are in the fresh folder, and
the only server that can be reached is a stand-in for a language model.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tools.recording.model_server import model_server
from tools.recording.normal import Normalizer, parsed

COMMANDS = Path(__file__).with_name("commands.toml")
_SECONDS = 120.0  # That a command may take.
_TIMED_OUT = -1  # The exit code that is kept of one that takes longer.
_TEXT_FILES = {".json", ".jsonl", ".csv", ".md", ".tex", ".html", ".svg", ".toml", ".txt"}
_LONGEST_FILE = 3_000_000  # Bytes.
# Commands of which it depends on the machine how much they print, and those with seconds in it.
_VOLATILE = re.compile(r"^(stress |page |plan )")
_TIMED = re.compile(r"^(check |report runs/sweep|sweep )")


def record(python: Path, wanted: re.Pattern[str], keep: Path | None = None) -> dict[str, Any]:
    """Run the commands of all groups whose names match, and return what they did, by command."""
    listed = tomllib.loads(COMMANDS.read_text(encoding="utf-8"))
    recorded: dict[str, Any] = {}
    begun = time.monotonic()
    with _folder(keep) as root, model_server() as server:
        folder = root / "work"
        folder.mkdir()
        for name, text in listed["files"].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        environment = _environment(root)
        program = _program(python)
        normalizer = Normalizer(root, program, server)
        for group, commands in listed["commands"].items():
            if not wanted.search(group):
                continue
            for command in commands:
                typed = command.replace("{server}", server)
                print(f"{time.monotonic() - begun:6.1f} s  {command}", file=sys.stderr, flush=True)
                # A command that is run again is another entry.
                name = command if command not in recorded else f"{command}  # again"
                recorded[name] = _run_command(program, typed, folder, environment, normalizer)
    return recorded


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Yield the folder to work in."""
    if keep:
        keep.mkdir(parents=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="mabench-recording-") as folder:
        yield Path(folder).resolve()


def _program(python: Path) -> list[str]:
    """Return how mabench is started: by its script beside the interpreter, as users do."""
    script = python.absolute().with_name("mabench")
    return [str(script)] if script.exists() else [str(python.absolute()), "-m", "mabench"]


def _environment(root: Path) -> dict[str, str]:
    """Return an environment with its own home, caches and temporary folder."""
    for name in ("home", "tmp"):
        (root / name).mkdir()
    hidden = re.compile(r"^(OPENAI_|HF_|XDG_|MABENCH|PYTHON|VIRTUAL_ENV)|_KEY$|_PROXY$", re.I)
    known = {key: value for key, value in os.environ.items() if not hidden.search(key)}
    return known | {
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "COLUMNS": "400",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
        "OPENAI_API_KEY": "of-the-recording",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


class _Ended(NamedTuple):
    """How a command ended."""

    exit_code: int
    output: str
    error_output: str


def _run_command(
    program: list[str],
    typed: str,
    folder: Path,
    environment: dict[str, str],
    normalizer: Normalizer,
) -> dict[str, Any]:
    """Run one command in a folder and return its normalized result, as ``differences`` takes it.

    ``typed`` is what follows the program. With "> FILE" at its end, the output is also stored in
    that file, as by a shell.
    """
    before = _stamp_files(folder)
    words, _, target = typed.partition(" > ")
    ended = _run([*program, *shlex.split(words)], folder, environment)
    written = {
        path.relative_to(folder).as_posix(): path
        for path, stamp in sorted(_stamp_files(folder).items())
        if before.get(path) != stamp
    }
    if target:
        (folder / target).write_text(ended.output, encoding="utf-8")
    volatile, timed = bool(_VOLATILE.search(words)), bool(_TIMED.search(words))
    result: dict[str, Any] = {"exit code": ended.exit_code}
    data = parsed(ended.output) if "json" in words else None
    if data is not None:
        result["JSON"] = normalizer.data(data)
    elif "--format csv" in words:
        result["text"] = normalizer.table(ended.output)
    else:
        result["text"] = normalizer.text(ended.output, volatile=volatile, timed=timed)
    result["error text"] = normalizer.text(ended.error_output, volatile=volatile)
    result["files"] = {
        normalizer.line(name): normalizer.file(path, volatile=volatile)
        for name, path in written.items()
        if path.suffix in _TEXT_FILES and path.stat().st_size < _LONGEST_FILE
    }
    return result


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> _Ended:
    """Run a command to its end; one that takes too long is ended."""
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _Ended(_TIMED_OUT, "", f"took more than {_SECONDS:.0f} s")
    return _Ended(ended.returncode, ended.stdout, ended.stderr)


def _stamp_files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the time and the size of all files below a folder, to see which have changed."""
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
