"""Runs the agents of `mabench demo` on made-up rows, and packs what they left: ``make demo``."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import mabench
from mabench.page.demo_pages import PACKED, STRESS

# The agents with their settings, and the rows: few, so that the archive is small.
_AGENTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("floor", {}),
    ("bm25", {}),
    ("bm25", {"k": 2}),
    ("no-memory", {}),
)
_SOURCES = ("ruler_qa1_197K",)
_ROWS = tuple(range(6))
_QUESTIONS = 10
_EPOCH = (1980, 1, 1, 0, 0, 0)  # So that the same files make the same archive.


class Notebook:
    """A memory with a fault, for the page of a stress test: it holds no more than three texts."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Store a text; if there are three already, forget the oldest."""
        self._texts = [*self._texts[-2:], text]

    def search(self, query: str, k: int) -> list[str]:
        """Return what is there, the newest first, whatever the query."""
        return self._texts[::-1][:k]


def main() -> None:
    """Run the agents, stress the faulty memory, and write the archive that the wheel has."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (agent, settings) in enumerate(_AGENTS, start=1):
            mabench.run(
                mabench.AgentSpec(agent=agent, settings=settings),
                "synthetic:compare",
                sources=_SOURCES,
                rows=_ROWS,
                limit_questions=_QUESTIONS,
                out=folder / f"{number}-{agent}",
            )
        mabench.stress(Notebook, mabench.StressSpec(seconds=10)).write(folder / STRESS)
        _pack(folder)
    print(f"{PACKED}: {PACKED.stat().st_size:,} bytes")


def _pack(folder: Path) -> None:
    """Write all files of a folder but hidden ones and locks into the archive."""
    with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            if file.name.startswith(".") or file.suffix == ".lock":
                continue
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), _EPOCH)
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    from tools.demo import main as run  # By its name, so that the memory has it.

    run()
