from __future__ import annotations

import pytest

from mabench.data.inventory import SOURCES
from mabench.errors import UsageError
from mabench.families import Budget, family_of
from mabench.injection import PROTOCOLS, protocol_named


@pytest.mark.parametrize(
    ("protocol", "source", "chunk", "answer"),
    [
        ("paper", "ruler_qa1_197K", 512, 50),
        ("paper", "longmemeval_s*", 512, 100),
        ("paper", "eventqa_full", 4096, 40),
        ("paper", "icl_banking77_5900shot_balance", 4096, 20),
        ("paper", "recsys_redial_full", 4096, 300),
        ("paper", "infbench_sum_eng_shots2", 4096, 1200),
        ("paper", "detective_qa", 4096, 500),
        ("paper", "factconsolidation_mh_262k", 512, 10),
        ("repository", "ruler_qa2_421K", 4096, 50),
        ("repository", "longmemeval_s*", 4096, 50),
        ("repository", "detective_qa", 4096, 2000),
        ("repository", "factconsolidation_sh_6k", 4096, 10),
    ],
)
def test_sizes_are_those_of_the_benchmark(
    protocol: str, source: str, chunk: int, answer: int
) -> None:
    assert protocol_named(protocol).budget(family_of(source)) == Budget(chunk, answer)


def test_every_protocol_knows_every_source() -> None:
    for protocol in PROTOCOLS.values():
        for source in SOURCES:
            assert all(tokens > 0 for tokens in protocol.budget(family_of(source)))


def test_the_size_can_be_replaced() -> None:
    context = "".join(f"{number}. Ann owns a cat.\n" for number in range(100))
    structured = protocol_named("structured")
    facts = family_of("factconsolidation_sh_6k")
    whole = structured.chunks(facts, context, 10_000)
    small = structured.chunks(facts, context, 50)
    assert len(whole) == 1
    assert len(small) > 5


def test_an_unknown_protocol_is_named() -> None:
    with pytest.raises(UsageError, match="unknown protocol 'papre': did you mean paper"):
        protocol_named("papre")
