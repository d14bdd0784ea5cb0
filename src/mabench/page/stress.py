"""The page of what stresses found, of one memory or of several side by side."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.page.document import Section, Tile, render, require_packages
from mabench.reports.stress import conclude_stress, stress_tables
from mabench.stress_tests import StressReport

_TITLES = {
    "findings": "Findings",
    "histories": "Histories",
    "load": "Latency under load",
    "sizes": "What a store grows to",
}
_NOTES = {"histories": ["Operations of one step are carried out at the same time."]}


def stress_page(reports: Sequence[StressReport]) -> str:
    """Return the page of reports of `mabench stress`; raises ``MissingPackageError``."""
    require_packages()
    names = [report.memory for report in reports]
    return render(
        title=" \N{MULTIPLICATION SIGN} ".join(names)
        if len(names) < 4
        else f"{len(names)} stresses",
        subtitle="What was found when it was used at random",
        tiles=[_tile(report) for report in reports],
        sections=[
            Section(name, _TITLES[name], tables=tables, notes=_NOTES.get(name, []))
            for name, tables in stress_tables(reports).items()
        ],
        settings=Section(
            "settings",
            "Settings and what was not tried",
            [sentence for report in reports for sentence in conclude_stress(report)],
        ),
    )


def _tile(report: StressReport) -> Tile:
    faults = [each.name for each in report.findings if each.severity == "fault"]
    return Tile(report.memory, str(len(faults)), ", ".join(faults) or "no fault was found")
