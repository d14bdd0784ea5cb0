"""The columns of a run's questions, as CSV, Parquet, Arrow and pandas have them.

They are declared here alone; ``docs/reference/python.md`` is made from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from mabench.json_text import to_json, without_surrogates
from mabench.results.records.record import RunRecord
from mabench.results.scored import ScoredQuestion

if TYPE_CHECKING:
    import pyarrow

# A question in columns: text, a number, a list of texts, or None if it is not known.
QuestionValues = dict[str, Any]

# Questions that are turned into columns at a time.
_BATCH = 1_000
# Between two settings in the name of an agent.
_BETWEEN_SETTINGS = re.compile(r",(?=\w+=)")
_RUN_SETTINGS = (
    *("data", "protocol", "chunk_tokens", "prompts", "model", "rows", "limit_questions", "takes"),
)


@dataclass(frozen=True, slots=True)
class QuestionColumn:
    """A column: its name, the type of its values, what they are, and how to read them."""

    name: str
    kind: type | Any
    meaning: str
    value: Callable[[ScoredQuestion], Any]


def _of_sample(name: str) -> Callable[[ScoredQuestion], Any]:
    return lambda question: getattr(question.sample, name)


def _judgments_of(question: ScoredQuestion) -> str | None:
    """Return the verdicts on an answer as JSON; None without any."""
    names = ("model", "prompts", "value", "error", "words")
    verdicts = [{name: one[name] for name in names} for one in question.verdicts]
    return to_json(verdicts) if verdicts else None


def _number_of(value: float | None) -> float | None:
    return None if value is None else float(value)


RUN_COLUMNS = {
    "run": "the folder of the run",
    "agent": "the agent's name, with its settings",
    "settings": "those of the agent and of the run as JSON: k, data, protocol, prompts, model, and "
    "under `takes` what was passed natively of conversations that are told by turns",
}
QUESTION_COLUMNS = (
    QuestionColumn("source", str, "the source of the row", _of_sample("source")),
    QuestionColumn("split", str, "the split of the history", _of_sample("split")),
    QuestionColumn("row", int, "the row of the history in its split", _of_sample("row")),
    QuestionColumn(
        "question_index", int, "which of its questions, from 0", _of_sample("question_index")
    ),
    QuestionColumn("question", str, "the question", _of_sample("question")),
    QuestionColumn(
        "golds", list[str], "the answers that the data set accepts", lambda q: [*q.sample.answers]
    ),
    QuestionColumn("prediction", str, "the agent's answer, if any", _of_sample("prediction")),
    QuestionColumn("error", str, "why there is no prediction", _of_sample("error")),
    QuestionColumn("official", float, "the official score, 0 to 1", lambda q: q.official),
    QuestionColumn("corrected", float, "the corrected score, 0 to 1", lambda q: q.corrected),
    QuestionColumn("verdict", str, "the verdict of the corrected score", lambda q: q.verdict),
    QuestionColumn("rule", str, "the rule that decided it", lambda q: q.rule),
    QuestionColumn("part", str, "what became of the question", lambda q: q.part),
    QuestionColumn("hit_by", str, "what a hit is: evidence or mention", _of_sample("hit_by")),
    QuestionColumn("hit_rank", int, "the rank of the hit, from 1", _of_sample("hit_rank")),
    QuestionColumn("seconds", float, "how long the answer took", lambda q: _number_of(q.seconds)),
    QuestionColumn(
        "search_seconds",
        float,
        "how long its search took",
        lambda q: _number_of(q.search_seconds),
    ),
    QuestionColumn("input_tokens", int, "tokens that a model read", _of_sample("input_tokens")),
    QuestionColumn("output_tokens", int, "tokens that it wrote", _of_sample("output_tokens")),
    QuestionColumn("cost", float, "US dollars", lambda q: _number_of(q.sample.cost)),
    QuestionColumn(
        "question_type", str, "the type of the question, if any", _of_sample("question_type")
    ),
    QuestionColumn(
        "evidence_recall",
        float,
        "the share of the supporting statements that was retrieved",
        lambda q: _number_of(q.sample.evidence_recall),
    ),
    QuestionColumn(
        "asked_after",
        str,
        "the turn or the time after which it was asked, in the middle of the history",
        _of_sample("asked_after"),
    ),
    QuestionColumn(
        "judgments",
        str,
        "the verdict of each judge as JSON: `model`, `prompts`, `value` from 0 to 1, `error`, and "
        "the judge's own `words`",
        _judgments_of,
    ),
)
COLUMN_NAMES = (*RUN_COLUMNS, *(column.name for column in QUESTION_COLUMNS))


def in_columns(
    folder: str, record: RunRecord, questions: Iterable[ScoredQuestion]
) -> Iterator[QuestionValues]:
    """Yield the questions of a run by the names of the columns."""
    settings = to_json(_settings_of(record))
    about: QuestionValues = {"run": folder, "agent": record.agent, "settings": settings}
    for question in questions:
        yield about | {column.name: column.value(question) for column in QUESTION_COLUMNS}


def to_arrow(rows: Iterable[QuestionValues]) -> pyarrow.Table:
    """Return such questions as an Arrow table; a mark replaces each lone surrogate."""
    import pyarrow

    kinds = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        list[str]: pyarrow.list_(pyarrow.string()),
    }
    fields = [(name, kinds[str]) for name in RUN_COLUMNS]
    fields += [(column.name, kinds[column.kind]) for column in QUESTION_COLUMNS]
    schema = pyarrow.schema(fields)
    arrow_rows = ({name: _arrow_value(value) for name, value in row.items()} for row in rows)
    batches = []
    while batch := list(islice(arrow_rows, _BATCH)):
        batches.append(pyarrow.RecordBatch.from_pylist(batch, schema))
    return pyarrow.Table.from_batches(batches, schema)


def _settings_of(record: RunRecord) -> dict[str, Any]:
    """Return the settings of the agent, which its name has, and those of the run."""
    _, _, bracketed = record.agent.partition("[")  # ``k=5,model=x]`` of ``bm25[k=5,model=x]``.
    settings: dict[str, Any] = {}
    for setting in _BETWEEN_SETTINGS.split(bracketed[:-1]):
        name, equals, value = setting.partition("=")
        if equals:
            settings[name] = value
    fields = record.as_dict() | {"data": record.data.name}
    return settings | {name: fields[name] for name in _RUN_SETTINGS if fields.get(name) is not None}


def _arrow_value(value: object) -> object:
    """Return a value without lone surrogates, which Arrow cannot hold."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_arrow_value(part) for part in value]
    return value
