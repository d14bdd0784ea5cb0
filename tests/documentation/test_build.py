import os
import re
import shutil
import subprocess
import sys
import tomllib
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
    for folder in ("docs", "src", "examples", "tests/systems/requirements"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for name in (*OUTSIDE, "LICENSE", "CITATION.cff"):
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


FAULTS: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "faults.toml").read_text("utf-8")
)


def test_every_fault_ends_the_build(copy: Path) -> None:
    """All at once, since a build takes a while: each must be a warning, which a build ends with."""
    for fault in FAULTS.values():
        with (copy / fault["file"]).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{fault['text']}\n")
    code, said = _build(copy)
    assert code != 0
    warnings = [line for line in said.splitlines() if "WARNING: " in line]
    assert [name for name, one in FAULTS.items() if one["warning"] not in str(warnings)] == []
