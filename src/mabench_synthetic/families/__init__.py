"""The generators of all families, by the family's name; each is a module or a folder."""

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
    """Register the generator of a family."""
    GENERATORS[generator.family] = generator


def generator_of(source: str) -> Generator:
    """Return the generator of the family of a source."""
    return GENERATORS[BY_NAME[source].family]
