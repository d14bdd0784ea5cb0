"""The page of `mabench demo`: what is measured, who is best, a question, a fault of a memory.

The runs are packed in ``assets/demo.zip``, which ``make demo`` writes.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from mabench.page import document as doc
from mabench.page.pages import comparison_page, stress_sections
from mabench.printable import write_count
from mabench.results import Run
from mabench.stressing import read_report

PACKED = Path(__file__).parent / "assets" / "demo.zip"
STRESS = "stress.json"  # The report in the archive.


def unpack_demo(place: Path) -> tuple[list[Run], Path]:
    """Unpack the runs of the demo and the report of its stress test into a folder."""
    with zipfile.ZipFile(io.BytesIO(PACKED.read_bytes())) as packed:
        packed.extractall(place)
    return [Run(file.parent) for file in sorted(place.glob("*/run.json"))], place / STRESS


def demo_page(place: Path) -> str:
    """Return the page of the demo as HTML; its files are unpacked into ``place``.

    Raises:
        MissingPackageError: when a package is missing.
    """
    doc.require_packages()
    runs, file = unpack_demo(place)
    questions, report = sum(runs[0].record.questions.values()), read_report(file)
    measured = doc.Section(
        "measured",
        "What is measured",
        [
            f"{write_count(len(runs), 'agent')} were told the same long histories, chunk by chunk, "
            f"and then asked {write_count(questions, 'question')} that only the histories answer.",
            "A score is the share of questions that an agent got right, from 0 to 100. Agents that "
            "share a letter are tied: these questions do not show that they differ.",
            "Everything here is made up, and no language model was asked. The questions are at the "
            "end: filter those that only one agent got right, and open one to see why.",
        ],
    )
    fault = doc.Section(
        "stress",
        "A memory with a fault",
        [
            f"`mabench stress` used a small memory at random and found "
            f"{write_count(len(report.faults), 'fault')}; below is the shortest history that shows "
            "each.",
        ],
    )
    stressed = [
        section
        for section in stress_sections([report])
        if section.name in ("findings", "histories")
    ]
    return comparison_page(runs, "mabench demo", before=[measured], after=[fault, *stressed])
