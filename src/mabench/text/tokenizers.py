"""Loads the tokenizers of the published code, o200k_base and Punkt, and finds their data.

The data are looked for among the user's own for tiktoken and NLTK, then in installed packages that
ship them; at last they are downloaded into our cache. Nothing is loaded before it is needed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.errors import MissingPackageError, require
from mabench.installation import cache_folder, import_lock, install_command

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from tiktoken import Encoding

# tiktoken's name for the file of o200k_base: the SHA-1 of its URL.
_O200K_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"
_PUNKT = "tokenizers/punkt_tab/english"


@cache
def load_encoding(*, offline: bool = False) -> Encoding:
    """Return o200k_base.

    Raises:
        MissingPackageError: when tiktoken is not installed, or its data cannot be had.
    """
    tiktoken = require("tiktoken", "paper")
    variable = "TIKTOKEN_CACHE_DIR"
    folder = next(_folders_with_o200k(), None)
    if folder is None:
        if offline:
            raise MissingPackageError(f"no o200k_base on this machine; {_remedy()}")
        folder = cache_folder() / "tiktoken"
        folder.mkdir(parents=True, exist_ok=True)
    with import_lock:  # All threads share the environment.
        before = os.environ.get(variable)
        os.environ[variable] = str(folder)
        try:
            encoding: Encoding = tiktoken.get_encoding("o200k_base")
        except Exception as error:  # Without a network, any error of its HTTP library.
            raise MissingPackageError(
                f"o200k_base could not be downloaded ({type(error).__name__}); {_remedy()}"
            ) from error
        finally:
            del os.environ[variable]
            if before is not None:
                os.environ[variable] = before
    return encoding


def _remedy() -> str:
    """Return what a user can do without the data of a tokenizer."""
    return (
        f"install a package that ships it ({install_command('paper')}), "
        "or use `protocol` structured, which needs no tokenizer data"
    )


def _folders_with_o200k() -> Iterator[Path]:
    """Yield the folders that hold the file of o200k_base."""
    own = [os.environ.get("TIKTOKEN_CACHE_DIR"), os.environ.get("DATA_GYM_CACHE_DIR")]
    candidates = [Path(folder) for folder in own if folder]
    candidates.append(Path(tempfile.gettempdir()) / "data-gym-cache")
    candidates += _find_in_package("llama_index.core", "_static/tiktoken_cache")
    candidates += _find_in_package("litellm", "litellm_core_utils/tokenizers")
    candidates.append(cache_folder() / "tiktoken")
    return (folder for folder in candidates if (folder / _O200K_FILE).is_file())


@cache
def load_punkt(*, offline: bool = False) -> PunktSentenceTokenizer:
    """Return NLTK's Punkt for English.

    Raises:
        MissingPackageError: when its data cannot be had.
    """
    with import_lock:
        import nltk
        from nltk.tokenize.punkt import PunktTokenizer

    try:
        return PunktTokenizer("english")
    except (LookupError, OSError, ValueError):
        pass  # The user has no such data, or NLTK refuses them: ours are next.
    folder = cache_folder() / "nltk_data"
    if not (folder / _PUNKT).is_dir() and not _copy_packaged_punkt(folder):
        if offline:
            raise MissingPackageError(f"no Punkt data on this machine; {_remedy()}")
        nltk.download("punkt_tab", download_dir=str(folder), quiet=True)
    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))
    try:
        return PunktTokenizer("english")
    except (LookupError, OSError, ValueError) as error:
        raise MissingPackageError(f"Punkt data could not be obtained; {_remedy()}") from error


def _copy_packaged_punkt(folder: Path) -> bool:
    """Copy Punkt from a package that ships it; return whether there is one.

    It is copied because NLTK refuses files that an installer has linked.
    """
    for packaged in _find_in_package("llama_index.core", "_static/nltk_cache"):
        if (packaged / _PUNKT).is_dir():
            part = folder / f".{os.getpid()}.part"
            shutil.copytree(packaged / _PUNKT, part)
            target = folder / _PUNKT
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.rename(target)
            except OSError:  # Another process was first.
                shutil.rmtree(part)
            return True
    return False


def _find_in_package(package: str, inside: str) -> list[Path]:
    """Return the folder ``inside`` an installed package, without importing the package."""
    try:
        spec = importlib.util.find_spec(package)
    except (ModuleNotFoundError, ValueError):  # Not installed, or a module without files.
        spec = None
    locations = spec.submodule_search_locations if spec else None
    return [Path(location) / inside for location in locations or ()]
