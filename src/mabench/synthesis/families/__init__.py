"""The generators of all families, by the family's name: a module or a folder each."""

from __future__ import annotations

from mabench.data.inventory import BY_NAME
from mabench.synthesis.families import infbench
from mabench.synthesis.families.detective import generator as detective
from mabench.synthesis.families.eventqa import generator as eventqa
from mabench.synthesis.families.factconsolidation import generator as factconsolidation
from mabench.synthesis.families.icl import generator as icl
from mabench.synthesis.families.longmemeval import generator as longmemeval
from mabench.synthesis.families.recsys import generator as recsys
from mabench.synthesis.families.ruler import generator as ruler
from mabench.synthesis.generator import Generator

GENERATORS: dict[str, Generator] = {
    module.GENERATOR.family: module.GENERATOR
    for module in (
        ruler, longmemeval, eventqa, icl, recsys, infbench, detective, factconsolidation
    )
}  # fmt: skip


def register(generator: Generator) -> None:
    """Let ``generator`` make the rows of its family from now on."""
    GENERATORS[generator.family] = generator


def generator_of(source: str) -> Generator:
    """Return what makes the rows of a source."""
    return GENERATORS[BY_NAME[source].family]
