"""`make docs` succeeds, and each kind of fault ends it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mabench_site import OUTSIDE, ROOT

pytestmark = pytest.mark.slow
pytest.importorskip("sphinx", reason="the site needs the dependency group docs")


def _build(root: Path) -> tuple[int, str]:
    """Build the site of a copy of the repository as `make docs` does."""
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ndocs:")[2].partition("\n\t@")[0]
    words = recipe.partition("-m sphinx")[2].replace("\\\n", " ").split()
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], cwd=root, capture_output=True, text=True
    )
    return done.returncode, done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    # The pages alone, and the README: what is checked is how a fault ends the build.
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(ROOT / "src", tmp_path / "src")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name in OUTSIDE:
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_the_site_is_built_and_fetches_nothing(copy: Path) -> None:
    code, said = _build(copy)
    assert code == 0, said
    pages = [*(copy / "build/docs").rglob("*.html")]
    assert len(pages) > 20
    fetched = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    for page in pages:
        assert fetched.findall(page.read_text("utf-8")) == []
    for sheet in (copy / "build/docs/_static").rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text("utf-8"))


def _append(root: Path, name: str, text: str) -> None:
    with (root / name).open("a", encoding="utf-8") as file:
        file.write(text)


FAULTS = {
    "a dead link": ("docs/index.md", "\n[gone](reference/gone.md)\n", "gone"),
    "an unknown anchor": ("docs/index.md", "\n[gone](reference/glossary.md#gone)\n", "gone"),
    "an unknown anchor of the page itself": ("docs/index.md", "\n[gone](#gone)\n", "gone"),
    "a dead link in the README": ("README.md", "\n[gone](docs/gone.md)\n", "leads nowhere"),
    "an unknown anchor in the README": (
        "README.md",
        "\n[gone](docs/reference/glossary.md#gone)\n",
        "anchor",
    ),
    "a page in no table of contents": ("docs/guides/lost.md", "# Lost\n", "toctree"),
    "an unknown option": ("docs/index.md", "\n`mabench run --gone`\n", "--gone"),
    "an unknown name in the interface": (
        "docs/reference/python.md",
        "\n```{eval-rst}\n.. autofunction:: mabench.gone\n```\n",
        "gone",
    ),
    "an unknown marker": ("docs/index.md", "\n<!-- generated: gone -->\n", "gone"),
    "an option without a description": (
        "docs/_ext/mabench_site/commands.py",
        "\n\ndef undocumented():\n    return ['mabench run: --gone has no description']\n",
        "no description",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_the_build(copy: Path, fault: str) -> None:
    name, text, expected = FAULTS[fault]
    _append(copy, name, text)
    code, said = _build(copy)
    assert code != 0
    assert expected in said
