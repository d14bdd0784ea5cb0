"""The scores of the histories of a race, from its run folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.comparison.entries import RunEntry
from mabench.races.folder import run_folders
from mabench.results import RacePlan, RunFolder
from mabench.uncertainty import Floats

# The scores of answers, from 0 to 1, by source and row.
AnswerScores = Mapping[tuple[str, int], Sequence[float]]


def score_histories(folder: Path, plan: RacePlan) -> dict[str, Floats]:
    """Return by agent the mean score of each round, from 0 to 1, over builds and sources, in order.

    A round is one history of each source. It counts once all builds of an agent have answered all
    its questions: as many of each row as any build of any agent has.
    """
    by_agent = {
        agent: [_scores_by_row(build) for build in builds]
        for agent, builds in run_folders(folder, plan).items()
    }
    every = [*chain(*by_agent.values())]
    asked = {row: max(len(each.get(row, ())) for each in every) for row in chain(*every)}
    seen = {name: sorted(row for source, row in asked if source == name) for name in plan.sources}
    order = plan.order or seen
    rounds = [*zip(*([(name, row) for row in order[name]] for name in plan.sources), strict=False)]

    def means(builds: Sequence[AnswerScores]) -> Iterator[float]:
        for rows in rounds:
            if any(len(own.get(row, ())) != asked.get(row) for own in builds for row in rows):
                return
            yield fmean(fmean(own[row]) for own in builds for row in rows)

    return {agent: np.array([*means(builds)]) for agent, builds in by_agent.items()}


def _scores_by_row(build: Path) -> AnswerScores:
    scores = defaultdict[tuple[str, int], list[float]](list)
    if RunFolder(build).exists():
        for source, answers in RunEntry.open(build, "official", unfinished=True).builds[0].items():
            for (_, row, _), answer in answers.items():
                scores[source, row].append(float(answer.official or 0))
    return scores
