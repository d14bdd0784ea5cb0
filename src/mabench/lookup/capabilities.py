"""What an agent declares about itself: what it needs, and how it differs from other agents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from mabench.errors import MissingPackageError
from mabench.installation import can_import, install_command
from mabench.lookup.names import BUILT_IN, agent_plugins, factory_named

# The class attribute in which an agent or a memory declares its capabilities.
_ATTRIBUTE = "mabench_capabilities"
# What it may declare.
_DECLARABLE = ("embeds", "module", "extra", "packages", "shares_model")
_DETERMINISTIC = "deterministic"
_EMBEDDINGS = "embeddings"
_SERVED = "openai/"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of an agent.

    Only built-in agents have the first three. Any other class declares the rest as a mapping, in
    its attribute ``mabench_capabilities``.
    """

    needs_model: bool = False  # It cannot be made without the reading model.
    shows_history: bool = False  # With every question it shows the model the whole history.
    takes_gold: bool = False  # It gets each gold answer before the question.
    embeds: bool = False  # Its setting ``embeddings`` names an embedding model.
    module: str | None = None  # The module of the memory system that it adapts.
    extra: str | None = None  # The extra of mabench that installs that module, if any.
    # Returns, for its settings, the installed packages on whose versions its answers depend.
    packages: Callable[[Mapping[str, object]], Collection[str]] = lambda settings: ()
    shares_model: bool = False  # All its instances in a process use the same address of a model.

    def require_packages(
        self, name: str, factory: Callable[..., object], settings: Mapping[str, object]
    ) -> None:
        """Raise a ``MissingPackageError`` if a package that an agent needs is not installed.

        This is known before anything is run or imported, unlike in ``errors.require``, which
        imports the package.
        """
        if self.module and not can_import(self.module):
            remedy = f"run: {install_command(self.extra)}, or " if self.extra else ""
            raise MissingPackageError(
                f"{name} is not installed; {remedy}name an environment that has it with `python` "
                "(docs/guides/memory-systems.md says how)"
            )
        if self.embeds:
            embeddings = settings.get(_EMBEDDINGS, _default_embeddings(factory))
            if isinstance(embeddings, str):
                _require_embedding_packages(name, embeddings)

    @classmethod
    def of(cls, agent: object) -> Capabilities:
        """Return the capabilities of an agent that has a name; a class or a path has none."""
        if not isinstance(agent, str) or ":" in agent:
            return cls()
        if agent in BUILT_IN:
            return _CAPABILITIES.get(agent, cls())
        factory = factory_named(agent) if agent in agent_plugins() else None
        declared = getattr(factory, _ATTRIBUTE, None)
        if not isinstance(declared, Mapping):
            return cls()
        return cls(**{name: declared[name] for name in _DECLARABLE if name in declared})


def _default_embeddings(factory: Callable[..., object]) -> object:
    """Return the embedding model that a factory uses by default; None if it takes none."""
    parameter = inspect.signature(factory).parameters.get(_EMBEDDINGS)
    return None if parameter is None else parameter.default


def _require_embedding_packages(name: str, embeddings: str) -> None:
    """Raise a ``MissingPackageError`` if what an embedding model needs is not installed."""
    if embeddings.startswith(_SERVED):
        module, remedy = "aiohttp", install_command("openai")
    else:
        alternative = f"or give `settings` {_EMBEDDINGS}={_SERVED}NAME for a server"
        module = "sentence_transformers"
        remedy = f"{install_command('embeddings')}, {alternative}"
    if not can_import(module):
        raise MissingPackageError(f"{name} needs {module}, which is not installed; run: {remedy}")


_CAPABILITIES = {
    "oracle": Capabilities(takes_gold=True),
    "long-context": Capabilities(needs_model=True, shows_history=True),
}


def declares_deterministic(product: object) -> bool:
    """Return whether a class declares that its answers are the same in every build of it."""
    declared = getattr(product, _ATTRIBUTE, None)
    return isinstance(declared, Mapping) and declared.get(_DETERMINISTIC) is True


def embeddings_of(agent: object, settings: Mapping[str, object]) -> object:
    """Return the embedding model of an agent: from its settings, else the default of its class."""
    if _EMBEDDINGS in settings or not isinstance(agent, str):
        return settings.get(_EMBEDDINGS)
    return _default_embeddings(factory_named(agent))
