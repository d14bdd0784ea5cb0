"""The installed packages on whose versions the figures of a run depend."""

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
_OF_TITLES = ("rapidfuzz",)  # Finds the nearest title of a recommendation.
# The published chunker: Punkt's sentences by tokens, with the data of both.
_PUBLISHED_CHUNKS = ("llama-index-core", "nltk", "tiktoken")
_EMBEDDINGS = ("sentence-transformers", "torch", "transformers")
# A requirement of an extra, as the metadata of a package has it.
_OF_EXTRA = re.compile(
    r"(?P<name>[\w.-]{1,100}+)[^;]{0,300}+;[^=]{0,300}\bextra == ['\"](?P<extra>[\w-]{1,100}+)['\"]"
)
_OF_OPENAI = "openai/"  # So begins the name of an embedding model on a server.


def packages_of_scoring(families: Iterable[Family]) -> set[str]:
    """Return what the scores of sources of some families depend on."""
    recommends = any(family.needs_entities for family in families)
    return {*_SCORING, *_OF_TITLES} if recommends else {*_SCORING}


def packages_of_agent(
    agent: object, settings: Mapping[str, object], imports: Collection[str]
) -> set[str]:
    """Return what the answers of an agent depend on, beside its own package.

    ``imports`` are the top-level names of modules that its files import.
    """
    declared = Capabilities.of(agent)
    packages = {*declared.packages(settings)}
    embeddings = declared.embeds and embeddings_of(agent, settings)
    if embeddings and not str(embeddings).startswith(_OF_OPENAI):
        packages.update(_EMBEDDINGS)
    if declared.extra:
        packages.update(_required_by_extra(declared.extra))
    if imports:
        provided = _distributions_on(tuple(sys.path))
        packages.update(name for module in imports for name in provided.get(module, ()))
    packages.discard("mabench")  # Whose version a run has anyway.
    if "sentence-transformers" in packages:
        packages.update(_EMBEDDINGS)
    return packages


@lru_cache(maxsize=4)  # It lists the files of all packages on ``path``.
def _distributions_on(path: tuple[str, ...]) -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


def packages_of_chunks(*, published: bool) -> set[str]:
    """Return what the chunks of histories depend on."""
    return {*_PUBLISHED_CHUNKS} if published else set()


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those that are installed."""
    versions = {}
    for name in sorted(packages):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _required_by_extra(extra: str) -> set[str]:
    """Return the packages that an extra of mabench installs."""
    found = (_OF_EXTRA.match(line) for line in metadata.requires("mabench") or ())
    return {match["name"] for match in found if match and match["extra"] == extra}
