"""The entity file of a data set: the id of each title that can be recommended."""

from __future__ import annotations

from pathlib import Path

from mabench.data.problems import Problem, describe
from mabench.errors import DataError, reason
from mabench.userfile import read_json_file


def load_entities(path: str | Path) -> dict[str, int]:
    """Read a JSON object of entity name to entity id; raises ``DataError``."""
    entities, problems = read_entities(Path(path))
    if problems:
        raise DataError(str(problems[0]))
    return entities


def read_entities(path: Path) -> tuple[dict[str, int], list[Problem]]:
    """Return the ids of entities by name, and what is wrong with the file."""
    expected = "a JSON object of entity name to id, such as the hub's entity2id.json"
    try:
        entries = read_json_file(path, distinct_keys=True)
    except (OSError, ValueError) as error:
        found = f"no file that can be read ({reason(error)})"
        return {}, [Problem("error", str(path), None, None, found, expected)]
    if not isinstance(entries, dict):
        return {}, [Problem("error", str(path), None, None, describe(entries), expected)]
    ids = {name: value for name, value in entries.items() if type(value) is int and value >= 0}
    return ids, [
        Problem("error", str(path), None, name, describe(value), "an id, an integer")
        for name, value in entries.items()
        if name not in ids
    ]
