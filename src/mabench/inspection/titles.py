"""Replaces the golds of recommendations, which are ids in the data, by titles for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mabench.errors import MabenchError
from mabench.families import family_of
from mabench.loading import catalogue_of, load
from mabench.results import Run, ScoredQuestion
from mabench.scoring import Catalogue


def title_golds(
    run: Run, questions: Sequence[ScoredQuestion], data: object = None
) -> list[ScoredQuestion]:
    """Return questions of a run with titles as the golds of recommendations.

    They keep their ids where the titles cannot be read. ``data`` is the run's data set, if it has
    moved.
    """
    names = {question.sample.source for question in questions}
    families = {name: family_of(name, run.record.all_sources) for name in names}
    recommending = {name for name, family in families.items() if family.needs_entities}
    catalogue = _read_catalogue(run, data) if recommending else None
    if catalogue is None:
        return list(questions)
    titled = []
    for question in questions:
        sample = question.sample
        if sample.source in recommending:
            titles = catalogue.titles(sample.answers)
            if len(titles) == len(sample.answers):  # An id without a title is left out there.
                titled.append(replace(question, sample=replace(sample, answers=titles)))
                continue
        titled.append(question)
    return titled


def _read_catalogue(run: Run, data: object) -> Catalogue | None:
    """Return the titles of a run's data set, or of ``data`` if it has moved; None without any."""
    record = run.record
    location = record.data.location if data is None else data
    if location is None:
        return None
    declared = {name: record.all_sources[name] for name in record.sources or ()}
    try:
        return catalogue_of(load(location, offline=True, sources=declared))
    except MabenchError:  # The data set cannot be read.
        return None
