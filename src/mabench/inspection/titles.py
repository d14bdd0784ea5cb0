"""Replaces the golds of recommendations, which are ids in the data, by titles."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from mabench.errors import MabenchError
from mabench.families import family_of
from mabench.loading import catalogue_of, load
from mabench.results import Run, ScoredQuestion


def title_golds(
    run: Run, questions: Sequence[ScoredQuestion], data: object = None
) -> list[ScoredQuestion]:
    """Return questions of a run with titles as the golds of recommendations.

    They keep their ids where the titles cannot be read. ``data`` is the run's data set, if it has
    moved.
    """
    record = run.record
    sources = {question.sample.source for question in questions}
    families = {name: family_of(name, record.all_sources) for name in sources}
    location = record.data.location if data is None else data
    catalogue = None
    if location is not None and any(family.needs_entities for family in families.values()):
        with suppress(MabenchError):
            declared = {name: record.all_sources[name] for name in record.sources or ()}
            dataset = load(location, offline=True, sources=declared)
            catalogue = catalogue_of(dataset, None, families.values())
    if catalogue is None:
        return [*questions]
    titled = []
    for question in questions:
        sample = question.sample
        titles = catalogue.titles(sample.answers)
        if families[sample.source].needs_entities and len(titles) == len(sample.answers):
            question = replace(question, sample=replace(sample, answers=titles))
        titled.append(question)
    return titled
