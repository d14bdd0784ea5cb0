"""What judging a run would take; no request is sent."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from mabench.models import (
    Estimate,
    ReadingModel,
)
from mabench.results.judging.cases import JudgingCase, open_cases
from mabench.results.records.store import RunFolder
from mabench.specs import JudgeSpec
from mabench.text import estimate_tokens


def estimate_judging(run_folder: str | Path, spec: JudgeSpec) -> list[Estimate]:
    """Return what judging would take, by source, for the answers without this judge's verdict.

    No request is sent; one readable reply to each prompt is assumed. Errors are those of ``judge``.
    """
    cache = ReadingModel.open_cached(spec.model)
    cases_of: dict[str, list[JudgingCase]] = defaultdict(list)
    for case in open_cases(RunFolder(Path(run_folder)), spec):
        cases_of[case.sample.source].append(case)
    estimates = []
    for source, cases in cases_of.items():
        pending = [case for case in cases if case.pending]
        asked = [request for case in pending for request in case.requests]
        requests = [
            one
            for one in asked
            if not (cache and cache.is_cached(one.text, one.tokens, one.temperature))
        ]
        tokens = sum(estimate_tokens(request.text) for request in requests)
        limit = sum(request.tokens for request in requests)
        estimate = Estimate.of_calls(
            spec.model,
            source,
            calls=len(requests),
            input_tokens=tokens,
            output_tokens=limit,
        )
        kept = len(asked) - len(requests)
        estimates.append(estimate._replace(answers=len(pending), kept=kept))
    return estimates
