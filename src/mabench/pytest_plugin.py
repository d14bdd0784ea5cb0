"""The pytest plugin: a fixture whose gates, checks and stress tests are tests of a memory.

Nothing is loaded, and nothing changes, until a test asks for the fixture.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mabench.comparison import GateResult

_PROPERTY = "mabench"  # Under which a test's report carries what the summary says of it.
_SECONDS_BETWEEN = 0.5  # Between two states of progress on a terminal.
_MARKER = "mabench(**settings): a test of a memory; the settings are defaults of its gates"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("mabench", "tests of memories (fixture mabench)")
    add = group.addoption
    add("--mabench-data", metavar="DATA", help="Rows of gates that name none.")
    add(
        "--mabench-baselines",
        metavar="FOLDER",
        help="Where baselines are kept; default: pytest's cache.",
    )
    add(
        "--mabench-minutes",
        type=float,
        metavar="MINUTES",
        help="What all gates of a process may take together.",
    )
    add(
        "--mabench-dollars",
        type=float,
        metavar="DOLLARS",
        help="What all gates of a process may cost together.",
    )
    add("--mabench-page", metavar="FILE", help="Write a page of what the gates compared.")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that ask for the fixture, so that ``-m mabench`` selects them."""
    for item in items:
        asks = "mabench" in getattr(item, "fixturenames", ())
        if asks and item.get_closest_marker("mabench") is None:
            item.add_marker(pytest.mark.mabench)


class RemainingBudget:
    """What the gates of a process may still take."""

    def __init__(self, config: pytest.Config) -> None:
        self._minutes: float | None = config.getoption("--mabench-minutes")
        self._dollars: float | None = config.getoption("--mabench-dollars")

    def limits(self) -> dict[str, float]:
        """Return the limits of the next gate; fail its test where nothing is left."""
        left = {"max_minutes": self._minutes, "max_cost": self._dollars}
        for name, amount in left.items():
            if amount is not None and amount <= 0:
                unit = "minutes" if name == "max_minutes" else "dollars"
                pytest.fail(f"not judged: --mabench-{unit} are used up", pytrace=False)
        return {name: amount for name, amount in left.items() if amount is not None}

    def spend(self, seconds: float, dollars: float) -> None:
        """Take off what a gate took."""
        if self._minutes is not None:
            self._minutes -= seconds / 60
        if self._dollars is not None:
            self._dollars -= dollars


@pytest.fixture(scope="session")
def _mabench_budget(request: pytest.FixtureRequest) -> RemainingBudget:
    return RemainingBudget(request.config)


@dataclass(frozen=True, repr=False)
class Tested:
    """What a check or a stress test found; ``str`` of it is one line and the findings."""

    passed: bool  # Whether nothing was found that counts.
    report: Any  # All of it: a ``CheckReport`` or a ``StressReport``.
    text: str  # What was found, with the shortest history that shows it.

    def __repr__(self) -> str:
        return self.text


class MemoryTests:
    """What the fixture ``mabench`` offers to a test."""

    def __init__(self, request: pytest.FixtureRequest, budget: RemainingBudget, out: Path) -> None:
        self._request, self._budget, self._out = request, budget, out
        self._gates = 0

    def gate(self, agent: Any, baseline: Any, data: Any = None, **settings: Any) -> GateResult:
        """Judge an agent beside its baseline; all arguments are those of ``mabench.gate``.

        What is not given is taken from the test's marker, then from the options of pytest.
        """
        from mabench import MabenchError
        from mabench import gate as judge

        config = self._request.config
        marker = self._request.node.get_closest_marker("mabench")
        chosen = {**(marker.kwargs if marker else {}), **settings}
        data = data if data is not None else chosen.pop("data", None)
        chosen.pop("data", None)
        data = data if data is not None else config.getoption("--mabench-data")
        self._gates += 1
        chosen.setdefault("folder", _baselines_of(config))
        chosen.setdefault("out", self._out / f"gate-{self._gates}")
        chosen = {**self._budget.limits(), **chosen}
        began = time.monotonic()
        dollars = 0.0
        with _TestProgress.of(self._request) as progress:
            try:
                result = judge(agent, baseline, data, progress=progress, **chosen)
                dollars = result.now.dollars or 0.0
            except MabenchError as error:
                stopped = getattr(error, "run", None)  # Where a limit stopped it.
                dollars = stopped.summary.dollars or 0.0 if stopped else 0.0
                pytest.fail(f"not judged: {error}", pytrace=False)
            finally:
                seconds = time.monotonic() - began
                self._budget.spend(seconds, dollars)
        self._note(_describe_gate(result, seconds), result.now.run, result.baseline.run)
        return result

    def check(self, agent: Any, **settings: Any) -> Tested:
        """Check an agent for faults that would invalidate its scores, as ``mabench check`` does."""
        from mabench.check import check_agent
        from mabench.specs import AgentSpec

        spec = agent if isinstance(agent, AgentSpec) else AgentSpec(agent=agent)
        with _TestProgress.of(self._request) as progress:
            report = check_agent(spec, progress=progress, **settings)
        found = [f"{each.check}: {each.message}" for each in report.findings if each.invalidates]
        return self._conclude("check", report.agent, report, report.valid, found)

    def stress(self, memory: Any, seconds: float = 30.0, **settings: Any) -> Tested:
        """Use a memory at random for some seconds, as ``mabench stress`` does."""
        from mabench.reports.experiments.stress import describe_findings
        from mabench.specs import StressSpec
        from mabench.stressing import stress

        with _TestProgress.of(self._request) as progress:
            spec = StressSpec(seconds=seconds, **settings)
            report = stress(memory, spec, progress=progress)
        found = [*describe_findings(report)]
        return self._conclude("stress", report.memory, report, report.passed, found)

    def _conclude(
        self, what: str, name: str, report: Any, passed: bool, found: Sequence[str]
    ) -> Tested:
        first = f"{'PASSED' if passed else 'FAILED'}: {what} of {name}"
        text = "\n".join([f"{first}: {len(found)} found." if found else f"{first}.", *found])
        self._note([text])
        return Tested(passed, report, text)

    def _note(self, lines: Sequence[str], *runs: str) -> None:
        """Let the report of the test carry what the summary says; texts pass between processes."""
        said = json.dumps({"lines": [*lines], "runs": [str(Path(run).absolute()) for run in runs]})
        self._request.node.user_properties.append((_PROPERTY, said))


@pytest.fixture
def mabench(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    _mabench_budget: RemainingBudget,
) -> MemoryTests:
    """Gates, checks and stress tests of a memory."""
    return MemoryTests(request, _mabench_budget, tmp_path_factory.mktemp("mabench"))


def _baselines_of(config: pytest.Config) -> Path:
    """Return the folder where baselines are kept."""
    given = config.getoption("--mabench-baselines")
    if given:
        return Path(given)
    cache = getattr(config, "cache", None)
    return config.rootpath / "runs" / "baselines" if cache is None else cache.mkdir("mabench")


def _describe_gate(result: GateResult, seconds: float) -> list[str]:
    cost = "cost unknown" if result.now.dollars is None else f"${result.now.dollars:.2f}"
    return [result.verdict, *result.reasons, f"It took {seconds:,.0f} s; {cost}."]


class _TestProgress:
    """Shows the state of work in a line of the terminal, or each quarter of it in a line."""

    def __init__(self, write: Callable[[str, bool], None], is_terminal: bool) -> None:
        self._write, self._is_terminal = write, is_terminal
        self._works: dict[str, tuple[int, int | None]] = {}
        self._shown = 0.0

    @classmethod
    def of(cls, request: pytest.FixtureRequest) -> _TestProgress:
        """Return the progress of a test; without a terminal reporter it shows nothing."""
        plugins = request.config.pluginmanager
        terminal, capture = (plugins.getplugin(n) for n in ("terminalreporter", "capturemanager"))
        name = request.node.name

        def write(line: str, again: bool) -> None:
            if terminal is None:
                return
            if capture is None:
                _write_line(terminal, f"mabench: {name}: {line}", again)
                return
            with capture.global_and_fixture_disabled():
                _write_line(terminal, f"mabench: {name}: {line}", again)

        return cls(write, bool(terminal is not None and terminal.isatty))

    def __enter__(self) -> _TestProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal and self._works:
            self._write("", True)

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Begin some work."""
        self._works[work] = (done, total)

    def advance(self, work: str, note: str = "") -> None:
        """One more step is done."""
        done, total = self._works.get(work, (0, None))
        self._works[work] = (done + 1, total)
        if total is None or work != "questions":
            return
        state = f"{done + 1} of {total} {work}"
        if self._is_terminal:
            if time.monotonic() - self._shown >= _SECONDS_BETWEEN:
                self._shown = time.monotonic()
                self._write(state, True)
        elif 4 * (done + 1) // total > 4 * done // total:
            self._write(state, False)

    def note(self, work: str, note: str) -> None:
        """Show the state of work in words."""
        if self._is_terminal:
            self._write(note, True)

    def say(self, line: str) -> None:
        """Show a line."""
        self._write(line, False)


def _write_line(terminal: Any, line: str, again: bool) -> None:
    if again:
        terminal.rewrite(line, erase=True)
    else:
        terminal.ensure_newline()
        terminal.write_line(line)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the tests of memories came to, and write the page."""
    notes = [*_notes(terminalreporter)]
    if not notes:
        return
    terminalreporter.section("mabench")
    for name, note in notes:
        first, *others = [part for line in note["lines"] for part in line.splitlines()]
        terminalreporter.write_line(f"{name}: {first}")
        for line in others:
            terminalreporter.write_line(f"    {line}")
    file = config.getoption("--mabench-page")
    if file:
        for written in _write_pages(Path(file), [note["runs"] for _, note in notes]):
            terminalreporter.write_line(written)


def _notes(terminal: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what was noted of the tests, by their names, in the order in which they ended."""
    for reports in terminal.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for key, said in report.user_properties:
                    if key == _PROPERTY:
                        yield report.nodeid, json.loads(said)


def _write_pages(file: Path, runs: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write a page for each baseline with all that was held to it; yield what was written."""
    from mabench import MabenchError
    from mabench.outfile import write_file
    from mabench.page.pages import comparison_page
    from mabench.results import Run

    held: dict[str, list[str]] = {}
    for pair in runs:
        if pair:
            held.setdefault(pair[1], []).append(pair[0])
    for number, (baseline, others) in enumerate(held.items(), start=1):
        place = file if number == 1 else file.with_stem(f"{file.stem}-{number}")
        folders = [Path(each) for each in (baseline, *others)]
        firsts = [each if (each / "run.json").exists() else each / "repeat-1" for each in folders]
        try:
            write_file(place, comparison_page([Run(each) for each in firsts]))
        except MabenchError as error:
            yield f"no page: {error}"
        else:
            yield f"written: {place}"
