import json
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


def _copy_to(folder: Path) -> Path:
    """Copy the pages and what they read: what is checked is how a fault ends the build."""
    for part in ("docs", "src", "examples", "tests/systems/requirements"):
        shutil.copytree(ROOT / part, folder / part)
    for name in (*OUTSIDE, "LICENSE", "NOTICE", "CITATION.cff"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = _copy_to(tmp_path_factory.mktemp("site"))
    code, said = _build(root)
    assert code == 0, said
    return root / "build/docs"


def test_the_site_is_built_and_fetches_nothing(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 20
    fetched = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    for page in pages:
        assert fetched.findall(page.read_text("utf-8")) == []
    for sheet in (site / "_static").rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text("utf-8"))


@pytest.mark.skipif(shutil.which("node") is None, reason="the site's search runs in Node.js")
def test_a_search_finds_the_page_that_answers_before_what_is_made_from_the_program(
    site: Path,
) -> None:
    first = {
        "privacy": "reference/run-folder",
        "timeout": "guides/readers",
        "cost": "guides/cost",
        "temperature": "guides/readers",
        "cite": "guides/export",
        "bibtex": "guides/export",
        "latency": "guides/cost",
        "slack": "guides/own-conversations",
        "whatsapp": "guides/own-conversations",
        "chatgpt": "guides/own-conversations",
        "csv": "guides/export",
        "race": "guides/race",
        "plan": "guides/plan",
    }
    find = Path(__file__).with_name("find.js")
    command = ["node", str(find), str(site), *first, "--max-cost"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert {query: found[query][0] for query in first} == first
    places = {
        kind: [place for place, page in enumerate(found["cite"]) if page.startswith(kind)]
        for kind in ("guides/", "reference/command")
    }
    assert max(places["guides/"]) < min(places["reference/command"])
    assert found["--max-cost"][0].startswith("reference/commands/")


FAULTS: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "faults.toml").read_text("utf-8")
)


def test_every_fault_ends_the_build(tmp_path: Path) -> None:
    """All at once, since a build takes a while: each must be a warning, which a build ends with."""
    copy = _copy_to(tmp_path)
    for fault in FAULTS.values():
        with (copy / fault["file"]).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{fault['text']}\n")
    code, said = _build(copy)
    assert code != 0
    warnings = [line for line in said.splitlines() if "WARNING: " in line]
    assert [name for name, one in FAULTS.items() if one["warning"] not in str(warnings)] == []
