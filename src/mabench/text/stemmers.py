"""NLTK's stemmers, loaded without the rest of NLTK.

Importing NLTK runs all of it, with scipy, scikit-learn and pandas where they are installed: seconds
and two hundred megabytes, for two modules of rules. So their files are run by themselves, and what
they import of NLTK is loaded in the same way. Nothing of it may be seen by others who import NLTK.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from mabench.installation import import_lock

_NLTK = "nltk"


@cache
def porter_stemmer() -> Callable[[str], str]:
    """Return the stemmer of the published ROUGE scores: Porter's, with NLTK's extensions."""
    return _load("nltk.stem.porter").PorterStemmer().stem  # type: ignore[no-any-return]


@cache
def english_stemmer() -> Callable[[str], str]:
    """Return the English stemmer of Snowball, which is also called Porter2."""
    return _load("nltk.stem.snowball").SnowballStemmer("english").stem  # type: ignore[no-any-return]


def _load(name: str) -> Any:
    """Return a module of NLTK; all of NLTK is imported where the module cannot be run alone."""
    with import_lock:
        if _NLTK not in sys.modules:
            try:
                return _NltkModules().load(name)
            except Exception:  # noqa: S110 - a version whose modules need more of it
                pass
        __import__(name)
        return sys.modules[name]


class _NltkModules:
    """Modules of NLTK that are run by themselves, by name; ``sys.modules`` has none of them."""

    def __init__(self) -> None:
        spec = find_spec(_NLTK)
        if spec is None or not spec.submodule_search_locations:
            raise ModuleNotFoundError(_NLTK)
        self._folder = Path(spec.submodule_search_locations[0])
        self._loaded: dict[str, ModuleType] = {}

    def load(self, name: str) -> ModuleType | None:
        """Return a module, which imports what it needs of NLTK here; None if it is no file."""
        file = self._folder.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if name in self._loaded or not file.is_file():
            return self._loaded.get(name)
        module = self._loaded[name] = ModuleType(name)
        code = SourceFileLoader(name, str(file)).get_code(name)
        names = {**vars(builtins), "__import__": self._import}
        vars(module).update({"__builtins__": names, "__file__": str(file)})
        exec(code, vars(module))  # type: ignore[arg-type]  # noqa: S102 - what an import does
        return module

    def _import(
        self,
        name: str,
        variables: Any = None,
        local_variables: Any = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Import as Python does, but what is of NLTK from here.

        What is no file, such as a corpus that must be downloaded, is None: stemming uses none.
        """
        if name.partition(".")[0] != _NLTK or level:
            return __import__(name, variables, local_variables, wanted or (), level)
        module = self.load(name)
        if module is not None and wanted:
            return module
        return SimpleNamespace(**{one: self.load(f"{name}.{one}") for one in wanted or ()})
