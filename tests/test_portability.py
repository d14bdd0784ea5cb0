"""What holds on systems that nobody here has; Windows is imitated by taking its gaps."""

import io
import os
import sys
from pathlib import Path

import pytest

from mabench.cli import main
from mabench.remote.channel import RemoteError
from mabench.remote.child import ChildProcess
from tests.command_line import run_python
from tests.comparison.made import made_run

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
