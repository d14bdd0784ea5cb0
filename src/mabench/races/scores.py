"""The scores of the histories of a race, from its run folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from statistics import fmean

import numpy as np

from mabench.comparison.entries import RunEntry
from mabench.races.folder import run_folders
from mabench.results import RacePlan, RunFolder
from mabench.uncertainty import Floats

# A source and a row of it.
_Row = tuple[str, int]
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
    all_builds = [build for builds in by_agent.values() for build in builds]
    # How many questions each row has, as far as any build has been asked them.
    questions = {
        row: max(len(build.get(row, ())) for build in all_builds)
        for row in dict.fromkeys(chain(*all_builds))
    }
    rounds = _list_rounds(plan, questions)
    return {
        agent: np.array([*_mean_scores(builds, rounds, questions)])
        for agent, builds in by_agent.items()
    }


def _list_rounds(plan: RacePlan, seen: Collection[_Row]) -> list[tuple[_Row, ...]]:
    """Return the rows of each round, one of each source: in the order of the plan, if it has one.

    Without one they are the rows that were ``seen``, by their numbers. There are as many rounds as
    the source with the fewest rows has.
    """
    order: Mapping[str, Sequence[int]]
    if plan.order:
        order = plan.order
    else:
        order = {
            name: sorted(row for source, row in seen if source == name) for name in plan.sources
        }
    rows_of_sources = [[(name, row) for row in order[name]] for name in plan.sources]
    return [*zip(*rows_of_sources, strict=False)]


def _mean_scores(
    builds: Sequence[AnswerScores],
    rounds: Iterable[tuple[_Row, ...]],
    questions: Mapping[_Row, int],
) -> Iterator[float]:
    """Yield the mean score of each round over builds and sources, up to the first unfinished one.

    ``questions`` are how many each row has; a row that no agent has begun is not in it.
    """
    for rows in rounds:
        for build, row in product(builds, rows):
            is_finished = row in questions and len(build.get(row, ())) == questions[row]
            if not is_finished:
                return
        yield fmean(fmean(build[row]) for build, row in product(builds, rows))


def _scores_by_row(folder: Path) -> AnswerScores:
    """Return the scores in a run folder; empty if there is no run yet."""
    scores = defaultdict[_Row, list[float]](list)
    if RunFolder(folder).exists():
        run = RunEntry.open(folder, "official", unfinished=True)
        for source, answers in run.builds[0].items():
            for (_, row, _), answer in answers.items():
                scores[source, row].append(float(answer.official or 0))
    return scores
