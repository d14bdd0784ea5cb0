"""The matrix says what is known of each kind of behaviour, and nothing that is not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from mabench.reports.experiments.stress import stress_report
from mabench.reports.experiments.stress_matrix import exposure_table, matrix_table
from mabench.stressing.abilities import Abilities
from mabench.stressing.operations import Operation
from mabench.stressing.reference.matrix import judge_kinds
from mabench.stressing.reference.observed import Observed
from mabench.stressing.reference.violations import Violation
from mabench.stressing.report import (
    Exposure,
    Kind,
    Latency,
    StressFinding,
    StressReport,
    Tried,
)

KINDS = frozenset(
    ("add", "update", "delete", "search", "record", "replace", "secret", "instruction", "maintain")
)
PROMISES = frozenset(("resolves_contradictions", "redacts"))
ABLE = Abilities(KINDS, frozenset(), by_user=True, promises=PROMISES)
ALL = frozenset((*KINDS, "users", "copies", "told twice"))


def found(name: str, *history: tuple[Any, str]) -> StressFinding:
    operations = [Operation(op=op, fact=0, user=user) for op, user in history]
    return StressFinding(name, "fault", "?", operations)


def known(
    *findings: StressFinding,
    abilities: Abilities = ABLE,
    histories: Sequence[frozenset[str]] = (ALL,),
    failures: Mapping[str, str] = {},
) -> dict[str, Kind]:
    return {kind.name: kind for kind in judge_kinds(abilities, histories, findings, failures)}


SECRET = ("secret", "mara")
RECORD = (("record", "mara"), ("replace", "mara"), ("search", "mara"))


@pytest.mark.parametrize(
    ("finding", "broken"),
    [
        (found("secret-shown", SECRET, ("search", "mar")), "secrets reach nobody else"),
        (found("secret-shown", SECRET, ("list", "mara")), "secrets are redacted"),
        (found("record-lost", *RECORD), "a part changes, the rest stays"),
        (found("record-lost", *RECORD[1:]), "a value is replaced"),
        (
            found("instruction-obeyed", ("instruction", "mara"), ("search", "mara")),
            "instructions are not followed",
        ),
        (
            found("instruction-obeyed", ("instruction", "mara"), ("ask", "mara")),
            "a reader follows no instruction",
        ),
    ],
)
def test_a_finding_breaks_the_kind_that_it_is_about_and_no_other(
    finding: StressFinding, broken: str
) -> None:
    kinds = known(finding)
    assert [name for name, kind in kinds.items() if kind.verdict == "broken"] == [broken]
    assert kinds[broken].operations == len(finding.history)


def test_what_was_not_looked_at_is_neither_held_nor_broken() -> None:
    kinds = known()
    assert kinds["updates"].verdict == "held"
    assert kinds["history is kept"].why == "it does not promise keeps_history"
    assert kinds["deleted texts leave files"].why == "it stores nothing in its folder"
    alone = Abilities(KINDS - {"secret"}, frozenset())
    assert known(abilities=alone)["users are apart"].why == "add and search take no user"
    assert known(abilities=alone)["secrets reach nobody else"].verdict == "not looked at"
    reads = replace(ABLE, kinds=KINDS | {"ask"})
    reader = "a reader follows no instruction"
    assert known(abilities=reads)[reader].why == "time ran out"
    assert known(abilities=reads, failures={"ask": "HTTP 500"})[reader].why == "HTTP 500"
    # A maintenance in one history and a deletion in another do not show what follows both.
    apart = [frozenset(("add", "delete", "search")), frozenset(("add", "maintain", "search"))]
    stays = known(histories=apart)["deleted texts stay away"]
    assert (stays.verdict, stays.why) == ("not looked at", "time ran out")
    assert {kind.verdict for kind in known(histories=[]).values()} == {
        "not looked at",
        "not promised",
    }


def test_each_read_counts_once_for_each_kind_of_exposure() -> None:
    observed = Observed()
    stale, worse = Violation("stale-after-update", ""), Violation("replacement-ignored", "")
    observed.note_read([stale, worse], shows_instruction=False)
    observed.note_read([Violation("secret-shown", ""), Violation("other-user", "")], True)
    observed.note_read([Violation("lost-write", "")], shows_instruction=False)
    seen = observed.exposure()
    assert seen.as_dict() == {
        "reads": 3, "stale": 1, "foreign": 1, "deleted": 0, "secret": 1, "planted": 1,
    }  # fmt: skip


def test_memories_are_side_by_side_and_those_of_one_name_have_their_seeds() -> None:
    reports = [
        StressReport(memory=name, seed=seed, takes={}, kinds=kinds)
        for name, seed, kinds in (
            ("a", 0, [*known().values()]),
            ("b", 1, [Kind("updates", "broken", "stale-after-update", 5)]),
            ("b", 2, []),
        )
    ]
    table = matrix_table(reports)
    assert table
    assert table.headers == ["Behaviour", "a", "b, seed 1", "b, seed 2"]
    row = next(row for row in table.rows if row[0] == "updates")
    assert row[1:] == ("held", "broken: stale-after-update, in 5 operations", "-")
    assert matrix_table([reports[2]]) is None
    assert exposure_table(reports) is None


def test_the_short_report_counts_kinds_and_reads_and_has_one_table() -> None:
    latency = [Latency("add", 8, 180, 1.5, 2, 3, 4.25, 510.0)]
    kinds = [Kind("a", "held"), Kind("b", "held"), Kind("c", "broken", "stale", 5)]
    report = StressReport(
        memory="m",
        seed=0,
        takes={},
        tried=[Tried("one client", 3, complete=False), Tried("kill -9", 1, complete=False)],
        latency=latency,
        harness=latency,
        kinds=kinds,
        exposure=Exposure(9, 1, 0, 0, 0, 2),
    )
    short = stress_report(report, brief=True)
    assert [*short.first] == ["m: no fault was found in 4 histories (seed 0)."]
    assert [len(table.values) for table in short.tables] == [1], "without the harness's own share"
    assert [*short.remarks] == [
        "Of 3 kinds of behaviour: 1 broken, 2 held; the full report lists them.",
        "Of 9 searches and lists, this many showed: stale values 1, planted instructions 2.",
        "Time ran out after 3 histories of one client, 1 history of kill -9.",
    ]
    whole = stress_report(report, brief=False)
    assert len(whole.tables) == 3, "kinds, what was shown, and latencies"
