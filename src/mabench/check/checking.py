"""Carries out the checks of an agent one after the other, within its limits of time and cost.

It must never leave a process or a request behind, whatever the agent does.
"""

from __future__ import annotations

import asyncio
import time
from concurrent import futures
from dataclasses import replace

from mabench.check import catalogue
from mabench.check.agent import CheckedAgent
from mabench.check.findings import CheckReport, Finding, failed, skipped
from mabench.check.instance import CallError, HangError
from mabench.errors import MabenchError, UsageError
from mabench.models import ModelStoppedError
from mabench.progress import NoProgress, Progress
from mabench.specs import AgentSpec, RunSpec
from mabench.tasks.interrupt import RunInterrupt
from mabench.tasks.loops import run_to_end

_DISCARDED = "Its findings are discarded."
_AFTER_A_HANG = skipped("not checked: a call hung before")
_NOTHING_FOUND = skipped("not checked: the memory finds nothing, so no fault could show")


class CheckStoppedError(MabenchError):
    """A check was stopped before its end, since its model has cost as much as it may."""

    def __init__(self, spent: float, max_cost: float, done: int) -> None:
        """Make the error; costs are in US dollars, and ``done`` counts the checks that ended."""
        count = len(catalogue.CHECKS)
        super().__init__(
            f"the check stopped: ${spent:.4f} spent of ${max_cost:.4f}; {done} of {count} checks "
            "ran, and their findings are discarded"
        )
        self.spent = spent  # US dollars.


def check_agent(
    spec: AgentSpec,
    *,
    timeout: float = 120.0,
    max_cost: float | None = None,
    progress: Progress | None = None,
) -> CheckReport:
    """Check whether scores of an agent, or of a memory, can mean anything.

    Args:
        spec: which agent; the check across processes needs a named one.
        timeout: seconds that a call of the agent may take.
        max_cost: how many US dollars the model that reads may cost.
        progress: shows each check that begins.

    Raises:
        UsageError: when there is no such agent or setting, the timeout or the cost is not
            positive, or the price of the model is unknown though its cost is limited.
        CheckStoppedError: when the model has cost this much before the last check.
        MissingPackageError: when the model takes a package that is not installed.
        ModelUnavailableError: when the model's server is not there, or answers no request.
        RunInterrupt: when a signal stopped it.
    """
    if timeout <= 0:
        raise UsageError(f"{timeout:g} s; give a number of seconds above 0", parameter="timeout")
    RunSpec(max_cost=max_cost)  # Raises a UsageError for a cost that is not positive.
    agent = CheckedAgent.find(spec, timeout, max_cost)
    if agent.model is not None:
        run_to_end(agent.model.preflight())
    findings: list[Finding] = []  # Filled by ``_carry_out_all``, also if that fails later.
    shown = progress or NoProgress()
    try:
        agent.subject.run(
            _carry_out_all(agent, findings, shown),
            run=lambda work: agent.stop.run(work, shown, _DISCARDED),
        )
    except (asyncio.CancelledError, futures.CancelledError):
        agent.stop.ask("its work was cancelled")
    except ModelStoppedError as error:
        if agent.model is None or max_cost is None:
            raise
        raise CheckStoppedError(agent.model.spent, max_cost, len(findings)) from error
    if agent.stop.by_signal:
        raise RunInterrupt(None, agent.stop.signal)
    return CheckReport(agent.subject.factory.name, findings)


async def _carry_out_all(agent: CheckedAgent, findings: list[Finding], progress: Progress) -> None:
    """Carry out the checks in order, and append what each found to ``findings``.

    A check is skipped after a call that hung, and if it could show nothing because the memory finds
    nothing. Ends early when the checks are asked to stop.
    """
    has_hung = False
    progress.start("checks", len(catalogue.CHECKS))
    try:
        for number, check in enumerate(catalogue.CHECKS, start=1):
            progress.note("checks", f"{number} of {len(catalogue.CHECKS)}: {check.name}")
            start = time.perf_counter()
            if agent.stop.reason:
                return
            try:
                if has_hung:
                    verdict = _AFTER_A_HANG
                elif check.needs_found and agent.found_share == 0:
                    verdict = _NOTHING_FOUND
                else:
                    with agent.stop.waiting_for(f"the check {check.name}"):
                        verdict = await check.carry_out(agent)
            except (CallError, HangError) as error:
                verdict = failed(str(error))
                has_hung = isinstance(error, HangError)
            if verdict.found_share is not None:
                agent = replace(agent, found_share=verdict.found_share)
            seconds = time.perf_counter() - start
            findings.append(check.make_finding(verdict, seconds))
            progress.advance("checks")
    finally:
        if agent.model is not None:
            await agent.model.close()
