"""The page of what stresses found, of one memory or of several side by side."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.page.document import Section, Tile, render, require_packages
from mabench.reports.stress import conclude_stress, describe_outcome, stress_tables
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
    several = f"{len(names)} stresses"
    return render(
        title=several if len(names) > 3 else " \N{MULTIPLICATION SIGN} ".join(names),
        subtitle="What was found when it was used at random",
        tiles=[
            Tile(
                each.memory, str(len(each.faults)), ", ".join(each.faults) or describe_outcome(each)
            )
            for each in reports
        ],
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
