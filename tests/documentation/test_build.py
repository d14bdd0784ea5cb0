import os
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
        [sys.executable, "-m", "sphinx", *words],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    # The pages alone, and the README: what is checked is how a fault ends the build.
    for folder in ("docs", "src", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
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


# By what is wrong: the file, what is added to it, and what the warning says.
_INDEX = "docs/index.md"
FAULTS = {
    "a dead link": (_INDEX, "\n[gone](reference/gone-1.md)\n", "gone-1"),
    "an unknown anchor": (_INDEX, "\n[gone](reference/glossary.md#gone-2)\n", "gone-2"),
    "an unknown anchor on the page itself": (_INDEX, "\n[gone](#gone-3)\n", "gone-3"),
    "a dead link in the README": ("README.md", "\n[gone](docs/gone-4.md)\n", "gone-4.md leads"),
    "an unknown anchor in the README": (
        "README.md",
        "\n[gone](docs/reference/glossary.md#gone-5)\n",
        "gone-5 names an anchor",
    ),
    "a page in no table of contents": ("docs/guides/lost.md", "# Lost\n", "any toctree"),
    "an unknown option": (_INDEX, "\n`mabench run --gone-six`\n", "take --gone-six"),
    "an unknown name in the interface": (
        "docs/reference/python.md",
        "\n```{eval-rst}\n.. autofunction:: mabench.gone_7\n```\n",
        "gone_7",
    ),
    "an unknown generated part": (_INDEX, "\n<!-- generated: gone-eight -->\n", "gone-eight"),
    "an option without a description": (
        "docs/_ext/mabench_site/commands.py",
        "\n\ndef undocumented():\n    return ['mabench run: --gone-nine has no description']\n",
        "gone-nine has no description",
    ),
    "a rule without an example": (
        "src/mabench/scoring/lexicon.py",
        "\nRULES['gone-ten'] = 'no example'\n",
        "gone-ten has no example",
    ),
    "an audit flag without a description": (
        "src/mabench/families/parts.py",
        "\nEVERY_ROW += (AuditCheck('gone-eleven', lambda row, catalogue: iter(())),)\n",
        "gone-eleven has no description",
    ),
    "a public name on no page": (
        "src/mabench/__init__.py",
        "\n__all__ += ['gone_12']\n",
        "gone_12 is public",
    ),
}


def test_every_fault_ends_the_build(copy: Path) -> None:
    """All at once, since a build takes a while: each must be a warning, which a build ends with."""
    for name, text, _ in FAULTS.values():
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write(text)
    code, said = _build(copy)
    assert code != 0
    warnings = [line for line in said.splitlines() if "WARNING: " in line]
    assert [fault for fault, (*_, named) in FAULTS.items() if named not in str(warnings)] == []
