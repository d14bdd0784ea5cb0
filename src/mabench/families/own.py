"""The families of sources that users declare: ``answer``, ``choice``, ``label`` and ``judged``.

They are scored as families of the benchmark, but asked in words that fit any history, and their
units are paragraphs unless the source says how a unit begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mabench.families.benchmark import FAMILIES
from mabench.families.cutting import split_paragraphs
from mabench.families.family import Family
from mabench.families.prompt_tables import read_prompts

_LIKE = {"answer": "ruler", "choice": "detective", "label": "icl", "judged": "longmemeval"}


def _demonstrations(context: str) -> list[str]:
    """Cut behind labels as the benchmark writes them; where there are none, at blank lines."""
    pieces = FAMILIES["icl"].units(context)
    return pieces if len(pieces) > 1 else split_paragraphs(context)


OWN_FAMILIES: Mapping[str, Family] = {
    name: replace(
        FAMILIES[like],
        name=name,
        prompts={"answer": read_prompts("own")[name]},
        units=_demonstrations if name == "label" else split_paragraphs,
        # Those of LongMemEval's rows ask for fields that other rows need not have.
        row_checks=FAMILIES[like].row_checks if name == "choice" else (),
        repeated_ids="warning",
    )
    for name, like in _LIKE.items()
}
