"""The page of what stresses found, of one memory or of several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.page.document import Section, Tile, render, require_packages
from mabench.reports.stress import (
    conclude_stress,
    finding_table,
    history_table,
    latency_table,
    size_table,
)
from mabench.stress_tests import StressReport


def stress_page(reports: Sequence[StressReport]) -> str:
    """Return the page of reports of `mabench stress`; raises ``MissingPackageError``."""
    require_packages()
    names = [report.memory for report in reports]
    return render(
        title=" \N{MULTIPLICATION SIGN} ".join(names)
        if len(names) < 4
        else f"{len(names)} stresses",
        subtitle="Faults under random operations",
        tiles=[_tile(report) for report in reports],
        sections=[*_sections(reports)],
        settings=Section(
            "settings",
            "Settings and what was not tried",
            [sentence for report in reports for sentence in conclude_stress(report)],
        ),
    )


def _tile(report: StressReport) -> Tile:
    faults = [each.name for each in report.findings if each.severity == "fault"]
    return Tile(report.memory, str(len(faults)), ", ".join(faults) or "no fault was found")


def _sections(reports: Sequence[StressReport]) -> Iterator[Section]:
    if any(report.findings for report in reports):
        yield Section("findings", "Findings", tables=[finding_table(reports)])
        tables = [history_table(report, each) for report in reports for each in report.findings]
        notes = ["Operations of one step run concurrently."]
        yield Section("histories", "Histories", tables=tables, notes=notes)
    if any(report.latency for report in reports):
        yield Section("load", "Latency under load", tables=[latency_table(reports)])
    if any(report.sizes for report in reports):
        yield Section("sizes", "Size of the store", tables=[size_table(reports)])
