"""Facades: what they offer is loaded when it is first used."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

_FACADE = """
from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from {package}.birds import WINGS as WINGS
    from {package}.birds import fly as fly
    from {package}.fish import swim as swim
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
"""


@pytest.fixture
def facade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A facade of two modules."""
    package = f"facade_in_{tmp_path.name}"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text(_FACADE.format(package=package), "utf-8")
    (folder / "birds.py").write_text("WINGS = 2\ndef fly(): return 'up'\n", "utf-8")
    (folder / "fish.py").write_text("def swim(): return 'on'\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module(package)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def _loaded(facade: ModuleType) -> list[str]:
    beneath = f"{facade.__name__}."
    return [name.removeprefix(beneath) for name in sys.modules if name.startswith(beneath)]


def test_a_module_is_loaded_when_a_name_of_it_is_first_used(facade: ModuleType) -> None:
    assert dir(facade) == ["WINGS", "fly", "swim"]
    assert _loaded(facade) == []
    assert facade.swim() == "on"
    assert _loaded(facade) == ["fish"]
    assert (facade.fly(), facade.WINGS) == ("up", 2)
    assert _loaded(facade) == ["fish", "birds"]


def test_a_module_that_was_loaded_by_its_own_name_hides_no_name(facade: ModuleType) -> None:
    birds = importlib.import_module(f"{facade.__name__}.birds")
    assert facade.fly is birds.fly
    assert facade.birds is birds


def test_a_name_that_is_not_offered_is_an_error_and_no_import(facade: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{facade.__name__}' has no attribute 'run'"):
        facade.run()
    with pytest.raises(ImportError, match="cannot import name 'run'"):
        exec(f"from {facade.__name__} import run", {})
    assert _loaded(facade) == []


def test_every_name_of_a_facade_can_be_imported_at_once(facade: ModuleType) -> None:
    names: dict[str, object] = {}
    exec(f"from {facade.__name__} import *", names)
    assert {"WINGS", "fly", "swim"} <= {*names}
