"""The result files of other harnesses that can be scored, as a table made from the formats."""

from __future__ import annotations

from mabench.formats import FormatKind, ResultFormat, installed_formats
from mabench_site.markdown import code, table


def result_formats_in_markdown() -> str:
    """Return a table that says of each format what identifies, fails and judges an answer."""
    formats = installed_formats(FormatKind.RESULTS).items()
    rows = [
        (code(name), each.harness, each.published, each.identity, each.failed, each.verdicts)
        for name, each in formats
        if isinstance(each, ResultFormat)
    ]
    headers = ("Format", "Harness", "File", "A question is", "A failed answer is", "Verdicts are")
    return table(headers, rows)
