"""What a memory did wrong, with its name and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mabench.bench.versioned_facts import VersionedFacts
from mabench.stressing.operations import Operation
from mabench.stressing.reference.linearizability import Access
from mabench.stressing.reference.register import Register
from mabench.stressing.report import Severity

# The violations of a read that misses a text.
MISSING = ("lost-write", "record-lost")
# What a text is called that contradicts what was told before, by its operation.
_IGNORED = {"replace": "replacement", "correct": "correction", "retract": "retraction"}
_CONTRADICTED = (*_IGNORED, "bound")
# What a violation shows to whom it should not be shown.
EXPOSURES = {
    "stale-after-update": "stale", "replacement-ignored": "stale", "correction-ignored": "stale",
    "retraction-ignored": "stale", "not-bounded": "stale", "other-user": "foreign",
    "deleted-found": "deleted", "kept-in-summary": "deleted", "secret-shown": "secret",
    "instruction-shown": "planted", "instruction-obeyed": "planted",
}  # fmt: skip


class Violation(NamedTuple):
    """What no order of the operations explains."""

    name: str  # Such as `lost-write`.
    message: str  # What was seen, in a sentence.
    fact: int | None = None  # Which fact it is about; None if about none or several.
    severity: Severity = "fault"
    position: int = 0  # Of the operation that showed it, in its history.
    operation: Operation | None = None  # That, or one of many; None if none showed it.


def explain_read(
    facts: VersionedFacts, fact: int, register: Register, read: Access, texts: Sequence[str]
) -> Violation:
    """Return the violation of a read of a fact that nothing explains.

    ``texts`` are all that was shown.
    """
    about = f"the text about {facts.subject(fact)}"
    if read.shown is None:
        return _missing(facts, fact, register, read)
    as_of, since = read.as_of, register.times.get(read.shown)
    nothing_now = replace(read, as_of=None, shown=None)
    if as_of is not None and since is not None and since > as_of:
        name, wrong = "not-as-of", "which holds only later"
    elif register.last_write == "bound":
        name, wrong = "not-bounded", "though it held only until then"
    elif register.last_write in _IGNORED:
        name = f"{_IGNORED[register.last_write]}-ignored"
        wrong = f"though there was a {_IGNORED[register.last_write]} of {about}"
    elif register.was_deleted and (
        register.explains(nothing_now) or read.shown not in register.versions_since_deletion
    ):
        # A text in other words than those that were told was derived from them.
        is_derived = not register.planted and not facts.count_records(fact, read.shown, texts)
        name = "kept-in-summary" if is_derived else "deleted-found"
        wrong = f"though {about} was deleted"
    elif as_of is None:
        name, wrong = "stale-after-update", f"though {about} was updated"
    else:
        name, wrong = "not-as-of", "which no longer held"
    is_of_time = name in ("not-as-of", "not-bounded")
    when = f"as of {as_of.isoformat()}, " if as_of and is_of_time else ""
    return Violation(name, f"{when}{facts.value(fact, read.shown)} was there, {wrong}", fact)


def _missing(facts: VersionedFacts, fact: int, register: Register, read: Access) -> Violation:
    """Return the violation of a read that shows nothing of a fact."""
    told = dict.fromkeys(register.versions)
    held = [each for each in told if register.explains(replace(read, shown=each))]
    missing = " or ".join(facts.value(fact, version) for version in held)
    name = "lost-write" if read.as_of is None else "not-as-of"
    if register.last_write == "bound":
        name = "not-bounded"
    elif register.last_write in _CONTRADICTED or register.was_beside_change:
        # The whole record went with it.
        name = "record-lost" if read.as_of is None else name
    about = f"the text about {facts.subject(fact)}"
    return Violation(name, f"{about} was not there, though {missing} was stored", fact)
