"""Reading predictions that another tool wrote, in our form or that of the published code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from mabench.errors import DataError, reason
from mabench.json_text import from_json
from mabench.userfile import LARGEST_DOCUMENT, lines_in, open_file

_BLOCK = 4096
# The fields of a prediction by their names in our files, and in result files of the published code.
_PLACE = {name: name for name in ("source", "row", "question_index", "qa_pair_id")}
_OURS = {"text": "prediction", **_PLACE}
_PUBLISHED = {"text": "output", **_PLACE, "position": "query_id", "prompt": "query"}
_NUMBERS = ("row", "question_index", "position")


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction of a file, with what the file says of its question."""

    place: str  # File and line, or file and position, for messages.
    text: str | None  # None for a failed answer.
    source: str | None = None
    row: int | None = None  # From 0 within the split.
    question_index: int | None = None
    qa_pair_id: str | None = None
    golds: frozenset[str] = frozenset()  # Without blanks around them.
    position: int | None = None  # Which of all questions of the source it is, from 0.
    prompt: str | None = None

    def __str__(self) -> str:
        values = {name: getattr(self, name) for name in _PLACE} | {"query_id": self.position}
        known = [f"{name} {value!r}" for name, value in values.items() if value is not None]
        return f"{self.place}: {', '.join(known) or 'names no question'}"


def read_predictions(path: Path) -> Iterator[Prediction]:
    """Yield the predictions of a file; a DataError names line and field of what is none.

    Two forms are read: JSONL with ``source``, ``row``, ``question_index`` or ``qa_pair_id``, and
    ``prediction`` on each line; and the published code's result file, a JSON object whose
    ``data`` list holds ``output``, ``answer`` and ``qa_pair_id``, or in older files ``query_id``
    and ``query``, with the source in ``dataset_config.sub_dataset``.
    """
    try:
        with open_file(path) as stream:
            published = _read_published(stream)
            if published is not None:
                config = published.get("dataset_config")
                source = config.get("sub_dataset") if isinstance(config, dict) else None
                for number, item in enumerate(published["data"]):
                    one = _prediction(item, f"{path}, data[{number}]", _PUBLISHED, "answer")
                    yield replace(one, source=source) if isinstance(source, str) else one
                return
            stream.seek(0)
            for number, line in enumerate(lines_in(stream), start=1):
                if not line.strip():
                    continue
                place = f"{path}, line {number}"
                try:
                    item = from_json(line, distinct_keys=True)
                except ValueError as error:
                    raise DataError(
                        f"{place}: not JSON ({error}); each line is one JSON object"
                    ) from error
                yield _prediction(item, place, _OURS, "answers")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path}: not readable: {reason(error)}; give a file of predictions"
        ) from error


def _read_published(stream: BinaryIO) -> dict[str, Any] | None:
    """Return a published result file, or None when it is no such file.

    That is one object. Of a file with an object on its first line, and more, no more is read.
    """
    first = stream.readline(LARGEST_DOCUMENT)
    try:
        content = from_json(first)
        if stream.read(_BLOCK).strip():
            return None
    except ValueError:
        try:
            content = from_json(first + stream.read(LARGEST_DOCUMENT))
        except ValueError:
            return None
    return content if isinstance(content, dict) and isinstance(content.get("data"), list) else None


def _prediction(item: object, place: str, names: Mapping[str, str], golds: str) -> Prediction:
    if not isinstance(item, dict) or names["text"] not in item:
        raise DataError(f"{place}: no field {names['text']!r}; every prediction needs it")
    fields: dict[str, Any] = {field: item.get(name) for field, name in names.items()}
    for field, value in fields.items():
        kind = int if field in _NUMBERS else str
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            why = f"field {names[field]!r} is {value!r}; expected {kind.__name__} or null"
            raise DataError(f"{place}: {why}")
    fields["qa_pair_id"] = fields["qa_pair_id"] or None
    texts = frozenset(gold.strip() for gold in _strings(item.get(golds)))
    return Prediction(place=place, golds=texts, **fields)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
