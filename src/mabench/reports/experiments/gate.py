"""The verdict of a gate: for terminals, programs, job summaries and the test pages of CI."""

from __future__ import annotations

from xml.etree import ElementTree

from rich.console import Console

from mabench.comparison import GateResult
from mabench.errors import UsageError, unknown
from mabench.json_text import to_json
from mabench.printable import printable, printable_json

LAYOUTS = ("table", "json", "markdown", "junit")
# What Markdown would read as more than text.
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_[]<>|#"})


def show_gate(result: GateResult, layout: str, console: Console) -> None:
    """Print the verdict of a gate, and then what it rests on.

    Raises:
        UsageError: when the layout is unknown.
    """
    if layout not in LAYOUTS:
        raise UsageError(unknown("unknown format", layout, LAYOUTS), parameter="layout")
    if layout == "table":
        for line in (result.verdict, *result.reasons):
            console.print(line)
        return
    text = {"json": _json_of, "markdown": markdown_of, "junit": _junit_of}[layout](result)
    console.print(text, soft_wrap=True, end="")


def markdown_of(result: GateResult) -> str:
    """Return the verdict as Markdown, for a job summary or a comment."""
    verdict, *reasons = (printable(line).translate(_MARKS) for line in _lines(result))
    rows = []
    for side in (result.now, result.baseline):
        dollars = "-" if side.dollars is None else f"${side.dollars:.2f}"
        seconds = "-" if side.seconds is None else f"{side.seconds:,.0f}"
        agent = printable(side.agent).translate(_MARKS)
        rows.append(f"| {agent} | {side.score:.1f} | {side.builds} | {dollars} | {seconds} |")
    table = "\n".join(["| | Score | Builds | Cost | Seconds |", "|---|---:|---:|---:|---:|", *rows])
    listed = "\n".join(f"- {reason}" for reason in reasons)
    return f"**{verdict}**\n\n{table}\n\n{listed}\n"


def _lines(result: GateResult) -> list[str]:
    return [result.verdict, *result.reasons]


def _json_of(result: GateResult) -> str:
    content = {"verdict": result.verdict, "reasons": result.reasons, **result.as_dict()}
    return printable_json(to_json(content, indent=2)) + "\n"


def _junit_of(result: GateResult) -> str:
    """Return the verdict as a test of JUnit's form; one that was not judged is an error."""
    failures, errors = int(result.judged and not result.passed), int(not result.judged)
    seconds = f"{result.now.seconds or 0:.3f}"
    suite = ElementTree.Element(
        "testsuite",
        name="mabench gate",
        tests="1",
        failures=str(failures),
        errors=str(errors),
        time=seconds,
    )
    name = printable(f"{result.now.agent} against {result.baseline.agent}")
    case = ElementTree.SubElement(
        suite, "testcase", classname="mabench.gate", name=name, time=seconds
    )
    lines = [printable(line) for line in _lines(result)]
    if not result.passed:
        kind = "failure" if result.judged else "error"
        ElementTree.SubElement(case, kind, message=lines[0]).text = "\n".join(lines)
    ElementTree.SubElement(case, "system-out").text = "\n".join(lines)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
