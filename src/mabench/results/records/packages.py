"""Names the installed packages on whose versions the figures of a run depend.

A run records their versions, so that a difference between figures can be explained.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import metadata

from mabench.families import Family
from mabench.lookup import Capabilities
from mabench.lookup.capabilities import embeddings_of

# What scores and their intervals are computed with: the stemmer of ROUGE, sentences, Student's t.
_SCORING = ("nltk", "numpy", "scipy", "sentencex")
_TITLE_MATCHING = ("rapidfuzz",)  # Finds the nearest title of a recommendation.
# The published chunker: Punkt's sentences by tokens, with the data of both.
_PUBLISHED_CHUNKS = ("llama-index-core", "nltk", "tiktoken")
# What embeds texts with a local model.
_EMBEDDING = ("sentence-transformers", "torch", "transformers")
# A requirement of an extra, as the metadata of a package has it.
_REQUIREMENT_OF_EXTRA = re.compile(
    r"(?P<name>[\w.-]{1,100}+)[^;]{0,300}+;[^=]{0,300}\bextra == ['\"](?P<extra>[\w-]{1,100}+)['\"]"
)
_ON_SERVER = "openai/"  # So begins the name of an embedding model on a server.


def packages_of_scoring(families: Iterable[Family]) -> set[str]:
    """Return the packages on which the scores of some families depend."""
    packages = set(_SCORING)
    if any(family.needs_entities for family in families):
        packages.update(_TITLE_MATCHING)
    return packages


def packages_of_agent(
    agent: object, settings: Mapping[str, object], imports: Collection[str]
) -> set[str]:
    """Return the packages on which the answers of an agent depend, beside its own package.

    They are those that it declares for its settings, those of its extra, and those of its imports:
    ``imports`` are the top-level names of modules that its files import.
    """
    declared = Capabilities.of(agent)
    packages = set(declared.packages(settings))
    if declared.embeds:
        model = embeddings_of(agent, settings)
        if model and not str(model).startswith(_ON_SERVER):
            packages.update(_EMBEDDING)
    if declared.extra:
        packages.update(_required_by_extra(declared.extra))
    if imports:
        packages_by_module = _packages_by_module(tuple(sys.path))
        for module in imports:
            packages.update(packages_by_module.get(module, ()))
    packages.discard("mabench")  # A run has its version anyway.
    if "sentence-transformers" in packages:
        packages.update(_EMBEDDING)
    return packages


@lru_cache(maxsize=4)
def _packages_by_module(path: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Return the installed packages that bring each top-level module.

    This lists the files of all packages, so it is done once for each ``sys.path``, given as
    ``path``.
    """
    return metadata.packages_distributions()


def packages_of_chunks(*, published: bool) -> set[str]:
    """Return the packages on which the chunks of histories depend.

    ``published`` is whether the published chunker cuts them; mabench's own needs no package.
    """
    return set(_PUBLISHED_CHUNKS) if published else set()


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed, by name."""
    versions = {}
    for name in sorted(packages):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _required_by_extra(extra: str) -> set[str]:
    """Return the packages that an extra of mabench installs."""
    packages = set()
    for requirement in metadata.requires("mabench") or ():
        match = _REQUIREMENT_OF_EXTRA.match(requirement)
        if match is not None and match["extra"] == extra:
            packages.add(match["name"])
    return packages
