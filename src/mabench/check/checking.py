"""The checks in their order, and carrying them out."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mabench.check.apart import processes_stay_apart, rows_stay_apart, rows_stay_apart_in_parallel
from mabench.check.calls import CallError, HangError
from mabench.check.examinee import Asked, Examinee
from mabench.check.finding_facts import fresh_knows_nothing, memorized_is_found
from mabench.check.findings import Finding, Report, Verdict, failed, skipped
from mabench.check.growth import add_and_search_grow
from mabench.check.saving import saved_memory_comes_back
from mabench.check.steady import answering_changes_nothing, instances_answer_alike
from mabench.check.unicode_texts import unicode_is_kept
from mabench.check.unusual import empty_text, long_chunk, long_text, search_before_add
from mabench.check.watched import BlockedError, run_watched
from mabench.errors import UsageError
from mabench.models import ModelSpec
from mabench.progress import NoProgress, Progress

DEFAULT_LIMIT = 120.0
_AFTER_A_HANG = skipped("not checked: a call hung before")


class AgentCheck(NamedTuple):
    """A check: what it is called, and what its failure means.

    Attributes:
        name: as the report shows it.
        carry_out: the check itself.
        invalidates: whether scores mean nothing when it fails.
        needs_found: whether it sees anything only where something is found.
    """

    name: str
    carry_out: Callable[[Examinee], Awaitable[Verdict]]
    invalidates: bool = True
    needs_found: bool = True


def checks_of(asked: Asked) -> list[AgentCheck]:
    """Return the checks in the order in which they are carried out."""
    return [
        AgentCheck("fresh instance", fresh_knows_nothing, needs_found=False),
        AgentCheck("found", memorized_is_found, needs_found=False),
        AgentCheck("rows apart", rows_stay_apart),
        AgentCheck("rows in parallel", rows_stay_apart_in_parallel),
        AgentCheck("processes apart", partial(processes_stay_apart, asked=asked)),
        AgentCheck("unchanged by answering", answering_changes_nothing, needs_found=False),
        AgentCheck("search before add", search_before_add, invalidates=False, needs_found=False),
        AgentCheck("empty text", empty_text, invalidates=False, needs_found=False),
        AgentCheck("unicode", unicode_is_kept),
        AgentCheck("100 KB of text", long_text, needs_found=False),
        AgentCheck("chunk of 26,000 tokens", long_chunk, needs_found=False),
        AgentCheck("save and load", saved_memory_comes_back),
        AgentCheck("deterministic", instances_answer_alike, invalidates=False, needs_found=False),
        AgentCheck("growth", add_and_search_grow, invalidates=False, needs_found=False),
    ]


def check_agent(
    agent: str | Callable[[], object],
    *,
    settings: Mapping[str, object] | None = None,
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
    model: ModelSpec | str | None = None,
    limit: float = DEFAULT_LIMIT,
    progress: Progress | None = None,
) -> Report:
    """Check whether scores of an agent, or of a memory, can mean anything.

    Args:
        agent: a name as for ``mabench run``, or a factory; the check across processes takes a name.
        settings: keyword arguments of its factory.
        python: the interpreter in which it lives.
        mcp_map: how the tools of an MCP server are used.
        model: the model that reads; its replies are not kept.
        limit: seconds that a call of the agent may take.
        progress: told of each check that begins.

    Raises:
        UsageError: when there is no such agent or setting, or ``limit`` is not positive.
        MissingPackageError: when the model takes a package that is not installed.
        ModelUnavailableError: when the model's server answers no request.
    """
    if limit <= 0:
        raise UsageError(f"--timeout is {limit:g}; give seconds, more than 0")
    choice = ModelSpec(model) if isinstance(model, str) else model
    resolving = {"settings": settings, "python": python, "mcp_map": mcp_map}
    asked = Asked(agent, limit, choice, resolving)
    examinee = asked.examinee()
    checks = checks_of(asked)
    findings: list[Finding] = []
    try:
        run_watched(_carry_out_all(examinee, checks, findings, progress or NoProgress()), limit)
    except BlockedError:
        findings = _with_blocked(findings, checks, limit)
    return Report(examinee.name, findings)


async def _carry_out_all(
    examinee: Examinee,
    checks: Sequence[AgentCheck],
    findings: list[Finding],
    progress: Progress,
) -> None:
    """Carry out the checks; where one call hangs, others would, and none is waited for."""
    hung = False
    progress.start("checks", len(checks))
    try:
        for number, check in enumerate(checks, start=1):
            progress.say(f"{number} of {len(checks)}: {check.name}")
            start = time.perf_counter()
            verdict = _AFTER_A_HANG
            if not hung:
                verdict, hung = await _carry_out(check, examinee)
            findings.append(_finding(check, verdict, time.perf_counter() - start))
            progress.advance("checks")
    finally:
        await examinee.close()


def _finding(check: AgentCheck, verdict: Verdict, seconds: float) -> Finding:
    invalidates = check.invalidates and verdict.status == "failed"
    return Finding(check.name, *verdict, invalidates, round(seconds, 3))


def _with_blocked(
    findings: Sequence[Finding], checks: Sequence[AgentCheck], limit: float
) -> list[Finding]:
    """Return the findings with the check during which the event loop was blocked, and the rest."""
    done = list(findings)
    blocked, *rest = checks[len(done) :]
    verdict = failed(
        f"an async method hangs: it blocks the event loop for more than {limit:g} s; if it is "
        "only slow, allow more with --timeout"
    )
    skips = [_finding(check, _AFTER_A_HANG, 0) for check in rest]
    return [*done, _finding(blocked, verdict, limit), *skips]


async def _carry_out(check: AgentCheck, examinee: Examinee) -> tuple[Verdict, bool]:
    """Return how a check ended, and whether a call hung."""
    if check.needs_found and not examinee.found:
        return skipped("not checked: nothing is found, so nothing would be seen"), False
    try:
        return await check.carry_out(examinee), False
    except CallError as error:
        return failed(str(error)), isinstance(error, HangError)
