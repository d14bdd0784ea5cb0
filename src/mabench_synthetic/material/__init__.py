"""Makes rows from a user's own material: labelled texts, facts, paragraphs or chats."""

from __future__ import annotations

from pathlib import Path

from mabench.data import Dataset
from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row
from mabench.errors import UsageError, unknown
from mabench_synthetic.material.json_files import read_chats, read_squad
from mabench_synthetic.material.reading import MaterialSpec
from mabench_synthetic.material.tables import read_labelled, read_triples

_MULTI_HOP = "factconsolidation_mh"
# What reads the files of a source, by how the source's name begins.
_READERS = {
    "icl": read_labelled,
    "factconsolidation": read_triples,
    "ruler_qa1": read_squad,
    "longmemeval": read_chats,
}
_QUESTIONS = 100


def read_material(
    source: str, file: Path, *, seed: int, tokens: int | None, questions: int | None
) -> Dataset:
    """Return the rows of a user's file.

    Args:
        source: the source or family whose form the rows have.
        file: the file.
        seed: decides the order, the labels and which questions are asked.
        tokens: the length of the context; None for all of the material.
        questions: the largest number of questions; None for 100.

    Raises:
        UsageError: when no file can be read for such a source.
        DataError: when the file is wrong; it lists everything that is.
    """
    read = next((read for stem, read in _READERS.items() if source.startswith(stem)), None)
    if read is None or source.startswith(_MULTI_HOP):
        rest = f"known: {', '.join(_READERS)} (of facts, single-hop rows only)"
        raise UsageError(
            unknown("no rows of a file can be made as", source, _READERS, rest),
            parameter="material",
        )
    spec = MaterialSpec(source, seed, tokens, _QUESTIONS if questions is None else questions)
    content = read(file, spec)
    row = Row(**dict(content), split=BY_NAME[content.metadata["source"]].split, index=0)
    return Dataset.from_rows("synthetic", lambda: [row])
