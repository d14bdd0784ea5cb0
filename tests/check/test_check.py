"""The check passes what is sound, and names the fault of what is not."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabench.check import CheckReport, Finding, check_agent, checking
from mabench.check.facts import Facts
from mabench.check.remembering import _exponent, _long_text
from mabench.specs import AgentSpec
from mabench.tasks import loops
from mabench.text import estimate_tokens
from tests.check import agents
from tests.progress import RecordedProgress

UpTo = Callable[[str], None]


def checked(agent: Any, **how: Any) -> CheckReport:
    return check_agent(AgentSpec(agent=agent), **how)


def finding(report: CheckReport, check: str) -> Finding:
    [found] = [finding for finding in report.findings if finding.check == check]
    return found


def failures(report: CheckReport) -> set[str]:
    return {finding.check for finding in report.findings if finding.status == "failed"}


@pytest.fixture
def checks_up_to(monkeypatch: pytest.MonkeyPatch) -> UpTo:
    """Leaves out the checks after the one named, which take most of the time."""

    def leave_out(name: str) -> None:
        last = [check.name for check in checking._CHECKS].index(name)
        monkeypatch.setattr(checking, "_CHECKS", checking._CHECKS[: last + 1])

    return leave_out


# The readers of bm25 and of the floor, which is checked below, take most of the time.
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["bm25", "floor", "tests.check.agents:StartsProcess", "tests.check.agents:AsyncAgent"]
)
def test_a_sound_agent_passes_every_check(name: str) -> None:
    report = checked(name)
    assert report.valid
    assert failures(report) == set()
    assert finding(report, "processes apart").status == "passed"


@pytest.mark.usefixtures("short_texts")
@pytest.mark.parametrize(
    "factory", [agents.Memory, agents.Notes, agents.Raw, agents.BadHousekeeping]
)
def test_a_few_lines_pass(factory: type) -> None:
    report = checked(factory)
    assert report.valid
    assert {finding.status for finding in report.findings} == {"passed", "skipped"}
    assert "package.module:factory" in finding(report, "processes apart").message


def test_the_floor_passes_within_seconds() -> None:
    from mabench_floor import FloorAgent

    report = checked(FloorAgent)
    assert report.valid
    assert finding(report, "chunk of 26,000 tokens").seconds < 30


@pytest.mark.usefixtures("short_texts")
def test_what_is_saved_and_counted_is_looked_at(checks_up_to: UpTo) -> None:
    checks_up_to("save and load")
    report = checked(agents.AsyncAgent)
    saved = finding(report, "save and load")
    assert saved.status == "passed"
    assert "the loaded one 10" in saved.message
    assert finding(checked(agents.Memory), "save and load").status == "skipped"


def test_what_earlier_checks_and_others_left_behind_is_seen(checks_up_to: UpTo) -> None:
    checks_up_to("found")
    agents.LeaksBetweenRows.everything.clear()
    checked(agents.LeaksBetweenRows)
    found = finding(checked(agents.LeaksBetweenRows), "fresh instance")
    assert found.invalidates
    assert "outlive their instance" in found.message
    agents.OutlivesItsRow.closed[:] = ["The weather is fine."]
    found = finding(checked(agents.OutlivesItsRow), "fresh instance")
    agents.OutlivesItsRow.closed.clear()
    assert found.invalidates
    assert "retrieves 1 passages although nothing was memorized" in found.message


_NOT_MADE = "in a second process, creating tests.check.agents:LocksFolder failed"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("SharesFolder", "share a folder"),
        pytest.param("WipesSharedFolder", "share a folder", marks=pytest.mark.slow),
        pytest.param("LocksFolder", _NOT_MADE, marks=pytest.mark.slow),
        ("DiesElsewhere", "a second process ended before it answered"),
    ],
)
def test_a_folder_that_processes_share_is_named(
    name: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checks_up_to: UpTo
) -> None:
    checks_up_to("processes apart")
    monkeypatch.setenv(agents.FOLDER, str(tmp_path))
    report = checked(f"tests.check.agents:{name}")
    # Who shares a folder may be disturbed by the cold process of another check, too.
    assert "processes apart" in failures(report) <= {"processes apart", "questions in parallel"}
    found = finding(report, "processes apart")
    assert found.invalidates
    assert fault in found.message


@pytest.mark.parametrize(
    ("name", "check", "ends", "message"),
    [
        ("StoresNothing", "found", "fatal", "it stores nothing"),
        ("LeaksBetweenRows", "rows apart", "fatal", "it leaks between rows"),
        ("OutlivesItsRow", "rows apart", "fatal", "a fresh row knows facts of closed rows"),
        ("WipesOnMaking", "rows apart", "fatal", "new instance wipes"),
        ("MixesUpWhenBusy", "rows in parallel", "fatal", "it leaks between rows"),
        ("LosesWhenBusy", "rows in parallel", "fatal", "parallel writes are lost"),
        ("ForgetsWhenAskedAtOnce", "questions in parallel", "fatal", "knows 8 of 8 facts"),
        ("MixesUpQuestions", "questions in parallel", "fatal", "though two instances answer alike"),
        ("StoresQueries", "unchanged by answering", "fatal", "answering writes into the memory"),
        ("ForgetsWhatItFinds", "unchanged by answering", "fatal", "answering removes memories"),
        ("CountsSearches", "unchanged by answering", "fatal", "answering changes the memory"),
        ("LatestSearchedFirst", "unchanged by answering", "fatal", "answering changes the memory"),
        ("DropsUnicode", "unicode", "fatal", "Unicode characters are dropped"),
        ("RefusesUnicode", "unicode", "fatal", "memorize failed: Unicode"),
        ("RefusesLong", "100 KB of text", "fatal", "context length is 8192 tokens; [secret]"),
        ("RefusesLong", "chunk of 26,000 tokens", "fatal", "maximum context length"),
        ("DropsLong", "100 KB of text", "fatal", "nothing of 100 KB of text is found"),
        ("LoadsNothing", "save and load", "fatal", "save and load lose memories"),
        ("BoundToItsThread", "questions in parallel", "warning", "8 questions at once: "),
        ("Random", "questions in parallel", "warning", "parallel asking may not be the cause"),
        ("RaisesBeforeAdd", "search before add", "failed", "LookupError: no collection"),
        ("BuildsItsIndexOnce", "search before add", "failed", "nothing memorized after"),
        ("RaisesOnEmpty", "empty text", "failed", "embedding of an empty text"),
        ("KnowsPeopleOnly", "unicode", "warning", "not even in plain letters"),
        ("RefusesStrangeCharacters", "unicode", "warning", "U+0000 fails: memorize failed"),
        ("CutsShort", "100 KB of text", "warning", "in its middle and at its end"),
        ("FindsFew", "found", "warning", "2 of 20 facts"),
        ("IgnoresK", "found", "warning", "k = 5 returned 20 texts, of which the first 5 cou"),
        ("Random", "deterministic", "warning", "a run cannot be reproduced"),
        ("Random", "unchanged by answering", "warning", "the memory itself may not have"),
        ("SlowerAndSlower", "growth", "warning", "add will be slow"),
    ],
)
def test_a_fault_is_named_and_whether_it_invalidates_scores(
    name: str, check: str, ends: str, message: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("checks_up_to")(check)
    agents.LeaksBetweenRows.everything.clear()
    agents.OutlivesItsRow.closed.clear()
    if check in ("deterministic", "growth"):
        request.getfixturevalue("short_texts")
    report = checked(getattr(agents, name))
    found = finding(report, check)
    assert found.status == ("failed" if ends == "fatal" else ends)
    assert found.invalidates == (not report.valid) == (ends == "fatal")
    assert message in found.message


@pytest.mark.parametrize(
    ("factory", "call"), [(agents.Hangs, "answer"), (agents.HangsInAdd, "memorize")]
)
def test_a_call_that_hangs_is_a_finding_and_ends_the_check(factory: type, call: str) -> None:
    report = checked(factory, timeout=0.5)
    [hung] = [finding for finding in report.findings if finding.status == "failed"]
    assert hung.invalidates
    assert f"{call} hangs: no result within 0.5 s" in hung.message
    assert report.findings[-1].message == "not checked: a call hung before"
    assert sum(finding.seconds for finding in report.findings) < 5


def test_an_async_method_that_blocks_the_event_loop_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loops, "_GRACE", 1.5)
    report = checked(agents.BlocksTheLoop, timeout=0.5)
    found = finding(report, "found")
    assert found.invalidates
    assert "it blocks the event loop for more than 0.5 s" in found.message
    assert len(report.findings) == len(checked(agents.NoAgent).findings)
    assert {finding.status for finding in report.findings[2:]} == {"skipped"}


def test_what_is_no_agent_is_told_and_checks_that_would_see_nothing_are_skipped() -> None:
    report = checked(agents.NoAgent)
    assert "no method memorize(chunk) (did you mean memorise?)" in report.findings[0].message
    assert not report.valid
    report = checked("no-memory")
    assert failures(report) == {"found"}
    assert finding(report, "rows apart").status == "skipped"
    assert finding(report, "processes apart").seconds < 1


def test_progress_is_told_of_each_check_also_where_an_event_loop_runs() -> None:
    progress = RecordedProgress()

    async def in_a_notebook() -> CheckReport:
        return checked(agents.Notes, progress=progress)

    report = asyncio.run(in_a_notebook())
    assert report.valid
    names, told = [finding.check for finding in report.findings], iter(progress.events)
    assert next(told) == f"start checks 0/{len(names)}"
    for number, name in enumerate(names, start=1):
        assert next(told) == f"note checks {number} of {len(names)}: {name}"
        assert next(told) == "advance checks"


def test_the_long_chunk_has_26_000_tokens_and_no_end_of_a_sentence() -> None:
    text, _ = _long_text(Facts("any"), is_chunk=True)
    assert 26_000 <= estimate_tokens(text) <= 28_000
    assert "." not in text
    assert "\n" not in text


def test_the_exponent_is_that_of_the_growth() -> None:
    sizes = (50, 100, 200)
    assert _exponent(sizes, [3.0 * n**2 for n in sizes]) == pytest.approx(2)
    assert _exponent(sizes, [0.5] * 3) == pytest.approx(0)
