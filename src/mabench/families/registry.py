"""From the name of a family, or a source, to its family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mabench.data import BY_NAME, Source, find_source
from mabench.errors import UsageError
from mabench.families import (
    detective,
    eventqa,
    factconsolidation,
    icl,
    infbench,
    longmemeval,
    recsys,
    ruler,
)
from mabench.families.family import Family
from mabench.families.own import OWN_FAMILIES, customized
from mabench.plugins import Group, load_plugin, missing_part, plugins
from mabench.suggestions import unknown

_MODULES = (ruler, longmemeval, eventqa, icl, recsys, infbench, detective, factconsolidation)
FAMILIES: Mapping[str, Family] = {module.FAMILY.name: module.FAMILY for module in _MODULES}


@cache
def family_named(name: str) -> Family:
    """Return a family by name.

    Args:
        name: a family of mabench; ``answer``, ``choice``, ``label`` or ``judged``;
            ``package.module:FAMILY`` for a ``Family`` that can be imported; or the name of an
            entry point of the group ``mabench.families``.

    Raises:
        UsageError: when there is none of that name, or it cannot be loaded.
    """
    known = FAMILIES.get(name) or OWN_FAMILIES.get(name)
    if known is not None:
        return known
    family = _imported(name) if ":" in name else _plugin(name)
    if not isinstance(family, Family):
        kind = type(family).__name__
        raise UsageError(f"{name} is of type {kind}; expected a mabench.families.Family")
    return family


def family_of(source: Source | str, sources: Mapping[str, Source] = BY_NAME) -> Family:
    """Return the family of a source, with what the source sets instead.

    Args:
        source: the source, or its name.
        sources: the sources that there are, by name: those of a data set
            (``dataset.sources``), of a run, or of the inventory.

    Raises:
        UsageError: when there is no source of that name, or its family cannot be loaded or does
            not have the metric that the source names.
    """
    return _family_of(find_source(source, sources) if isinstance(source, str) else source)


@cache
def _family_of(source: Source) -> Family:
    return customized(source, family_named(source.family), {*FAMILIES, *OWN_FAMILIES})


def families_of(sources: Mapping[str, Source]) -> Mapping[str, Family]:
    """Return the built-in families and those of ``sources``, by their own names.

    Raises:
        UsageError: when two families have the same name.
    """
    families = dict(FAMILIES)
    for source in sources.values():
        family = family_of(source)
        if families.setdefault(family.name, family) is not family:
            raise UsageError(f"{source.family}: another family is named {family.name!r} already")
    return families


def _imported(name: str) -> object:
    from mabench.lookup.names import import_object  # Brings in what agents need.

    return import_object(name, "family")


def _plugin(name: str) -> object:
    points = plugins(Group.FAMILIES)
    if name in points:
        return load_plugin(points[name], "family")
    known = [*OWN_FAMILIES, *FAMILIES, *points]
    rest = f"known: {', '.join(known)}; one of your own is named package.module:FAMILY"
    raise missing_part(name) or UsageError(unknown("no family named", name, known, rest))
