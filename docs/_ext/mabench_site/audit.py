"""The flags of the audit in Markdown, from the checks that raise them."""

from __future__ import annotations

import inspect

from mabench.audit import EVERY_ROW
from mabench.data.formats import published_sources
from mabench.data.inventory import BY_NAME
from mabench.families import AuditCheck, Family, families_of
from mabench_site.markdown import code, sentence, table


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
    found: dict[str, tuple[AuditCheck, list[str]]] = {
        check.reason: (check, []) for check in EVERY_ROW
    }
    for family in _families():
        for check in family.audit_checks:
            found.setdefault(check.reason, (check, []))[1].append(family.name)
    return found


def _families() -> list[Family]:
    return list(families_of({**BY_NAME, **published_sources()}).values())


def _meaning(check: AuditCheck) -> str:
    return (inspect.getdoc(check.find) or "").replace("\n\n", " ")
