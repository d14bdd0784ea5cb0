"""The eight families of MemoryAgentBench, by name; each has a module."""

from __future__ import annotations

from collections.abc import Mapping

from mabench.families.benchmark import (
    detective,
    eventqa,
    factconsolidation,
    icl,
    infbench,
    longmemeval,
    recsys,
    ruler,
)
from mabench.families.family import Family

FAMILIES: Mapping[str, Family] = {
    module.FAMILY.name: module.FAMILY
    for module in (
        *(ruler, longmemeval, eventqa, icl, recsys),
        *(infbench, detective, factconsolidation),
    )
}
