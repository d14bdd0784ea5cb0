"""The pytest plugin: a fixture ``mabench`` with which tests gate, check or stress a memory.

Nothing is loaded, and nothing changes, until a test asks for the fixture. pytest calls the
functions whose names begin with ``pytest_``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from mabench.comparison import GateResult

# The name of the property of a test's report that holds what the summary says of the test.
_PROPERTY = "mabench"
_SECONDS_BETWEEN = 0.5  # Between two states of progress on a terminal.
_QUARTERS = 4  # Without a terminal, progress is printed after each quarter of the questions.
_MARKER = "mabench(**settings): a test of a memory; the settings are defaults of its gates"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin to pytest."""
    group = parser.getgroup("mabench", "tests of memories (fixture mabench)")
    group.addoption("--mabench-data", metavar="DATA", help="Rows of gates that name none.")
    group.addoption(
        "--mabench-baselines",
        metavar="FOLDER",
        help="Where baselines are kept; default: pytest's cache.",
    )
    group.addoption(
        "--mabench-minutes",
        type=float,
        metavar="MINUTES",
        help="What all gates of a process may take together.",
    )
    group.addoption(
        "--mabench-dollars",
        type=float,
        metavar="DOLLARS",
        help="What all gates of a process may cost together.",
    )
    group.addoption(
        "--mabench-page", metavar="FILE", help="Write a page of what the gates compared."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that ask for the fixture, so that ``-m mabench`` selects them."""
    for item in items:
        asks_for_fixture = "mabench" in getattr(item, "fixturenames", ())
        if asks_for_fixture and item.get_closest_marker("mabench") is None:
            item.add_marker(pytest.mark.mabench)


class RemainingBudget:
    """The minutes and dollars that the gates of a process may still take; None for no limit."""

    def __init__(self, config: pytest.Config) -> None:
        self._minutes: float | None = config.getoption("--mabench-minutes")
        self._dollars: float | None = config.getoption("--mabench-dollars")

    def limits(self) -> dict[str, float]:
        """Return the limits of the next gate, as arguments; fail its test if nothing is left."""
        limits: dict[str, float] = {}
        for name, unit, amount in (
            ("max_minutes", "minutes", self._minutes),
            ("max_cost", "dollars", self._dollars),
        ):
            if amount is None:
                continue
            if amount <= 0:
                pytest.fail(f"not judged: --mabench-{unit} are used up", pytrace=False)
            limits[name] = amount
        return limits

    def spend(self, seconds: float, dollars: float) -> None:
        """Subtract what a gate took."""
        if self._minutes is not None:
            self._minutes -= seconds / 60
        if self._dollars is not None:
            self._dollars -= dollars


@pytest.fixture(scope="session")
def _mabench_budget(request: pytest.FixtureRequest) -> RemainingBudget:
    """Return the budget that all tests of a process share."""
    return RemainingBudget(request.config)


@dataclass(frozen=True, repr=False)
class Tested:
    """What a check or a stress test found; ``str`` of it is one line and the findings."""

    passed: bool  # Whether nothing was found that counts.
    report: Any  # All of it: a ``CheckReport`` or a ``StressReport``.
    text: str  # What was found, with the shortest history that shows it.

    def __repr__(self) -> str:
        """Return the text, which pytest prints if ``assert`` fails."""
        return self.text


class MemoryTests:
    """What the fixture ``mabench`` offers to a test."""

    def __init__(self, request: pytest.FixtureRequest, budget: RemainingBudget, out: Path) -> None:
        self._request, self._budget = request, budget
        self._out = out  # The folder for runs of gates.
        self._gates = 0  # How many gates the test has asked for.

    def gate(self, agent: Any, baseline: Any, data: Any = None, **settings: Any) -> GateResult:
        """Judge an agent beside its baseline; all arguments are those of ``mabench.gate``.

        What is not given is taken from the test's marker, then from the options of pytest. The test
        fails if the two cannot be judged.
        """
        import mabench

        arguments = self._complete_settings(data, settings)
        began = time.monotonic()
        dollars = 0.0
        with _TestProgress.of(self._request) as progress:
            try:
                result = mabench.gate(agent, baseline, progress=progress, **arguments)
                dollars = result.now.dollars or 0.0
            except mabench.MabenchError as error:
                stopped_run = getattr(error, "run", None)  # Only if a limit stopped it.
                if stopped_run is not None:
                    dollars = stopped_run.summary.dollars or 0.0
                pytest.fail(f"not judged: {error}", pytrace=False)
            finally:
                seconds = time.monotonic() - began
                self._budget.spend(seconds, dollars)
        self._note(_describe_gate(result, seconds), result.now.run, result.baseline.run)
        return result

    def _complete_settings(self, data: Any, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a gate: what the test gives, and the rest from elsewhere."""
        config = self._request.config
        marker = self._request.node.get_closest_marker("mabench")
        arguments = {**(marker.kwargs if marker else {}), **settings}
        if data is not None:
            arguments["data"] = data
        if arguments.get("data") is None:
            arguments["data"] = config.getoption("--mabench-data")
        self._gates += 1
        arguments.setdefault("folder", _find_baselines(config))
        arguments.setdefault("out", self._out / f"gate-{self._gates}")
        return {**self._budget.limits(), **arguments}

    def check(self, agent: Any, **settings: Any) -> Tested:
        """Check an agent for faults that would invalidate its scores, as ``mabench check`` does."""
        from mabench.check import check_agent
        from mabench.specs import AgentSpec

        spec = agent if isinstance(agent, AgentSpec) else AgentSpec(agent=agent)
        with _TestProgress.of(self._request) as progress:
            report = check_agent(spec, progress=progress, **settings)
        findings = [
            f"{finding.check}: {finding.message}"
            for finding in report.findings
            if finding.invalidates
        ]
        return self._conclude("check", report.agent, report, passed=report.valid, findings=findings)

    def stress(self, memory: Any, seconds: float = 30.0, **settings: Any) -> Tested:
        """Use a memory at random for some seconds, as ``mabench stress`` does."""
        from mabench.reports.experiments.stress import describe_findings
        from mabench.specs import StressSpec
        from mabench.stressing import stress

        with _TestProgress.of(self._request) as progress:
            spec = StressSpec(seconds=seconds, **settings)
            report = stress(memory, spec, progress=progress)
        return self._conclude(
            "stress",
            report.memory,
            report,
            passed=report.passed,
            findings=list(describe_findings(report)),
        )

    def _conclude(
        self, test: str, name: str, report: Any, *, passed: bool, findings: Sequence[str]
    ) -> Tested:
        """Note what a check or a stress test found for the summary, and return it.

        ``test`` is "check" or "stress", and ``name`` that of the agent or memory.
        """
        outcome = "PASSED" if passed else "FAILED"
        count = f": {len(findings)} found" if findings else ""
        text = "\n".join([f"{outcome}: {test} of {name}{count}.", *findings])
        self._note([text])
        return Tested(passed=passed, report=report, text=text)

    def _note(self, lines: Sequence[str], *runs: str) -> None:
        """Add lines for the summary, and the folders of runs, to the report of the test.

        They are one text, since the tests may run in other processes than the summary.
        """
        folders = [str(Path(run).absolute()) for run in runs]
        note = json.dumps({"lines": list(lines), "runs": folders})
        self._request.node.user_properties.append((_PROPERTY, note))


@pytest.fixture
def mabench(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    _mabench_budget: RemainingBudget,
) -> MemoryTests:
    """Gates, checks and stress tests of a memory."""
    return MemoryTests(request, _mabench_budget, tmp_path_factory.mktemp("mabench"))


def _find_baselines(config: pytest.Config) -> Path:
    """Return the folder where baselines are kept."""
    folder = config.getoption("--mabench-baselines")
    if folder:
        return Path(folder)
    cache = getattr(config, "cache", None)  # pytest may run without its cache.
    return config.rootpath / "runs" / "baselines" if cache is None else cache.mkdir("mabench")


def _describe_gate(result: GateResult, seconds: float) -> list[str]:
    """Return the lines of the summary about a gate that took some seconds."""
    cost = "cost unknown" if result.now.dollars is None else f"${result.now.dollars:.2f}"
    return [result.verdict, *result.reasons, f"It took {seconds:,.0f} s; {cost}."]


class _TestProgress:
    """Shows the progress of a gate, check or stress test while a test runs.

    On a terminal it is one line that changes; elsewhere there is a line for each quarter.
    """

    def __init__(self, terminal: Any, capture: Any, test_name: str) -> None:
        self._terminal = terminal  # pytest's plugin that prints; None if it is switched off.
        self._capture = capture  # The one that captures what tests print, or None.
        self._test_name = test_name
        self._is_terminal = bool(terminal is not None and terminal.isatty)
        # By the kind of work, the steps that are done, and how many there are if that is known.
        self._steps: dict[str, tuple[int, int | None]] = {}
        self._shown_at = 0.0  # When the changing line was written last.

    @classmethod
    def of(cls, request: pytest.FixtureRequest) -> _TestProgress:
        """Return the progress of a test; if pytest prints nothing, it shows nothing."""
        plugins = request.config.pluginmanager
        terminal = plugins.getplugin("terminalreporter")
        capture = plugins.getplugin("capturemanager")
        return cls(terminal, capture, request.node.name)

    def __enter__(self) -> _TestProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal and self._steps:
            self._write("", replaces_line=True)

    def start(
        self, work: str, total: int | None, done: int = 0, title: str = "", note: str = ""
    ) -> None:
        """Begin some work."""
        self._steps[work] = (done, total)

    def advance(self, work: str, note: str = "") -> None:
        """One more step is done; show how many questions are."""
        done_before, total = self._steps.get(work, (0, None))
        done = done_before + 1
        self._steps[work] = (done, total)
        if total is None or work != "questions":
            return
        state = f"{done} of {total} {work}"
        if self._is_terminal:
            if time.monotonic() - self._shown_at >= _SECONDS_BETWEEN:
                self._shown_at = time.monotonic()
                self._write(state, replaces_line=True)
        elif _QUARTERS * done // total > _QUARTERS * done_before // total:
            self._write(state, replaces_line=False)

    def note(self, work: str, note: str) -> None:
        """Show the state of work in words."""
        if self._is_terminal:
            self._write(note, replaces_line=True)

    def say(self, line: str) -> None:
        """Show a line."""
        self._write(line, replaces_line=False)

    def _write(self, text: str, *, replaces_line: bool) -> None:
        """Print a text, in place of the current line or in a line of its own."""
        if self._terminal is None:
            return
        capture = self._capture
        with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
            line = f"mabench: {self._test_name}: {text}"
            if replaces_line:
                self._terminal.rewrite(line, erase=True)
            else:
                self._terminal.ensure_newline()
                self._terminal.write_line(line)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what the tests of memories came to, and write the page."""
    notes = list(_read_notes(terminalreporter))
    if not notes:
        return
    terminalreporter.section("mabench")
    for note in notes:
        first_line, *other_lines = note.lines
        terminalreporter.write_line(f"{note.test_id}: {first_line}")
        for line in other_lines:
            terminalreporter.write_line(f"    {line}")
    file = config.getoption("--mabench-page")
    if file:
        for message in _write_pages(Path(file), notes):
            terminalreporter.write_line(message)


class _TestNote(NamedTuple):
    """What was noted of a test for the summary."""

    test_id: str
    lines: Sequence[str]
    # Of a gate, the folders of the agent's run and of the baseline's; else nothing.
    runs: Sequence[str]


def _read_notes(terminal: Any) -> Iterator[_TestNote]:
    """Yield what was noted of the tests, from the reports that pytest keeps by their outcome."""
    for reports in terminal.stats.values():
        for report in reports:
            if getattr(report, "when", "") != "call":  # Neither set-up nor tear-down.
                continue
            for name, text in report.user_properties:
                if name == _PROPERTY:
                    note = json.loads(text)
                    # A verdict or a reason may have several lines.
                    lines = [line for entry in note["lines"] for line in entry.splitlines()]
                    yield _TestNote(report.nodeid, lines, note["runs"])


def _write_pages(file: Path, notes: Sequence[_TestNote]) -> Iterator[str]:
    """Write a page for each baseline with all agents that were held to it; yield messages.

    The first page is ``file``; the others have a number after its name.
    """
    from mabench import MabenchError
    from mabench.outfile import write_file
    from mabench.page.pages import comparison_page
    from mabench.results import Run

    agents_by_baseline: dict[str, list[str]] = {}
    for note in notes:
        if note.runs:
            agent_run, baseline_run = note.runs
            agents_by_baseline.setdefault(baseline_run, []).append(agent_run)
    for number, (baseline, agents) in enumerate(agents_by_baseline.items(), start=1):
        page = file if number == 1 else file.with_stem(f"{file.stem}-{number}")
        folders = [_first_build(Path(folder)) for folder in (baseline, *agents)]
        try:
            write_file(page, comparison_page([Run(folder) for folder in folders]))
        except MabenchError as error:
            yield f"no page: {error}"
        else:
            yield f"written: {page}"


def _first_build(folder: Path) -> Path:
    """Return the folder of a run, or that of the first build of a run that was repeated."""
    return folder if (folder / "run.json").exists() else folder / "repeat-1"
