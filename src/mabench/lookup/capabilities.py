"""What an agent declares of itself: what it needs, and what it does beyond answering."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from mabench.errors import MissingPackageError
from mabench.installation import install_command
from mabench.lookup.names import BUILT_IN, agent_plugins, factory_named

# The attribute by which the class of an agent or a memory declares the last capabilities.
_DECLARED = "mabench_capabilities"
_DECLARABLE = ("embeds", "module", "extra", "packages", "shares_model")
_DETERMINISTIC = "deterministic"
_EMBEDDINGS = "embeddings"
_SERVED = "openai/"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is declared of an agent.

    The first three are those of built-in agents; another class declares the rest in a mapping.
    """

    needs_model: bool = False  # It is made with the model that reads, and needs one.
    shows_history: bool = False  # It shows the model the whole history with every question.
    takes_gold: bool = False  # It is handed each gold answer before the question.
    embeds: bool = False  # Its setting ``embeddings`` is the name of an embedding model.
    module: str | None = None  # Of the memory system that it adapts.
    extra: str | None = None  # The extra of mabench that brings that module, if any.
    # From its settings to the names of installed packages on whose versions its answers depend.
    packages: Callable[[Mapping[str, object]], Collection[str]] = lambda settings: ()
    shares_model: bool = False  # All its instances in a process call one address of a model.

    def require_packages(
        self, name: str, factory: Callable[..., object], settings: Mapping[str, object]
    ) -> None:
        """Raise a ``MissingPackageError`` where an agent could not be made; nothing is imported."""
        if self.module and not _is_there(self.module):
            extra = f"run: {install_command(self.extra)}, or " if self.extra else ""
            raise MissingPackageError(
                f"{name} is not installed; {extra}name an environment that has it with `python` "
                "(docs/guides/memory-systems.md says how)"
            )
        if not self.embeds:
            return
        parameter = inspect.signature(factory).parameters.get(_EMBEDDINGS)
        embeddings = settings.get(_EMBEDDINGS, parameter and parameter.default)
        if not isinstance(embeddings, str):
            return
        module, extra, other = "aiohttp", "openai", ""
        if not embeddings.startswith(_SERVED):
            module, extra = "sentence_transformers", "embeddings"
            other = f", or give `settings` {_EMBEDDINGS}={_SERVED}NAME for a server"
        if not _is_there(module):
            run = f"{install_command(extra)}{other}"
            raise MissingPackageError(f"{name} needs {module}, which is not installed; run: {run}")

    @classmethod
    def of(cls, agent: object) -> Capabilities:
        """Return what is declared of an agent, by its name; nothing of a factory."""
        if not isinstance(agent, str) or ":" in agent:  # Of a class, ``module:Class``.
            return cls()
        if agent in BUILT_IN:
            return _CAPABILITIES.get(agent, cls())
        factory = factory_named(agent) if agent in agent_plugins() else None
        declared = getattr(factory, _DECLARED, None)
        if not isinstance(declared, Mapping):
            return cls()
        return cls(**{name: declared[name] for name in _DECLARABLE if name in declared})


_CAPABILITIES = {
    "oracle": Capabilities(takes_gold=True),
    "long-context": Capabilities(needs_model=True, shows_history=True),
}


def declares_deterministic(product: object) -> bool:
    """Return whether a class declares that its answers are the same in every build of it."""
    declared = getattr(product, _DECLARED, None)
    return isinstance(declared, Mapping) and declared.get(_DETERMINISTIC) is True


def embeddings_of(agent: object, settings: Mapping[str, object]) -> object:
    """Return the embedding model that an agent is made with: of its settings, or its default."""
    if _EMBEDDINGS in settings or not isinstance(agent, str):
        return settings.get(_EMBEDDINGS)
    parameter = inspect.signature(factory_named(agent)).parameters.get(_EMBEDDINGS)
    return parameter and parameter.default


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # Of a module within a package: the package is missing.
        return False
