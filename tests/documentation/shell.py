"""A folder in which a page's blocks are run as a reader would paste them, one after the other.

A fresh Python takes most of a second to start; the pages have more than a hundred commands. So a
process that has imported mabench forks itself for each command. The shell that runs a page finds a
small program of the name ``mabench`` first on its path, which hands its arguments, folder,
environment and streams over, and exits as the fork exits.

    python -m tests.documentation.shell SOCKET HUB

HUB is a folder that stands in for the public data set.
"""

import importlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tests.models.server import serving

ROOT = Path(__file__).parents[2]
_SECONDS = 180
_PRELOADED = ("mabench_floor", "mabench.cli.app", "nltk.stem.snowball", "sklearn.svm", "bm25s")
# The programs of a page's shell. What an installation would change is looked up instead: extras and
# targets that do not exist. A target that is a command of ours runs it.
_PROGRAMS = Path(__file__).with_name("programs")


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """Runs commands in a folder; ``mabench`` there is the one of this checkout."""

    def __init__(self, folder: Path, programs: Path, server: str) -> None:
        self._folder, self._server = folder, server
        found_in = [str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
        self._env = {
            "PATH": os.pathsep.join(found_in),
            "PYTHONPATH": str(ROOT / "src"),
            "HOME": str(folder.parent),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "COLUMNS": "84",  # What is shown fits beside the site's menu.
            "OMP_NUM_THREADS": "1",
            "OPENAI_API_KEY": "sk-of-nobody",
            "OPENAI_BASE_URL": server,
        }

    def run(self, commands: str) -> Done:
        return self._run(["bash", "-e", "-o", "pipefail", "-c", self._here(commands)])

    def run_script(self, text: str) -> Done:
        self.write("script_of_the_page.py", self._here(text))
        return self._run([sys.executable, "script_of_the_page.py"])

    def write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._here(text), encoding="utf-8")

    def _here(self, text: str) -> str:
        return re.sub(r"http://(?:localhost|127\.0\.0\.1):8000/v1", self._server, text)

    def _run(self, words: list[str]) -> Done:
        pipe: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
        process = subprocess.Popen(
            words,
            cwd=self._folder,
            env=self._env,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **pipe,
        )
        try:
            out, err = process.communicate(timeout=_SECONDS)
        finally:  # What a page starts in the background ends with its block.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return Done(process.returncode, out, err)


@contextmanager
def programs(folder: Path, hub: Path) -> Iterator[Path]:
    """Start the process that forks for each command; yield the folder with the programs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = dict(
        re.findall(r"^([\w-]+):.*\n\t(?:\$\(\w+\)[\w/-]*/)?(.*)", makefile, re.MULTILINE)
    )
    channel = str(folder / "socket")
    words = {"python": sys.executable, "socket": channel, "targets": targets}
    words["extras"] = [*project["optional-dependencies"]]
    for template in _PROGRAMS.glob("*.txt"):
        program = folder / template.stem
        program.write_text(template.read_text("utf-8").format(**words), encoding="utf-8")
        program.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.documentation.shell", channel, str(hub)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,  # A pipe: a fork's streams may be pipes, which nothing seeks in.
        text=True,
    ) as forking:
        try:
            assert forking.stdout
            assert forking.stdout.readline() == "ready\n"
            yield folder
        finally:
            forking.kill()


@contextmanager
def shell(folder: Path, programs: Path) -> Iterator[Shell]:
    """Yield a shell in a fresh folder that has what a checkout has beside it: the examples."""
    folder.mkdir()
    (folder / "examples").symlink_to(ROOT / "examples")
    with serving(lambda prompt: "yes") as served:
        yield Shell(folder, programs, served.url)


def _serve(path: str, hub: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for a fork here.
        print("ready", flush=True)
        while True:
            channel, _ = listening.accept()
            if os.fork():
                channel.close()
                continue
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _hand_over(channel, hub)


def _hand_over(channel: socket.socket, hub: Path) -> None:
    """Run a command in a fork of this fork, and say how it exited."""
    _, streams, _, _ = socket.recv_fds(channel, 7, 3)
    with channel.makefile() as lines:
        said = json.loads(lines.readline())
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        channel.sendall(f"{status if status >= 0 else 128 - status}\n".encode())
        os._exit(0)
    channel.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    _run(said, hub)


def _run(said: dict[str, Any], hub: Path) -> None:
    from mabench.cli import main

    os.chdir(said["folder"])
    os.environ.clear()
    os.environ.update(said["env"])
    sys.argv = ["mabench", *said["words"]]
    code = 1
    try:
        with mock.patch("mabench.data.opening.download_hub", return_value=hub):
            main()
        code = 0
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    # What commands import, and no thread yet.
    for name in _PRELOADED:
        importlib.import_module(name)

    _serve(sys.argv[1], Path(sys.argv[2]))
