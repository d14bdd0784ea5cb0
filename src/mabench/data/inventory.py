"""The 22 sources of MemoryAgentBench as data, with the figures of the public data set.

Source of the figures: the dataset card at revision ``REVISION`` and the paper
(arXiv 2507.05257): rows, questions, mean context length, the context limit of the published
configuration, and the column of the paper's main table that a source feeds.
"""

from __future__ import annotations

from dataclasses import dataclass

HUB_ID = "ai-hyz/MemoryAgentBench"
REVISION = "7ea066982b140a19337e17e60d45d4076e042faf"


@dataclass(frozen=True, slots=True)
class Source:
    """One source: where its rows stand, how many there are, and what they count towards.

    ``questions`` is the total over all rows; ``context_tokens`` the mean length of a context
    and ``context_limit`` the limit of the published configuration, both in o200k_base tokens.
    ``column`` is None for sources that the paper's main table leaves out.
    """

    name: str
    split: str
    family: str
    rows: int
    questions: int
    context_tokens: int
    context_limit: int
    column: str | None = None

    @property
    def competency(self) -> str:
        """What the source examines, in words: the split's name."""
        return self.split.replace("_", " ").lower()


@dataclass(frozen=True, slots=True)
class Category:
    """One group of columns in the paper's table; its score is the mean of its columns."""

    name: str
    split: str
    columns: tuple[str, ...]


CATEGORIES = (
    Category("AR", "Accurate_Retrieval", ("SH-QA", "MH-QA", "LME", "EventQA")),
    Category("TTL", "Test_Time_Learning", ("MCC", "Recom")),
    Category("LRU", "Long_Range_Understanding", ("Summ", "DetQA")),
    Category("CR", "Conflict_Resolution", ("FC-SH", "FC-MH")),
)
SPLITS = tuple(category.split for category in CATEGORIES)

_AR, _TTL, _LRU, _CR = SPLITS
_ICL_SETS = ("banking77_5900", "clinic150_7050", "nlu_8296", "trec_coarse_6600", "trec_fine_6400")
_FACT_LIMITS = {"6k": 6_000, "32k": 32_768, "64k": 65_536, "262k": 300_000}
_FACT_TOKENS = {"6k": 6_000, "32k": 32_000, "64k": 64_000, "262k": 262_000}


def _facts(hops: str) -> tuple[Source, ...]:
    return tuple(
        Source(
            f"factconsolidation_{hops}_{size}",
            _CR,
            "factconsolidation",
            rows=1,
            questions=100,
            context_tokens=_FACT_TOKENS[size],
            context_limit=limit,
            # The paper's table reports the longest context only.
            column=f"FC-{hops.upper()}" if size == "262k" else None,
        )
        for size, limit in _FACT_LIMITS.items()
    )


SOURCES: tuple[Source, ...] = (
    Source("ruler_qa1_197K", _AR, "ruler", 1, 100, 197_000, 220_000, "SH-QA"),
    Source("ruler_qa2_421K", _AR, "ruler", 1, 100, 421_000, 524_288, "MH-QA"),
    Source("eventqa_full", _AR, "eventqa", 5, 500, 534_000, 800_000, "EventQA"),
    Source("eventqa_65536", _AR, "eventqa", 5, 500, 64_000, 65_536),
    Source("eventqa_131072", _AR, "eventqa", 5, 500, 128_000, 131_072),
    Source("longmemeval_s*", _AR, "longmemeval", 5, 300, 355_000, 400_000, "LME"),
    Source("recsys_redial_full", _TTL, "recsys", 1, 200, 1_440_000, 1_480_000, "Recom"),
    *(
        Source(f"icl_{name}shot_balance", _TTL, "icl", 1, 100, 103_000, 131_072, "MCC")
        for name in _ICL_SETS
    ),
    Source("infbench_sum_eng_shots2", _LRU, "infbench", 100, 100, 172_000, 1_200_000, "Summ"),
    Source("detective_qa", _LRU, "detective", 10, 71, 124_000, 200_000, "DetQA"),
    *_facts("mh"),
    *_facts("sh"),
)
BY_NAME = {source.name: source for source in SOURCES}
