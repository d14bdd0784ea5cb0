"""Scoring a stored run again, from its predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from mabench.data import Dataset, Source
from mabench.errors import MabenchError, UsageError
from mabench.families import family_of, score_answer
from mabench.loading import catalogue_for, load
from mabench.results.records.lock import owned
from mabench.results.records.record import RunRecord
from mabench.results.records.sample import Sample
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.results.summary import summarize
from mabench.scoring import Catalogue


def rescore(path: str | Path, entities: str | Path | None = None, data: str | None = None) -> Run:
    """Score every sample of a run again, by this version's rules, and store the scores.

    A sample from whose prediction a secret was taken out keeps its scores: they are those of what
    the agent answered, which is not stored.

    Args:
        path: the run folder.
        entities: ``entity2id.json`` for recommendation samples; else that of the run's data set,
            where it can still be opened.
        data: where that data set is now, if not where the run found it.

    Raises:
        DataError: when the folder holds no run, or a file of it cannot be read.
        UsageError: when another process is writing there, or ``data`` is another data set.
    """
    folder = RunFolder(Path(path))
    record = folder.record()
    with owned(folder.path):
        folder.repair()
        sources = record.all_sources
        families = [family_of(name, sources) for name in record.questions]
        dataset = _reopened(record.data.location) if data is None else _checked(record, data)
        catalogue = catalogue_for(families, dataset, entities)
        folder.replace_samples(_scored_again(folder.samples(every=True), sources, catalogue))
        summary = summarize(folder)
        folder.write_summary(summary)
    return Run(folder.path, summary, folder)


def _scored_again(
    samples: Iterable[Sample], sources: Mapping[str, Source], catalogue: Catalogue | None
) -> Iterator[Sample]:
    """Yield the samples with this version's scores, one at a time."""
    for sample in samples:
        if sample.redacted:
            yield sample
            continue
        score = score_answer(
            sources[sample.source],
            sample.prediction,
            sample.answers,
            sample.question,
            catalogue,
            sample.question_type,
        )
        yield replace(
            sample,
            official=score.official,
            corrected=score.corrected,
            difference=score.difference,
            verdict=score.verdict,
            rule=score.rule,
        )


def _checked(record: RunRecord, data: str) -> Dataset:
    """Open the data set that is said to be the run's.

    Raises:
        UsageError: when it holds other rows than the run was asked.
    """
    dataset = load(data)
    if dataset.fingerprint != record.data.fingerprint:
        raise UsageError(
            f"{data} holds other rows than those that this run was asked, of "
            f"{record.data.location or record.data.name}; leave out `data`, or give that data set",
            parameter="data",
        )
    return dataset


def _reopened(location: str | None) -> Dataset | None:
    """Open the run's data set, for its entity file; it may have moved since."""
    if location is None:
        return None
    try:
        return load(location, offline=True)
    except MabenchError:
        return None
