"""Estimates what judging a run would take: requests, tokens and cost. No request is sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from mabench.models import CostEstimate, ReadingModel
from mabench.results.judging.asking import JudgeRequest
from mabench.results.judging.cases import JudgingCase, open_cases
from mabench.results.records.store import RunFolder
from mabench.specs import JudgeSpec
from mabench.text import estimate_tokens


def estimate_judging(run_folder: str | Path, spec: JudgeSpec) -> list[CostEstimate]:
    """Return what judging would take, by source, for the answers without this judge's verdict.

    No request is sent; one readable reply to each prompt is assumed. Errors are those of ``judge``.
    """
    cases_by_source: dict[str, list[JudgingCase]] = defaultdict(list)
    for case in open_cases(RunFolder(Path(run_folder)), spec):
        cases_by_source[case.sample.source].append(case)
    estimates = []
    for source, cases in cases_by_source.items():
        requests_of_answers = [case.requests for case in cases if case.pending]
        estimates.append(estimate_requests(spec, source, requests_of_answers))
    return estimates


def estimate_requests(
    spec: JudgeSpec, source: str, requests_of_answers: Sequence[Sequence[JudgeRequest]]
) -> CostEstimate:
    """Return what the requests about some answers of a source would take.

    ``requests_of_answers`` has the requests about each answer. Those whose reply is cached take
    nothing.
    """
    cache = ReadingModel.open_cached(spec.model)  # None if nothing is cached.
    requests = [request for requests in requests_of_answers for request in requests]
    uncached = [request for request in requests if cache is None or not request.is_cached(cache)]
    estimate = CostEstimate.of_calls(
        spec.model,
        source,
        calls=len(uncached),
        input_tokens=sum(estimate_tokens(request.text) for request in uncached),
        output_tokens=sum(request.tokens for request in uncached),
    )
    cached_count = len(requests) - len(uncached)
    return estimate._replace(answers=len(requests_of_answers), kept=cached_count)
