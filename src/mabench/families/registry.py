"""Finds the family of a source, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial

from mabench.data import BY_NAME, Source, find_source
from mabench.data.inventory import SETTINGS
from mabench.errors import UsageError, unknown
from mabench.families.benchmark import FAMILIES
from mabench.families.family import Family
from mabench.families.own import OWN_FAMILIES
from mabench.families.source_settings import correction_named, finds_units, units_of
from mabench.plugins import Group, load_plugin, missing_part, plugins


@cache
def _family_named(name: str) -> Family:
    """Return a family by its name.

    The name is that of a family of the benchmark, of a family for users' sources (``answer``,
    ``choice``, ``label`` or ``judged``), or of an entry point of the group ``mabench.families``; or
    it is ``package.module:FAMILY``.

    Raises:
        UsageError: when there is no such family, or it cannot be loaded.
    """
    known = FAMILIES.get(name) or OWN_FAMILIES.get(name)
    if known is not None:
        return known
    points = plugins(Group.FAMILIES)
    if ":" in name:
        from mabench.lookup.importing import import_object  # Slow to import.

        family = import_object(name, "family")
    elif name in points:
        family = load_plugin(points[name], "family")
    else:
        all_names = [*OWN_FAMILIES, *FAMILIES, *points]
        rest = f"known: {', '.join(all_names)}; one of your own is named package.module:FAMILY"
        raise missing_part(name) or UsageError(unknown("no family named", name, all_names, rest))
    if not isinstance(family, Family):
        kind = type(family).__name__
        raise UsageError(f"{name} is of type {kind}; expected a mabench.families.Family")
    return family


def family_of(source: Source | str, sources: Mapping[str, Source] = BY_NAME) -> Family:
    """Return the family of a source, with the unit, metric and prompt that the source sets.

    ``sources`` are the known sources by name: of a data set, of a run, or by default the
    benchmark's.

    Raises:
        UsageError: when there is no source of that name, its family cannot be loaded, or the family
            lacks the metric that the source names.
    """
    return _family_of(find_source(source, sources) if isinstance(source, str) else source)


@cache
def _family_of(source: Source) -> Family:
    """Return the family of a source; if the source sets anything, a family named after it."""
    family = _family_named(source.family)
    if not source.settings.keys() - {"asked_after"}:
        return family
    if source.name in {*FAMILIES, *OWN_FAMILIES}:
        what = ", ".join(name for name in SETTINGS if name != "asked_after")
        raise UsageError(
            f"{source.name!r} is the name of a family, which a source with its own {what} cannot "
            "have; choose another name"
        )
    made = replace(family, name=source.name)
    if source.metric is not None and source.metric != family.metric:
        made = replace(
            made, metric=source.metric, corrected=correction_named(family, source.metric)
        )
    if source.prompt is not None:
        made = replace(made, prompts={**family.prompts, "answer": source.prompt})
    if source.unit is not None:
        checks = (*made.row_checks, finds_units(source.unit))
        made = replace(made, units=partial(units_of, source.unit), row_checks=checks)
    return made


def families_of(sources: Mapping[str, Source]) -> Mapping[str, Family]:
    """Return the families of the benchmark and those of ``sources``, by their names.

    Raises:
        UsageError: when two families have the same name.
    """
    families = dict(FAMILIES)
    for source in sources.values():
        family = family_of(source)
        if families.setdefault(family.name, family) is not family:
            raise UsageError(f"{source.family}: another family is already named {family.name!r}")
    return families
