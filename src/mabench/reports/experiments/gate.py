"""The result of a gate as a text, for a job summary, or for what reads JUnit's XML."""

from __future__ import annotations

from enum import StrEnum
from xml.etree import ElementTree

from mabench.gating import GateResult
from mabench.json_text import to_json
from mabench.printable import printable
from mabench.reports.formats.markdown import escape_markdown


class GateLayout(StrEnum):
    """How the result of a gate is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JUNIT = "junit"
    JSON = "json"


def gate_text(result: GateResult, layout: GateLayout, next_command: str) -> str:
    """Return the result of a gate; ``next_command`` shows which questions have changed."""
    if layout is GateLayout.JSON:
        return to_json({**result.as_dict(), "verdict": result.verdict}, indent=2)
    if layout is GateLayout.JUNIT:
        return _junit(result)
    if layout is GateLayout.MARKDOWN:
        return _markdown(result, next_command)
    return "\n".join([result.verdict, *result.reasons(), f"Next: {next_command}"])


def _markdown(result: GateResult, next_command: str) -> str:
    verdict, _, rest = result.verdict.partition(": ")
    rows = ["| | score | 95 % | dollars | seconds |", "|---|---:|---|---:|---:|"]
    for role, side in (("this change", result.gated), ("baseline", result.baseline)):
        limits = side.interval and (side.interval.new_histories or side.interval.these_histories)
        interval = f"{limits[0]:.1f} to {limits[1]:.1f}" if limits else "unknown"
        spent = [_amount(side.dollars, ".4f"), _amount(side.seconds, ".0f")]
        rows.append("| " + " | ".join([role, f"{side.score:.1f}", interval, *spent]) + " |")
    lines = [
        f"**{verdict}**: {escape_markdown(rest)}",
        "",
        *rows,
        "",
        *(f"- {escape_markdown(reason)}" for reason in result.reasons()),
        "",
        f"Next: `{next_command.replace('`', '')}`",
    ]
    return "\n".join(lines)


def _amount(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)


def _junit(result: GateResult) -> str:
    """Return one test case, which fails where the gate does and errs where it cannot judge."""
    seconds = result.gated.seconds
    suite = ElementTree.Element("testsuite", name="mabench", tests="1")
    suite.set("failures", str(int(result.judged and not result.passed)))
    suite.set("errors", str(int(not result.judged)))
    case = ElementTree.SubElement(suite, "testcase", classname="mabench.gate")
    case.set("name", printable(f"{result.names[0]} against {result.names[1]}"))
    if seconds is not None:
        case.set("time", f"{seconds:.3f}")
    why = printable("\n".join(result.reasons()))
    if not result.passed:
        kind = "failure" if result.judged else "error"
        ElementTree.SubElement(case, kind, message=printable(result.verdict)).text = why
    else:
        ElementTree.SubElement(case, "system-out").text = f"{printable(result.verdict)}\n{why}"
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, "unicode")
