"""Runs the agents of `mabench demo` on made-up rows, and packs what they left: ``make demo``."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import mabench
from mabench.page.demo_pages import PACKED, STRESS

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
    """A memory with a fault for the page: it holds no more than three texts."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Store a text in place of the oldest."""
        self._texts = [*self._texts[-2:], text]

    def search(self, query: str, k: int) -> list[str]:
        """Return what is there, the newest first."""
        return self._texts[::-1][:k]


def main() -> None:
    """Write the archive that the wheel has."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for number, (agent, settings) in enumerate(_AGENTS, start=1):
            mabench.run(
                mabench.AgentSpec(agent=agent, settings=settings),
                "synthetic:compare",
                sources=_SOURCES,
                rows=_ROWS,
                limit_questions=_QUESTIONS,
                out=place / f"{number}-{agent}",
            )
        mabench.stress(Notebook, mabench.StressSpec(seconds=10)).write(place / STRESS)
        files = sorted(file for file in place.rglob("*") if file.is_file())
        with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for file in files:
                if not file.name.startswith(".") and file.suffix != ".lock":
                    name = file.relative_to(place).as_posix()
                    packed.writestr(
                        zipfile.ZipInfo(name, _EPOCH), file.read_bytes(), zipfile.ZIP_DEFLATED
                    )
    print(f"{PACKED}: {PACKED.stat().st_size:,} bytes")


if __name__ == "__main__":
    from tools.demo import main as run  # By its name, so that the memory has it.

    run()
