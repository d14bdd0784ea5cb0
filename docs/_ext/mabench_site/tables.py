"""Families, sources, flags of the audit and knobs of made-up rows in Markdown, from the program."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from mabench.data.formats import published_sources
from mabench.data.inventory import BY_NAME, CATEGORIES, SOURCES
from mabench.families import FAMILIES, AuditCheck, Family, families_of, family_of
from mabench.families.key_checks import EVERY_ROW
from mabench.families.own import OWN_FAMILIES
from mabench_site.markdown import code, sentence, table
from mabench_synthetic.specs import DIFFICULTIES, knobs_of, row_specs

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
    rows = [
        (code(source.name), code(source.family), source.split, code(family_of(source).metric))
        for source in published_sources().values()
    ]
    return table(("Source", "Family", "Split", "Metric"), rows)


def own_families_in_markdown() -> str:
    """Return a table of the families for sources of one's own."""
    rows = [(code(name), code(one.metric), _needs(one)) for name, one in OWN_FAMILIES.items()]
    return table(("Family", "Metric", "Needs"), rows)


def _about(family: Family) -> str:
    """Return what the docstring of a family's module says first of it."""
    module = sys.modules[f"mabench.families.benchmark.{family.name}"]
    return (inspect.getdoc(module) or "").partition("\n\n")[0].partition(": ")[2]


_NEEDS = {"judge": "a judge", "entities": "the entity file", "golds": "golds", None: ""}


def _needs(family: Family) -> str:
    return _NEEDS[family.needs]


def _competency(family: Family) -> str:
    one = next(one for one in SOURCES if one.family == family.name)
    return f"{one.competency} ({_CATEGORY[one.split]})"


def flags_in_markdown() -> str:
    """Return a table of every flag, the families in which it is looked for, and its meaning."""
    rows = [
        (code(check.reason), ", ".join(where) or "all", sentence(_meaning(check)))
        for check, where in _checks().values()
    ]
    return table(("Flag", "Families", "What was found"), rows)


def undescribed_flags() -> list[str]:
    """Return the flags of which the code does not say what they mean."""
    return [
        f"the audit flag {name} has no description: give its check a docstring"
        for name, (check, _) in _checks().items()
        if not _meaning(check).strip()
    ]


def _checks() -> dict[str, tuple[AuditCheck, list[str]]]:
    """Return every check by its flag, with the names of its families; none for those of all."""
    checks: dict[str, tuple[AuditCheck, list[str]]] = {
        check.reason: (check, []) for check in EVERY_ROW
    }
    for family in families_of({**BY_NAME, **published_sources()}).values():
        for check in family.audit_checks:
            checks.setdefault(check.reason, (check, []))[1].append(family.name)
    return checks


def _meaning(check: AuditCheck) -> str:
    return (inspect.getdoc(check.find) or "").replace("\n\n", " ")


def knobs_in_markdown() -> str:
    """Return a table of the knobs of every family, with what each difficulty sets."""
    sources = {one.family: one.name for one in reversed(SOURCES)}
    rows = [
        row
        for family in dict.fromkeys(one.family for one in SOURCES)
        for row in _knob_rows(family, sources[family])
    ]
    difficulties = (name.capitalize() for name in DIFFICULTIES)
    return table(("Family", "Knob", "What it sets", "Range", *difficulties), rows)


def _knob_rows(family: str, source: str) -> Iterator[tuple[str, ...]]:
    """Yield a row for each knob of a family, with the values that each difficulty sets."""
    set_by = [row_specs(source, 0, difficulty=name)[0].knobs for name in DIFFICULTIES]
    for knob in knobs_of(source):
        extent = f"{_number(knob.lowest)} to {_number(knob.highest)}"
        values = (_number(knobs[knob.name]) for knobs in set_by)
        yield code(family), code(knob.name), sentence(knob.about), extent, *values


def _number(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
