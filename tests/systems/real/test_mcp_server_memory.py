"""The server-memory of the Model Context Protocol, fetched and started by npx."""

import asyncio
import shutil
from typing import Any

import pytest

import mabench
from mabench.remote.mcp_channel import mcp_factory
from tests.systems.real.environments import described, noted

pytest.importorskip("mcp.client.client", reason="needs the package mcp: pip install 'mabench[mcp]'")

pytestmark = [pytest.mark.real, pytest.mark.skipif(not shutil.which("npx"), reason="needs npx")]
TARGET = "mcp:npx -y @modelcontextprotocol/server-memory"
TOWNS = [f"{start}{end}" for start in ("Or", "Bel", "Kar", "Mun", "Tas") for end in
         ("vale", "wick", "dun", "more", "ley", "stead")]  # fmt: skip


def test_facts_are_found_and_rows_stay_apart() -> None:
    factory = mcp_factory(TARGET, None)

    async def use() -> int:
        memory: Any = factory()
        other: Any = factory()
        try:
            assert await memory.search("Who is the keeper of Orvale?", 10) == []
            for i, town in enumerate(TOWNS):
                await memory.add(f"The lighthouse keeper of {town} is Keeper{i}.")
            await other.add("The lighthouse keeper of Orvale is Nobody.")
            await memory.add("")
            await memory.add("zebra " + "\U0001f600é " * 25_000)
            asked = [f"Who is the lighthouse keeper of {town}?" for town in TOWNS]
            found = [await memory.search(question, 10) for question in asked]
            assert (await memory.search("zebra", 1))[0].text.startswith("zebra")
            assert "Nobody" not in str(await memory.search("Orvale", 50))
        finally:
            await memory.close()
            await other.close()
        return sum(passages[0].text.endswith(f"Keeper{i}.") for i, passages in enumerate(found))

    assert asyncio.run(use()) == len(TOWNS)


def test_a_stress_reports_what_it_sees() -> None:
    report = mabench.stress(TARGET, mabench.StressSpec(seconds=60, clients=(1, 8))).as_dict()
    noted(f"server-memory: {described(report)}")
    assert report["tried"]


def test_synthetic_rows_are_answered(tmp_path: Any) -> None:
    what: Any = {"sources": ["factconsolidation_sh_6k"], "limit_questions": 20}
    factory = mcp_factory(TARGET, None)
    run = mabench.run(factory, "synthetic:small", out=tmp_path / "run", **what)
    samples = list(run.samples())
    assert [sample.error for sample in samples] == [None] * len(samples)
    assert all(sample.retrieved for sample in samples)
