"""Builds sdist and wheel, and tries the wheel alone in fresh environments: ``make dist``.

Each supported Python on this machine gets two: with the newest dependencies, and with the lowest
that the wheel allows. There, in an empty folder, mabench runs, checks a memory, and passes the
small tests, which come from the sdist. With the newest ones, the commands of the documentation's
home page are run as pasted, too.
"""

from __future__ import annotations

import email
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tools.interpreters import Version, interpreters

ROOT = Path(__file__).resolve().parents[1]
SUPPORTED = (Version(3, 11), Version(3, 12), Version(3, 13))
RESOLUTIONS = ("highest", "lowest-direct")
# They touch every core dependency, and take nothing but the wheel and the group `small`.
SMALL_TESTS = (
    "tests/floor/test_labels.py",
    "tests/floor/test_recommendation.py",
    "tests/memories/test_retrieval.py",
    "tests/cli/test_commands.py",
    "tests/data/test_dataset.py",
    "tests/data/test_hub.py",
    "tests/data/test_sources_file.py",
    "tests/data/test_validation.py",
    "tests/remote/test_http_channel.py",
    "tests/reports/test_run_report.py",
    "tests/runs/test_engine.py",
    "tests/scoring/test_recommendation.py",
    "tests/text",
)
# Windows has neither the signals nor the processes of these.
POSIX_TESTS = ("tests/remote/test_stdio_channel.py", "tests/runs/test_resume.py")
_SHOWN_LINES = 60  # The last ones of what a failed step printed.
_SECONDS = 1800.0  # That a step may take.
# Variables of the environment that would lead a step out of its own environment.
_HIDDEN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_REQUIRE_VIRTUALENV")

_Command = Sequence[str | Path]


class _Step(NamedTuple):
    """A command, the folder that it is run in, and what it is called."""

    name: str
    command: _Command
    folder: Path


class StepError(Exception):
    """A step failed; the message is the end of what it printed."""


@dataclass(frozen=True)
class Built:
    """What was built.

    Attributes:
        wheel: the wheel.
        sdist: the unpacked sdist, without the source, so that tests find the wheel's alone.
    """

    wheel: Path
    sdist: Path


def main() -> int:
    """Build, check what was built, and try it with each Python; return 0 if everything passed."""
    with tempfile.TemporaryDirectory(prefix="mabench-dist-") as folder:
        work = Path(folder)
        try:
            built = build(work)
        except StepError as error:
            print(f" failed\n{error}")
            return 1
        pythons = interpreters(SUPPORTED)
        for version in SUPPORTED:
            if version not in pythons:
                print(f"Python {version}: skipped, there is no such interpreter here")
        failed = []
        for version, resolution in itertools.product(pythons, RESOLUTIONS):
            name = f"Python {version}, {resolution}"
            print(f"{name}:", end="", flush=True)
            if not try_wheel(built, pythons[version], resolution, work):
                failed.append(name)
    if failed or not pythons:
        print(f"failed: {'; '.join(failed) or 'no Python to try the wheel with'}")
        return 1
    print(f"passed: {', '.join(map(str, pythons))}; dist/ holds what was tried")
    return 0


def build(work: Path) -> Built:
    """Build into ``dist`` and check what was built.

    Raises:
        StepError: when it cannot be built, or a check complains.
    """
    _run_step(_Step("reuse", [_program("reuse"), "--root", ROOT, "lint", "--lines"], work))
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    python = sys.executable
    _run_step(_Step("build", [python, "-m", "build", "--outdir", dist, ROOT], work))
    [wheel] = dist.glob("*.whl")
    [archive] = dist.glob("*.tar.gz")
    _run_step(_Step("twine", [python, "-m", "twine", "check", "--strict", wheel, archive], work))
    settings = ROOT / "pyproject.toml"
    checks: _Command = [_program("check-wheel-contents"), "--config", settings, wheel]
    _run_step(_Step("check-wheel-contents", checks, work))
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    print()
    sdist = work / archive.name.removesuffix(".tar.gz")
    shutil.rmtree(sdist / "src")
    return Built(wheel, sdist)


def try_wheel(built: Built, python: Path, resolution: str, work: Path) -> bool:
    """Try the wheel in a fresh environment, and print each step; return whether all passed.

    Args:
        built: what was built.
        python: the interpreter.
        resolution: which versions of the dependencies are installed, of ``RESOLUTIONS``.
        work: a folder for the environment, which is deleted.
    """
    place = Path(tempfile.mkdtemp(dir=work))
    try:
        for step in _steps_of_trial(built, python, resolution, place):
            _run_step(step)
    except StepError as error:
        print(f" failed\n{error}")
        return False
    finally:
        shutil.rmtree(place)
    print(" passed")
    return True


def _steps_of_trial(built: Built, python: Path, resolution: str, place: Path) -> Iterator[_Step]:
    """Yield the steps that try the wheel: make an environment in ``place``, install, run, test."""
    environment, empty = place / "environment", place / "empty"
    empty.mkdir()
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    uv = _program("uv")
    yield _Step("environment", [uv, "venv", "--quiet", "--python", python, environment], empty)
    install: _Command = [
        *(uv, "pip", "install", "--quiet", "--only-binary", ":all:", "--python", environment)
    ]
    # The lowest versions are those of what is named here: the wheel's own dependencies.
    named: _Command = ["--resolution", resolution, built.wheel, *requirements(built.wheel)]
    group = ["--group", f"{built.sdist / 'pyproject.toml'}:small"]
    yield _Step("install", [*install, *named, *group], empty)
    yield _Step("run", [programs / "mabench", "run"], empty)
    yield _Step("check", [programs / "mabench", "check", "bm25"], empty)
    pytest: _Command = [programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tests = SMALL_TESTS + (POSIX_TESTS if os.name == "posix" else ())
    yield _Step("small tests", [*pytest, *tests], built.sdist)
    if resolution == "highest" and os.name == "posix":
        extra = f"mabench[page] @ {built.wheel.as_uri()}"
        yield _Step("page", [*install, extra], empty)
        text = (built.sdist / "docs/index.md").read_text(encoding="utf-8")
        shell = f"PATH={shlex.quote(str(programs))}:$PATH\n{pasted_commands(text)}"
        yield _Step("home page", ["bash", "-e", "-c", shell], empty)


def pasted_commands(page: str) -> str:
    """Return the commands of a Markdown page, without those that install what is installed."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("pip install "))


def requirements(wheel: Path) -> list[str]:
    """Return what a wheel requires without any extra, as it says itself."""
    with zipfile.ZipFile(wheel) as members:
        [file] = [name for name in members.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(members.read(file))
    listed: list[str] = metadata.get_all("Requires-Dist", [])
    return [requirement for requirement in listed if "extra ==" not in requirement]


def _program(name: str) -> Path:
    """Return a program of the environment that this one runs in."""
    return Path(sysconfig.get_path("scripts"), name)


def _run_step(step: _Step) -> None:
    """Run a step and print its name and how many seconds it took.

    Raises:
        StepError: when it cannot be started, fails or takes too long.
    """
    print(f" {step.name}", end="", flush=True)
    begun = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    try:
        ended = subprocess.run(
            [str(word) for word in step.command],
            cwd=step.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise StepError(f"{step.command[0]} cannot be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise StepError(f"it takes more than {_SECONDS:.0f} s") from error
    if ended.returncode != 0:
        command = " ".join(str(word) for word in step.command)
        shown = "\n".join(ended.stdout.splitlines()[-_SHOWN_LINES:])
        raise StepError(f"{command}\n{shown}\nexit code {ended.returncode}")
    print(f" {time.monotonic() - begun:.0f} s,", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
