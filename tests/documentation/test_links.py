"""Links of README, changelog and documentation lead to files and anchors that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mabench_site import OUTSIDE, ROOT
from mabench_site.links import broken_links, slug


def test_every_link_leads_somewhere() -> None:
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in OUTSIDE)]
    assert broken_links(file for file in files if file.exists()) == []


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("there.md", None),
        ("there.md#two-words", None),
        ("there.md#two-words-1", None),
        ("#here-itself", None),
        ("https://example.org/nowhere", None),
        ("away.md", "leads nowhere"),
        ("there.md#three-words", "anchor"),
        ("there.md#two-words-2", "anchor"),
        ("#elsewhere", "anchor"),
    ],
)
def test_a_broken_link_is_found(tmp_path: Path, link: str, fault: str | None) -> None:
    (tmp_path / "there.md").write_text("# Two `words`\n\n## Two words\n", "utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"# Here, itself\n\nSee [that]({link}).\n", "utf-8")
    found = broken_links([page])
    assert [fault in one for one in found] == [True] if fault else found == []


def test_links_in_code_are_no_links(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`[that](away.md)`\n\n```\n[that](away.md)\n```\n", "utf-8")
    assert broken_links([page]) == []


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("mabench data show", "mabench-data-show"), ("What's in it?", "whats-in-it")],
)
def test_the_anchor_of_a_heading(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor
