import inspect
import re
import shlex
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from mabench.audit import audit
from mabench.cli.app import app
from mabench.loading import load
from mabench.lookup import available
from mabench.lookup.names import factory_named
from mabench_site import OUTSIDE, ROOT
from mabench_site.commands import commands, commands_in_markdown, undocumented
from mabench_site.generated import expanded, faults
from mabench_site.links import broken_links
from mabench_site.markdown import slug
from mabench_site.options import unknown
from mabench_site.paper_settings import PAPER_ROWS, PaperRow
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
    own = typer.Typer()

    @own.command()
    def start(
        speed: Annotated[int, typer.Option("--speed", help="How fast.")] = 1,
        size: Annotated[int, typer.Option("--size")] = 1,
    ) -> None:
        """Start."""

    assert undocumented(own) == ["mabench start: --size has no description"]


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


_RUNNABLE = [row for row in PAPER_ROWS if row.command]


@pytest.mark.parametrize("row", _RUNNABLE, ids=lambda row: row.agent)
def test_every_command_names_an_agent_and_settings_and_options_that_there_are(
    row: PaperRow,
) -> None:
    program, verb, agent, *options = shlex.split(row.command or "")
    assert (program, verb) == ("mabench", "run")
    assert agent in {info.name for info in available()}
    # Nothing is asked: the estimate reads all the same options.
    small = ["synthetic:small" if option == "hub" else option for option in options]
    done = CliRunner().invoke(app, ["run", agent, *small, "--estimate", "--source", "eventqa_full"])
    assert done.exit_code == 0, done.output
    settings = [options[place + 1] for place, word in enumerate(options) if word == "--set"]
    taken = inspect.signature(factory_named(agent)).parameters
    assert {setting.partition("=")[0] for setting in settings} <= {*taken, "k"}


def test_the_published_settings_are_those_of_the_paper() -> None:
    commands = {row.agent: row.command or "" for row in PAPER_ROWS}
    assert "--set k=100" in commands["Mem0"]
    assert all("--chunk-tokens 4096" in commands[name] for name in ("Mem0", "Cognee", "Zep"))
    assert "--chunk-tokens" not in commands["BM25"]
    expected = {
        "BM25": "run bm25 --set recipe=published",
        "Contriever": "facebook/contriever --set pooling=cls --set long_texts=cut",
        "Qwen3-Embedding-4B": "Qwen3-Embedding-4B --set pooling=mean --set long_texts=cut",
        "text-embedding-3-small": "text-embedding-3-small --set long_texts=mean",
        "text-embedding-3-large": "text-embedding-3-large --set long_texts=mean",
    }
    assert all(settings in commands[agent] for agent, settings in expected.items())
    assert all(
        "--protocol paper --prompts paper" in row.command for row in _RUNNABLE if row.command
    )
    assert all(row.note for row in PAPER_ROWS if row.command is None)
