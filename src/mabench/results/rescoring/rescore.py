"""Scoring a stored run again, from its predictions."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from mabench.data import Dataset
from mabench.errors import MabenchError, UsageError
from mabench.loading import catalogue_for, load
from mabench.results.records.record import RunRecord
from mabench.results.records.store import RunFolder, own_folder
from mabench.results.run import Run
from mabench.results.scored import score_again


def rescore(path: str | Path, entities: str | Path | None = None, data: str | None = None) -> Run:
    """Score every sample of a run again, by this version's rules, and store the scores.

    A sample from whose prediction a secret was taken out keeps its scores: they are those of what
    the agent answered, which is not stored.

    The ``entities`` of recommendation samples are else those of the run's data set, which lies
    where ``data`` says, if not where the run found it.

    Raises:
        DataError: when the folder holds no run, or a file of it cannot be read.
        UsageError: when another process is writing there, or ``data`` is another data set.
    """
    folder = RunFolder(Path(path))
    record = folder.record()
    with own_folder(folder.path):
        folder.repair()
        sources = record.all_sources
        catalogue = catalogue_for(folder.families().values(), _reopen(record, data), entities)
        folder.replace_samples(
            sample if sample.redacted else score_again(sample, sources[sample.source], catalogue)
            for sample in folder.samples(every=True)
        )
        return Run.summarize(folder)


def _reopen(record: RunRecord, data: str | None) -> Dataset | None:
    """Open the run's data set, for its entity file, where it is or is said to be."""
    if data is None:
        with suppress(MabenchError):  # It may have moved since.
            return load(record.data.location, offline=True) if record.data.location else None
        return None
    dataset = load(data)
    if dataset.fingerprint != record.data.fingerprint:
        raise UsageError(
            f"{data} holds other rows than those that this run was asked, of "
            f"{record.data.location or record.data.name}; leave out `data`, or give that data set",
            parameter="data",
        )
    return dataset
