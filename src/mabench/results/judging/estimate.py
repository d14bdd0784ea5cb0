"""What judging a run would take; no request is sent."""

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
    cases_of: dict[str, list[JudgingCase]] = defaultdict(list)
    for case in open_cases(RunFolder(Path(run_folder)), spec):
        cases_of[case.sample.source].append(case)
    return [
        estimate_requests(spec, source, [case.requests for case in cases if case.pending])
        for source, cases in cases_of.items()
    ]


def estimate_requests(
    spec: JudgeSpec, source: str, answers: Sequence[Sequence[JudgeRequest]]
) -> CostEstimate:
    """Return what the requests about some answers of a source would take, by answer."""
    cache = ReadingModel.open_cached(spec.model)
    asked = [request for requests in answers for request in requests]
    requests = [one for one in asked if not (cache and one.is_cached(cache))]
    estimate = CostEstimate.of_calls(
        spec.model,
        source,
        calls=len(requests),
        input_tokens=sum(estimate_tokens(request.text) for request in requests),
        output_tokens=sum(request.tokens for request in requests),
    )
    return estimate._replace(answers=len(answers), kept=len(asked) - len(requests))
