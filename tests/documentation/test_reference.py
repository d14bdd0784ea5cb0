import re
from pathlib import Path
from typing import Annotated

import pytest
import typer

from mabench.audit import audit
from mabench.loading import load
from mabench_site import OUTSIDE, ROOT
from mabench_site.commands import commands, commands_in_markdown, undocumented
from mabench_site.generated import expanded, faults
from mabench_site.links import broken_links
from mabench_site.markdown import slug
from mabench_site.options import unknown
from mabench_site.systems import PARTS, systems


def test_nothing_is_missing_from_the_reference_and_every_link_leads_somewhere() -> None:
    assert faults(ROOT / "docs") == []
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in OUTSIDE)]
    assert broken_links(file for file in files if file.exists()) == []


def test_links_that_follow_see_have_the_title_that_they_lead_to() -> None:
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in OUTSIDE)]
    titles = {file: re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.M) for file in files}
    link = re.compile(r"\b[Ss]ee\s+\[([A-Z][^\]]+)\]\(([^)#\s]+\.md)[^)]*\)")
    links = [
        (" ".join(text.split()), (file.parent / place).resolve())
        for file in files
        for text, place in link.findall(file.read_text("utf-8"))
    ]
    assert links
    assert [text for text, page in links if page in titles and text not in titles[page]] == []


def test_every_option_and_flag_has_its_place() -> None:
    for command in commands():
        text = "\n" + commands_in_markdown(slug(command.group))
        section = text.partition(f"\n## mabench {command.words}\n")[2].partition("\n## ")[0]
        for option in command.options:
            assert f"{{option}} {option.names[0]}" in section
    page = expanded((ROOT / "docs/reference/audit.md").read_text("utf-8"))
    for reason in audit(load("synthetic:small")).reasons:
        assert f"| `{reason}` |" in page


def test_the_guide_says_what_each_memory_system_has() -> None:
    page = expanded((ROOT / "docs/guides/memory-systems.md").read_text("utf-8"))
    for name, system in systems().items():
        assert {*system.mabench_support} <= {*PARTS}
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` | ")
                   and line.count("|") == 3 + len(PARTS))  # fmt: skip
        _, _, version, *cells, _ = (cell.strip() for cell in row.split("|"))
        assert re.fullmatch(r"[\d.]+", version)
        assert cells == [system.mabench_support.get(part, "none") for part in PARTS]


def test_an_option_without_a_description_is_a_fault() -> None:
    app = typer.Typer()

    @app.command()
    def start(
        speed: Annotated[int, typer.Option("--speed", help="How fast.")] = 1,
        size: Annotated[int, typer.Option("--size")] = 1,
    ) -> None:
        """Start."""

    assert undocumented(app) == ["mabench start: --size has no description"]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("`--no-such-option`", 1),
        ("`mabench run --no-such-option`", 1),
        ("`mabench sources --limit-questions 3`", 1),
        ("`mabench no-such-command`", 1),
        ("```sh\nmabench compare a b \\\n    --no-such-option\n```\n", 1),
        ("`--set NAME=VALUE`", 0),
        ("`mabench run floor --limit-questions 3`", 0),
        ("`mabench run 'http://host' --help`", 0),
        ("```sh\npip install --upgrade mabench\nmabench data show hub | less --quiet\n```\n", 0),
    ],
)
def test_an_option_that_no_command_has_is_a_fault(text: str, faults: int) -> None:
    assert len([*unknown(Path("page.md"), text)]) == faults


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
    code = tmp_path / "code.md"
    code.write_text("`[that](away.md)`\n\n```\n[that](away.md)\n```\n", "utf-8")
    assert broken_links([code]) == [], "links in code are none"
    assert slug("mabench data show") == "mabench-data-show"
    assert slug("What's in it?") == "whats-in-it"
