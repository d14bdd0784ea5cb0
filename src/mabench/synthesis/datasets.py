"""The synthetic data sets that have a name: which rows they hold, how long, how many questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mabench.data.inventory import SOURCES
from mabench.synthesis.families import generator_of
from mabench.synthesis.generator import RowSpec
from mabench.synthesis.specs import row_specs

# What `synthetic:small` holds of a source: rows, tokens of a row, questions of a row.
_SMALL = {
    "ruler_qa1_197K": (1, 9_000, 25),
    "ruler_qa2_421K": (1, 9_000, 25),
    "eventqa_full": (1, 9_000, 20),
    "longmemeval_s*": (1, 20_000, 24),
    "recsys_redial_full": (1, 18_000, 20),
    "icl_banking77_5900shot_balance": (1, 12_000, 40),
    "icl_trec_coarse_6600shot_balance": (1, 8_000, 30),
    "infbench_sum_eng_shots2": (2, 6_000, 1),
    "detective_qa": (2, 6_000, 8),
    "factconsolidation_mh_6k": (1, 6_000, 40),
    "factconsolidation_sh_6k": (1, 6_000, 40),
}
# A shorter factconsolidation row would not hold its questions.
_SHORTEST = 4_000


def _small(seed: int) -> list[RowSpec]:
    """Return the specs of `synthetic:small`: 13 rows of all eight families, half a megabyte."""
    specs: list[RowSpec] = []
    for source in SOURCES:
        if source.name in _SMALL:
            rows, tokens, questions = _SMALL[source.name]
            specs += row_specs(source.name, seed, tokens=tokens, rows=rows, questions=questions)
    return specs


def _medium(seed: int) -> list[RowSpec]:
    """Return the specs of `synthetic:medium`: all 22 sources, about a tenth of the whole.

    A source keeps one row in ten, but at least one, and its rows are shorter where that is still
    more than a tenth. Each row has half its questions.
    """
    specs: list[RowSpec] = []
    for source in SOURCES:
        rows = -(-source.rows // 10)
        tokens = max(_SHORTEST, source.context_tokens * source.rows // (10 * rows))
        questions = max(1, generator_of(source.name).public_questions(source, 0) // 2)
        specs += row_specs(source.name, seed, tokens=tokens, rows=rows, questions=questions)
    return specs


def _full(seed: int) -> list[RowSpec]:
    """Return the specs of `synthetic:full`: the inventory of the hub, row by row."""
    return [spec for source in SOURCES for spec in row_specs(source.name, seed)]


# From a seed to the specs of a data set, by the name behind `synthetic:`.
DATASETS: Mapping[str, Callable[[int], list[RowSpec]]] = {
    "small": _small,
    "medium": _medium,
    "full": _full,
}
