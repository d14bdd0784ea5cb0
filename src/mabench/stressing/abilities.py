"""What can be done with a memory, by what it declares and by what it did in its first trial.

What it cannot do must never count as a fault: it is left out, and the report says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mabench.contract.methods import Takes
from mabench.stressing.operations import CONTRADICTIONS, TOLD, Operation


@dataclass(frozen=True, slots=True)
class Abilities:
    """What can be done with a memory."""

    kinds: frozenset[str]  # The operations that it has.
    timed: frozenset[str] = frozenset()  # Those of adding, updating and searching with a time.
    by_user: bool = False  # Whether what is stored and searched has a user.
    records: int = 1  # Results of different texts that one stored text gives, at most.
    promises: frozenset[str] = frozenset()  # What it promises beyond its methods.

    def fit(self, operation: Operation) -> Operation | None:
        """Return an operation as it can be carried out, perhaps without a time; None if not."""
        if operation.op not in self.kinds:
            return None
        return operation if operation.op in self.timed else replace(operation, time=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a first trial showed of a memory, apart from times."""

    takes: Takes  # What it declares.
    ids: Sequence[object]  # Of one text that it was told.
    records: int  # Results of different texts that one stored text gave, at most.
    takes_folder: bool
    stores_files: bool  # Whether there was anything in its folder.
    can_be_killed: bool  # Whether it can live in a process of its own.
    reads: bool  # Whether a model reads what it finds, and answers.
    has_model_faults: bool  # Whether the server of the models that it calls can misbehave.


def find_abilities(traits: Traits) -> Abilities:
    """Return what can be done with a memory that has some traits."""
    methods, fields = traits.takes.methods, traits.takes.fields
    deletes = fields.get("delete", ())
    by_user = "user" in traits.takes.told & traits.takes.asked
    promises = traits.takes.promises
    timed = frozenset(op for op in ("add", "update", "search") if "time" in fields.get(op, ()))
    # Without times of texts, nothing can be searched for as of a time.
    timed = timed | {*TOLD} if "add" in timed else frozenset()
    resolves = "resolves_contradictions" in promises
    kills = traits.stores_files and traits.can_be_killed
    can = {
        **dict.fromkeys(("add", "paraphrase"), True),
        "search": True,
        "update": len(traits.ids) == 1 and "update" in methods,
        "delete": bool(traits.ids) and "id" in deletes,
        "delete-user": by_user and "user" in deletes,
        "list": "list" in methods and (not by_user or "user" in fields.get("list", ())),
        "ready": "ready" in methods,
        "maintain": "maintain" in methods,
        **dict.fromkeys(("record", *CONTRADICTIONS), resolves),
        "bound": resolves and "search" in timed,
        "secret": by_user or "redacts" in promises,
        "instruction": True,
        "ask": traits.reads,
        "reopen": traits.stores_files or {"save", "load"} <= methods,
        **dict.fromkeys(("kill", "disk-full", "disk-free"), kills),
        **dict.fromkeys(("model-spoiled", "model-well"), traits.has_model_faults),
    }
    kinds = frozenset(kind for kind, offered in can.items() if offered)
    records = max(len(traits.ids), traits.records)
    return Abilities(kinds, timed, by_user, records, promises)


def explain_what_is_not_tried(traits: Traits, abilities: Abilities) -> list[str]:
    """Return what is not tested with these abilities, each with the reason."""
    methods, kinds = traits.takes.methods, abilities.kinds
    no_id = "add returns no id"
    not_updated = no_id if "update" in methods else "it has no update(id, text)"
    not_deleted = no_id if "delete" in methods else "it has no delete"
    no_files = "it stores nothing in its folder" if traits.takes_folder else "it takes no `folder`"
    no_process = "it cannot be created in another process; name it module:factory"
    reasons = [
        ("update" in kinds, "stale values after an update", not_updated),
        (bool(kinds & {"delete", "delete-user"}), "leftovers of a deletion", not_deleted),
        ("maintain" in kinds, "what maintenance does", "it has no maintain()"),
        ("retract" in kinds, "contradictions", "it does not promise resolves_contradictions"),
        (abilities.by_user, "other users' texts", "add and search take no user"),
        ("search" in abilities.timed, "as-of searches", "add and search take no time"),
        (traits.stores_files, "leftovers in files, and kill -9", no_files),
        ("kill" in kinds or not traits.stores_files, "kill -9", no_process),
    ]
    return [f"{what}: {why}" for is_tried, what, why in reasons if not is_tried]
