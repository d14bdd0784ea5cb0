import json
import shlex
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

import mabench
from mabench.errors import MissingPackageError, require
from mabench.installation import install_command
from mabench.lookup.names import Capabilities


def _dense(embeddings: str = "x") -> None: ...


def _install(monkeypatch: pytest.MonkeyPatch, origin: object) -> None:
    """Install a distribution with the ``direct_url.json`` that an installer wrote, or without."""
    written = origin if isinstance(origin, str | None) else json.dumps(origin)
    installed = SimpleNamespace(read_text={"direct_url.json": written}.get)
    monkeypatch.setattr(metadata, "distribution", lambda name: installed)


def test_in_a_checkout_a_folder_or_from_a_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, other = tmp_path / "my checkout", tmp_path / "other"
    for folder in (checkout, other):
        folder.mkdir()
    _install(monkeypatch, {"url": checkout.as_uri(), "dir_info": {"editable": True}})
    monkeypatch.chdir(checkout)
    assert install_command("page") == "pip install -e '.[page]'"
    monkeypatch.chdir(other)
    words = shlex.split(install_command("page"))
    assert words == ["pip", "install", "-e", f"{checkout}[page]"]
    monkeypatch.chdir(tmp_path)
    _install(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {}})
    assert install_command("page") == "pip install '.[page]'"
    wheel = tmp_path / "mabench-1-py3-none-any.whl"
    wheel.touch()
    _install(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert shlex.split(install_command("page")) == ["pip", "install", f"{wheel}[page]"]


@pytest.mark.parametrize(
    "origin",
    [
        *(None, "", "no JSON", "[]"),
        {"url": "file:///no/such/place", "dir_info": {"editable": True}},
        {"url": "https://example.org/mabench.whl", "archive_info": {}},
    ],
)
def test_of_a_package_index_or_a_place_that_is_gone(
    monkeypatch: pytest.MonkeyPatch, origin: object
) -> None:
    _install(monkeypatch, origin)
    assert install_command("page") == "pip install 'mabench[page]'"


def test_every_report_of_a_missing_extra_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    system = Capabilities(module="no_such_module", extra="mem0")
    uses: dict[str, Callable[[], object]] = {
        "page": lambda: require("no_such_module", "page"),
        "mem0": lambda: system.require_packages("mem0", dict, {}),
        "embeddings": lambda: Capabilities(embeds=True).require_packages("dense", _dense, {}),
    }
    for extra, use in uses.items():
        with pytest.raises(MissingPackageError, match=rf"run: pip install -e '\.\[{extra}\]'"):
            use()
    source = Path(mabench.__file__).parent
    naming = [file for file in source.rglob("*.py") if "pip install" in file.read_text("utf-8")]
    assert [file.name for file in naming] == ["installation.py"]
