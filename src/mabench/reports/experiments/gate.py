"""Prints the verdict of a gate: for terminals, programs, job summaries and the test pages of CI.

A gate says whether an agent may take the place of its baseline, or is worse.
"""

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
    write = {"json": _json_of, "markdown": markdown_of, "junit": _junit_of}[layout]
    console.print(write(result), soft_wrap=True, end="")


def markdown_of(result: GateResult) -> str:
    """Return the verdict as Markdown, for a job summary or a comment.

    A table has the scores and costs of both agents; a list has the reasons of the verdict.
    """
    lines = ["| | Score | Builds | Cost | Seconds |", "|---|---:|---:|---:|---:|"]
    for side in (result.now, result.baseline):
        dollars = "-" if side.dollars is None else f"${side.dollars:.2f}"
        seconds = "-" if side.seconds is None else f"{side.seconds:,.0f}"
        agent = _escape_markdown(side.agent)
        lines.append(f"| {agent} | {side.score:.1f} | {side.builds} | {dollars} | {seconds} |")
    table = "\n".join(lines)
    reasons = "\n".join(f"- {_escape_markdown(reason)}" for reason in result.reasons)
    return f"**{_escape_markdown(result.verdict)}**\n\n{table}\n\n{reasons}\n"


def _escape_markdown(text: str) -> str:
    """Return a text so that Markdown shows it as it is."""
    return printable(text).translate(_MARKS)


def _json_of(result: GateResult) -> str:
    """Return the verdict, its reasons and all figures as JSON."""
    content = {"verdict": result.verdict, "reasons": result.reasons, **result.as_dict()}
    return printable_json(to_json(content, indent=2)) + "\n"


def _junit_of(result: GateResult) -> str:
    """Return the verdict as XML in the form of JUnit: a test that passed, failed or had an error.

    It has an error if the gate could not judge the agent.
    """
    has_failed = result.judged and not result.passed
    seconds = f"{result.now.seconds or 0:.3f}"
    suite = ElementTree.Element(
        "testsuite",
        name="mabench gate",
        tests="1",
        failures="1" if has_failed else "0",
        errors="0" if result.judged else "1",
        time=seconds,
    )
    name = printable(f"{result.now.agent} against {result.baseline.agent}")
    case = ElementTree.SubElement(
        suite, "testcase", classname="mabench.gate", name=name, time=seconds
    )
    verdict = printable(result.verdict)
    text = "\n".join([verdict, *(printable(reason) for reason in result.reasons)])
    if not result.passed:
        element = "failure" if result.judged else "error"
        ElementTree.SubElement(case, element, message=verdict).text = text
    ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
