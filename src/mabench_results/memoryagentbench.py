"""Result files of MemoryAgentBench's published code: ``…_results.json``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.errors import DataError
from mabench.formats import Claim, GivenAnswer, GivenRun, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document

# The mean that the published code reports first, in percent, in whichever file has it.
_REPORTED = ("substring_exact_match", "exact_match", "recsys_recall@5", "rougeL_f1", "f1")


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and isinstance(document.get("data"), list)


def _read(path: Path) -> Iterator[GivenRun]:
    """Yield the one run, with the mean that the published code reports if the file has it."""
    document = read_document(path)
    # Older files may have something else there, which names no source.
    config = document["dataset_config"].value
    source = config.get("sub_dataset") if isinstance(config, dict) else None
    if not isinstance(source, str):
        source = None
    means = document["averaged_metrics"]
    metric = next((name for name in _REPORTED if name in means), None)
    yield GivenRun(
        name="",
        answers=tuple(_answer(item, source, metric) for item in document["data"].items()),
        claims=() if metric is None else (_claim(means[metric], metric),),
    )


def _claim(mean: Item, metric: str) -> Claim:
    return Claim(what=metric, value=mean.number(most=100.0) / 100)


def _answer(item: Item, source: str | None, metric: str | None) -> GivenAnswer:
    if "output" not in item:
        raise DataError(f"{item}: no field 'output'; every answer needs it")
    golds, question_id = item["answer"], item["qa_pair_id"].value
    return GivenAnswer(
        place=str(item),
        text=item["output"].optional_text(),
        source=source,
        row=item["row"].optional_whole_number(),
        question_index=item["question_index"].optional_whole_number(),
        # A list of ids that is too short leaves a list here, which names nothing.
        question_id=question_id if isinstance(question_id, str) and question_id else None,
        position=item["query_id"].optional_whole_number(),
        prompt=item["query"].optional_text(),
        golds=() if golds.value is None else golds.golds(),
        counted=None if metric is None else item[metric].optional_number(),
    )


FORMAT = ResultFormat(
    published="…_results.json, an object with `data`",
    harness="MemoryAgentBench's published code",
    recognizes=_recognizes,
    read=_read,
    identity="`qa_pair_id`; in older files `query`, else `query_id`, a number over all histories",
    failed="missing: the code leaves out answers that are null",
    verdicts="none",
)
