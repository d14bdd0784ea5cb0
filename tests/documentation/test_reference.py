"""The generated reference leaves nothing out, and pages name nothing that is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer

from mabench.audit import audit
from mabench.loading import load
from mabench_site import ROOT
from mabench_site.commands import commands, commands_in_markdown, undocumented
from mabench_site.generated import expanded, faults
from mabench_site.options import unknown


def test_nothing_is_missing_from_the_reference() -> None:
    assert faults(ROOT / "docs") == []


def test_every_option_has_a_place_of_its_own() -> None:
    text = commands_in_markdown()
    for command in commands():
        section = text.partition(f"\n## mabench {command.words}\n")[2].partition("\n## ")[0]
        for option in command.options:
            assert f"{{option}} {option.names[0]}" in section


def test_every_flag_that_an_audit_can_raise_is_described() -> None:
    page = expanded((ROOT / "docs/reference/audit.md").read_text("utf-8"))
    for reason in audit(load("synthetic:small")).reasons:
        assert f"| `{reason}` |" in page


def _described(speed: Annotated[int, typer.Option("--speed", help="How fast.")] = 1) -> None:
    """Start."""


def _undescribed(speed: Annotated[int, typer.Option("--speed")] = 1) -> None:
    """Start."""


def test_an_option_without_a_description_is_a_fault() -> None:
    app = typer.Typer()
    app.command("described")(_described)
    assert undocumented(app) == []
    app.command("undescribed")(_undescribed)
    assert undocumented(app) == ["mabench undescribed: --speed has no description"]


@pytest.mark.parametrize(
    "text",
    [
        "`--no-such-option`",
        "`mabench run --no-such-option`",
        "`mabench sources --limit-questions 3`",
        "`mabench no-such-command`",
        "```sh\nmabench compare a b \\\n    --no-such-option\n```\n",
    ],
)
def test_an_option_that_no_command_has_is_a_fault(text: str) -> None:
    assert len([*unknown(Path("page.md"), text)]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "`--set NAME=VALUE`",
        "`mabench run floor --limit-questions 3`",
        "`mabench run 'http://host' --help`",
        "```sh\npip install --upgrade mabench\nmabench data show hub | less --quiet\n```\n",
    ],
)
def test_options_that_are_there_are_none(text: str) -> None:
    assert [*unknown(Path("page.md"), text)] == []
