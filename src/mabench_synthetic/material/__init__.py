"""Rows over a user's own material: labelled texts, facts, paragraphs with questions, chats."""

from __future__ import annotations

from pathlib import Path

from mabench.data.inventory import BY_NAME
from mabench.data.schema import Row
from mabench.errors import UsageError
from mabench.suggestions import unknown
from mabench_synthetic.material import chats, labelled, squad, triples
from mabench_synthetic.material.reading import MaterialSpec

__all__ = ["read_material"]

_MULTI_HOP = "factconsolidation_mh"
# What reads the files of a source, by how the source's name begins.
_READERS = {
    "icl": labelled.read,
    "factconsolidation": triples.read,
    "ruler_qa1": squad.read,
    "longmemeval": chats.read,
}
_QUESTIONS = 100


def read_material(
    source: str, path: Path, *, seed: int, tokens: int | None, questions: int | None
) -> list[Row]:
    """Return the rows of a user's file.

    Args:
        source: the source or family whose form the rows take.
        path: the file.
        seed: decides order, labels and which questions are asked.
        tokens: the length of the context; all of the material when None.
        questions: how many questions at most, 100 when None.

    Raises:
        UsageError: when no file can be read for such a source.
        DataError: naming everything that is wrong with the file.
    """
    read = next((read for stem, read in _READERS.items() if source.startswith(stem)), None)
    if read is None or source.startswith(_MULTI_HOP):
        rest = f"known: {', '.join(_READERS)} (of facts, single-hop rows only)"
        raise UsageError(
            unknown("no rows of a file can be made as", source, _READERS, rest),
            parameter="material",
        )
    spec = MaterialSpec(source, seed, tokens, _QUESTIONS if questions is None else questions)
    content = read(path, spec)
    return [Row(**dict(content), split=BY_NAME[content.metadata["source"]].split, index=0)]
