"""Tables in Markdown: as they are pasted into an issue, and what answers cannot put there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.reports.layout import Report, Table, markdown_report


def _cell(text: str) -> str:
    """Return a cell of a table as Markdown has it."""
    table = Table(("Source",), [(text,)], (False,))
    lines = markdown_report(Report("", [table], [])).splitlines()
    assert len(lines) == 3
    return lines[2].removeprefix("| ").removesuffix(" |")


@pytest.mark.parametrize("text", ["ruler_qa1_197K", "substring_exact_match", "a__b", "é_1"])
def test_names_stay_as_they_are(text: str) -> None:
    assert _cell(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("_x_", r"\_x\_"),
        ("__init__", r"\_\_init\_\_"),
        ("a_ _b", r"a\_ \_b"),
        ("longmemeval_s*", r"longmemeval_s\*"),
        ("(_a_)", r"(\_a\_)"),
        ("a|b", r"a\|b"),
        ("[x](y)", r"\[x\](y)"),
        ("~~x~~", r"\~\~x\~\~"),
        ("AT&T", "AT&T"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ],
)
def test_marks_are_shown_as_they_are(text: str, shown: str) -> None:
    assert _cell(text) == shown


@given(st.text(st.sampled_from("<>&;_ab/!- lt"), max_size=20))
def test_there_is_no_html(text: str) -> None:
    found = _cell(text)
    assert not {"<", ">"} & {*found}
    # Every entity is one of ours.
    assert {*re.findall(r"&#?\w+;", found)} <= {"&lt;", "&gt;", "&amp;"}


def test_hostile_answers_are_text() -> None:
    assert _cell("<img src=x onerror=alert(1)>") == "&lt;img src=x onerror=alert(1)&gt;"
