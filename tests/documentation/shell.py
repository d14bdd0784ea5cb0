"""A folder in which a page's blocks are run as a reader would paste them, one after the other."""

import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.documentation.forking import PROGRAM
from tests.models.server import serving

ROOT = Path(__file__).parents[2]
_SECONDS = 180
# What an installation would change is looked up instead: extras and targets that do not exist.
# A target that is a command of ours runs it.
_PIP = """\
#!{python} -IS
import re, sys
extras = {extras!r}
for word in sys.argv[1:]:
    for name in (re.search(r"(?:mabench|\\.)\\[([^]]*)", word) or ["", ""])[1].split(","):
        if name and name not in extras:
            sys.exit("no such extra: " + name)
"""
_MAKE = """\
#!{python} -IS
import os, sys
targets = {targets!r}
for word in sys.argv[1:]:
    if word not in targets:
        sys.exit("no such target: " + word)
    if targets[word].startswith("mabench "):
        sys.exit(os.waitstatus_to_exitcode(os.system(targets[word])))
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """Runs commands in a folder; ``mabench`` there is the one of this checkout."""

    def __init__(self, folder: Path, programs: Path, server: str) -> None:
        self._folder, self._server = folder, server
        self._env = _environment(folder.parent, programs, server)

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
        process = subprocess.Popen(
            words,
            cwd=self._folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
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
    socket = str(folder / "socket")
    for name, text in {
        "mabench": PROGRAM.format(python=sys.executable, socket=socket),
        "pip": _PIP.format(python=sys.executable, extras=[*project["optional-dependencies"]]),
        "make": _MAKE.format(python=sys.executable, targets=targets),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.documentation.forking", socket, str(hub)],
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


def _environment(home: Path, programs: Path, server: str) -> dict[str, str]:
    return {
        "PATH": os.pathsep.join(
            [str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
        ),
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "84",  # What is shown fits beside the site's menu.
        "OMP_NUM_THREADS": "1",
        "OPENAI_API_KEY": "sk-of-nobody",
        "OPENAI_BASE_URL": server,
    }
