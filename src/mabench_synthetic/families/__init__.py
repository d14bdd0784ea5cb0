"""The generators of all families, by the family's name: a module or a folder each."""

from __future__ import annotations

from mabench.data.inventory import BY_NAME
from mabench_synthetic.families import detective, eventqa, infbench, recsys
from mabench_synthetic.families.factconsolidation import generator as factconsolidation
from mabench_synthetic.families.icl import generator as icl
from mabench_synthetic.families.longmemeval import generator as longmemeval
from mabench_synthetic.families.ruler import generator as ruler
from mabench_synthetic.generator import Generator

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
