"""Hypothesis as stress tests use it: it makes histories by the seed alone, and writes nothing.

Left to itself it collects the literals of the user's modules, keys among them, to draw from, and
keeps them in the folder ``.hypothesis`` of the current folder.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from mabench.errors import require

# Nothing can be made beneath what is no folder; Hypothesis then goes without files.
_NO_FOLDER = Path(os.devnull, "hypothesis")


@contextmanager
def secluded_hypothesis() -> Iterator[ModuleType]:
    """Lend Hypothesis, which meanwhile reads no literals of modules and writes no files."""
    hypothesis = require("hypothesis", "stress")
    configuration: Any = importlib.import_module("hypothesis.configuration")
    home = getattr(configuration, "__hypothesis_home_directory", None)
    configuration.set_hypothesis_home_dir(_NO_FOLDER)
    try:
        with _without_literals():
            yield hypothesis
    finally:
        configuration.set_hypothesis_home_dir(home)


@contextmanager
def _without_literals() -> Iterator[None]:
    """Let Hypothesis find no literals; older versions look for none."""
    providers: Any = importlib.import_module("hypothesis.internal.conjecture.providers")
    collect: Callable[[], Any] | None = getattr(providers, "_get_local_constants", None)
    if collect is None:
        yield
        return
    nothing = type(providers.GLOBAL_CONSTANTS)()
    providers._get_local_constants = lambda: nothing
    providers.CONSTANTS_CACHE.cache.clear()  # It holds what was found before.
    try:
        yield
    finally:
        providers._get_local_constants = collect
        providers.CONSTANTS_CACHE.cache.clear()
