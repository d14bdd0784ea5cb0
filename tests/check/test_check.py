"""The check passes what is sound, and names the fault of what is not."""

import asyncio
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabench.check import CheckReport, Finding, catalogue, check_agent
from mabench.check.growth import growth_exponent
from mabench.specs import AgentSpec
from mabench.text import estimate_tokens
from tests.check import agents
from tests.progress import RecordedProgress
from tests.runs.agents import like
from tests.stressing.correct import Asynchronous, Held, Late, Time, User
from tests.stressing.faulty.reads import OtherUserPrefix, StaleAfterUpdateAppends

Only = Callable[..., None]
_FAULTS = tomllib.loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["faults"]


def checked(agent: Any, **how: Any) -> CheckReport:
    return check_agent(AgentSpec(agent=agent), **how)


def finding(report: CheckReport, check: str) -> Finding:
    [found] = [finding for finding in report.findings if finding.check == check]
    return found


def failures(report: CheckReport) -> set[str]:
    return {finding.check for finding in report.findings if finding.status == "failed"}


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Only:
    """Leaves out all checks but those named, and that by which the others know what is found."""

    def leave_out(*names: str) -> None:
        kept = [one for one in catalogue.CHECKS if one.name in ("found", *names)]
        monkeypatch.setattr(catalogue, "CHECKS", tuple(kept))

    return leave_out


# The readers of bm25 and of the floor take most of the time.
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["bm25", "floor", "tests.check.agents:StartsProcess", "tests.check.agents:AsyncAgent"]
)
def test_a_sound_agent_passes_every_check(name: str) -> None:
    report = checked(name)
    assert report.valid
    assert failures(report) == set()
    assert finding(report, "processes apart").status == "passed"
    assert finding(report, "chunk of 26,000 tokens").seconds < 30


@pytest.mark.usefixtures("short_texts")
@pytest.mark.parametrize(
    "factory", [agents.Memory, agents.Notes, agents.Prints, agents.BadHousekeeping]
)
def test_a_few_lines_pass(factory: type) -> None:
    report = checked(factory)
    assert report.valid
    ends = {finding.status for finding in report.findings if finding.check != "growth"}
    assert ends == {"passed", "skipped"}  # A busy machine may make anything slow.
    assert "package.module:factory" in finding(report, "processes apart").message


@pytest.mark.usefixtures("short_texts")
def test_what_is_saved_and_counted_is_looked_at(only: Only) -> None:
    only("save and load")
    report = checked(agents.AsyncAgent)
    saved = finding(report, "save and load")
    assert saved.status == "passed"
    assert "the loaded one 10" in saved.message
    assert finding(checked(agents.Memory), "save and load").status == "skipped"


def test_what_earlier_checks_and_others_left_behind_is_seen(only: Only) -> None:
    only("fresh instance")
    agents.LeaksBetweenRows.everything.clear()
    checked(agents.LeaksBetweenRows)
    found = finding(checked(agents.LeaksBetweenRows), "fresh instance")
    assert found.invalidates
    assert "outlive their instance" in found.message
    agents.OutlivesItsRow.closed[:] = ["The weather is fine."]
    found = finding(checked(agents.OutlivesItsRow), "fresh instance")
    agents.OutlivesItsRow.closed.clear()
    assert found.invalidates
    assert "retrieves 1 passage although nothing was memorized" in found.message


_NOT_MADE = "in a second process, creating tests.check.agents:LocksFolder failed"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("SharesFolder", "share something outside of them, such as a folder"),
        pytest.param(
            "WipesSharedFolder",
            "share something outside of them, such as a folder",
            marks=pytest.mark.slow,
        ),
        pytest.param("LocksFolder", _NOT_MADE, marks=pytest.mark.slow),
        ("DiesElsewhere", "a second process ended before it answered"),
        ("LeaksBetweenRows", "share something in their process, such as a class attribute"),
    ],
)
def test_what_processes_or_instances_share_is_named(
    name: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: Only
) -> None:
    only("processes apart")
    monkeypatch.setenv(agents.FOLDER, str(tmp_path))
    report = checked(f"tests.check.agents:{name}")
    assert failures(report) == {"processes apart"}
    found = finding(report, "processes apart")
    assert found.invalidates
    assert fault in found.message


@pytest.mark.parametrize(("name", "check", "ends", "message"), _FAULTS)
def test_a_fault_is_named_and_whether_it_invalidates_scores(
    name: str, check: str, ends: str, message: str, only: Only
) -> None:
    only(check)
    agents.LeaksBetweenRows.everything.clear()
    agents.OutlivesItsRow.closed.clear()
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


def test_an_async_method_that_blocks_the_event_loop_is_a_finding() -> None:
    report = checked(agents.BlocksTheLoop, timeout=0.5)
    found = finding(report, "found")
    assert found.invalidates
    assert "memorize hangs: no result within 0.5 s" in found.message
    assert len(report.findings) == len(checked(agents.NoAgent).findings)
    assert {finding.status for finding in report.findings[2:]} == {"skipped"}


def test_what_is_no_agent_is_told_and_checks_that_would_see_nothing_are_skipped() -> None:
    report = checked(agents.NoAgent)
    assert "no method memorize(chunk) (did you mean memorise?)" in report.findings[0].message
    assert not report.valid
    report = checked("no-memory")
    assert failures(report) == {"found"}
    assert finding(report, "rows apart").status == "skipped"
    assert finding(report, "processes apart").status == "skipped"


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


def test_the_long_chunk_has_26_000_tokens_and_no_end_of_a_sentence(only: Only) -> None:
    only("chunk of 26,000 tokens")
    agents.LeaksBetweenRows.everything.clear()
    checked(agents.LeaksBetweenRows)
    text = max(agents.LeaksBetweenRows.everything, key=len)
    assert 26_000 <= estimate_tokens(text) <= 28_000
    assert "." not in text
    assert "\n" not in text


def test_the_exponent_is_that_of_the_growth() -> None:
    sizes = (50, 100, 200)
    assert growth_exponent(sizes, [3.0 * n**2 for n in sizes]) == pytest.approx(2)
    assert growth_exponent(sizes, [0.5] * 3) == pytest.approx(0)


class IsNeverReady(Held):
    async def ready(self) -> None:  # type: ignore[override]
        if any(version.time for text in self.texts.values() for version in text.versions):
            await asyncio.sleep(60)


def test_what_does_what_it_declares_passes_and_what_declares_nothing_is_skipped(only: Only) -> None:
    only("fields", "editing")
    for factory in (Held, Asynchronous, Late):
        report = checked(factory)
        assert {one.status for one in report.findings} == {"passed"}
        assert "with time, user passed" in finding(report, "fields").message
        editing = finding(report, "editing").message
        assert editing == "no fault found in update, delete, list, ready"
    report = checked(agents.Memory)
    assert [one.status for one in report.findings] == ["passed", "skipped", "skipped"]


def test_a_memory_that_is_never_ready_hangs(only: Only) -> None:
    only("fields")
    checked(Held)  # What reads is loaded with the first answer, which may take long.
    found = finding(checked(IsNeverReady, timeout=2), "fields")
    assert (found.status, "ready hangs" in found.message) == ("failed", True)


def search_naively(self: Held, query: str, k: int, *, time: Time = None, user: User = None) -> Any:
    return Held.search(self, query, k, time=time and time.replace(tzinfo=None), user=user)


def search_as_of(self: Held, query: str, k: int, timestamp: Time = None, user: User = None) -> Any:
    return Held.search(self, query, k, user=user)


def refuse(self: Any, *, id: Any = None) -> None:
    raise PermissionError("read only")


def keep_half(self: Held, *, user: User = None) -> Any:
    return Held.list(self, user=user)[::2]


def own(method: Any, **changed: Any) -> Any:
    """A method of the memory to which some fields are told otherwise."""
    return lambda self, *given, time=None, user=None: method(
        self, *given, **{"time": time, "user": user, **changed}
    )


@pytest.mark.parametrize(
    ("check", "faulty", "said"),
    [
        ("fields", like(Held, search=search_naively), "failed: TypeError: can't compare"),
        ("fields", like(Held, add=own(Held.add, user=None)), "0 of 12 facts: texts with fields ar"),
        ("fields", OtherUserPrefix, "one user finds texts of another"),
        ("fields", like(Held, search=own(Held.search, time=None)), "leave out of a search what is"),
        ("fields", like(Held, search=search_as_of), "search takes `timestamp`: name it `time`"),
        ("editing", StaleAfterUpdateAppends, "after update, the text is still found"),
        ("editing", like(Held, update=lambda self, id, text: self.delete(id)), "updated text is n"),
        ("editing", like(Held, delete=lambda self, *, id=None: None), "after delete(id), the text"),
        ("editing", like(Held, delete=lambda self, *, user=None: None), "after delete(user), the "),
        ("editing", like(Held, delete=lambda self, *, user=None: self.texts.clear()), "of other u"),
        ("editing", like(Held, delete=refuse), "delete failed: PermissionError: read only"),
        ("editing", like(Held, list=keep_half), "list leaves out 3 of 6 texts"),
        ("editing", like(Held, add=own(lambda *a, **told: [Held.add(*a, **told)][1:])), "no id"),
    ],
)
def test_a_fault_of_what_is_declared_is_named_and_of_editing_harms_no_score(
    check: str, faulty: Any, said: str, only: Only
) -> None:
    only(check)
    report = checked(faulty)
    found = finding(report, check)
    warns = "search" in said
    assert found.status == ("warning" if warns else "failed")
    assert said in found.message
    assert report.valid == (warns or check == "editing")
