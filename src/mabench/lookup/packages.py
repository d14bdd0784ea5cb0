"""Whether the packages of a built-in agent are installed, found out without importing them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec

from mabench.errors import MissingPackageError
from mabench.installing import install_command
from mabench.lookup.names import Capabilities

_SERVED = "openai/"
_EMBEDDINGS = "embeddings"


def require_packages(
    capabilities: Capabilities,
    name: str,
    factory: Callable[..., object],
    settings: Mapping[str, object],
) -> None:
    """Complain before anything is read when an agent could not be made for want of a package.

    Raises:
        MissingPackageError: when it is not installed, with the remedy.
    """
    if capabilities.module and not _is_there(capabilities.module):
        extra = f"run: {install_command(capabilities.extra)}, or " if capabilities.extra else ""
        raise MissingPackageError(
            f"{name} is not installed; {extra}name an environment that has it with `python` "
            "(docs/guides/memory-systems.md says how)"
        )
    if capabilities.embeds:
        _require_embeddings(name, settings.get(_EMBEDDINGS, _default(factory, _EMBEDDINGS)))


def _require_embeddings(name: str, embeddings: object) -> None:
    if not isinstance(embeddings, str):
        return
    served = embeddings.startswith(_SERVED)
    module, extra = ("openai", "openai") if served else ("sentence_transformers", "embeddings")
    if not _is_there(module):
        other = "" if served else f", or give `settings` {_EMBEDDINGS}={_SERVED}NAME for a server"
        raise MissingPackageError(
            f"{name} needs {module}, which is not installed; run: {install_command(extra)}{other}"
        )


def _default(factory: Callable[..., object], argument: str) -> object:
    parameter = inspect.signature(factory).parameters.get(argument)
    return parameter.default if parameter else None


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # Of a module within a package: the package is missing.
        return False
