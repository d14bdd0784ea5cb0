"""The matrix: for each kind of behaviour, whether a memory held it, broke it or never promised it.

A memory is held to what it promises, and to two things that need no promise: nobody gets another
user's texts, and nobody gets what was deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mabench.stressing.abilities import Abilities
from mabench.stressing.reference.observed import AS_OF, COPIES, TWICE, USERS, features_of
from mabench.stressing.report import Kind, StressFinding

_RESOLVES = "resolves_contradictions"
_MISSING = {
    USERS: "add and search take no user",
    COPIES: "add and search take no user",
    AS_OF: "add and search take no time",
    "ask": "no model reads what it finds; name one with `model`",
    "reopen": "it stores nothing in its folder",
    "secret": "add and search take no user",
}
_DELETE = (frozenset({"delete"}), frozenset({"delete-user"}))


class _Behaviour(NamedTuple):
    """A kind of behaviour."""

    name: str
    findings: tuple[str, ...]  # Each of which breaks it.
    # What a history must have done to look at it: all of any one of these.
    needs: Sequence[frozenset[str]]
    promise: str | None = None  # Without which it is not expected.
    also: str | None = None  # An operation that the history of a finding must have.
    unlike: Collection[str] = ()  # Operations that it must not have.


def _needs(*features: str) -> Sequence[frozenset[str]]:
    """Return the needs of a behaviour that takes all of some features."""
    return [frozenset(features)]


def _with_deletion(*features: str) -> Sequence[frozenset[str]]:
    """Return the needs of a behaviour that takes a deletion of either kind and any one feature."""
    return [deletion | {feature} for deletion in _DELETE for feature in features]


_PART = ("replacement-ignored", "correction-ignored", "retraction-ignored", "record-lost")
_BEHAVIOURS = (
    _Behaviour("texts are kept", ("lost-write", "double-write"), _needs("add")),
    _Behaviour("searches as of a time", ("not-as-of",), _needs(AS_OF)),
    _Behaviour("a paraphrase is the same fact", ("paraphrase-mistaken",), _needs("paraphrase")),
    _Behaviour("updates", ("stale-after-update",), _needs("update")),
    *(
        _Behaviour(
            f"a value is {done}",
            (f"{noun}-ignored", "record-lost"),
            _needs(op),
            _RESOLVES,
            also=op,
            unlike=("record",),
        )
        for op, done, noun in (
            ("replace", "replaced", "replacement"),
            ("correct", "corrected", "correction"),
            ("retract", "retracted", "retraction"),
        )
    ),
    _Behaviour("a part changes, the rest stays", _PART, _needs("record"), _RESOLVES, "record"),
    _Behaviour("a value is bounded", ("not-bounded",), _needs("bound", AS_OF), _RESOLVES),
    _Behaviour("history is kept", ("not-as-of",), _needs("update", AS_OF), "keeps_history"),
    _Behaviour("deleted texts are gone", ("deleted-found",), _DELETE),
    _Behaviour("deleted texts stay away", ("resurrected",), _with_deletion("maintain", TWICE)),
    _Behaviour("deleted texts leave summaries", ("kept-in-summary",), _DELETE),
    _Behaviour("deleted texts leave files", ("deleted-on-disk",), _with_deletion("reopen")),
    _Behaviour("another's copy stays", ("copy-deleted",), _with_deletion(COPIES)),
    _Behaviour("users are apart", ("other-user",), _needs(USERS)),
    _Behaviour("secrets reach nobody else", ("secret-shown",), _needs("secret", USERS)),
    _Behaviour(
        "secrets are redacted", ("secret-shown", "secret-on-disk"), _needs("secret"), "redacts"
    ),
    _Behaviour(
        "instructions are filtered",
        ("instruction-shown",),
        _needs("instruction"),
        "filters_instructions",
    ),
    _Behaviour(
        "instructions are not followed",
        ("instruction-obeyed",),
        _needs("instruction"),
        unlike=("ask",),
    ),
    _Behaviour(
        "a reader follows no instruction", ("instruction-obeyed",), _needs("ask"), also="ask"
    ),
)


def judge_kinds(
    abilities: Abilities,
    histories: Collection[frozenset[str]],
    findings: Sequence[StressFinding],
    failures: Mapping[str, str],
) -> list[Kind]:
    """Return what is known of each kind of behaviour, in the order in which it is shown.

    A feature of a history is a kind of operation in it, or one of ``AS_OF`` (a search for a time in
    the past), ``USERS`` (several users), ``COPIES`` (two users with the same text) and ``TWICE`` (a
    text that was told again). A behaviour whose features cannot be had is not looked at.

    Args:
        abilities: what can be done with the memory.
        histories: the features of each history that was carried out.
        findings: what was found.
        failures: why features could not be had, by their names.
    """
    possible = {*abilities.kinds, TWICE}  # Any memory can be told a text again.
    if "search" in abilities.timed:
        possible.add(AS_OF)
    if abilities.by_user:
        possible.update((USERS, COPIES))
    possible -= failures.keys()
    missing = {**_MISSING, **failures}  # What happened says more than the usual reason.
    return [_judge(each, abilities, possible, histories, findings, missing) for each in _BEHAVIOURS]


def _judge(
    behaviour: _Behaviour,
    abilities: Abilities,
    possible: Collection[str],
    histories: Collection[frozenset[str]],
    findings: Sequence[StressFinding],
    explanations: Mapping[str, str],
) -> Kind:
    """Return what is known of one kind of behaviour."""
    name, promise = behaviour.name, behaviour.promise
    broken = min(
        _find_breaking(behaviour, findings), key=lambda each: len(each.history), default=None
    )
    if broken:
        return Kind(name, "broken", broken.name, len(broken.history))
    if promise and promise not in abilities.promises:
        return Kind(name, "not promised", why=f"it does not promise {promise}")
    missing = [sorted(need - {*possible}) for need in behaviour.needs]
    if all(missing):  # Something is missing of each of the needs.
        fewest = min(missing, key=lambda features: len(features))
        why = dict.fromkeys(explanations.get(each, f"it has no {each}") for each in fewest)
        return Kind(name, "not looked at", why="; ".join(why))
    if not any(need <= history for need in behaviour.needs for history in histories):
        return Kind(name, "not looked at", why="time ran out")
    return Kind(name, "held")


def _find_breaking(
    behaviour: _Behaviour, findings: Sequence[StressFinding]
) -> Iterator[StressFinding]:
    """Yield the findings that break a kind of behaviour."""
    for each in findings:
        features = features_of(each.history)
        if each.name not in behaviour.findings or features & {*behaviour.unlike}:
            continue
        if behaviour.also is not None and behaviour.also not in features:
            continue
        if each.name == "secret-shown":
            # Shown to its own user, it breaks the promise to redact; to another, the other one.
            is_about_own_user = behaviour.promise == "redacts"
            if _reaches_other(each) == is_about_own_user:
                continue
        yield each


def _reaches_other(finding: StressFinding) -> bool:
    """Return whether another user is shown a secret, by the last operation of its history."""
    owners = {each.user for each in finding.history if each.op == "secret"}
    return bool(finding.history) and finding.history[-1].user not in owners
