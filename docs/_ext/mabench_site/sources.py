"""The families and the sources in Markdown, from the inventory and the families' modules."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable

from mabench.data.formats import published_sources
from mabench.data.inventory import CATEGORIES, SOURCES, Source
from mabench.families import FAMILIES, Family, family_of
from mabench.families.own import OWN_FAMILIES
from mabench_site.markdown import code, sentence, table

_CATEGORY = {category.split: category.name for category in CATEGORIES}


def families_in_markdown() -> str:
    """Return a table of the families of the benchmark."""
    rows = [
        (
            code(family.name),
            sentence(_about(family)),
            _competency(family),
            code(family.metric),
            _needs(family),
        )
        for family in FAMILIES.values()
    ]
    return table(("Family", "What its rows are", "Competency", "Metric", "Needs"), rows)


def sources_in_markdown() -> str:
    """Return a table of the sources of the benchmark, in the order of the hub."""
    rows = [
        (
            code(one.name),
            code(one.family),
            one.column or "",
            f"{one.rows:,}",
            f"{one.questions:,}",
            f"{one.context_tokens:,}",
        )
        for one in SOURCES
    ]
    head = ("Source", "Family", "Column", "Rows", "Questions", "Tokens")
    return table(head, rows)


def other_sources_in_markdown() -> str:
    """Return a table of the sources of other benchmarks."""
    return _briefly(published_sources().values())


def own_families_in_markdown() -> str:
    """Return a table of the families for sources of one's own."""
    rows = [(code(name), code(one.metric), _needs(one)) for name, one in OWN_FAMILIES.items()]
    return table(("Family", "Metric", "Needs"), rows)


def _briefly(sources: Iterable[Source]) -> str:
    rows = [
        (code(one.name), code(one.family), one.split, code(family_of(one).metric))
        for one in sources
    ]
    return table(("Source", "Family", "Split", "Metric"), rows)


def _about(family: Family) -> str:
    """Return what the family's module says of itself, without the name that it begins with."""
    module = sys.modules[f"mabench.families.{family.name}"]
    first = (inspect.getdoc(module) or "").partition("\n\n")[0]
    return first.partition(":")[2] or first


def _needs(family: Family) -> str:
    needs = ["a judge"] if family.needs_judge else []
    needs += ["the entity file"] if family.needs_entities else []
    return " and ".join(needs)


def _competency(family: Family) -> str:
    one = next(one for one in SOURCES if one.family == family.name)
    return f"{one.competency} ({_CATEGORY[one.split]})"
