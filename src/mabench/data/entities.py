"""The movie names of the recommendation rows and their entity ids (``entity2id.json``)."""

from __future__ import annotations

import json
from pathlib import Path

from mabench.data.problems import Problem, reason, shown
from mabench.errors import DataError


def load_entities(path: str | Path) -> dict[str, int]:
    """Read a JSON object of entity name to entity id.

    Raises:
        DataError: when the file cannot be read or is no such object, naming the entry.
    """
    entities, problems = read_entities(Path(path))
    if problems:
        raise DataError(str(problems[0]))
    return entities


def read_entities(path: Path) -> tuple[dict[str, int], list[Problem]]:
    """Read a JSON object of entity name to entity id.

    Returns:
        The entries that are right, and a problem for each that is not.
    """

    def problem(field: str | None, found: str, expected: str) -> Problem:
        return Problem("error", str(path), None, field, found, expected)

    expected = "a JSON object of entity name to id, such as the hub's entity2id.json"
    try:
        entries = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        return {}, [problem(None, reason(error), expected)]
    if not isinstance(entries, dict):
        return {}, [problem(None, shown(entries), expected)]
    entities = {name: value for name, value in entries.items() if _is_id(value)}
    wrong = [(name, value) for name, value in entries.items() if name not in entities]
    return entities, [problem(name, shown(value), "an id, an integer") for name, value in wrong]


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
